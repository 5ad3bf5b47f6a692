// `heddle run`: starts a run of a definition in a file, shows it, and answers with its output.

import { type CheckedDocument, checkDocuments, locate, printProblems } from './check-documents.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { actionNamesOf, loadActions, type NamedActions, workflowNamesOf } from './load-actions.ts';
import { readInput } from './read-document.ts';
import { jsonLine, quoted, reportEnding } from './report-ending.ts';
import { Session, type SessionOptions } from './session.ts';
import { count, output, progress } from './terminal.ts';
import { findUnfinished } from './unfinished-runs.ts';

export interface RunOptions extends SessionOptions {
  readonly input?: string;
  readonly register?: readonly string[];
  readonly idempotencyKey?: string;
  readonly tag?: Readonly<Record<string, string>>;
}

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  // Sub-workflows first, so that whoever calls them finds them.
  const checked = await checkDocuments([...(options.register ?? []), file]);
  for (const { document, problems } of checked) printProblems(progress, document.file, problems);
  if (checked.some(({ isValid }) => !isValid)) return refuseInvalid(checked, options);
  const input = readInput(options.input);
  const actions = await loadActions(options.actions);
  checkActions(checked, actions, options.actions);
  const session = await Session.open(options, actions);
  try {
    const { workflow, version } = await registerAll(session, checked);
    await checkWorkflows(session, checked);
    const run = await session.engine.start(workflow, input, {
      version,
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
      ...(options.tag === undefined ? {} : { tags: options.tag }),
    });
    const ending = await session.follow([run]);
    const others = options.store === undefined ? 0 : await countOthers(session, run.id);
    const exitCode = await reportEnding(session, ending, { ...options, runIds: [run.id] });
    if (others > 0 && options.store !== undefined) sayOthers(others, options.store);
    return exitCode;
  } catch (error) {
    session.progress.stop();
    await session.close();
    throw error;
  }
}

function refuseInvalid(checked: readonly CheckedDocument[], { json }: RunOptions): number {
  const errors = checked.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'error');
  const message = `Expected a valid definition, but found ${count(errors.length, 'error')}; nothing was started`;
  if (json) {
    const error = { code: 'DEFINITION_INVALID', message, details: errors.map((problem) => ({ ...problem })) };
    output.line(jsonLine({ error }));
  } else progress.line(`${message}.`);
  return exitCodes.refused;
}

/** An action that nobody has is known before anything is started. */
function checkActions(checked: readonly CheckedDocument[], actions: NamedActions, module: string | undefined): void {
  for (const { document } of checked) {
    const missing = actionNamesOf(document.value).find((name) => !Object.hasOwn(actions, name));
    if (missing === undefined) continue;
    const next =
      module === undefined ? 'pass the module that has it with --actions MODULE' : `export it from ${module}`;
    throw new CommandError(
      'ACTION_NOT_FOUND',
      `Expected an action named "${missing}" for ${document.file}, but there is none; ${next}.`,
    );
  }
}

/** So is a sub-workflow that is neither given nor in the store. */
async function checkWorkflows({ engine }: Session, checked: readonly CheckedDocument[]): Promise<void> {
  const known = new Set((await engine.definitions()).map(({ id }) => id));
  for (const { document } of checked) {
    const missing = workflowNamesOf(document.value).find((name) => !known.has(name));
    if (missing === undefined) continue;
    throw new CommandError(
      'WORKFLOW_NOT_FOUND',
      `Expected a workflow named "${missing}" for ${document.file}, but there is none; pass its definition with --register FILE.`,
    );
  }
}

async function registerAll(
  session: Session,
  checked: readonly CheckedDocument[],
): Promise<{ workflow: string; version: number }> {
  let last = { workflow: '', version: 0 };
  for (const { document } of checked) {
    const { id, version, problems } = await session.engine.register(document.value);
    if (id === null || version === null) {
      printProblems(progress, document.file, locate(document, problems));
      const why = problems.find(({ severity }) => severity === 'error');
      throw new CommandError(
        why?.code ?? 'DEFINITION_INVALID',
        `${why?.message ?? 'The definition was refused'}. ${why?.hint ?? ''}`.trim(),
      );
    }
    last = { workflow: id, version };
  }
  return last;
}

async function countOthers({ engine }: Session, rootRunId: string): Promise<number> {
  const runs = await findUnfinished(engine, 1_000);
  return runs.filter(({ runId }) => runId !== rootRunId).length;
}

function sayOthers(others: number, store: string): void {
  const found = `${count(others, 'other run is', 'other runs are')} unfinished in ${store}`;
  progress.line(`${found}; go on with: npx heddle resume --store ${quoted(store)}`);
}
