// A project of a user's, with the packages that are installed here, and what the compiler says about it.

import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = (name: string) => path.join(root, 'packages/heddle/src', name);

/** What users import, in the sources. */
export const doors = {
  heddle: source('index.ts'),
  'heddle/check': source('check.ts'),
  'heddle/dialects': source('dialects.ts'),
  'heddle/capsule': source('capsule.ts'),
  'heddle/journal': source('journal.ts'),
  'heddle/expressions': source('expressions.ts'),
  'heddle/telemetry': source('telemetry.ts'),
  'heddle/testing': source('testing.ts'),
  'heddle/sqlite': source('sqlite.ts'),
  'heddle/postgres': source('postgres.ts'),
  'heddle/server': source('server.ts'),
  'heddle/client': source('client.ts'),
  'heddle/wire': source('wire.ts'),
  'heddle/cloudflare': source('cloudflare.ts'),
};

const settings = {
  extends: path.join(root, 'tsconfig.base.json'),
  compilerOptions: {
    types: ['node'],
    // Names that a snippet introduces and leaves to the reader.
    noUnusedLocals: false,
    noUnusedParameters: false,
    // The sources name their files as they are; a snippet outside of them may not be rewritten.
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    paths: Object.fromEntries(Object.entries(doors).map(([name, file]) => [name, [file]])),
  },
  // The last has the platform's module, which programs have of the platform.
  include: ['*.ts', source('cloudflare/workers.d.ts')],
};

export interface Project {
  readonly folder: string;
  readonly write: (name: string, text: string) => void;
}

/** It is removed when the test is over. */
export function makeProject(): Project {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-project-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify(settings));
  return { folder, write };
}

/** The errors of a project: a line that begins with the place, and the lines that explain it. */
export async function compile({ folder }: Pick<Project, 'folder'>): Promise<string[]> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--pretty', 'false', '-p', folder];
  const told = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, ...options], { cwd: folder }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return told
    .split(/\n(?=\S)/)
    .map((error) => error.trim())
    .filter((error) => error !== '');
}
