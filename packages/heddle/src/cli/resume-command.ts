// `heddle resume`: goes on with what an earlier process left in a store: one run, or all that are unfinished.

import type { Run } from '../index.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { checkStore } from './open-reader.ts';
import { reportEnding } from './report-ending.ts';
import { Session, type SessionOptions } from './session.ts';
import { output, progress } from './terminal.ts';
import { findUnfinished } from './unfinished-runs.ts';

const runsMax = 1_000;

export async function resumeCommand(
  runId: string | undefined,
  options: SessionOptions & { readonly store: string },
): Promise<number> {
  checkStore(options.store);
  const session = await Session.open(options);
  try {
    const runs = runId === undefined ? await allUnfinished(session) : [session.engine.run(runId)];
    for (const run of runs) await run.summary(); // A run that is not there is refused here.
    if (runs.length === 0) {
      await session.close();
      if (!options.json) progress.line(`Nothing is unfinished in ${options.store}.`);
      else output.line('[]');
      return exitCodes.done;
    }
    if (runs.length > 1 && session.answersLeft > 0) throw ambiguous(runs.length, options.store);
    const ending = await session.follow(runs);
    return await reportEnding(session, ending, { ...options, runIds: runs.map(({ id }) => id) });
  } catch (error) {
    session.progress.stop();
    await session.close();
    throw error;
  }
}

async function allUnfinished({ engine }: Session): Promise<Run[]> {
  const runs = await findUnfinished(engine, runsMax);
  if (runs.length < runsMax) return runs.map(({ runId }) => engine.run(runId));
  const message = `Expected fewer than ${runsMax} unfinished runs, but there are more; name one: npx heddle resume RUN.`;
  throw new CommandError('TOO_MANY_RUNS', message);
}

function ambiguous(runs: number, store: string): CommandError {
  const message = `Expected one run to give answers to, but ${runs} are unfinished in ${store}; name one: npx heddle resume RUN.`;
  return new CommandError('RUN_AMBIGUOUS', message);
}
