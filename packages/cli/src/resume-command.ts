// `heddle resume`: resumes a paused run. On a file it also resumes what an earlier process left unfinished there, in place
// of that process: one run, or all of them.

import type { RunHandle } from 'heddle/client';
import { CommandError, exitCodes } from './command-error.ts';
import { controlCommand } from './control-commands.ts';
import { findRun, findUnfinished } from './find-run.ts';
import { checkStore, isDatabase, type PlaceOptions, placeOf, shownStore } from './place.ts';
import { reportEnding } from './report-ending.ts';
import { type Session, type SessionOptions, withSession } from './session.ts';
import { output, progress } from './terminal.ts';

const runsMax = 1_000;

export async function resumeCommand(
  runId: string | undefined,
  options: Omit<SessionOptions, 'store'> & PlaceOptions,
): Promise<number> {
  const where = placeOf(options);
  if ('store' in where && !isDatabase(where.store)) return resumeFile(runId, { ...options, ...where });
  if (runId !== undefined) return controlCommand('resume', [runId], options);
  const message = `Expected a run that is paused, but none was named; ${'url' in where ? where.url : `whoever serves ${shownStore(where.store)}`} resumes the others by itself.`;
  throw new CommandError('RUN_MISSING', `${message} List the paused ones with: npx heddle runs --status paused`);
}

async function resumeFile(
  runId: string | undefined,
  options: SessionOptions & { readonly store: string },
): Promise<number> {
  checkStore(options.store);
  return withSession(options, async (session) => {
    const runs =
      runId === undefined
        ? await allUnfinished(session)
        : [await findRun({ heddle: session.heddle, name: options.store }, runId)];
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
    return reportEnding(session, ending, { ...options, runIds: runs.map(({ id }) => id) });
  });
}

async function allUnfinished({ heddle }: Session): Promise<RunHandle[]> {
  const runs = await findUnfinished(heddle, runsMax);
  if (runs.length < runsMax) return runs.map(({ runId }) => heddle.run(runId));
  const message = `Expected fewer than ${runsMax} unfinished runs, but there are more; name one: npx heddle resume RUN.`;
  throw new CommandError('TOO_MANY_RUNS', message);
}

function ambiguous(runs: number, store: string): CommandError {
  const message = `Expected one run to give answers to, but ${runs} are unfinished in ${store}; name one: npx heddle resume RUN.`;
  return new CommandError('RUN_AMBIGUOUS', message);
}
