import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import { compileGraph } from '../dialects/compile-graph.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { type ActionContext, defineAction } from './action.ts';
import { ActionError } from './action-error.ts';
import { completed, failureOf, makeExecutor, makePromise, makeTask, runOne } from './executor.testsuite.ts';

const throwing = (error: unknown) => ({
  actions: {
    work: () => {
      throw error;
    },
  },
});

describe('what an action is given', () => {
  it('gets input, attempt, key and ids', async () => {
    let seen: unknown;
    const work = ({ signal, publish: _, artifacts: __, progress: ___, secrets: ____, ...rest }: ActionContext) => {
      seen = { ...rest, aborted: signal.aborted };
    };
    await runOne({ input: { a: 1 }, attempt: 3 }, { actions: { work } });
    const ids = { runId: 'run-1', nodeId: 'node', tokenId: 1, workflow: 'flow' };
    expect(seen).toEqual({ input: { a: 1 }, attempt: 3, idempotencyKey: 'run-1/1', aborted: false, ...ids, step: {} });
  });

  it('keeps its signal when it is spread', async () => {
    const work = (context: { signal: AbortSignal }) => {
      const copy = { ...context };
      return { same: copy.signal === context.signal };
    };
    expect(await runOne({}, { actions: { work } })).toEqual(completed({ same: true }));
  });

  it('gets a copy of the input, own `__proto__` keys included', async () => {
    const input = JSON.parse('{"list":[{"a":1}],"__proto__":{"b":2}}');
    const work = defineAction<{ list: { a: number }[] }>((context) => {
      context.input.list[0]!.a = 2;
      return context.input;
    });
    const outcome = await runOne({ input }, { actions: { work } });
    expect(JSON.stringify(input)).toBe('{"list":[{"a":1}],"__proto__":{"b":2}}');
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect(failureOf(outcome).code).toBe('ACTION_OUTPUT_INVALID'); // The key is not for outputs.
  });
});

describe('results', () => {
  it.each([
    ['an object', { a: [1, 'b', null, true] }, { a: [1, 'b', null, true] }],
    ['null', null, null],
    ['nothing at all', undefined, {}],
    ['a number', 0, 0],
    ['members that are undefined', { a: 1, b: undefined }, { a: 1 }],
  ])('[EX8] takes %s', async (_, result, output) => {
    expect(await runOne({}, { actions: { work: () => result } })).toEqual(completed(output));
    expect(await runOne({}, { actions: { work: async () => result } })).toEqual(completed(output));
  });

  it('keeps no reference to what was returned', async () => {
    const result = { list: [1] };
    const outcome = await runOne({}, { actions: { work: () => result } });
    result.list.push(2);
    expect(outcome).toEqual(completed({ list: [1] }));
  });

  it.each([
    ['a function', () => 1],
    ['a bigint', { n: 1n }],
    ['NaN', { n: Number.NaN }],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['a class instance', new URL('http://localhost')],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => throwText('no') })],
    ['a proxy that throws', new Proxy({}, { ownKeys: () => throwText('no') })],
  ])('[EX8] refuses %s', async (_, result) => {
    const outcome = await runOne({}, { actions: { work: async () => result } });
    expect(outcome).toMatchObject({ type: 'failed', retryable: false, failure: { code: 'ACTION_OUTPUT_INVALID' } });
    expect(failureOf(outcome).message).toMatch(/^Expected action "work" to return plain JSON, but /);
  });

  it('[EX8] names the limit that a result exceeds', async () => {
    const large = await runOne({}, { actions: { work: () => 'x'.repeat(101) }, limit: { payloadBytesMax: 100 } });
    expect(failureOf(large)).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax' });
    expect(failureOf(large).message).toMatch(
      /raise the limit \(the engine was made with it, raise it with .*payloadBytesMax: … } }\)\)$/,
    );
    const deep = await runOne({}, { actions: { work: () => JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) } });
    expect(failureOf(deep)).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'jsonDepthMax' });
    expect(failureOf(deep).message).toMatch(/; it is the default, raise it with .*jsonDepthMax: … } }\)$/);
  });

  it('[EX8] ends on cycles, also on those that would unfold to very much', async () => {
    const cycle: Record<string, unknown> = {};
    Object.assign(cycle, { left: cycle, right: cycle });
    const outcome = await runOne({}, { actions: { work: () => cycle }, limit: { payloadBytesMax: 10_000 } });
    expect(failureOf(outcome).code).toBe('LIMIT_EXCEEDED');
  });

  it('refuses a million-member result without copying it whole', async () => {
    const outcome = await runOne({}, { actions: { work: () => Array.from({ length: 5_000_000 }, () => 0) } });
    expect(failureOf(outcome)).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax' });
  });

  it('takes thenables, also those that call back twice or throw', async () => {
    const twice = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => {
      resolve({ n: 1 });
      resolve({ n: 2 });
      reject(new Error('late'));
      throw new Error('later');
    };
    expect(await runOne({}, { actions: { work: () => thenable(twice) } })).toEqual(completed({ n: 1 }));
    const bad = () => throwText('then failed');
    expect(failureOf(await runOne({}, { actions: { work: () => thenable(bad) } })).message).toBe('then failed');
    // oxlint-disable-next-line unicorn/no-thenable -- it is what is tested
    const hostile = Object.defineProperty({}, 'then', { get: () => throwText('no then') });
    expect(failureOf(await runOne({}, { actions: { work: () => hostile } })).message).toBe('no then');
  });

  it('never reports from inside dispatch', async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => 1 } });
    executor.dispatch(makeTask());
    expect(reports).toEqual([]);
    await clock.settle();
    expect(reports).toHaveLength(1);
  });
});

describe('what an action throws', () => {
  it('[EX9] keeps code, message and details of an ActionError', async () => {
    const error = new ActionError('no money', { code: 'NO_FUNDS', retryable: false, details: { missing: 3 } });
    expect(await runOne({}, throwing(error))).toEqual({
      type: 'failed',
      failure: {
        code: 'NO_FUNDS',
        message: 'no money',
        details: { missing: 3 },
        thrown: { name: 'ActionError', stack: error.stack },
      },
      retryable: false,
      retryAfterMs: null,
      retry: null,
    });
  });

  it.each([
    ['an error', new Error('boom'), 'ACTION_FAILED', 'boom'],
    ['a code of Node', Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'ECONNRESET', 'reset'],
    ['a code in words', Object.assign(new Error('no'), { code: 'card_declined' }), 'card_declined', 'no'],
    ['a code with dots', Object.assign(new Error('no'), { code: 'States.Timeout' }), 'States.Timeout', 'no'],
    ['a code with slashes', Object.assign(new Error('no'), { code: 'aws/Throttled:0' }), 'aws/Throttled:0', 'no'],
    ['a code in other letters', Object.assign(new Error('no'), { code: 'отказ-1' }), 'отказ-1', 'no'],
    ['a code that is too long', Object.assign(new Error('x'), { code: 'x'.repeat(201) }), 'ACTION_FAILED', 'x'],
    ['a code of several lines', Object.assign(new Error('x'), { code: 'A\nB' }), 'ACTION_FAILED', 'x'],
    ['a code that is none', Object.assign(new Error('x'), { code: 'not a code' }), 'ACTION_FAILED', 'x'],
    ['a number as code', Object.assign(new Error('x'), { code: 42 }), 'ACTION_FAILED', 'x'],
    ['a text', 'just a text', 'ACTION_FAILED', 'just a text'],
    ['undefined', undefined, 'ACTION_FAILED', /but it threw undefined$/],
    ['null', null, 'ACTION_FAILED', /but it threw null$/],
    ['a symbol', Symbol('s'), 'ACTION_FAILED', /but it threw a symbol$/],
    ['an empty error', new TypeError(''), 'ACTION_FAILED', /but it threw TypeError without one$/],
    ['a hostile proxy', new Proxy({}, { get: () => throwText('no') }), 'ACTION_FAILED', /but it threw an object/],
    ['a revoked proxy', revoked(), 'ACTION_FAILED', /but it threw an object/],
    ['a getter', Object.defineProperty({}, 'message', { get: () => throwText('no') }), 'ACTION_FAILED', /an object/],
  ])('[EX9] [EX19] takes %s', async (_, error, code, message) => {
    const outcome = await runOne({}, throwing(error));
    expect(outcome).toMatchObject({ retryable: true, retryAfterMs: null });
    expect(failureOf(outcome).code).toBe(code);
    expect(failureOf(outcome).message).toMatch(message);
  });

  it('[EX9] bounds the message, and drops details that are no JSON or too large', async () => {
    const long = failureOf(await runOne({}, throwing(new Error('m'.repeat(10_000)))));
    expect(long.message).toHaveLength(4_000);
    for (const details of [() => 1, { n: 1n }, 'x'.repeat(70_000), new Proxy({}, { ownKeys: () => throwText('no') })]) {
      const failure = failureOf(await runOne({}, throwing(Object.assign(new Error('x'), { details }))));
      expect(failure).toMatchObject({ code: 'ACTION_FAILED', message: 'x' });
      expect(failure).not.toHaveProperty('details');
    }
  });

  it('takes rejections like throws', async () => {
    expect(failureOf(await runOne({}, { actions: { work: async () => throwText('async') } })).message).toBe('async');
  });
});

describe('time', () => {
  const hang = () => new Promise(() => {});

  it('[EX7] [T069] [T468] fails an attempt that takes too long', async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: hang } });
    executor.dispatch(makeTask({ timeoutMs: 100 }));
    await clock.advance(99);
    expect(reports).toEqual([]);
    await clock.advance(1);
    const message = 'Expected action "work" of node "node" to end within 100 ms, but it did not';
    const outcome = { type: 'failed', failure: { code: 'TASK_TIMEOUT', message }, retryable: true, retryAfterMs: null };
    expect(reports).toEqual([['run-1/1', { ...outcome, retry: null }]]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 1 });
  });

  /** A clock on which actions can block the process (`busyMs`), or whose time somebody sets (`setMs`). */
  const blockable = () => {
    const clock = new VirtualClock();
    const moved = { busyMs: 0, setMs: 0 };
    const now = () => clock.now() + moved.busyMs + moved.setMs;
    const schedule = (at: number, callback: () => void) => clock.schedule(at - moved.setMs, callback);
    return { clock, moved, blocked: { now, schedule, wakeAt: schedule, defer: clock.defer.bind(clock) } };
  };

  it.each([
    ['returns', () => 'late'],
    ['throws', () => throwText('late')],
  ])('[EX23] an action that blocks beyond its time and then %s has timed out', async (_, end) => {
    const { clock, moved, blocked } = blockable();
    const work = () => {
      moved.busyMs += 500;
      return end();
    };
    const { executor, reports } = makeExecutor({ actions: { work }, clock: blocked });
    executor.dispatch(makeTask({ timeoutMs: 100 }));
    await clock.advance(500);
    expect(reports).toMatchObject([['run-1/1', { failure: { code: 'TASK_TIMEOUT' }, retryable: true }]]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[EX23] an action during which the clock was set has not', async () => {
    const { clock, moved, blocked } = blockable();
    const work = () => {
      moved.setMs += 3_600_000;
      return 'in time';
    };
    const { executor, reports } = makeExecutor({ actions: { work }, clock: blocked });
    executor.dispatch(makeTask({ timeoutMs: 100 }));
    await clock.advance(50);
    expect(reports).toEqual([['run-1/1', completed('in time')]]);
  });

  it("[EX6] the node's timeout counts before the action's, and 0 is none", async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: { run: hang, timeoutMs: 50 } } });
    executor.dispatch(makeTask({ tokenId: 1 }));
    executor.dispatch(makeTask({ tokenId: 2, timeoutMs: 80 }));
    executor.dispatch(makeTask({ tokenId: 3, timeoutMs: 0 }));
    await clock.advance(50);
    expect(reports.map(([task]) => task)).toEqual(['run-1/1']);
    await clock.advance(30);
    expect(reports.map(([task]) => task)).toEqual(['run-1/1', 'run-1/2']);
    await clock.advance(1_000_000);
    expect(reports).toHaveLength(2);
  });

  it('[EX7] aborts the signal with a reason, also for who asks late', async () => {
    const signals: AbortSignal[] = [];
    const later = makePromise();
    const actions = {
      eager: (context: { signal: AbortSignal }) => {
        signals.push(context.signal);
        return later.promise;
      },
      lazy: async (context: { signal: AbortSignal }) => {
        await later.promise;
        signals.push(context.signal);
      },
    };
    const { clock, executor } = makeExecutor({ actions });
    executor.dispatch(makeTask({ tokenId: 1, action: 'eager', timeoutMs: 10 }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'lazy', timeoutMs: 10 }));
    await clock.advance(10);
    later.resolve(1);
    await clock.settle();
    expect(signals.map(({ aborted, reason }) => [aborted, reason.name])).toEqual([
      [true, 'TimeoutError'],
      [true, 'TimeoutError'],
    ]);
    expect(executor.counts().zombies).toBe(0);
  });

  it.each([
    ['a result', (late: ReturnType<typeof makePromise>) => late.resolve(1)],
    ['an error', (late: ReturnType<typeof makePromise>) => late.reject(new Error('late'))],
  ])('[EX7] ignores %s that comes too late', async (_, settle) => {
    const late = makePromise();
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => late.promise } });
    executor.dispatch(makeTask({ timeoutMs: 10 }));
    await clock.advance(10);
    settle(late);
    await clock.advance(1_000);
    expect(reports).toHaveLength(1);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('leaves no alarm behind when the action ends in time', async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => 1 } });
    executor.dispatch(makeTask({ timeoutMs: 10 }));
    await clock.settle();
    expect(clock.nextAt).toBeNull();
    await clock.advance(100);
    expect(reports).toEqual([['run-1/1', completed(1)]]);
  });

  it('[T064] [T068] makes one attempt, and tells the policy of the action', async () => {
    const retry = {
      maxAttempts: 5,
      backoff: 'exponential',
      initialDelayMs: 20,
      retryableErrors: ['ECONNRESET'],
    } as const;
    let calls = 0;
    const run = () => {
      calls += 1;
      throw new Error('boom');
    };
    const outcome = await runOne({}, { actions: { work: { run, retry } } });
    expect(outcome).toMatchObject({ type: 'failed', retryable: true, retry });
    const nodes = [{ id: 'a', action: 'work', retry }];
    const graph = compileGraph({ id: 'flow', initialNode: 'a', nodes }, { version: 1, limits: defaultLimits });
    expect(outcome).toMatchObject({ retry: graph.initialNodes[0]?.retry });
    expect(await runOne({}, { actions: { work: run } })).toMatchObject({ type: 'failed', retry: null });
    expect(calls).toBe(2);
  });
});

function throwText(message: string): never {
  throw new Error(message);
}

function thenable(then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable -- it is what is tested
  return { then };
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
