import { describe, expect, test } from 'vitest';
import type { Commit } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { StoreError } from '../actor/store-error.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { Dice } from './dice.ts';
import { type Fault, Faults } from './faults.ts';
import { microtasks, Schedule } from './schedule.ts';
import { type ProcessLife, quickHash, simulatedStore } from './simulated-store.ts';

function begin(...enabled: Fault[]) {
  const dice = new Dice(3);
  const store = memoryStore();
  const schedule = new Schedule(dice);
  const faults = new Faults(dice, enabled, 1_000); // whatever may happen, happens
  const life: ProcessLife = { hasEnded: false, isZombie: false, isOpen: true };
  const commits: Commit[] = [];
  const seen = simulatedStore(life, {
    store,
    schedule,
    faults,
    hash: quickHash,
    outage: { until: 0 },
    onCommit: (commit) => void commits.push(commit),
    crash: (dying) => {
      dying.hasEnded = true;
    },
  });
  const write = () => seen.commit(sideCommit({ records: [{ kind: 'k', key: 'a', value: '1', dueAt: null }] }));
  const isWritten = () => store.readRecord('k', 'a') !== null;
  return { seen, life, schedule, faults, commits, write, isWritten };
}

/** Whether a promise is answered, once everything that can happen has. */
async function isAnswered(promise: unknown): Promise<boolean> {
  let answered = false;
  void Promise.resolve(promise).then(() => (answered = true));
  await microtasks();
  return answered;
}

describe('what a simulated process sees of the store', () => {
  test('without faults: the store itself, and the world is told of commits', () => {
    const { write, isWritten, commits } = begin();
    expect(write()).toBeUndefined();
    expect([isWritten(), commits.length]).toEqual([true, 1]);
  });

  test.each(['commit-fails', 'store-fails', 'store-down'] as const)('[SM3] %s: nothing of it is stored', (fault) => {
    const { write, isWritten, commits, faults } = begin(fault);
    expect(write).toThrow(StoreError);
    expect([isWritten(), commits.length, faults.injected.get(fault)]).toEqual([false, 0, 1]);
  });

  test.each([
    ['crash-before-commit', false],
    ['crash-after-commit', true],
  ] as const)('[SM2] %s: the process is dead and hears nothing', async (fault, isThere) => {
    const { write, isWritten, life, seen } = begin(fault);
    expect(await isAnswered(write())).toBe(false);
    expect([life.hasEnded, isWritten()]).toEqual([true, isThere]);
    expect(await isAnswered(seen.readRecord('k', 'a'))).toBe(false);
  });

  test('[SM2] a process that was replaced is refused, and changes nothing', () => {
    const { write, isWritten, life } = begin();
    life.isZombie = true;
    expect(write).toThrow('another process has this store');
    expect(isWritten()).toBe(false);
  });

  test('[SM2] a slow answer to a process that has died meanwhile never comes, and what it asked does not happen', async () => {
    const { write, isWritten, life, schedule } = begin('slow-store');
    const answer = write();
    life.hasEnded = true;
    while (schedule.step(false));
    expect([await isAnswered(answer), isWritten()]).toEqual([false, false]);
  });

  test('[SM2] who waits in a process that has died waits alone: one promise for all would keep all of them', () => {
    const { write, life } = begin();
    life.hasEnded = true;
    expect(write()).not.toBe(write());
  });
});
