// Read document: what the command line is given as files or text. JSON within the limits, or a module that exports a
// definition (such as one that uses the builder).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultLimits, findJsonError, type Json, type Problem, parseJson } from 'heddle';
import { findNearest } from 'heddle/operations';
import { CommandError, memberOf } from './command-error.ts';
import { completeDefinition, type DrawnDialect } from './complete-definition.ts';
import { type Loading, loadModule } from './load-module.ts';

export interface Document {
  readonly file: string;
  /** Null for a module. */
  readonly text: string | null;
  readonly value: unknown;
  /** Why there is no value, with the line in the text where it is known. */
  readonly problem: (Problem & { readonly line?: number }) | null;
}

export async function readDocument(file: string, dialect?: DrawnDialect, loading: Loading = {}): Promise<Document> {
  const complete = (value: unknown) => completeDefinition(value, { file, dialect });
  if (/\.[mc]?[jt]s$/.test(file))
    return { file, text: null, value: complete(await loadDefinition(file, loading)), problem: null };
  const text = readText(file).replace(/^\uFEFF/, '');
  const { definitionBytesMax: bytesMax, jsonDepthMax: depthMax } = defaultLimits;
  const parsed = parseJson(text, { bytesMax, depthMax, limitName: 'definitionBytesMax', duplicateKeys: 'refuse' });
  if ('value' in parsed) return { file, text, value: complete(parsed.value), problem: null };
  return { file, text, value: undefined, problem: explain(text, parsed.problem) };
}

/** What cannot be read is a problem of that file, beside those of others. */
export async function readOrReport(file: string, dialect?: DrawnDialect, loading: Loading = {}): Promise<Document> {
  try {
    return await readDocument(file, dialect, loading);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { code, message } = error;
    return { file, text: null, value: undefined, problem: { severity: 'error', code, pointer: '', message } };
  }
}

/** With the line, however long the text is: nobody else waits for it. */
function explain(text: string, problem: Problem): Problem & { readonly line?: number } {
  if (problem.code !== 'INVALID_JSON') return problem;
  const { finding, ...rest } = findJsonError(text);
  return { ...problem, message: `Expected JSON text, but ${finding}`, ...rest };
}

/** A value on the command line: `JSON`, `@file`, or `@-` for what is piped in. */
export function readValue(option: keyof typeof valueErrors, given: string): Json {
  const text = given.startsWith('@') ? readText(given === '@-' ? 0 : given.slice(1)) : given;
  const { payloadBytesMax: bytesMax, jsonDepthMax: depthMax } = defaultLimits;
  const parsed = parseJson(text, { bytesMax, depthMax, limitName: 'payloadBytesMax', duplicateKeys: 'refuse' });
  if ('value' in parsed) return parsed.value;
  const next = given.startsWith('@')
    ? `Look into ${given.slice(1)}`
    : `Write it in quotes, such as ${option} '{"n": 1}'`;
  throw new CommandError(valueErrors[option], `In ${option}: ${explain(text, parsed.problem).message}. ${next}.`);
}

const valueErrors = {
  '--input': 'INPUT_INVALID',
  '--answer': 'ANSWER_INVALID',
  '--event': 'EVENT_INVALID',
  '--payload': 'PAYLOAD_INVALID',
  '--output': 'OUTPUT_INVALID',
  '--state': 'STATE_INVALID',
} as const;

/** The default export, or the only one. */
async function loadDefinition(file: string, loading: Loading): Promise<unknown> {
  const { default: main, ...named } = await loadModule(file, { what: 'a module with a definition', ...loading });
  const candidates = main === undefined ? Object.values(named) : [main];
  const [exported] = candidates;
  if (candidates.length !== 1 || typeof exported !== 'object' || exported === null) {
    const message = `Expected ${file} to export a definition as its default or its only export, but it does not.`;
    throw new CommandError('MODULE_FAILED', `${message} Write \`export const definition = …\`.`);
  }
  const { build } = exported as { readonly build?: unknown }; // it is an object
  return typeof build === 'function' ? (build.call(exported) as unknown) : exported;
}

function readText(file: string | 0): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = memberOf(error, 'code');
    const found = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(error);
    const nearest = code === 'ENOENT' && file !== 0 ? nearestFile(file) : undefined;
    const next = nearest === undefined ? 'check the path.' : `did you mean ${nearest}?`;
    throw new CommandError('FILE_UNREADABLE', `Expected to read ${file || 'standard input'}, but ${found}; ${next}`);
  }
}

/** In the same folder. */
function nearestFile(file: string): string | undefined {
  const folder = path.dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const nearest = findNearest(path.basename(file), names);
  return nearest === undefined ? undefined : path.join(folder, nearest);
}
