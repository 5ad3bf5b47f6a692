import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import type { ActionContext } from './action.ts';
import { completed, makeExecutor, makePromise, makeTask } from './executor.testsuite.ts';

/** An action whose calls are ended by the test. */
function makeGate() {
  const calls: { tokenId: number; signal: AbortSignal; resolve: (value: unknown) => void }[] = [];
  const work = ({ tokenId, signal }: ActionContext) => {
    const { promise, resolve } = makePromise();
    calls.push({ tokenId, signal, resolve });
    return promise;
  };
  return { calls, work, started: () => calls.map(({ tokenId }) => tokenId) };
}

describe('starting', () => {
  it('starts as many as the process, the run and the action allow', async () => {
    const { work, calls } = makeGate();
    const actions = { work, narrow: { run: work, concurrency: 2 } };
    const limit = { concurrencyPerProcess: 7, concurrencyPerRun: 3, concurrencyPerAction: 5 };
    const { clock, executor } = makeExecutor({ actions, limit });
    const dispatch = (runId: string, action: string) => {
      for (let i = 0; i < 10; i += 1) executor.dispatch(makeTask({ runId, tokenId: i, action }));
    };
    dispatch('a', 'work');
    await clock.settle();
    expect(executor.counts()).toEqual({ queued: 7, running: 3, zombies: 0 });
    dispatch('b', 'work');
    await clock.settle();
    expect(executor.counts()).toEqual({ queued: 15, running: 5, zombies: 0 });
    dispatch('c', 'narrow');
    await clock.settle();
    expect(executor.counts()).toEqual({ queued: 23, running: 7, zombies: 0 });
    for (const call of calls) call.resolve(null);
    await clock.settle();
    expect(calls).toHaveLength(14);
  });

  it('[EX4] keeps to what a workflow allows its runs, if that is less than the engine allows', async () => {
    const { work } = makeGate();
    const { clock, executor } = makeExecutor({ actions: { work } });
    const limits = { ...defaultLimits, concurrencyPerRun: 2 };
    for (let tokenId = 1; tokenId <= 5; tokenId += 1) executor.dispatch(makeTask({ tokenId, limits }));
    await clock.settle();
    expect(executor.counts()).toEqual({ queued: 3, running: 2, zombies: 0 });
  });

  it.each([
    ['large', 'payloadBytesMax', 'x'.repeat(100)],
    ['deep', 'jsonDepthMax', [[[]]]],
  ] as const)('[EX8][DF65] a result may not be as %s as its workflow forbids', async (_, limit, result) => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => result } });
    const most = limit === 'payloadBytesMax' ? 50 : 2;
    executor.dispatch(makeTask({ workflow: 'small', limits: { ...defaultLimits, [limit]: most } }));
    await clock.settle();
    const message = expect.stringMatching(
      new RegExp(`${limit}.*"limits" of workflow small sets it, raise it there\\)?$`),
    );
    expect(reports).toMatchObject([
      ['run-1/1', { type: 'failed', failure: { code: 'LIMIT_EXCEEDED', limit, message } }],
    ]);
  });

  it('[EX4] keeps the rate of an action exactly', async () => {
    const starts: number[] = [];
    const run = () => void starts.push(clock.now());
    const { clock, executor, reports } = makeExecutor({ actions: { work: { run, rate: { limit: 3, perMs: 1_000 } } } });
    const zero = clock.now();
    for (let tokenId = 1; tokenId <= 7; tokenId += 1) executor.dispatch(makeTask({ tokenId }));
    await clock.advance(400);
    for (let tokenId = 8; tokenId <= 9; tokenId += 1) executor.dispatch(makeTask({ runId: 'other', tokenId }));
    await clock.advance(10_000);
    expect(starts.map((at) => at - zero)).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000]);
    expect(reports).toHaveLength(9);
    expect(clock.nextAt).toBeNull();
  });

  it('[EX14] lets timers fire between tasks that are done at once', async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => 1 } });
    for (let tokenId = 1; tokenId <= 10_000; tokenId += 1) executor.dispatch(makeTask({ tokenId }));
    const seen = await new Promise<number>((resolve) => setImmediate(() => resolve(reports.length)));
    expect(seen).toBeLessThan(10_000);
    while (reports.length < 10_000) await clock.settle();
    expect(new Set(reports.map(([task]) => task)).size).toBe(10_000);
  });

  it('[EX2] a single task overtakes 100,000 of another run', async () => {
    const order: string[] = [];
    const work = ({ runId }: ActionContext) => void order.push(runId);
    const { clock, executor } = makeExecutor({ actions: { work }, limit: { concurrencyPerProcess: 8 } });
    for (let tokenId = 1; tokenId <= 100_000; tokenId += 1) executor.dispatch(makeTask({ runId: 'big', tokenId }));
    executor.dispatch(makeTask({ runId: 'small' }));
    await clock.settle();
    expect(order.indexOf('small')).toBe(1);
  });

  it('[EX13] a newer hand-out replaces an older one; the same or an older one changes nothing', async () => {
    const { work, calls } = makeGate();
    const { clock, executor, reports } = makeExecutor({ actions: { work } });
    for (const dispatch of [2, 2, 1]) executor.dispatch(makeTask({ dispatch }));
    await clock.settle();
    executor.dispatch(makeTask({ dispatch: 2 }));
    await clock.settle();
    expect(calls).toHaveLength(1);
    executor.dispatch(makeTask({ dispatch: 3 }));
    await clock.settle();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    calls[0]?.resolve('old');
    calls[1]?.resolve('new');
    await clock.settle();
    expect(reports).toEqual([['run-1/1', completed('new')]]);
  });
});

describe('abort', () => {
  it('[EX1] takes out a task that waits', async () => {
    const { work, calls, started } = makeGate();
    const { clock, executor, reports } = makeExecutor({ actions: { work }, limit: { concurrencyPerRun: 1 } });
    for (const tokenId of [1, 2, 3]) executor.dispatch(makeTask({ tokenId }));
    await clock.settle();
    expect(executor.isExecuting('run-1', 1)).toBe(true);
    expect(executor.isExecuting('run-1', 2)).toBe(false);
    executor.abort('run-1', 2);
    calls[0]?.resolve(1);
    await clock.settle();
    expect(started()).toEqual([1, 3]);
    expect(reports.map(([task]) => task)).toEqual(['run-1/1']);
  });

  it('[EX1] takes out a task before its turn of the event loop', async () => {
    const { work, calls } = makeGate();
    const { clock, executor } = makeExecutor({ actions: { work } });
    executor.dispatch(makeTask());
    executor.abort('run-1', 1);
    await clock.settle();
    expect(calls).toEqual([]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[EX1] aborts a task under way, frees its place at once and reports nothing', async () => {
    const { work, calls, started } = makeGate();
    const { clock, executor, reports } = makeExecutor({ actions: { work }, limit: { concurrencyPerProcess: 1 } });
    for (const tokenId of [1, 2]) executor.dispatch(makeTask({ tokenId, timeoutMs: 50 }));
    await clock.settle();
    executor.abort('run-1', 1);
    expect([calls[0]?.signal.aborted, calls[0]?.signal.reason.name]).toEqual([true, 'AbortError']);
    expect(executor.isExecuting('run-1', 1)).toBe(false);
    expect(executor.counts()).toEqual({ queued: 1, running: 0, zombies: 1 });
    await clock.settle();
    expect(started()).toEqual([1, 2]);
    calls[0]?.resolve('late');
    calls[1]?.resolve('right');
    await clock.advance(1_000);
    expect(reports).toEqual([['run-1/2', completed('right')]]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[EX1] works from inside the action itself', async () => {
    const work = ({ runId, tokenId, signal }: ActionContext) => {
      executor.abort(runId, tokenId);
      return { aborted: signal.aborted };
    };
    const { clock, executor, reports } = makeExecutor({ actions: { work } });
    executor.dispatch(makeTask());
    await clock.settle();
    expect(reports).toEqual([]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[EX1] stops an attempt whose input is being checked: the action is not called', async () => {
    const { work, calls } = makeGate();
    const checked = makePromise<{ value: unknown }>();
    const input = { '~standard': { version: 1, vendor: 'test', validate: () => checked.promise } } as const;
    const { clock, executor, reports } = makeExecutor({ actions: { work: { run: work, input } } });
    executor.dispatch(makeTask());
    await clock.settle();
    executor.abort('run-1', 1);
    checked.resolve({ value: 1 });
    await clock.settle();
    expect([calls, reports]).toEqual([[], []]);
    expect(executor.counts().zombies).toBe(0);
  });

  it('ignores unknown tasks, and those that have ended', async () => {
    const { clock, executor, reports } = makeExecutor({ actions: { work: () => 1 } });
    executor.abort('nobody', 7);
    executor.dispatch(makeTask());
    await clock.settle();
    executor.abort('run-1', 1);
    expect(reports).toHaveLength(1);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[T069] actions that ignore their signal cannot block the others', async () => {
    const work = ({ tokenId }: ActionContext) => (tokenId <= 4 ? new Promise(() => {}) : tokenId);
    const { clock, executor, reports } = makeExecutor({ actions: { work }, limit: { concurrencyPerProcess: 2 } });
    for (let tokenId = 1; tokenId <= 6; tokenId += 1) executor.dispatch(makeTask({ tokenId, timeoutMs: 100 }));
    await clock.advance(200);
    expect(reports.filter(([, outcome]) => outcome.type === 'completed').map(([task]) => task)).toEqual([
      'run-1/5',
      'run-1/6',
    ]);
    expect(reports).toHaveLength(6);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 4 });
  });
});

describe('close', () => {
  it('[EX15] waits for what is under way and drops what waits', async () => {
    const { work, calls } = makeGate();
    const { clock, executor, reports } = makeExecutor({ actions: { work }, limit: { concurrencyPerRun: 1 } });
    for (const tokenId of [1, 2]) executor.dispatch(makeTask({ tokenId }));
    await clock.settle();
    let isClosed = false;
    const closed = executor.close(1_000).then(() => (isClosed = true));
    executor.dispatch(makeTask({ tokenId: 3 }));
    await clock.advance(500);
    expect([isClosed, calls.length]).toEqual([false, 1]);
    calls[0]?.resolve('in time');
    await closed;
    expect(reports).toEqual([['run-1/1', completed('in time')]]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
    expect(clock.nextAt).toBeNull();
  });

  it('[EX15] aborts after the grace, and is silent then', async () => {
    const { work, calls } = makeGate();
    const { clock, executor, reports } = makeExecutor({ actions: { work } });
    executor.dispatch(makeTask({ timeoutMs: 5_000 }));
    await clock.settle();
    const closed = executor.close(1_000);
    expect(executor.close(0)).toBe(closed);
    await clock.advance(1_000);
    await closed;
    expect(calls[0]?.signal.aborted).toBe(true);
    calls[0]?.resolve('late');
    executor.dispatch(makeTask({ tokenId: 2 }));
    await clock.advance(10_000);
    expect(reports).toEqual([]);
    expect(executor.counts()).toEqual({ queued: 0, running: 0, zombies: 0 });
  });

  it('[EX15] leaves no alarm behind', async () => {
    const run = () => 1;
    const actions = { work: { run, rate: { limit: 1, perMs: 60_000 } } };
    const loadAction = () => new Promise<never>(() => {});
    const { clock, executor } = makeExecutor({ actions, loadAction });
    for (const tokenId of [1, 2]) executor.dispatch(makeTask({ tokenId }));
    executor.dispatch(makeTask({ tokenId: 3, action: 'elsewhere' }));
    await clock.settle();
    expect(executor.counts()).toEqual({ queued: 2, running: 0, zombies: 0 });
    await executor.close(1_000);
    expect(clock.nextAt).toBeNull();
  });
});
