// Web files: the built web app beside this file, read when somebody opens it.
//
// Always true: only what the build wrote is served: a path is looked up among the names that are there, never joined to a folder.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FindWebFile, WebFile } from '../http/web-app.ts';

const mimeTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Null where there is no build of it. */
export function findWebFiles(folder: string = builtFolder()): FindWebFile | null {
  if (!existsSync(path.join(folder, 'index.html'))) return null;
  const read = new Map<string, Promise<WebFile>>();
  let names: Promise<ReadonlySet<string>> | null = null;
  return async (wanted) => {
    names ??= listNames(folder);
    if (!(await names).has(wanted)) return null;
    const known = read.get(wanted) ?? readWebFile(folder, wanted, await names);
    read.set(wanted, known);
    return known;
  };
}

/** `web` beside the bundle that this is in; the bundle may be in a folder of chunks. */
function builtFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const beside = ['web', '../web', '../../dist/web'].map((place) => path.resolve(here, place));
  return beside.find((folder) => existsSync(path.join(folder, 'index.html'))) ?? path.resolve(here, 'web');
}

async function listNames(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && path.extname(entry.name) in mimeTypesAndCompressed);
  return new Set(
    files.map(
      ({ parentPath, name }) => `/${path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/')}`,
    ),
  );
}

const mimeTypesAndCompressed = { ...mimeTypes, '.gz': '' };

async function readWebFile(folder: string, name: string, names: ReadonlySet<string>): Promise<WebFile> {
  const compressedName = `${name}.gz`;
  const [bytes, compressed] = await Promise.all([
    readFile(path.join(folder, name)),
    names.has(compressedName) ? readFile(path.join(folder, compressedName)) : null,
  ]);
  return {
    bytes: new Uint8Array(bytes),
    compressed: compressed === null ? null : new Uint8Array(compressed),
    mimeType: mimeTypes[path.extname(name)] ?? 'application/octet-stream',
    isForEver: name.startsWith('/assets/'),
  };
}
