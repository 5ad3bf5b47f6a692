// Tasks that workers outside the process do, through `engine.tasks`: who gets what, for how long, and what becomes of it.

import { describe, expect, test } from 'vitest';
import { onStoreHosts } from './hosts.testsuite.ts';
import { launch, register, work, workflow } from './token-engine.testsuite.ts';
import {
  beat,
  fail,
  fan,
  finish,
  lease,
  leaseOne,
  leaseRecords,
  line,
  namesOf,
  outside,
  single,
} from './workers.testsuite.ts';

onStoreHosts('workers', (host) => {
  describe('leasing', () => {
    test('[WK1] a task whose action nobody has here waits for a worker; what is here is done here', async () => {
      const t = await host.open({ ...outside, scripted: ['local'] });
      const run = await launch(t, workflow('w', [work('a'), work('b', { action: 'local' })], [{ from: 'a', to: 'b' }]));
      expect(await run.status()).toBe('running');
      const task = await leaseOne(t);
      expect(task).toMatchObject({
        runId: run.id,
        nodeId: 'a',
        action: 'work',
        attempt: 1,
        dispatch: 1,
        timeoutMs: null,
      });
      expect(task.idempotencyKey).toBe(`${run.id}/${task.tokenId}`);
      expect(task.expiresAt).toBe(t.clock.now() + 30_000);
      expect(await finish(t, task, { x: 1 })).toEqual({ lease: task.lease, applied: true });
      t.script.next('local').complete();
      expect(await run.result()).toMatchObject({ status: 'completed' });
    });

    test('[WK1] without workers its action is missing', async () => {
      const t = await host.open({});
      const run = await launch(t, single);
      expect(await run.result()).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });
      await expect(lease(t)).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    });

    test('any other word for workers is refused', async () => {
      await expect(host.open({ workers: 'yes' as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    });

    test('[WK1] what can be loaded is done here, the rest outside', async () => {
      const loadAction = async (name: string) => (name === 'loaded' ? () => ({ here: true }) : undefined);
      const t = await host.open({ ...outside, loadAction });
      const run = await launch(
        t,
        workflow('w', [work('a', { action: 'loaded' }), work('b')], [{ from: 'a', to: 'b' }]),
      );
      await finish(t, await leaseOne(t));
      expect(await run.result()).toMatchObject({ status: 'completed' });
    });

    test('[WK2] runs take turns', async () => {
      const t = await host.open(outside);
      const large = await launch(t, fan(5));
      const small = await launch(t, single);
      const got = await lease(t, { max: 3 });
      expect(got.map(({ runId }) => runId)).toEqual([large.id, small.id, large.id]);
    });

    test('[WK3] FT31: of many who ask at once exactly one gets a task', async () => {
      const t = await host.open(outside);
      await launch(t, single);
      const got = await Promise.all(Array.from({ length: 50 }, () => lease(t)));
      expect(got.flat().length).toBe(1);
      expect((await leaseRecords(t)).length).toBe(1);
    });

    test('[WK3] a call waits for tasks, and gets those that come together', async () => {
      const t = await host.open(outside);
      const waiting = lease(t, { waitMs: 60_000 });
      await launch(t, fan(3));
      expect(namesOf(await waiting)).toEqual(['2 1.1', '3 1.1', '4 1.1']);
      const inVain = lease(t, { waitMs: 5_000 });
      await t.advance(5_000);
      expect(await inVain).toEqual([]);
    });

    test('[WK4] a worker that goes away while it waits, or while its lease is stored, swallows nothing', async () => {
      const t = await host.open(outside);
      const gone = new AbortController();
      const waiting = lease(t, { waitMs: 60_000, signal: gone.signal });
      gone.abort();
      expect(await waiting).toEqual([]);
      await launch(t, single);
      const late = new AbortController();
      const storing = lease(t, { signal: late.signal });
      late.abort();
      expect(await storing).toEqual([]);
      expect(await lease(t, { signal: late.signal })).toEqual([]);
      expect(namesOf(await lease(t))).toEqual(['1 1.1']);
    });

    test('[WK8] what is cancelled while it waits or while its lease is stored is given to nobody', async () => {
      const t = await host.open(outside);
      const run = await launch(t, single);
      await run.cancel();
      expect(await lease(t)).toEqual([]);
      const second = await launch(t, single);
      const [got] = await Promise.all([lease(t), second.cancel()]);
      for (const task of got) expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    });

    test.each([
      [{ actions: [] }, 'OPTION_INVALID'],
      [{ actions: ['not a name'] }, 'OPTION_INVALID'],
      [{ actions: 'work' }, 'OPTION_INVALID'],
      [{ max: 0 }, 'OPTION_INVALID'],
      [{ max: 1_001 }, 'LIMIT_EXCEEDED'],
      [{ waitMs: -1 }, 'OPTION_INVALID'],
      [{ waitMs: 60_001 }, 'LIMIT_EXCEEDED'],
      [{ leaseMs: 3_600_001 }, 'LIMIT_EXCEEDED'],
      [{ worker: '' }, 'OPTION_INVALID'],
      [{ colour: 'red' }, 'OPTION_INVALID'],
    ])('%j is refused', async (request, code) => {
      const t = await host.open(outside);
      await expect(lease(t, request as never)).rejects.toMatchObject({ code });
    });

    test('more calls than leasePollsMax do not wait', async () => {
      const t = await host.open({ ...outside, limits: { leasePollsMax: 1 } });
      const first = lease(t, { waitMs: 1_000 });
      await expect(lease(t, { waitMs: 1_000 })).rejects.toMatchObject({ limit: 'leasePollsMax' });
      await t.advance(1_000);
      expect(await first).toEqual([]);
    });
  });

  describe('silence', () => {
    test('[WK5] a worker that falls silent loses its task, and another gets it', async () => {
      const t = await host.open(outside);
      const run = await launch(t, single);
      const task = await leaseOne(t);
      await t.advance(29_999);
      expect(await lease(t)).toEqual([]);
      await t.advance(1);
      const [again] = await lease(t);
      expect(again).toMatchObject({ attempt: 1, dispatch: 2, idempotencyKey: task.idempotencyKey });
      expect(await finish(t, task, { from: 'the dead' })).toMatchObject({
        applied: false,
        error: { code: 'LEASE_LOST' },
      });
      expect(again && (await finish(t, again))).toMatchObject({ applied: true });
      expect(await run.result()).toMatchObject({ status: 'completed' });
    });

    test('[WK5, TS2] too often lost, the task fails with TASK_LOST', async () => {
      const t = await host.open({ ...outside, limits: { dispatchesMax: 2 } });
      const run = await launch(t, single);
      await lease(t, { leaseMs: 10 });
      await t.advance(10);
      await lease(t, { leaseMs: 10 });
      await t.advance(10);
      expect(await run.result()).toMatchObject({ error: { code: 'TASK_LOST' } });
    });

    test('[WK15] a heartbeat keeps it, as long as it says', async () => {
      const t = await host.open(outside);
      await launch(t, single);
      const task = await leaseOne(t);
      for (let i = 0; i < 5; i++) {
        await t.advance(29_000);
        expect(await beat(t, task)).toEqual({ lease: task.lease, ok: true, expiresAt: t.clock.now() + 30_000 });
      }
      expect(await beat(t, task, { leaseMs: 10 })).toMatchObject({ expiresAt: t.clock.now() + 10 });
      await t.advance(10);
      expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    });

    test('[WK12] FT30: heartbeats for ever do not help where there is a timeout, counted from the lease', async () => {
      const t = await host.open(outside);
      const retry = { maxAttempts: 2, initialDelayMs: 1, jitter: 0 };
      const run = await launch(t, workflow('w', [work('a', { timeoutMs: 50_000, retry })]));
      await t.advance(500_000);
      const task = await leaseOne(t);
      expect(task.timeoutMs).toBe(50_000);
      for (let i = 0; i < 4; i++) {
        await t.advance(10_000);
        expect(await beat(t, task)).toMatchObject({ ok: true });
      }
      await t.advance(10_001);
      expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
      const again = await leaseOne(t);
      expect(again).toMatchObject({ attempt: 2, dispatch: 2 });
      for (let i = 0; i < 3; i++) {
        await t.advance(20_000);
        await beat(t, again);
      }
      const message = 'Expected action "work" of node "a" to end within 50000 ms, but it did not';
      expect(await run.result()).toMatchObject({ error: { code: 'TASK_TIMEOUT', message } });
    });
  });

  describe('answers', () => {
    test('[WK16] a failure is retried as the policy says, with the delay that was asked for', async () => {
      const t = await host.open(outside);
      const retry = { maxAttempts: 3, initialDelayMs: 1_000, jitter: 0 };
      const run = await launch(t, workflow('w', [work('a', { retry })]));
      expect(await fail(t, await leaseOne(t))).toMatchObject({ applied: true });
      await t.advance(999);
      expect(await lease(t)).toEqual([]);
      await t.advance(1);
      await fail(t, await leaseOne(t), { retryAfterMs: 60_000 });
      await t.advance(59_999);
      expect(await lease(t)).toEqual([]);
      await t.advance(1);
      await fail(t, await leaseOne(t), { code: 'NO_USE', message: 'give up' });
      expect(await run.result()).toMatchObject({ error: { code: 'NO_USE', message: 'give up', attempts: 3 } });
    });

    test('[WK16] `retryable: false` ends the tries; a policy may come with the answer', async () => {
      const t = await host.open(outside);
      const run = await launch(t, single);
      await fail(t, await leaseOne(t), { retry: { maxAttempts: 5, initialDelayMs: 10, jitter: 0 } });
      await t.advance(10);
      const again = await leaseOne(t);
      expect(again.attempt).toBe(2);
      await fail(t, again, { retryable: false, retry: { maxAttempts: 5 } });
      expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'BROKEN' } });
    });

    test.each([
      ['no JSON', { when: new Date(0) }, 'ACTION_OUTPUT_INVALID'],
      ['too large', { text: 'x'.repeat(200) }, 'LIMIT_EXCEEDED'],
      ['forbidden', JSON.parse('{"__proto__":1}'), 'ACTION_OUTPUT_INVALID'],
    ])('[WK16] FT25: a result that is %s is a failed attempt, as of a local action', async (_, output, code) => {
      const t = await host.open(outside);
      const run = await launch(t, { ...single, limits: { payloadBytesMax: 100 } });
      expect(await finish(t, await leaseOne(t), output)).toMatchObject({ applied: true });
      expect(await run.result()).toMatchObject({ status: 'failed', error: { code } });
    });

    test('[WK16] a worker gets a copy of the input, and nothing returned is {}', async () => {
      const t = await host.open(outside);
      const run = await launch(
        t,
        workflow('w', [work('a', { inputMapping: { list: 'input.list' }, outputMapping: { 'output.o': 'result' } })]),
        {
          list: [1],
        },
      );
      const task = await leaseOne(t);
      (task.input as { list: number[] }).list.push(2);
      await finish(t, task, undefined);
      expect(await run.result()).toMatchObject({ output: { o: {} } });
      const [, dispatched] = (await run.tokens()).map(({ input }) => input);
      expect([dispatched, (await run.tokens())[0]?.input]).toEqual([undefined, { list: [1] }]);
    });

    test('[WK17] FT21: the same answer again changes nothing and is no error', async () => {
      const t = await host.open(outside);
      await launch(t, line);
      const task = await leaseOne(t);
      const both = await t.engine.tasks.finish([
        { lease: task.lease, output: 1 },
        { lease: task.lease, output: 1 },
      ]);
      expect(both).toEqual([
        { lease: task.lease, applied: true },
        { lease: task.lease, applied: false, reason: 'it was finished before' },
      ]);
      expect(await finish(t, task, 1)).toEqual({ lease: task.lease, applied: false, reason: 'it was finished before' });
      expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    });

    test('[WK9, WK10] a forged lease, or one of another engine, is unknown; the others of the call go on', async () => {
      const t = await host.open(outside);
      const other = await host.open(outside);
      await launch(t, fan(2));
      await launch(other, single);
      const [task, second] = await lease(t);
      const foreign = await leaseOne(other);
      if (!task || !second) throw new Error('Expected two tasks');
      const wrong = [
        '',
        'nonsense',
        foreign.lease,
        `${task.lease.slice(0, -1)}${task.lease.endsWith('A') ? 'B' : 'A'}`,
        task.lease.replace('.1.', '.2.'),
        `x${task.lease}`,
      ];
      const answers = await t.engine.tasks.finish([...wrong, task.lease].map((text) => ({ lease: text, output: 1 })));
      expect(answers.map(({ applied, error }) => error?.code ?? applied)).toEqual([
        ...wrong.map(() => 'LEASE_UNKNOWN'),
        true,
      ]);
      const beats = await t.engine.tasks.heartbeat([...wrong, second.lease].map((text) => ({ lease: text })));
      expect(beats.map((answer) => answer.ok || answer.code)).toEqual([...wrong.map(() => 'LEASE_UNKNOWN'), true]);
      const released = await t.engine.tasks.release(wrong.map((text) => ({ lease: text })));
      expect(released.map((answer) => answer.ok || answer.code)).toEqual(wrong.map(() => 'LEASE_UNKNOWN'));
    });

    test('[WK8, WK10] FT24: a task that was cancelled is lost to its worker', async () => {
      const t = await host.open(outside);
      const run = await launch(t, single);
      const task = await leaseOne(t);
      await run.cancel();
      await t.settle();
      expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
      expect(await finish(t, task)).toMatchObject({ applied: false, error: { code: 'LEASE_LOST' } });
      expect(await run.status()).toBe('cancelled');
    });

    test('[WK18] what is handed back is there at once, for a hand-out and no attempt', async () => {
      const t = await host.open(outside);
      const run = await launch(t, single);
      const task = await leaseOne(t);
      const waiting = lease(t, { waitMs: 60_000 });
      expect(await t.engine.tasks.release([{ lease: task.lease }])).toEqual([{ lease: task.lease, ok: true }]);
      const [again] = await waiting;
      expect(again).toMatchObject({ attempt: 1, dispatch: 2 });
      expect(await t.engine.tasks.release([{ lease: task.lease }])).toMatchObject([{ ok: false, code: 'LEASE_LOST' }]);
      if (again) await finish(t, again);
      expect(await run.result()).toMatchObject({ status: 'completed' });
    });

    test('[WK16, LC11] results of a paused run are kept; a lost one waits until it goes on', async () => {
      const t = await host.open(outside);
      const run = await launch(t, fan(2));
      const [first, second] = await lease(t);
      await run.pause();
      if (!first || !second) throw new Error('Expected two tasks');
      expect(await finish(t, first)).toEqual({ lease: first.lease, applied: true, reason: 'held while paused' });
      expect(await finish(t, first)).toMatchObject({ applied: false, reason: 'it was finished before' });
      await t.advance(30_000);
      expect(await lease(t)).toEqual([]);
      await run.resume();
      await t.settle();
      const rest = await lease(t);
      expect(namesOf(rest)).toEqual([`${second.tokenId} 1.2`]);
      if (rest[0]) await finish(t, rest[0]);
      expect(await run.result()).toMatchObject({ status: 'completed' });
    });

    test.each([
      [[{ lease: 'x' }], 'OPTION_INVALID'],
      [[{ lease: 'x', output: 1, error: { message: 'both' } }], 'OPTION_INVALID'],
      [[{ lease: 'x', outptu: 1 }], 'OPTION_INVALID'],
      [[{ lease: 'x', error: { message: 'm' }, retry: { maxAttempts: 'many' } }], 'INVALID_ACTIONS'],
      [Array.from({ length: 1_001 }, () => ({ lease: 'x', output: 1 })), 'LIMIT_EXCEEDED'],
      ['x', 'OPTION_INVALID'],
    ])('a malformed answer is refused (%#)', async (finishes, code) => {
      const t = await host.open(outside);
      await expect(t.engine.tasks.finish(finishes as never)).rejects.toMatchObject({ code });
    });
  });

  test('[AR9, WK16] a result that is too large fails its own task, and not the others of the call', async () => {
    const t = await host.open({ ...outside, limits: { payloadBytesMax: 1_000 } });
    await register(t.engine, single);
    const runs = [await t.engine.start('w'), await t.engine.start('w')];
    await t.settle();
    const [first, second] = await lease(t);
    const answers = await t.engine.tasks.finish([
      { lease: first!.lease, output: { x: 'x'.repeat(1_900) } },
      { lease: second!.lease, output: {} },
    ]);
    expect(answers).toMatchObject([{ applied: true }, { applied: true }]);
    expect(await runs[0]!.result()).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax', message: expect.stringContaining('it has 1908') },
    });
    expect(await t.engine.artifacts.list(runs[0]!.id)).toEqual([]);
    expect(await runs[1]!.result()).toMatchObject({ status: 'completed' });
  });

  test('[WK20] the records of leases that are over are removed', async () => {
    const t = await host.open(outside);
    await register(t.engine, single);
    for (let i = 0; i < 3; i++) await t.engine.start('w');
    await t.settle();
    const tasks = await lease(t);
    expect((await leaseRecords(t)).length).toBe(3);
    for (const task of tasks.slice(0, 2)) await finish(t, task);
    for (let i = 0; i < 3; i++) await t.engine.start('w');
    await t.settle();
    await lease(t);
    expect((await leaseRecords(t)).length).toBe(4);
  });
});
