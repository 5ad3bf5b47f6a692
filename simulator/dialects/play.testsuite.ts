// Plays a workload in a world of its own, with or without faults, and gives its runs for an oracle to look at.

import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawFaults, Faults } from '../../packages/heddle/src/simulation/faults.ts';
import { Play } from '../../packages/heddle/src/simulation/play.ts';
import { readRuns } from '../read-runs.ts';
import { scriptOf } from '../script-of.ts';
import type { MakeWorkload, RunRecord, Workload } from '../workload.ts';

export interface PlayedWorld {
  readonly workload: Workload;
  readonly records: readonly RunRecord[];
  /** Why it did not come to its end; null if it did. */
  readonly unfinished: string | null;
}

export async function playWorld(make: MakeWorkload, seed: number, isCalm = false): Promise<PlayedWorld> {
  const workload = make(new Dice(2 * seed));
  const dice = new Dice(2 * seed + 1);
  const faults = new Faults(dice, isCalm ? [] : drawFaults(dice));
  const script = { ...scriptOf(workload), hasMeddlers: !isCalm };
  const play = new Play(script, { dice, faults, onCommit: () => undefined });
  const unfinished = await play.play();
  return { workload, unfinished, records: await readRuns(play.world.store, play.world) };
}

/** What an oracle finds in the runs of a world. */
export const findingsIn = ({ workload, records, unfinished }: PlayedWorld): string[] => [
  ...(unfinished === null ? [] : [unfinished]),
  ...records.flatMap((record) => workload.check(record, records) ?? []),
];
