import { describe, expect, test } from 'vitest';
import type { Commit, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { StoreError } from '../actor/store-error.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { Dice } from './dice.ts';
import { type Fault, Faults } from './faults.ts';
import { microtasks, Schedule } from './schedule.ts';
import { SimulatedFence } from './simulated-fence.ts';
import { type ProcessLife, quickHash, simulatedStore } from './simulated-store.ts';

const record = (key: string): Commit => sideCommit({ records: [{ kind: 'k', key, value: '1', dueAt: null }] });

function begin(...enabled: Fault[]) {
  const dice = new Dice(3);
  const store = memoryStore();
  const schedule = new Schedule(dice);
  const faults = new Faults(dice, enabled, 1_000); // whatever may happen, happens
  const life: ProcessLife = { hasEnded: false, isZombie: false, isOpen: true };
  const commits: Commit[] = [];
  const world = {
    store,
    shards: 1,
    schedule,
    faults,
    dice,
    hash: quickHash,
    outage: { until: 0 },
    onCommit: (commit: Commit) => void commits.push(commit),
    crash: (dying: ProcessLife) => {
      dying.hasEnded = true;
    },
  };
  const seen = simulatedStore(life, { ...world, fence: null });
  const write = () => seen.commit(record('a'));
  const isWritten = () => store.readRecord('k', 'a') !== null;
  const fence = new SimulatedFence();
  /** What a process sees that has taken a store with a fence. */
  const own = (owner: string): Store => {
    fence.take(owner);
    return simulatedStore({ hasEnded: false, isZombie: false, isOpen: true }, { ...world, fence });
  };
  return { seen, life, schedule, faults, commits, write, isWritten, own };
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

  test.each([
    ['lost-answer', true],
    ['late-write', false],
  ] as const)('[SM10] %s: nobody knows whether it is stored, and what arrives later counts', (fault, isThere) => {
    const { own, isWritten, schedule, commits, faults } = begin(fault);
    const seen = own('a');
    const write = () => seen.commit(record('a'), { owner: 'a', epoch: 1, number: 1 });
    expect(write).toThrow(expect.objectContaining({ code: 'STORE_IN_DOUBT' }));
    expect(isWritten()).toBe(isThere);
    faults.stop();
    while (schedule.step(false));
    expect(commits).toHaveLength(isWritten() ? 1 : 0);
  });

  test('[SM10] [WR2] what a process sends that was replaced is refused by the fence, late or not', () => {
    const { own, isWritten, faults, schedule } = begin('late-write');
    const seen = own('a');
    const stamp = { owner: 'a', epoch: 1, number: 1 };
    expect(() => seen.commit(record('a'), stamp)).toThrow(expect.objectContaining({ code: 'STORE_IN_DOUBT' }));
    faults.stop();
    own('b');
    expect(() => seen.commit(record('a'), stamp)).toThrow(expect.objectContaining({ code: 'STORE_FENCED' }));
    while (schedule.step(false));
    expect(isWritten()).toBe(false);
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
