import { describe, expect, test } from 'vitest';
import { memoryLeases } from '../hosts/memory/leases.ts';
import { Dice } from './dice.ts';
import { Faults, type ProcessFault } from './faults.ts';
import { microtasks, Schedule } from './schedule.ts';
import { simulatedLeases } from './simulated-leases.ts';

function begin(...enabled: ProcessFault[]) {
  const dice = new Dice(3);
  const schedule = new Schedule(dice);
  const leases = memoryLeases(1, () => schedule.now);
  const life = { hasEnded: false, isZombie: false, isOpen: true };
  const faults = new Faults(dice, enabled, 1_000); // whatever may happen, happens
  const seen = simulatedLeases(life, { leases, schedule, faults, dice });
  /** How many processes there are. */
  const count = async () => (await leases.renew('other', 1)).processes - 1;
  return { seen, life, count };
}

describe('what a simulated process sees of the leases', () => {
  test('[SM12] without faults: the leases themselves', async () => {
    const { seen, count } = begin();
    expect(await seen.renew('one', 10)).toEqual({ processes: 1, owned: [], free: [0] });
    expect([await seen.claim('one', 0), await count()]).toEqual([true, 1]);
  });

  test.each([
    ['lease-fails', 'STORE_FAILED', 0],
    ['lost-lease', 'STORE_IN_DOUBT', 1],
  ] as const)('[SM12] %s: it is told so, and has happened or not', async (fault, code, processes) => {
    const { seen, count } = begin(fault);
    await expect(seen.renew('one', 10)).rejects.toMatchObject({ code });
    expect(await count()).toBe(processes);
  });

  test('[SM12] one that was cut off does not reach them, and one that has died hears nothing', async () => {
    const { seen, life, count } = begin();
    life.isZombie = true;
    await expect(seen.renew('one', 10)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    life.hasEnded = true;
    let isAnswered = false;
    void Promise.resolve(seen.renew('one', 10)).then(() => (isAnswered = true));
    await microtasks();
    expect([isAnswered, await count()]).toEqual([false, 0]);
  });
});

test('[SM12] what happens in a process that stands still happens when it continues', () => {
  const schedule = new Schedule(new Dice(1));
  const life = { hasEnded: false, stillUntil: schedule.now + 100 };
  const happened: string[] = [];
  schedule.soon(life, () => happened.push('soon'));
  schedule.at(schedule.now + 50, life, () => happened.push('later'));
  schedule.at(schedule.now + 60, { hasEnded: false }, () => happened.push('elsewhere'));
  while (schedule.step(false));
  expect(happened[0]).toBe('elsewhere');
  expect(happened.toSorted()).toEqual(['elsewhere', 'later', 'soon']);
});
