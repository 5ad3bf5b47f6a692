import { describe, expect, test } from 'vitest';
import { MemoryCalls } from '../hosts/memory/calls.ts';
import { memoryLeases } from '../hosts/memory/leases.ts';
import { Dice } from './dice.ts';
import { Faults, type WireFault } from './faults.ts';
import { Schedule } from './schedule.ts';
import { simulatedCalls } from './simulated-calls.ts';

const silence = {
  process: 'one',
  calls: [],
  answers: [],
  withdrawn: [],
  aborted: [],
  settled: [],
  takenMax: 0,
  followed: [],
};

async function begin(...enabled: WireFault[]) {
  const dice = new Dice(3);
  const schedule = new Schedule(dice);
  const now = (): number => schedule.now;
  const calls = new MemoryCalls({ leases: memoryLeases(1, now), now, feedEnd: () => 0 });
  const life = { hasEnded: false, isZombie: false, isOpen: true };
  const faults = new Faults(dice, enabled, 1_000); // whatever may happen, happens
  const seen = simulatedCalls(life, { calls, schedule, faults, dice });
  calls.join('one', 1);
  const call = { id: 'one/1', shard: 0, question: 'how?' };
  const ask = async () => seen.exchange({ ...silence, number: 2, heard: 1, calls: [call] });
  return { seen, calls, life, ask, schedule };
}

describe('what a simulated process sees of the calls', () => {
  test('[SM11] without faults: the calls themselves', async () => {
    const { ask, calls } = await begin();
    expect(await ask()).toMatchObject({ taken: [], answers: [] });
    expect(calls.size).toBe(1);
  });

  test.each([
    ['lost-call', 'STORE_FAILED', 0],
    ['lost-reply', 'STORE_IN_DOUBT', 1],
  ] as const)('[SM11] %s: it is told so, and has happened or not', async (fault, code, rows) => {
    const { ask, calls } = await begin(fault);
    await expect(ask()).rejects.toMatchObject({ code });
    expect(calls.size).toBe(rows);
  });

  test('[SM11] doubled: the same comes once more, later', async () => {
    const { ask, calls, schedule } = await begin('doubled-call');
    await ask();
    await calls.exchange({ ...silence, number: 3, heard: 2, settled: ['one/1'] });
    expect([schedule.step(false), schedule.step(false)]).toEqual([true, false]);
    expect(calls.size).toBe(0); // it counts no more
  });

  test('[SM11] one that was cut off does not reach them, and one that has died hears nothing', async () => {
    const { ask, calls, life } = await begin();
    life.isZombie = true;
    await expect(ask()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    life.hasEnded = true;
    await expect(Promise.race([ask(), Promise.resolve('nothing')])).resolves.toBe('nothing');
    expect(calls.size).toBe(0);
  });
});
