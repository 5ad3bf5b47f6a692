// Project: a folder with definitions and actions. Definitions are JSON files that look like one, and modules named
// `workflow.mjs` or `NAME.workflow.mjs` (also .js, .ts); actions are in modules named `actions.mjs`.
//
// Always true: no other module is loaded; hidden folders, node_modules and dist are not looked into.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { CommandError, memberOf } from './command-error.ts';
import type { Loading } from './load-module.ts';
import { type Document, readOrReport } from './read-document.ts';

export interface ProjectFiles {
  /** Those that may hold a definition. */
  readonly definitions: readonly string[];
  readonly actions: readonly string[];
  /** All that were looked into. */
  readonly folders: readonly string[];
}

const entriesMax = 10_000;
const skipped = new Set(['node_modules', 'dist']);
const noDefinition = /^(package(-lock)?|tsconfig.*)\.json$/;
const definitionModule = /^(.+\.)?workflow\.[mc]?[jt]s$/;
const actionsModule = /^actions\.[mc]?[jt]s$/;

/** By path, so that the order is the same everywhere. */
export function findFiles(folder: string): ProjectFiles {
  const [definitions, actions]: [string[], string[]] = [[], []];
  const folders = [folder];
  let entries = 0;
  for (const each of folders) {
    for (const entry of list(each)) {
      if (++entries > entriesMax) throw tooLarge(folder);
      const { name } = entry;
      if (name.startsWith('.') || skipped.has(name)) continue;
      const file = path.join(each, name);
      if (entry.isDirectory()) folders.push(file);
      else if (actionsModule.test(name)) actions.push(file);
      else if (definitionModule.test(name) || (name.endsWith('.json') && !noDefinition.test(name)))
        definitions.push(file);
    }
  }
  return { definitions: definitions.toSorted(), actions: actions.toSorted(), folders };
}

function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = memberOf(error, 'code');
    const found = code === 'ENOENT' ? 'there is none' : code === 'ENOTDIR' ? 'it is a file' : String(error);
    throw new CommandError('FOLDER_UNREADABLE', `Expected a folder ${folder}, but ${found}; check the path.`);
  }
}

/** Those that hold a definition, or could not be read. */
export async function readDefinitions(files: readonly string[], loading: Loading = {}): Promise<readonly Document[]> {
  const documents: Document[] = [];
  for (const file of files) {
    const document = await readOrReport(file, undefined, loading);
    if (document.problem || document.text === null || isDefinition(document.value)) documents.push(document);
  }
  return documents;
}

/** Fields that only definitions have; of data that lies beside them nothing is said. */
const telling = ['initialNode', 'transitions', 'edges', 'connectors', 'connections', 'dialect'];

function isDefinition(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'nodes' in value && telling.some((field) => field in value);
}

function tooLarge(folder: string): CommandError {
  const message = `Expected a folder of at most ${entriesMax} files, but ${folder} has more`;
  return new CommandError('FOLDER_TOO_LARGE', `${message}; name the one that has the definitions.`);
}
