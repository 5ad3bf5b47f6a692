// Conformance of calls: what a host's calls between processes must do, for whatever keeps them.

import { describe, expect, test } from 'vitest';
import { type Calls, forgottenAfterMs, type Leases, type Said } from '../actor/ports.ts';

export interface CallsUnderTest {
  readonly calls: Calls;
  readonly leases: Leases;
  /** Lets so much time pass, by the store's clock. */
  readonly pass: (ms: number) => unknown;
}

/** Of a fleet of two shards; another one for each test. */
export function describeCalls(name: string, setUp: () => Promise<CallsUnderTest>): void {
  /** One and two have joined; two owns shard 1, and its lease lasts for ten seconds. */
  const begin = async () => {
    const { calls, leases, pass } = await setUp();
    const numbers: Record<string, number> = {};
    const say = (process: string, said: Partial<Said> = {}) => {
      const number = (numbers[process] ?? 0) + 1;
      numbers[process] = Math.max(numbers[process] ?? 0, said.number ?? number);
      return calls.exchange({ ...silence, process, number, heard: number - 1, ...said });
    };
    for (const process of ['one', 'two']) {
      await calls.join(process, 1);
      numbers[process] = 1;
    }
    for (const process of ['one', 'two']) await leases.renew(process, 10_000);
    await leases.claim('two', 1);
    return { calls, leases, pass, say };
  };
  const silence = { calls: [], answers: [], withdrawn: [], aborted: [], settled: [], takenMax: 10, followed: [] };
  const call = { id: 'one/1', shard: 1, question: 'how?' };
  const answer = { id: 'one/1', answer: 'so' };
  const nothing = { taken: [], aborted: [], answers: [], withdrawn: [], lost: [], ends: [] };

  describe(`[OW6] [OW7] calls of ${name}`, () => {
    test('a call is taken by the owner of its shard, and its answer is told until it is settled', async () => {
      const { say } = await begin();
      expect(await say('one', { calls: [call] })).toEqual(nothing);
      expect(await say('two')).toEqual({ ...nothing, taken: [call] });
      expect(await say('two')).toEqual(nothing);
      expect(await say('one')).toEqual(nothing);
      await say('two', { answers: [answer] });
      expect(await say('one')).toEqual({ ...nothing, answers: [answer] });
      expect(await say('one')).toEqual({ ...nothing, answers: [answer] });
      await say('one', { settled: [call.id] });
      expect(await say('one')).toEqual(nothing);
      expect(await say('two')).toEqual(nothing);
    });

    test('calls are taken in the order of asking, so many at a time', async () => {
      const { say } = await begin();
      const several = Array.from({ length: 12 }, (_, n) => ({ ...call, id: `one/${n}` }));
      await say('one', { calls: several.slice(0, 6) });
      await say('one', { calls: several.slice(6) });
      expect((await say('two', { takenMax: 8 }))?.taken).toEqual(several.slice(0, 8));
      expect((await say('two', { takenMax: 0 }))?.taken).toEqual([]);
      expect((await say('two'))?.taken).toEqual(several.slice(8));
    });

    test('what was taken in an exchange that was not heard is told again', async () => {
      const { say } = await begin();
      await say('one', { calls: [call] });
      await say('two'); // number 2
      expect((await say('two', { heard: 1 }))?.taken).toEqual([call]);
      expect((await say('two', { heard: 3 }))?.taken).toEqual([]);
    });

    test('what is said again changes nothing, and what comes late does nothing', async () => {
      const { say } = await begin();
      const first = { number: 2, calls: [call] };
      await say('one', first);
      await say('one', { calls: [call] });
      expect((await say('two'))?.taken).toEqual([call]);
      await say('two', { answers: [answer] });
      await say('one', { settled: [call.id] });
      await say('one', first);
      expect((await say('two'))?.taken).toEqual([]);
      expect(await say('one', { number: 9 })).toEqual(nothing);
    });

    test('what nobody has taken is withdrawn; what somebody has, is not', async () => {
      const { say } = await begin();
      const other = { ...call, id: 'one/2' };
      await say('one', { calls: [call] });
      await say('two');
      await say('one', { calls: [other] });
      expect((await say('one', { withdrawn: [call.id, other.id, 'one/3'] }))?.withdrawn).toEqual([other.id, 'one/3']);
      expect((await say('two'))?.taken).toEqual([]);
      await say('two', { answers: [answer] });
      expect((await say('one'))?.answers).toEqual([answer]);
    });

    test('whoever does it is told that nobody waits, until it has answered', async () => {
      const { say } = await begin();
      await say('one', { calls: [call] });
      await say('two');
      await say('one', { aborted: [call.id] });
      expect((await say('two'))?.aborted).toEqual([call.id]);
      expect((await say('two', { answers: [answer] }))?.aborted).toEqual([]);
      expect((await say('one'))?.answers).toEqual([answer]);
    });

    test('a call that was taken is lost when the lease of its taker is over, unless it has answered', async () => {
      const { say, leases, pass } = await begin();
      const other = { ...call, id: 'one/2' };
      await say('one', { calls: [call, other] });
      await say('two');
      await say('two', { answers: [answer] });
      expect((await say('one'))?.lost).toEqual([]);
      await pass(10_001);
      expect(await say('one')).toMatchObject({ answers: [answer], lost: [other.id] });
      await leases.renew('one', 10_000);
      expect(await leases.claim('one', 1)).toBe(true);
      expect((await say('one'))?.taken).toEqual([]); // it is not done twice
    });

    test('one whose lease is over takes nothing', async () => {
      const { say, pass } = await begin();
      await say('one', { calls: [call] });
      await pass(10_001);
      expect((await say('two'))?.taken).toEqual([]);
    });

    test('the calls of a process go when it leaves, and when it has said nothing for long', async () => {
      const { calls, say, leases, pass } = await begin();
      await say('one', { calls: [call] });
      await calls.leave('one');
      expect(await say('one')).toBeNull();
      await calls.join('one', 10);
      await say('one', { number: 11, calls: [call] });
      await pass(forgottenAfterMs);
      await calls.join('two', 20);
      await leases.renew('two', 10_000);
      await leases.claim('two', 1);
      expect(await say('two', { number: 21 })).toEqual(nothing);
      expect(await say('one', { number: 12 })).toBeNull();
    });

    test('where the shards are that are followed', async () => {
      const { say } = await begin();
      expect((await say('one', { followed: [1, 0] }))?.ends).toEqual([0, 0]);
    });
  });
}
