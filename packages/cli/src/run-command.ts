// `heddle run`: starts a run of a definition in a file, shows it, and answers with its output.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Json } from 'heddle';
import { findNearest } from 'heddle/operations';
import { type CheckedDocument, checkDocument, printProblems, refusalOf } from './check-documents.ts';
import { CommandError, exitCodes } from './command-error.ts';
import type { DrawnDialect } from './complete-definition.ts';
import { findUnfinished } from './find-run.ts';
import { loadActions, missingActions, type NamedActions, namesOf, workflowNamesOf } from './load-actions.ts';
import { quoted } from './quoted.ts';
import { readDocument, readValue } from './read-document.ts';
import { registerDocument } from './register-file.ts';
import { jsonLine, reportEnding } from './report-ending.ts';
import { pickMembers, type StartMembers } from './request-members.ts';
import { type Session, type SessionOptions, withSession } from './session.ts';
import { count, output, progress } from './terminal.ts';

export interface RunOptions extends SessionOptions, Pick<StartMembers, 'idempotencyKey' | 'tags' | 'trace'> {
  readonly input: string;
  readonly dialect?: DrawnDialect;
  readonly register?: readonly string[];
}

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  if (!path.extname(file) && !existsSync(file)) throw noFile(file);
  if (options.trace && options.store === undefined) throw nothingKept();
  const actions = await loadActions(options.actions);
  const checked: CheckedDocument[] = [];
  // Sub-workflows first, so that whoever calls them finds them.
  for (const each of [...(options.register ?? []), file])
    checked.push(checkDocument(await readDocument(each, options.dialect), actions));
  for (const { document, problems } of checked) printProblems(progress, document.file, problems);
  if (checked.some(({ isValid }) => !isValid)) return refuseInvalid(checked, options);
  const input = readValue('--input', options.input);
  const unknown = findUnknown(checked, actions, options);
  return withSession(options, (session) => runChecked(session, checked, { input, options }), { ...actions, unknown });
}

async function runChecked(
  session: Session,
  checked: readonly CheckedDocument[],
  { input, options }: { readonly input: Json; readonly options: RunOptions },
): Promise<number> {
  const { store, trace, quiet } = options;
  const { workflow, version } = await registerAll(session, checked);
  await checkWorkflows(session, checked);
  const how = pickMembers(options, ['idempotencyKey', 'tags', 'trace']);
  const run = await session.heddle.start(workflow, input, { ...how, version });
  const ending = await session.follow([run]);
  const others = store === undefined ? 0 : await countOthers(session, run.id);
  const exitCode = await reportEnding(session, ending, { ...options, runIds: [run.id] });
  if (others > 0 && store !== undefined) sayOthers(others, store);
  if (trace && store !== undefined && !quiet)
    progress.line(`Its trace: npx heddle trace ${run.id} --store ${quoted(store)}`);
  return exitCode;
}

function noFile(given: string): CommandError {
  const message = `Expected a file with a definition, but there is no ${given}`;
  return new CommandError(
    'FILE_UNREADABLE',
    `${message}; a workflow that is registered is started with: npx heddle start ${quoted(given)}`,
  );
}

function nothingKept(): CommandError {
  const message = 'Expected --store FILE with --trace, but a run in memory leaves nothing to read';
  return new CommandError(
    'OPTION_INVALID',
    `${message}; add it, then read the trace with: npx heddle trace last --store FILE`,
  );
}

export function refuseInvalid(checked: readonly CheckedDocument[], { json }: { readonly json?: boolean }): number {
  const error = refusalOf(checked, 'nothing was started');
  if (json) output.line(jsonLine({ error }));
  else progress.line(`${error.message}.`);
  return exitCodes.refused;
}

/** An action that nobody has is known before anything is started. In a dataflow graph it fails a node, and the rest continues. */
export function findUnknown(
  checked: readonly CheckedDocument[],
  actions: NamedActions,
  options: Pick<RunOptions, 'actions' | 'quiet'>,
): string[] {
  const unknown: string[] = [];
  for (const { document, token } of checked) {
    if (token === null) continue;
    const isDataflow = token.policy.dialect === 'dataflow';
    const what = isDataflow ? 'a node type' : 'an action';
    for (const name of missingActions(token, actions)) {
      const message = `Expected ${what} named "${name}" for ${document.file}, but there is none`;
      const next = nextFor(name, actions, options);
      if (!isDataflow) throw new CommandError('ACTION_NOT_FOUND', `${message}; ${next}.`);
      if (!options.quiet) progress.line(`${message}: its nodes will fail; ${next}.`);
      unknown.push(name);
    }
  }
  return unknown;
}

function nextFor(name: string, actions: NamedActions, { actions: module }: Pick<RunOptions, 'actions'>): string {
  const nearest = findNearest(name, namesOf(actions));
  if (nearest !== undefined) return `did you mean "${nearest}"? If not, ${whereFrom(module)}`;
  return whereFrom(module);
}

function whereFrom(module: string | undefined): string {
  return module === undefined ? 'pass the module that has it with --actions MODULE' : `export it from ${module}`;
}

/** So is a sub-workflow that is neither given nor in the store. */
async function checkWorkflows({ heddle }: Session, checked: readonly CheckedDocument[]): Promise<void> {
  const known = new Set((await heddle.definitions()).map(({ id }) => id));
  for (const { document, token } of checked) {
    const missing = token && workflowNamesOf(token).find((name) => !known.has(name));
    if (!missing) continue;
    const nearest = findNearest(missing, known);
    const guess = nearest === undefined ? '' : `did you mean "${nearest}"? If not, `;
    const message = `Expected a workflow named "${missing}" for ${document.file}, but there is none`;
    throw new CommandError('WORKFLOW_NOT_FOUND', `${message}; ${guess}pass its definition with --register FILE.`);
  }
}

async function registerAll(
  session: Session,
  checked: readonly CheckedDocument[],
): Promise<{ workflow: string; version: number }> {
  let last = { workflow: '', version: 0 };
  for (const { document } of checked) {
    last = await registerDocument(session.heddle, document);
  }
  return last;
}

async function countOthers({ heddle }: Session, rootRunId: string): Promise<number> {
  const runs = await findUnfinished(heddle, 1_000);
  return runs.filter(({ runId }) => runId !== rootRunId).length;
}

function sayOthers(others: number, store: string): void {
  const found = `${count(others, 'other run is', 'other runs are')} unfinished in ${store}`;
  progress.line(`${found}; resume with: npx heddle resume --store ${quoted(store)}`);
}
