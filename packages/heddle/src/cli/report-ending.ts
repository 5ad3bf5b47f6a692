// Report ending: what a command says about its runs in the end, to people and to programs, and its exit code.

import type { RunResult } from '../index.ts';
import { exitCodes } from './command-error.ts';
import type { Ending, Session, SessionOptions } from './session.ts';
import { output, prettyJson, printable, progress } from './terminal.ts';

/** The last line of `--json`; all four are always there. */
export function jsonLine({ runId, status, output: result, error }: Partial<RunResult>): string {
  return JSON.stringify({ runId: runId ?? null, status: status ?? null, output: result ?? null, error: error ?? null });
}

/** Says how it ended, and closes the session. */
export async function reportEnding(
  session: Session,
  ending: Ending,
  options: SessionOptions & { readonly runIds: readonly string[] },
): Promise<number> {
  if (ending.type === 'ended') {
    await session.close();
    for (const result of ending.results) reportResult(result, options.json ?? false);
    return ending.results.every(({ status }) => status === 'completed') ? exitCodes.done : exitCodes.notCompleted;
  }
  if (ending.type === 'interrupted') progress.line('Closing; press Ctrl-C again to leave at once.');
  const results: Partial<RunResult>[] = [];
  for (const runId of options.runIds) results.push(await session.engine.run(runId).summary());
  await session.close();
  if (options.json) for (const result of results) output.line(jsonLine(result));
  sayHowToGoOn(ending, options);
  return exitCodes.notCompleted;
}

function reportResult(result: RunResult, json: boolean): void {
  const { runId, status, error } = result;
  if (json) return output.line(jsonLine(result));
  if (status === 'completed') return output.line(prettyJson(result.output ?? null));
  const why = error ? `: ${error.code}: ${printable(error.message)}` : '';
  progress.line(`${progress.paint('red', status)}: run ${runId} did not complete${why}`);
}

function sayHowToGoOn(
  ending: Exclude<Ending, { type: 'ended' }>,
  options: SessionOptions & { readonly runIds: readonly string[] },
): void {
  const { store, runIds } = options;
  const why =
    ending.type === 'interrupted' ? 'Interrupted' : `Expected an action named "${ending.action}", but it was not given`;
  if (store === undefined) {
    const next =
      ending.type === 'interrupted' ? 'with --store FILE it could go on later' : 'pass it with --actions MODULE';
    progress.line(`${why}; the run was kept in memory only and is gone; ${next}.`);
    return;
  }
  const actions = ending.type === 'interrupted' ? options.actions : (options.actions ?? 'MODULE');
  const command = [
    'npx heddle resume',
    ...(runIds.length === 1 ? runIds : []),
    `--store ${quoted(store)}`,
    ...(actions ? [`--actions ${quoted(actions)}`] : []),
  ];
  progress.line(`${why}; nothing is lost. Go on with: ${command.join(' ')}`);
}

/** As a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
