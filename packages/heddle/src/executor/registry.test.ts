import { describe, expect, it } from 'vitest';
import type { Action, Actions } from './action.ts';
import { completed, failureOf, makeExecutor, makePromise, makeTask, runOne } from './executor.testsuite.ts';
import { InvalidActionsError } from './registry.ts';

describe('missing actions', () => {
  it('[EX22] are reported as unavailable, and built-in ones fail', async () => {
    const { clock, executor, reports } = makeExecutor({ missingActions: 'wait' });
    executor.dispatch(makeTask({ tokenId: 1, action: 'nobody' }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'core.ecoh' }));
    await clock.settle();
    const failure = { code: 'ACTION_NOT_FOUND' };
    expect(reports).toMatchObject([
      ['run-1/1', { type: 'unavailable', action: 'nobody', failure }],
      ['run-1/2', { type: 'failed', failure, retryable: false }],
    ]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
    expect([executor.has?.('nobody', null), executor.has?.('core.echo', null)]).toEqual([false, true]);
  });
});

describe('unknown actions', () => {
  it('[EX10] fail, are not tried again, and the message helps', async () => {
    const outcome = await runOne({ action: 'scroe' }, { actions: { score: () => 1, send: () => 1 } });
    const message = 'Expected an action named "scroe", but registered are "score", "send". Did you mean "score"?';
    expect(outcome).toEqual({
      type: 'failed',
      failure: { code: 'ACTION_NOT_FOUND', message },
      retryable: false,
      retryAfterMs: null,
      retry: null,
    });
    expect(failureOf(await runOne({ action: 'zzz' })).message).toMatch(/but none is registered$/);
    expect(failureOf(await runOne({ action: 'core.ecko' })).message).toMatch(/Did you mean "core.echo"\?$/);
  });

  it('[EX10] every one of many fails', async () => {
    const { clock, executor, reports } = makeExecutor({ limit: { concurrencyPerRun: 2 } });
    for (let tokenId = 1; tokenId <= 50; tokenId += 1) executor.dispatch(makeTask({ tokenId, action: 'nope' }));
    await clock.settle();
    expect(reports).toHaveLength(50);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])('[EX10] %s is one', async (action) => {
    expect(failureOf(await runOne({ action })).code).toBe('ACTION_NOT_FOUND');
  });

  it('[EX12] so is another version', async () => {
    const actions = { work: { run: () => 1, version: 2 }, any: () => 2 };
    expect(await runOne({ actionVersion: 2 }, { actions })).toEqual(completed(1));
    expect(await runOne({ action: 'any', actionVersion: 7 }, { actions })).toEqual(completed(2));
    const failure = failureOf(await runOne({ actionVersion: 3 }, { actions }));
    const message = 'Expected action "work" in version 3, but version 2 is registered';
    expect(failure).toEqual({ code: 'ACTION_NOT_FOUND', message });
  });
});

describe('registering', () => {
  it('takes a record, or a list of named actions', async () => {
    class Counter {
      readonly name = 'count';
      n = 41;
      run() {
        return (this.n += 1);
      }
    }
    expect(await runOne({ action: 'count' }, { actions: [new Counter()] })).toEqual(completed(42));
    expect(await runOne({ action: 'other' }, { actions: { other: new Counter() } })).toEqual(completed(42));
  });

  const run = () => 1;
  const refusals: readonly (readonly [name: string, actions: unknown, code: string, pointer: string])[] = [
    ['a name with a space', { 'a b': run }, 'INVALID_NAME', '/a b'],
    ['a name that begins with a digit', { '1a': run }, 'INVALID_NAME', '/1a'],
    ['a name of 129 characters', { ['a'.repeat(129)]: run }, 'INVALID_NAME', `/${'a'.repeat(129)}`],
    ['a built-in name', { 'core.echo': run }, 'RESERVED_NAME', '/core.echo'],
    ['no name', [{ run }], 'INVALID_NAME', '/0'],
    [
      'a name twice',
      [
        { run, name: 'a' },
        { run, name: 'a' },
      ],
      'DUPLICATE_NAME',
      '/1',
    ],
    ['no function', { a: { input: true } }, 'WRONG_TYPE', '/a'],
    ['nothing', { a: undefined }, 'WRONG_TYPE', '/a'],
    ['an unknown setting', { a: { run, timeout: 1 } }, 'UNKNOWN_FIELD', '/a/timeout'],
    ['a wrong timeout', { a: { run, timeoutMs: -1 } }, 'OUT_OF_RANGE', '/a/timeoutMs'],
    ['a wrong concurrency', { a: { run, concurrency: 0 } }, 'OUT_OF_RANGE', '/a/concurrency'],
    [
      'a policy twice',
      { a: { run, retry: { maxAttempts: 1 }, execution: { retry: { maxAttempts: 2 } } } },
      'DUPLICATE_FIELD',
      '/a/execution/retry',
    ],
    ['a wrong rate', { a: { run, rate: { limit: 1 } } }, 'MISSING_FIELD', '/a/rate'],
    ['a wrong cost', { a: { run, cost: 0.5 } }, 'WRONG_TYPE', '/a/cost'],
    ['a cost below nothing', { a: { run, cost: -1 } }, 'OUT_OF_RANGE', '/a/cost'],
    ['a wrong policy', { a: { run, retry: { maxAttempts: 0 } } }, 'OUT_OF_RANGE', '/a/retry/maxAttempts'],
    ['a schema that is none', { a: { run, input: 7 } }, 'INVALID_SCHEMA', '/a/input'],
  ];

  it.each(refusals)('refuses %s', (_, actions, code, pointer) => {
    const error = catchError(() => makeExecutor({ actions: actions as Actions }));
    expect(error).toBeInstanceOf(InvalidActionsError);
    expect((error as InvalidActionsError).problems).toMatchObject([{ severity: 'error', code, pointer }]);
  });

  it('tells all that is wrong at once', () => {
    const actions = { 'a b': run, c: { run, rate: 3, retry: {} } };
    const error = catchError(() => makeExecutor({ actions: actions as unknown as Actions }));
    expect((error as InvalidActionsError).problems).toHaveLength(3);
  });
});

describe('costs', () => {
  it('[CR5] are known of the actions that are there, and of others once they were loaded', async () => {
    const loadAction = (name: string): Action => ({ run: () => name, cost: 7 });
    const { clock, executor, registry } = makeExecutor({
      actions: { dear: { run: () => 1, cost: 3 }, free: () => 1 },
      loadAction,
    });
    expect(['dear', 'free', 'core.echo', 'late'].map((name) => registry.costOf(name))).toEqual([3, 0, 0, 0]);
    executor.dispatch(makeTask({ action: 'late' }));
    await clock.settle();
    expect(registry.costOf('late')).toBe(7);
  });
});

describe('loading', () => {
  it('[EX11] [T004] [T005] happens when a task of the action first starts, once', async () => {
    const asked: string[] = [];
    const loadAction = async (name: string): Promise<Action> => {
      asked.push(name);
      return () => name;
    };
    const { clock, executor, reports } = makeExecutor({ loadAction, limit: { concurrencyPerRun: 1 } });
    await clock.settle();
    expect(asked).toEqual([]);
    for (const [tokenId, action] of ['late', 'late', 'never', 'late'].entries()) {
      executor.dispatch(makeTask({ tokenId, action }));
    }
    executor.dispatch(makeTask({ runId: 'other', action: 'late' }));
    executor.abort('run-1', 2);
    await clock.settle();
    expect(asked).toEqual(['late']);
    expect(reports.map(([, outcome]) => outcome)).toEqual(Array(4).fill(completed('late')));
  });

  it('holds up no task of another action', async () => {
    const slow = makePromise<Action>();
    const { clock, executor, reports } = makeExecutor({ loadAction: () => slow.promise });
    executor.dispatch(makeTask({ tokenId: 1, action: 'slow' }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'core.echo', input: { a: 1 } }));
    await clock.settle();
    expect(reports).toEqual([['run-1/2', completed({ a: 1 })]]);
    slow.resolve({ run: () => 'here', concurrency: 1 });
    await clock.settle();
    expect(reports[1]).toEqual(['run-1/1', completed('here')]);
  });

  it('[EX11] is tried again after it failed, and after there was none', async () => {
    const answers: (() => Action | null)[] = [
      () => {
        throw new Error('no network');
      },
      () => null,
      () => () => 'here',
    ];
    const { clock, executor, reports } = makeExecutor({ loadAction: () => answers.shift()?.() });
    for (const tokenId of [1, 2, 3, 4]) {
      executor.dispatch(makeTask({ tokenId }));
      await clock.settle();
    }
    const outcomes = reports.map(([, outcome]) => outcome);
    expect(outcomes[0]).toMatchObject({ failure: { code: 'ACTION_LOAD_FAILED' }, retryable: true });
    expect(outcomes[1]).toMatchObject({ failure: { code: 'ACTION_NOT_FOUND' }, retryable: false });
    expect(outcomes.slice(2)).toEqual([completed('here'), completed('here')]);
  });

  it('gives up on what does not come, and refuses what is no action', async () => {
    const { clock, executor, reports } = makeExecutor({ loadAction: () => new Promise(() => {}) });
    executor.dispatch(makeTask());
    await clock.advance(60_000);
    expect(failureOf(reports[0]![1]).message).toMatch(/it was not there after 60000 ms$/);
    const rubbish = await runOne({}, { loadAction: () => 7 as unknown as Action });
    expect(rubbish).toMatchObject({ failure: { code: 'ACTION_INVALID' }, retryable: false });
  });
});

function catchError(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
