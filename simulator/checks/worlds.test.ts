import { expect, test } from 'vitest';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawFaults, Faults } from '../../packages/heddle/src/simulation/faults.ts';
import { Play } from '../../packages/heddle/src/simulation/play.ts';
import { followCommits } from '../judge.ts';
import { kinds } from '../kinds.ts';
import { readRuns } from '../read-runs.ts';
import { scriptOf } from '../script-of.ts';
import { sometimes, sometimesNames } from '../sometimes.ts';
import type { MakeWorkload } from '../workload.ts';
import { checkWorld } from './check-world.ts';
import type { Violation } from './violation.ts';
import { readStore } from './world-view.ts';

const seeds = [1, 2, 3, 4, 5, 6];

/** One world with faults, looked at from commit to commit and at its end. */
async function playSeed(
  make: MakeWorkload,
  seed: number,
): Promise<{ violation: Violation | null; marks: Set<string> }> {
  const dice = new Dice(2 * seed + 1);
  const faults = new Faults(dice, drawFaults(dice));
  const play = new Play(scriptOf(make(new Dice(2 * seed))), {
    dice,
    faults,
    onCommit: (commit) => void commits.add(commit),
    onCall: (call) => commits.addCall(call),
    onCallEnd: (call) => commits.endCall(call),
  });
  const commits = followCommits(play.world);
  expect(await play.play()).toBeNull();
  const { operations, calls } = play;
  const { store, hash, limits } = play.world;
  const runs = await readRuns(store, { hash, limits });
  const view = { ...(await readStore(store)), runs, operations, calls, limits, hash, checks: commits.checks };
  const marks = new Set<string>();
  sometimes({ ...view, faults: faults.injected }, (name) => marks.add(name));
  return { violation: commits.violation ?? checkWorld(view, 'rest'), marks };
}

test.each(Object.entries(kinds))('nothing is wrong with worlds of kind %s', async (_, make) => {
  const reached = new Set<string>();
  for (const seed of seeds) {
    const { violation, marks } = await playSeed(make, seed);
    expect(violation).toBeNull();
    for (const mark of marks) reached.add(mark);
  }
  expect([...reached].filter((name) => !sometimesNames.includes(name))).toEqual([]);
  expect(reached.size).toBeGreaterThan(5);
});

test('no rare situation has the name of another', () => {
  expect(new Set(sometimesNames).size).toBe(sometimesNames.length);
});
