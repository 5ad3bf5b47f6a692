// ArtifactCopy: walks the files of all artifacts: to copy them, or to tell how much they are.

import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StoreSizes } from '../../actor/ports.ts';
import { copyDurably, makeOwnFolder, syncFolder } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';

/** Files that are measured at most. */
const measuredMax = 10_000;

export async function measureArtifacts(folder: string): Promise<StoreSizes['artifacts']> {
  let count = 0;
  let bytes = 0;
  for await (const file of artifactFiles(folder)) {
    if (count === measuredMax) return { count, bytes, isComplete: false };
    count += 1;
    bytes += (await stat(file).catch(() => null))?.size ?? 0; // It may go meanwhile.
  }
  return { count, bytes, isComplete: true };
}

/** They are on the disk when it answers. */
export async function copyArtifacts(from: string, to: string): Promise<void> {
  const folders = new Set<string>();
  for await (const file of artifactFiles(from)) {
    const copy = path.join(to, path.relative(from, file));
    try {
      await makeOwnFolder(path.dirname(copy));
      await copyDurably(file, copy);
    } catch (error) {
      throw toFileError(error, copy);
    }
    folders.add(path.dirname(copy));
  }
  for (const folder of folders) await syncFolder(folder);
}

/** Ids in their order, after one; a folder of them at a time is in memory. */
export async function listArtifactFiles(
  folder: string,
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const start of await sortedNames(folder, /^[0-9a-f]{2}$/)) {
    if (after !== null && start < after.slice(0, 2)) continue;
    const ids = (await sortedNames(path.join(folder, start), /^[0-9a-f]{62}$/)).map((rest) => start + rest);
    found.push(...ids.filter((id) => after === null || id > after).slice(0, limit - found.length));
    if (found.length >= limit) break;
  }
  return found;
}

async function sortedNames(folder: string, pattern: RegExp): Promise<string[]> {
  const names: string[] = [];
  for await (const name of namesIn(folder)) if (pattern.test(name)) names.push(name);
  return names.toSorted();
}

/** Whole ones only: a draft is not yet anybody's. */
async function* artifactFiles(folder: string): AsyncGenerator<string> {
  for await (const name of namesIn(folder))
    if (/^[0-9a-f]{2}$/.test(name))
      for await (const rest of namesIn(path.join(folder, name)))
        if (/^[0-9a-f]{62}$/.test(rest)) yield path.join(folder, name, rest);
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield name;
  } catch (error) {
    if (!isMissing(error)) throw toFileError(error, folder);
  }
}
