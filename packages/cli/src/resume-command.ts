// `heddle resume`: lets a paused run go on. On a file it also goes on with what an earlier process left there, for which
// it takes the place of that process: one run, or all that are unfinished.

import type { Run } from 'heddle';
import { CommandError, exitCodes } from './command-error.ts';
import { controlCommand } from './control-commands.ts';
import { findRun } from './find-run.ts';
import { checkStore, type PlaceOptions, placeOf } from './place.ts';
import { reportEnding } from './report-ending.ts';
import { Session, type SessionOptions } from './session.ts';
import { output, progress } from './terminal.ts';
import { findUnfinished } from './unfinished-runs.ts';

const runsMax = 1_000;

export async function resumeCommand(
  runId: string | undefined,
  options: Omit<SessionOptions, 'store'> & PlaceOptions,
): Promise<number> {
  const where = placeOf(options);
  if ('store' in where) return resumeFile(runId, { ...options, ...where });
  if (runId !== undefined) return controlCommand('resume', [runId], options);
  const message = `Expected a run that is paused, but none was named; ${where.url} resumes the others by itself.`;
  throw new CommandError('RUN_MISSING', `${message} List the paused ones with: npx heddle runs --status paused`);
}

async function resumeFile(
  runId: string | undefined,
  options: SessionOptions & { readonly store: string },
): Promise<number> {
  checkStore(options.store);
  const session = await Session.open(options);
  try {
    const runs = runId === undefined ? await allUnfinished(session) : [await namedRun(session, runId, options.store)];
    for (const run of runs) {
      const { status } = await run.summary(); // A run that is not there is refused here.
      if (status === 'paused') await run.resume();
    }
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

async function namedRun({ engine }: Session, given: string, store: string): Promise<Run> {
  return engine.run((await findRun({ heddle: engine, name: store }, given)).id);
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
