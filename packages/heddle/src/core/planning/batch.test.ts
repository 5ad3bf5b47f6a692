import { describe, expect, test } from 'vitest';
import { append, batchOf, inputs, list, seen, started, work } from './batch.testsuite.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('slices', () => {
  test('[BA1] the list is cut in order; the last slice is shorter, and they begin in order', () => {
    const trial = started({ batch: { batchSize: 2, parallelBatches: 8 } }, 5);
    expect(trial.of('fan_out.started')).toEqual([
      {
        type: 'fan_out.started',
        group: 1,
        name: 'batch',
        token: 2,
        node: 'batch',
        parent: [0, 0],
        total: 3,
        spawns: [
          {
            node: 'work',
            via: 'batch->work',
            count: 3,
            items: [0, 1, 2, 3, 4],
            slices: { path: 'state.xs', size: 2 },
            maxParallel: 8,
          },
        ],
        tolerateFailures: false,
        maxFailures: null,
        homeJoin: null,
        batch: 2,
      },
    ]);
    expect(trial.told.slice(5)).toEqual([
      'group 1 fan_out.started',
      '2 waits for batch',
      '3-5 created at work in 1:0',
      '3 handed out 1.1',
      '4 handed out 1.1',
      '5 handed out 1.1',
    ]);
  });

  test('[BA1] a batchSize of 0, the default, makes one slice of the whole list', () => {
    const trial = started({}, 5);
    expect(inputs(trial)).toEqual([
      { xs: [0, 1, 2, 3, 4], batch: { index: 0, count: 1, start: 0, end: 5, totalItems: 5 } },
    ]);
  });

  test.each([
    [undefined, [1, 1, 1, 1, 1]],
    [1, [1, 1, 1, 1, 1]],
    [2, [2, 1, 1, 1, 0]],
    [8, [5, 0, 0, 0, 0]],
  ])('[BA1] at most parallelBatches (%s) slices are under way; the next begins as one ends', (parallel, begun) => {
    const batch = { batchSize: 1, ...(parallel === undefined ? {} : { parallelBatches: parallel }) };
    const trial = started({ batch }, 5);
    const counts = [trial.of('task.dispatched').length];
    for (let i = 0; i < 4; i++) {
      trial.complete(trial.ids('work').at(-1) ?? 0); // the newest first
      counts.push(trial.of('task.dispatched').filter(({ token }) => token !== trial.ids('after')[0]).length);
    }
    expect(counts).toEqual(begun);
    trial.complete(trial.ids('work')[0] ?? 0);
    expect(trial.tokens).toEqual([`${trial.state.lastToken} after dispatched`]);
  });

  test('[BA2][BA3] a slice sees itself at the path of the list, which stays as it is for everybody else', () => {
    const trial = started({ batch: { batchSize: 2, parallelBatches: 2 } }, 3);
    expect(inputs(trial)).toEqual([
      { xs: [0, 1], batch: { index: 0, count: 2, start: 0, end: 2, totalItems: 3 } },
      { xs: [2], batch: { index: 1, count: 2, start: 2, end: 3, totalItems: 3 } },
    ]);
    expect(trial.context.state).toEqual({ xs: [0, 1, 2] });
    trial.complete(3);
    trial.complete(4);
    expect(inputs(trial)).toEqual([{ xs: [0, 1, 2], total: {} }]);
  });

  test('[BA2] a slice may write over its part of the list; the list is untouched', () => {
    const drop = task('work', { inputMapping: seen, outputMapping: { 'state.xs': 'result.xs' } });
    const next = task('next', { inputMapping: { xs: 'state.xs' } });
    const trial = started({ batch: { batchSize: 2 }, nodes: [drop, next], ways: [{ from: 'work', to: 'next' }] }, 2);
    trial.complete(3, { xs: ['mine'] });
    expect(inputs(trial)).toEqual([{ xs: ['mine'] }]);
    trial.complete(4);
    expect(inputs(trial)).toEqual([{ xs: [0, 1], total: {} }]);
  });

  test.each(['input.deep.xs', 'output.deep.xs', 'state.deep.xs'])('[BA2] a list may stand at %s', (items) => {
    const at = items.replace('input', 'state');
    const nodes = [
      { id: 'load', outputMapping: { [at]: 'input.deep.xs', 'state.other': '1' } },
      { id: 'batch', batch: { items, batchSize: 1 } },
      task('work', { inputMapping: { xs: items, beside: 'input.deep.y' } }),
      task('after', { inputMapping: { xs: items } }),
    ];
    const trial = new Trial(
      flow(nodes, [
        { from: 'load', to: 'batch' },
        { from: 'batch', to: 'work', on: 'slice' },
        { from: 'batch', to: 'after' },
      ]),
      { input: { deep: { xs: ['a', 'b'], y: 7 } } },
    );
    expect(inputs(trial)).toEqual([{ xs: ['a'], beside: 7 }]);
    trial.complete(3);
    expect(inputs(trial)).toEqual([{ xs: ['b'], beside: 7 }]);
    trial.complete(4);
    expect(inputs(trial)).toEqual([{ xs: ['a', 'b'] }]);
  });

  test('[BA3] outside a slice there is no _batch; a condition behind the work may ask for it', () => {
    const ways = [{ from: 'work', to: 'last', condition: '_batch.index == _batch.count - 1' }];
    const miss = [{ from: 'work', to: 'other', priority: 2 }];
    const trial = started(
      {
        batch: { batchSize: 1, parallelBatches: 2 },
        nodes: [work, task('last'), task('other')],
        ways: [...ways, ...miss],
      },
      2,
    );
    trial.complete(3);
    trial.complete(4);
    expect(trial.tokens).toEqual(['2 batch waiting_for_batch', '5 other dispatched', '6 last dispatched']);
  });

  test('[BA10] several transitions for slices all fire for each slice, in the same branch', () => {
    const trial = started(
      {
        batch: { batchSize: 1, parallelBatches: 2, merge: { ...append, source: '_branch.output' } },
        nodes: [work, task('beside', { outputMapping: { 'state.beside': 'result.n' } })],
        ways: [{ from: 'batch', to: 'beside', on: 'slice' }],
      },
      3,
    );
    expect(trial.told.slice(7)).toEqual([
      '3-4 created at work in 1:0',
      '5-6 created at beside in 1:0',
      '3 handed out 1.1',
      '4 handed out 1.1',
      '5 handed out 1.1',
      '6 handed out 1.1',
    ]);
    trial.complete(3, { sum: 1 });
    expect(trial.told).toEqual(['3 task.completed', '1:0 state.sum=1', '3 completed']);
    trial.complete(5, { n: 1 });
    expect(trial.told).toEqual([
      '5 task.completed',
      '1:0 state.beside=1',
      '5 completed',
      'branch 1:0 ended completed',
      '7 created at work in 1:2',
      '8 created at beside in 1:2',
      '7 handed out 1.1',
      '8 handed out 1.1',
    ]);
    for (const id of [4, 6, 7]) trial.complete(id, { sum: id, n: id });
    trial.complete(8, { n: 8 });
    expect(trial.context.state['total']).toEqual([
      { sum: 1, beside: 1 },
      { sum: 4, beside: 6 },
      { sum: 7, beside: 8 },
    ]);
  });

  test('[BA10][EJ6] nodes of one slice that several transitions lead to may meet at an edge join', () => {
    const edges = { over: 'edges', require: 'all' } as const;
    const trial = started(
      {
        nodes: [work, task('beside'), task('both')],
        ways: [
          { from: 'batch', to: 'beside', on: 'slice' },
          { from: 'work', to: 'both', synchronization: edges },
          { from: 'beside', to: 'both', synchronization: edges },
        ],
      },
      2,
    );
    trial.complete(3);
    expect(trial.told).toEqual(['3 task.completed', '3 completed', '5 created at both in 1:0', '5 waits for edges']);
    trial.complete(4);
    expect(trial.tokens).toEqual(['2 batch waiting_for_batch', '7 both dispatched']);
  });

  test('[FO5][BA1] slices count as branches: too many of them, or too deep, fail the run', () => {
    const limits = { branchesPerFanOutMax: 2 };
    expect(started({ batch: { batchSize: 1 } }, 3, { limits }).error).toMatchObject({ limit: 'branchesPerFanOutMax' });
    expect(started({ batch: { batchSize: 2 } }, 3, { limits }).error).toBeNull();
  });
});

describe('a batch that has nothing to do', () => {
  test.each([0, 2])('[BA4] an empty list has no slices: the node succeeds once (batchSize %i)', (batchSize) => {
    const trial = started({ batch: { batchSize, merge: { ...append, target: 'state.sums' } } }, 0);
    expect(trial.told.slice(5)).toEqual([
      'group 1 fan_out.started',
      '2 waits for batch',
      '2 batch.completed',
      '0:0 state.sums=[]',
      'group 1 group.closed',
      '0:0 state.total=[]',
      '2 completed',
      '3 created at after',
      '3 handed out 1.1',
    ]);
    expect(inputs(trial)).toEqual([{ xs: [], total: [] }]);
  });

  test.each([
    ['append', []],
    ['last_wins', null],
    ['keyed_by_branch', {}],
    ['output_merge', {}],
  ] as const)('[BA4] its result is what the merge makes of nothing: %s', (strategy, total) => {
    const trial = started({ batch: { merge: { strategy, target: 'output.sums' } } }, 0);
    expect(inputs(trial)).toEqual([{ xs: [], total }]);
    expect(trial.context.output).toEqual(strategy === 'output_merge' ? {} : { sums: total });
  });

  test('[BA4] a batch without a transition for slices does nothing', () => {
    const trial = new Trial(
      flow(
        [{ id: 'batch', batch: { items: 'input.xs', batchSize: 1 } }, task('after')],
        [{ from: 'batch', to: 'after' }],
      ),
      { input: list(3) },
    );
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at batch',
      '1 completed',
      '2 created at after',
      '2 handed out 1.1',
    ]);
  });

  test.each([
    ['nothing', {}, 'found nothing'],
    ['null', { xs: null }, 'found null'],
    ['an object', { xs: { 0: 'a' } }, 'found an object'],
    ['a text', { xs: 'abc' }, 'found string "abc"'],
  ])('[BA6] without a list it fails: %s', (_, input, found) => {
    expect(new Trial(batchOf(), { input }).error).toEqual({
      code: 'BATCH_NOT_A_LIST',
      message: `Expected a list at state.xs for the batch of node batch, but ${found}`,
      nodeId: 'batch',
      attempts: 1,
    });
  });

  test('[BA6] that is a failure of the node: a transition may handle it', () => {
    const trial = started({ ways: [{ from: 'batch', to: 'after', on: 'failure' }] }, 0, { input: {} });
    expect(trial.told.slice(4)).toEqual(['2 task.failed', '3 created at after', '3 handed out 1.1']);
  });
});
