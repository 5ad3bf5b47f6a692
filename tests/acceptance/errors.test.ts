import { expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import { ScriptedActions } from '../../packages/heddle/src/testing/scripted-actions.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callAt,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  keep,
  launch,
  scripted,
  stateOf,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });

const retried = (retry: Fields, more: Fields = {}): Fields =>
  workflow('w', [work('a', { retry, outputMapping: { 'output.x': 'result.x' }, ...more })]);

onEveryHost('error handling', (host) => {
  test("[T064][T065] retries follow the action's own policy; a success after them is a plain success", async () => {
    const script = new ScriptedActions();
    const t = await host.open({
      actions: {
        work: { run: script.action('work'), retry: { maxAttempts: 3, initialDelayMs: 100, backoff: 'exponential' } },
      },
    });
    const run = await launch(t, workflow('w', [keep('a', 'x'), 'b'], [go('a', 'b')]));
    script.next('work').fail(new Error('first'));
    await t.settle();
    expect(await run.status()).toBe('waiting');
    await t.advance(100);
    script.next('work').fail(new Error('second'));
    await t.advance(200);
    script.next('work').complete({ x: 1 });
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ x: 1 });
    expect(await visits(run)).toEqual(['a:completed', 'b:completed']);
    expect(script.calls.map(({ attempt, idempotencyKey }) => [attempt, idempotencyKey])).toEqual(
      [1, 2, 3].map((n) => [n, `${run.id}/1`]),
    );
    expect((await eventsOf(run, 'task.attempt_failed')).map(({ attempt, error }) => [attempt, error.message])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
    expect(await eventsOf(run, 'task.failed')).toEqual([]);
  });

  test('[T064] the policy may stand in execution.retry_policy of the node, and there overrides that of the action', async () => {
    const script = new ScriptedActions();
    const t = await host.open({ actions: { work: { run: script.action('work'), retry: { maxAttempts: 9 } } } });
    const definition = {
      id: 'w',
      initial_node_id: 'a',
      nodes: [{ id: 'a', action: 'work', execution: { retry_policy: { max_attempts: 2, initial_delay_ms: 50 } } }],
      transitions: [],
    };
    const run = await launch(t, definition);
    script.next('work').fail(new Error('no'));
    await t.advance(50);
    script.next('work').fail(new Error('no'));
    await t.advance(1_000_000);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { attempts: 2 } });
    expect(script.calls).toHaveLength(2);
  });

  test('[T482][DF100] execution.retry_policy and timeout_ms on the definition of an action are its retry and its timeout', async () => {
    const script = new ScriptedActions();
    const execution = { retry_policy: { max_attempts: 3, initial_delay_ms: 50 }, timeout_ms: 1_000 };
    const t = await host.open({ actions: { work: { run: script.action('work'), execution } } });
    const run = await launch(t, workflow('w', [work('a')]));
    script.next('work').fail(new Error('no'));
    await t.settle();
    await t.advance(50);
    await t.advance(1_000);
    await t.advance(50);
    script.calls.at(-1)?.fail(new Error('at last')); // the second has timed out
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'at last', attempts: 3 } });
    expect((await eventsOf(run, 'task.attempt_failed')).map(({ error }) => error.code)).toEqual([
      'ACTION_FAILED',
      'TASK_TIMEOUT',
    ]);
  });

  test('[T066] when the retries are used up the node has failed, with the error of the last attempt', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 2 }));
    await fail(t, 'a', coded('FIRST'));
    await t.advance(0);
    await fail(t, 'a', coded('LAST', 'gave up'));
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'LAST', message: 'gave up', nodeId: 'a', attempts: 2 },
    });
    expect((await eventsOf(run, 'task.failed')).map(({ error }) => [error.code, error.attempts])).toEqual([
      ['LAST', 2],
    ]);
    expect(await visits(run)).toEqual(['a:failed']);
  });

  const matching = workflow(
    'w',
    [work('a'), work('known', { inputMapping: { error: 'state._last_error' } }), work('other'), work('fine')],
    [
      go('a', 'known', { priority: 1, condition: "has(state._last_error) && state._last_error.code == 'KNOWN'" }),
      go('a', 'other', { priority: 2, condition: 'has(state._last_error)' }),
      go('a', 'fine', { priority: 3 }),
    ],
  );

  test('[T067] after a failure transitions can match on the error', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, matching);
    await fail(t, 'a', coded('KNOWN', 'that one'));
    expect(callAt(t, 'known').input).toEqual({
      error: { code: 'KNOWN', message: 'that one', nodeId: 'a', attempts: 1 },
    });
    await answer(t, 'known');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual(['a:failed', 'known:completed']);
  });

  test.each([
    ['another error', 'other'],
    ['a success', 'fine'],
  ])('[T067] after %s the same transitions lead to %s', async (what, node) => {
    const t = await host.open(scripted);
    const run = await launch(t, matching);
    if (what === 'a success') await answer(t, 'a');
    else await fail(t, 'a', coded('ELSE'));
    expect((await run.tokens()).map((token) => token.node)).toEqual(['a', node]);
  });

  test('[T068] without a retry policy the first error is final', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [work('a')]));
    await fail(t, 'a', new ActionError('once', { code: 'ONCE', retryAfterMs: 10 }));
    await t.advance(1_000_000);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'ONCE', message: 'once', attempts: 1 } });
    expect(t.script.calls).toHaveLength(1);
  });

  test('[T069] a timeout is enforced by the executor and is a failure', async () => {
    const t = await host.open(scripted);
    const definition = {
      id: 'w',
      initial_node_id: 'a',
      nodes: [{ id: 'a', action: 'work', execution: { timeout_ms: 1000 } }],
      transitions: [],
    };
    const run = await launch(t, definition);
    const call = callAt(t, 'a');
    await t.advance(999);
    expect([await run.status(), call.signal.aborted]).toEqual(['running', false]);
    await t.advance(1);
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'TASK_TIMEOUT', nodeId: 'a', attempts: 1 },
    });
    expect(call.signal.aborted).toBe(true);
    call.complete({ late: true });
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed' });
  });

  test("[T069] the action's own timeout counts for nodes that have none; a timeout is an attempt", async () => {
    const script = new ScriptedActions();
    const t = await host.open({ actions: { work: { run: script.action('work'), timeoutMs: 100 } } });
    const run = await launch(t, retried({ maxAttempts: 2, initialDelayMs: 10 }));
    await t.advance(110);
    expect(script.calls.map(({ attempt, signal }) => [attempt, signal.aborted])).toEqual([
      [1, true],
      [2, false],
    ]);
    script.calls[0]!.complete({ x: 'late' });
    script.calls[1]!.complete({ x: 'second' });
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: 'second' } });
  });
});

onEveryHost('retry policies', (host) => {
  const backoffs: readonly (readonly [string, Fields, readonly number[]])[] = [
    ['none', { backoff: 'none', initialDelayMs: 100 }, [100, 100, 100]],
    ['none by default', { initialDelayMs: 100 }, [100, 100, 100]],
    ['linear', { backoff: 'linear', initialDelayMs: 100 }, [100, 200, 300]],
    ['exponential', { backoff: 'exponential', initialDelayMs: 100 }, [100, 200, 400]],
    ['exponential up to maxDelayMs', { backoff: 'exponential', initialDelayMs: 100, maxDelayMs: 150 }, [100, 150, 150]],
  ];

  test.each(backoffs)('backoff %s', async (_, policy, delays) => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 4, ...policy }));
    for (const delay of delays) {
      await fail(t, 'a');
      await t.advance(delay - 1);
      expect(callsAt(t, 'a')).toEqual([]);
      await t.advance(1);
      expect(callsAt(t, 'a')).toHaveLength(1);
    }
    await fail(t, 'a');
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { attempts: 4 } });
  });

  test('jitter takes at most its share from each delay, and not the same from all', async () => {
    const t = await host.open(scripted);
    const delays: number[] = [];
    const run = await launch(t, retried({ maxAttempts: 12, initialDelayMs: 1000, jitter: 0.5 }));
    for (let attempt = 1; attempt < 12; attempt++) {
      await fail(t, 'a');
      const { nextTimerAt } = await run.summary();
      delays.push(nextTimerAt! - t.clock.now());
      await t.advance(delays.at(-1)!);
    }
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1000);
    expect(new Set(delays).size).toBeGreaterThan(5);
  });

  test('retryableErrors: other errors are final', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 5, retryableErrors: ['BUSY'] }));
    await fail(t, 'a', coded('BUSY'));
    await t.advance(0);
    await fail(t, 'a', coded('BROKEN'));
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'BROKEN', attempts: 2 } });
  });

  test.each(['card_declined', 'States.Timeout', 'aws/Throttled', 'http:503', 'ECONNRESET'])(
    '[EX19] the code %s is kept, matched by retryableErrors, and read by failure routes',
    async (code) => {
      const t = await host.open(scripted);
      const caught = go('a', 'b', { on: 'failure', condition: `state._last_error.code == "${code}"` });
      const nodes = [work('a', { retry: { maxAttempts: 2, retryableErrors: [code] } }), 'b'];
      const run = await launch(t, workflow('w', nodes, [caught]));
      await fail(t, 'a', coded(code));
      await t.advance(0);
      await fail(t, 'a', coded(code));
      await t.settle();
      expect(await ended(run)).toMatchObject({ status: 'completed' });
      expect((await eventsOf(run, 'task.failed')).map(({ error }) => [error.code, error.attempts])).toEqual([
        [code, 2],
      ]);
    },
  );

  test('[EX20] the stack, the cause and the parts of what was thrown are kept with attempts, tasks and runs', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 2 }));
    const cause = new AggregateError([coded('ECONNREFUSED', 'refused'), 'a text'], 'no address answered');
    await fail(t, 'a', new Error('first', { cause }));
    await t.advance(0);
    await fail(t, 'a', new TypeError('second'));
    const [attempt] = await eventsOf(run, 'task.attempt_failed');
    expect(attempt?.error).toEqual({
      code: 'ACTION_FAILED',
      message: 'first',
      thrown: {
        name: 'Error',
        stack: expect.stringMatching(/^Error: first\n {4}at /),
        cause: {
          name: 'AggregateError',
          message: 'no address answered',
          stack: expect.any(String),
          errors: [
            { name: 'Error', message: 'refused', code: 'ECONNREFUSED', stack: expect.any(String) },
            { message: 'a text' },
          ],
        },
      },
    });
    const stack = expect.stringMatching(/^TypeError: second\n {4}at /);
    expect((await ended(run)).error).toMatchObject({ message: 'second', thrown: { name: 'TypeError', stack } });
    expect((await run.tokens())[0]).toMatchObject({ error: { thrown: { stack } } });
  });

  test('[EX21] onEvent hears of every failed attempt, with what was thrown; onError does not', async () => {
    const heard: RunEvent[] = [];
    const told: Error[] = [];
    const t = await host.open({
      actions: {
        work: () => {
          throw new AggregateError([new TypeError('a part')], 'no luck', { cause: new Error('the cause') });
        },
      },
      onEvent: (event) => void heard.push(event),
      onError: (error) => void told.push(error),
    });
    const run = await launch(t, retried({ maxAttempts: 2, initialDelayMs: 10 }));
    await t.advance(10);
    expect(await ended(run)).toMatchObject({ status: 'failed' });
    const thrown = {
      name: 'AggregateError',
      stack: expect.stringContaining('no luck'),
      cause: { message: 'the cause' },
      errors: [{ name: 'TypeError', message: 'a part' }],
    };
    expect(heard.filter(({ type }) => type === 'task.attempt_failed' || type === 'task.failed')).toMatchObject([
      { type: 'task.attempt_failed', attempt: 1, error: { message: 'no luck', thrown } },
      { type: 'task.failed', error: { message: 'no luck', thrown } },
    ]);
    expect(told).toEqual([]);
  });

  test('[FL10] no path, branch or expression sees what was thrown', async () => {
    const t = await host.open(scripted);
    const nodes = [work('a'), work('b', { inputMapping: { seen: 'state._last_error' } })];
    await launch(t, workflow('w', nodes, [go('a', 'b', { on: 'failure' })]));
    await fail(t, 'a', coded('X', 'boom'));
    expect(callAt(t, 'b').input).toEqual({ seen: { code: 'X', message: 'boom', nodeId: 'a', attempts: 1 } });
  });

  test('an action may say that trying again is useless', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 5 }));
    await fail(t, 'a', new ActionError('no use', { retryable: false }));
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'no use', attempts: 1 } });
  });

  test.each([
    ['in milliseconds', { retryAfterMs: 5000 }, 5000],
    ['as a header in seconds', { response: { headers: { 'retry-after': '7' } } }, 7000],
    ['less than the back-off', { retryAfterMs: 10 }, 100],
  ])('Retry-After %s', async (_, asked, delay) => {
    const t = await host.open(scripted);
    const run = await launch(t, retried({ maxAttempts: 2, initialDelayMs: 100 }));
    await fail(t, 'a', Object.assign(new Error('later'), asked));
    await t.advance(delay - 1);
    expect(callsAt(t, 'a')).toEqual([]);
    await t.advance(1);
    await answer(t, 'a', { x: 1 });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: 1 } });
  });

  test('a retry that waits holds no slot: other tasks go on', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    const definition = workflow(
      'w',
      ['start', work('a', { retry: { maxAttempts: 2, initialDelayMs: 1000 } }), work('b')],
      [go('start', 'a'), go('start', 'b')],
    );
    await launch(t, definition);
    expect(callsAt(t, 'b')).toEqual([]);
    await fail(t, 'a');
    expect(callsAt(t, 'b')).toHaveLength(1);
  });
});

onEveryHost('the last error', (host) => {
  const look = { inputMapping: { error: 'state._last_error.code', state: 'state' } };

  test('it goes along the path, is cleared by the next success, and is never in the state', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('a'), work('b', look), work('c', look)],
      [go('a', 'b', { on: 'failure' }), go('b', 'c')],
    );
    const run = await launch(t, definition);
    await fail(t, 'a', coded('A'));
    expect(callAt(t, 'b').input).toMatchObject({ error: 'A' });
    expect(await stateOf(run)).toEqual({});
    await answer(t, 'b');
    expect(callAt(t, 'c').input).toEqual({ state: { _failure: expect.objectContaining({ code: 'A' }) } });
    await answer(t, 'c');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: {} });
  });

  test('a second failure on the path takes its place', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('a'), work('b', look), work('c', look)],
      [go('a', 'b', { on: 'failure' }), go('b', 'c', { on: 'failure' })],
    );
    await launch(t, definition);
    await fail(t, 'a', coded('A'));
    await fail(t, 'b', coded('B'));
    expect(callAt(t, 'c').input).toMatchObject({ error: 'B' });
  });

  test('it is seen on its own path alone, and ends at a join', async () => {
    const t = await host.open(scripted);
    const index = { inputMapping: { index: '_branch.index', error: 'state._last_error.code' } };
    const definition = workflow(
      'w',
      ['start', work('one', index), work('two', index), work('after', look)],
      [
        { from: 'start', to: 'one', spawnCount: 2, siblingGroup: 'g' },
        go('one', 'two', { on: 'any' }),
        ...['success', 'failure'].map((on) => ({
          from: 'two',
          to: 'after',
          on,
          synchronization: { siblingGroup: 'g', strategy: 'all' },
        })),
      ],
    );
    await launch(t, definition);
    await fail(t, 'one', coded('ONE'), { index: 0 });
    await answer(t, 'one', {}, { index: 1 });
    expect(callsAt(t, 'two').map(({ input }) => input)).toEqual([{ index: 0, error: 'ONE' }, { index: 1 }]);
    await fail(t, 'two', coded('TWO'), { index: 0 });
    await answer(t, 'two', {}, { index: 1 });
    expect(callAt(t, 'after').input).toEqual({ state: {} });
  });
});
