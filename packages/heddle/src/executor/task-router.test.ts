import { describe, expect, it } from 'vitest';
import { completed, makeExecutor, makePromise, makeTask } from './executor.testsuite.ts';
import { nobodyOutside, type Outside } from './outside.ts';

/** Workers that take actions by these names, and what the router asks of them. */
function makeOutside(taken: Iterable<string>) {
  const names = new Set(taken);
  const asked: string[] = [];
  const listeners: ((names: readonly string[]) => void)[] = [];
  const outside: Outside = {
    ...nobodyOutside,
    takes: (action) => names.has(action),
    takenNames: () => [...names],
    dispatch: ({ tokenId, dispatch }) => void asked.push(`dispatch ${tokenId} (${dispatch})`),
    abort: (_, tokenId) => void asked.push(`abort ${tokenId}`),
    isExecuting: () => true,
    costOf: () => 9,
    onTaken: (listener) => void listeners.push(listener),
    stop: () => void asked.push('stop'),
  };
  const announce = (name: string) => {
    names.add(name);
    for (const listener of listeners) listener([name]);
  };
  return { outside, asked, announce };
}

describe('a task', () => {
  it('[WK1] goes to the pool if its action is here, and else straight to the workers', async () => {
    const { outside, asked } = makeOutside(['far', 'near']);
    const { clock, executor, reports } = makeExecutor({ actions: { near: () => 1 }, outside });
    executor.dispatch(makeTask({ tokenId: 1, action: 'near' }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'far' }));
    expect([asked, executor.counts().queued]).toEqual([['dispatch 2 (1)'], 1]);
    await clock.settle();
    expect(reports).toEqual([['run-1/1', completed(1)]]);
    executor.dispatch(makeTask({ tokenId: 3, action: 'core.ecoh' }));
    await clock.settle();
    expect([asked, reports]).toMatchObject([['dispatch 2 (1)'], [{}, ['run-1/3', { type: 'failed' }]]]);
  });

  it('[WK1][EX11] whose action must be loaded first is handed on if nobody here has it', async () => {
    const { outside, asked } = makeOutside(['far']);
    const found = makePromise<undefined>();
    const { clock, executor } = makeExecutor({ loadAction: () => found.promise, outside });
    executor.dispatch(makeTask({ tokenId: 1, action: 'far' }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'far' }));
    await clock.settle();
    executor.abort('run-1', 1);
    expect([asked, executor.counts().queued]).toEqual([['abort 1'], 1]);
    found.resolve(undefined);
    await clock.settle();
    expect([asked, executor.counts()]).toEqual([['abort 1', 'dispatch 2 (1)'], { queued: 0, running: 0, zombies: 0 }]);
  });

  it('[EX13] that was with the workers and can be done here is taken from them', async () => {
    const { outside, asked } = makeOutside(['late']);
    const answers = [undefined, () => 'here'];
    const { clock, executor, reports } = makeExecutor({ loadAction: () => answers.shift(), outside });
    executor.dispatch(makeTask({ action: 'late' }));
    await clock.settle();
    executor.dispatch(makeTask({ action: 'late', dispatch: 2 }));
    await clock.settle();
    expect([asked, reports]).toEqual([['dispatch 1 (1)', 'abort 1'], [['run-1/1', completed('here')]]]);
  });

  it('[EX13] that waits here while its action is announced goes to the workers once, in its newest hand-out', async () => {
    const { outside, asked, announce } = makeOutside([]);
    const busy = makePromise();
    const options = { actions: { busy: () => busy.promise }, missingActions: 'wait' as const, outside };
    const { clock, executor, reports } = makeExecutor({ ...options, limit: { concurrencyPerRun: 1 } });
    executor.dispatch(makeTask({ tokenId: 1, action: 'busy' }));
    executor.dispatch(makeTask({ tokenId: 2, action: 'late' }));
    await clock.settle();
    announce('late');
    executor.dispatch(makeTask({ tokenId: 2, action: 'late', dispatch: 2 }));
    busy.resolve(null);
    await clock.settle();
    expect([asked, reports]).toEqual([['dispatch 2 (2)'], [['run-1/1', completed(null)]]]);
  });
});

describe('workers outside', () => {
  it('[EX24] who announce an action are told of, whether a task waited for it or not', () => {
    const { outside, announce } = makeOutside([]);
    const found: (readonly string[])[] = [];
    makeExecutor({ outside, onFound: (names) => void found.push(names) });
    announce('late');
    expect(found).toEqual([['late']]);
  });

  it('[CR5] say what their actions cost; those of this process count first', () => {
    const { outside } = makeOutside(['far']);
    const { registry } = makeExecutor({ actions: { near: { run: () => 1, cost: 2 } }, outside });
    expect(['near', 'far'].map((name) => registry.costOf(name))).toEqual([2, 9]);
  });

  it('[RN12] keep an executor from being idle', () => {
    expect(makeExecutor().executor.isIdle).toBe(true);
    expect(makeExecutor({ outside: makeOutside([]).outside }).executor.isIdle).toBe(false);
  });

  it('[WK11] are given nothing by an executor that closes', async () => {
    const { outside, asked } = makeOutside(['far']);
    const { executor } = makeExecutor({ outside });
    await executor.close(0);
    executor.dispatch(makeTask({ action: 'far' }));
    expect(asked).toEqual(['stop']);
  });
});
