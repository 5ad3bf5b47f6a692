import { describe, expect, test } from 'vitest';
import type { ShardPeer } from '../engine/peers.ts';
import { Dice } from './dice.ts';
import { Faults, type WireFault } from './faults.ts';
import { microtasks, Schedule } from './schedule.ts';
import { simulatedWire } from './simulated-wire.ts';

/** A shard that counts what it is told, as another one reaches it. */
function begin(...enabled: WireFault[]) {
  const dice = new Dice(3);
  const schedule = new Schedule(dice);
  const faults = new Faults(dice, enabled, 1_000); // whatever may happen, happens
  const life = { hasEnded: false };
  let done = 0;
  const peer = { guardEventId: async () => void done++ } as Partial<ShardPeer> as ShardPeer; // it is asked no more
  const reached = simulatedWire(life, { schedule, faults, dice })(peer);
  const call = () => reached.guardEventId({ id: 'e', event: 'paid', payload: {}, ttlMs: 1 });
  /** How it came out, once everything that can happen has. */
  const outcomeOf = async (answer: Promise<void>): Promise<string> => {
    let outcome = 'waits';
    void answer.then(
      () => (outcome = 'answered'),
      ({ code }) => (outcome = code),
    );
    do await microtasks();
    while (schedule.step(false));
    await microtasks();
    return outcome;
  };
  return { call, outcomeOf, life, faults, count: () => done };
}

describe('what one shard hears of another', () => {
  test.each([
    ['nothing goes wrong', [], 'answered', 1],
    ['a call that is lost is not done', ['lost-call'], 'STORE_IN_DOUBT', 0],
    ['a call whose answer is lost is done', ['lost-reply'], 'STORE_IN_DOUBT', 1],
    ['a call that comes twice is done twice, and answered', ['doubled-call'], 'answered', 2],
    ['a call that is late is done', ['late-call'], 'answered', 1],
  ] as const)('[SM11] %s', async (_, enabled, outcome, times) => {
    const { call, outcomeOf, count } = begin(...enabled);
    expect([await outcomeOf(call()), count()]).toEqual([outcome, times]);
  });

  test('[SM11] what is on its way in a process that has ended is not done', async () => {
    const { call, outcomeOf, life, count } = begin('late-call', 'doubled-call');
    const answer = call();
    life.hasEnded = true;
    expect([await outcomeOf(answer), count()]).toEqual(['waits', 0]);
  });
});
