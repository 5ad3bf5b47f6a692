// Find run: from what somebody wrote on the command line to a run: its id, or `last` for the newest that somebody started;
// and those that nobody has finished.

import type { RunSummary } from 'heddle';
import type { Heddle, RunHandle } from 'heddle/client';
import { CommandError } from './command-error.ts';
import type { Place } from './place.ts';

export async function findRun(place: Pick<Place, 'heddle' | 'name'>, given: string): Promise<RunHandle> {
  return place.heddle.run(given === 'last' ? await findLast(place) : given);
}

async function findLast({ heddle, name }: Pick<Place, 'heddle' | 'name'>): Promise<string> {
  const [newest] = await heddle.runs({ limit: 1 });
  if (newest) return newest.runId;
  throw new CommandError(
    'RUN_NOT_FOUND',
    `Expected a run in ${name}, but there is none; start one with npx heddle run.`,
  );
}

const unfinished = ['running', 'waiting', 'submitted', 'suspended'];

/** Runs that resume when an engine is opened on their store. Paused ones wait for their `resume`. */
export async function findUnfinished(heddle: Pick<Heddle, 'runs'>, limit: number): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  for (const status of unfinished) found.push(...(await heddle.runs({ status, limit })));
  return found;
}
