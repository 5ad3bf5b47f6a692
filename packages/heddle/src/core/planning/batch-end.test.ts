import { describe, expect, test } from 'vitest';
import { append, started, work } from './batch.testsuite.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('the end of a batch', () => {
  test('[BA7] a slice has ended when nothing of it lives; the node is done once, after the last', () => {
    const trial = started({ batch: { batchSize: 1 }, nodes: [work, 'tail'], ways: [{ from: 'work', to: 'tail' }] }, 2);
    trial.complete(3);
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      '4 created at tail in 1:0',
      '4 completed',
      'branch 1:0 ended completed',
      '5 created at work in 1:1',
      '5 handed out 1.1',
    ]);
    trial.complete(5);
    expect(trial.told).toEqual([
      '5 task.completed',
      '5 completed',
      '6 created at tail in 1:1',
      '6 completed',
      'branch 1:1 ended completed',
      '2 batch.completed',
      'group 1 group.closed',
      '0:0 state.total={}',
      '2 completed',
      '7 created at after',
      '7 handed out 1.1',
    ]);
  });

  test('[BA8] slices are merged in the order of the list, whatever the order in which they end', () => {
    const trial = started({ batch: { batchSize: 1, parallelBatches: 3, merge: append } }, 3);
    for (const id of [5, 3, 4]) trial.complete(id, { sum: id * 10 });
    expect(trial.of('batch.completed')).toEqual([
      { type: 'batch.completed', token: 2, group: 1, slices: 3, output: [30, 40, 50] },
    ]);
    expect(trial.context.state['total']).toEqual([30, 40, 50]);
  });

  test.each([
    ['concat', [3, 4, 5]],
    ['keyed_by_branch', { 0: [3], 1: [4], 2: [5] }],
    ['last_wins', [5]],
    ['output_merge', [3, 4, 5]],
    ['merge_object', {}],
  ] as const)('[BA8] any merge may be asked for: %s', (strategy, total) => {
    const trial = started({ batch: { batchSize: 1, parallelBatches: 3, merge: { ...append, strategy } } }, 3);
    for (const id of [4, 5, 3]) trial.complete(id, { sum: [id] });
    expect(trial.context.state['total']).toEqual(total);
  });

  test('[BA8] without a source the output of each slice counts: what was written, or the last raw output', () => {
    const merge = { strategy: 'append' } as const;
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2, merge }, nodes: [task('work')] }, 2);
    trial.complete(4, 'second');
    trial.complete(3, { first: true });
    expect(trial.context.state['total']).toEqual([{ first: true }, 'second']);
  });

  test('[BA8] without a merge the result is empty, and what slices wrote is dropped', () => {
    const trial = started({ batch: { batchSize: 1 } }, 1);
    trial.complete(3, { sum: 1 });
    expect(trial.of('batch.completed')).toEqual([
      { type: 'batch.completed', token: 2, group: 1, slices: 1, discarded: { branches: 1, paths: ['state.sum'] } },
    ]);
    expect(trial.context.state).toEqual({ xs: [0], total: {} });
  });

  test('[BA9] with a target the merged value is written there too', () => {
    const trial = started({ batch: { merge: { ...append, target: 'output.sums' } } }, 1);
    trial.complete(3, { sum: 1 });
    expect(trial.told).toEqual([
      '3 task.completed',
      '1:0 state.sum=1',
      '3 completed',
      'branch 1:0 ended completed',
      '2 batch.completed',
      '0:0 output.sums=[1]',
      'group 1 group.closed',
      '0:0 state.total=[1]',
      '2 completed',
      '4 created at after',
      '4 handed out 1.1',
    ]);
    expect(trial.context).toEqual({ state: { xs: [0], total: [1] }, output: { sums: [1] } });
  });

  test('[BA8][MG11] a merge that fails is a failure of the node', () => {
    const merge = { ...append, source: 'state.sum * 2' };
    const trial = started({ batch: { merge }, ways: [{ from: 'batch', to: 'after', on: 'failure' }] }, 1);
    trial.complete(3, { sum: 'text' });
    expect(trial.told.slice(4)).toEqual([
      'group 1 group.closed',
      '2 task.failed',
      '4 created at after',
      '4 handed out 1.1',
    ]);
    expect(trial.of('task.failed')[0]?.error).toMatchObject({
      code: 'MERGE_FAILED',
      nodeId: 'batch',
      message: expect.stringContaining('Expected the branches of group batch to be merged at batch batch, but:'),
    });
  });
});

describe('slices that fail', () => {
  const merge = { ...append, target: 'state.sums' };

  test('[BA8] an untolerated failure fails the run, and nothing is merged', () => {
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2, merge } }, 3);
    trial.complete(3, { sum: 1 });
    trial.fail(4);
    expect(trial.told).toEqual(['4 task.failed', '2,5 cancelled', 'workflow.failed']);
    expect(trial.requested).toEqual(['abort 5']);
    expect(trial.error).toEqual({ code: 'BROKEN', message: 'BROKEN it is', nodeId: 'work', attempts: 1 });
    expect(trial.context.state).toEqual({ xs: [0, 1, 2] });
  });

  test('[BA12] where the batch has transitions for failures, they take it, and the other slices are called off', () => {
    const ways = [{ from: 'batch', to: 'after', on: 'failure' as const }];
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2, merge }, ways }, 3);
    trial.complete(3, { sum: 1 });
    trial.fail(4);
    expect(trial.told).toEqual([
      '4 task.failed',
      '5 cancelled',
      'group 1 group.closed',
      '2 task.failed',
      '6 created at after',
      '6 handed out 1.1',
    ]);
    expect(trial.of('task.failed').at(-1)?.error).toMatchObject({ code: 'BROKEN', nodeId: 'work' });
    expect(trial.context.state).toEqual({ xs: [0, 1, 2] });
  });

  test('[BA12] a slice in a slice fails the nearest batch that has such transitions', () => {
    const inner = { id: 'work', batch: { items: 'state.xs' } };
    const leaf = task('leaf');
    const ways = [
      { from: 'work', to: 'leaf', on: 'slice' as const },
      { from: 'batch', to: 'after', on: 'failure' as const },
    ];
    const shape = { batch: { batchSize: 1 }, nodes: [inner, leaf], ways };
    const trial = started(shape, 2);
    trial.fail(trial.ids('leaf').at(-1) ?? 0);
    expect(trial.ids('after')).toHaveLength(1);
    expect(trial.state.outcome).toBeNull();
  });

  test('[BA8][BR4] a tolerated one ends its slice, which contributes nothing; the others go on', () => {
    const slice = { onBranchFailure: 'end' } as const;
    const trial = started({ batch: { batchSize: 1, merge }, slice }, 3);
    trial.complete(3, { sum: 1 });
    trial.fail(4);
    expect(trial.told).toEqual([
      '4 task.failed',
      'branch 1:1 ended failed',
      '5 created at work in 1:2',
      '5 handed out 1.1',
    ]);
    trial.complete(5, { sum: 3 });
    expect(trial.context.state).toEqual({ xs: [0, 1, 2], sums: [1, 3], total: [1, 3] });
  });

  test('[BA8][BR2] what a failed slice wrote is dropped, and said to be', () => {
    const slice = { onBranchFailure: 'end' } as const;
    const nodes = [work, task('next')];
    const trial = started({ batch: { merge: append }, slice, nodes, ways: [{ from: 'work', to: 'next' }] }, 1);
    trial.complete(3, { sum: 1 });
    trial.fail(4);
    expect(trial.told).toEqual([
      '4 task.failed',
      'branch 1:0 ended failed',
      'branch 1:0 discarded',
      '2 batch.completed',
      'group 1 group.closed',
      '0:0 state.total=[]',
      '2 completed',
      '5 created at after',
      '5 handed out 1.1',
    ]);
  });

  test('[BA8][BR4] beyond maxFailures the run fails', () => {
    const slice = { onBranchFailure: 'end', maxFailures: 1 } as const;
    const trial = started({ batch: { batchSize: 1, parallelBatches: 3, merge }, slice }, 3);
    trial.fail(5);
    expect(trial.told).toEqual(['5 task.failed', 'branch 1:2 ended failed']);
    trial.fail(3);
    expect(trial.told).toEqual(['3 task.failed', '2,4 cancelled', 'workflow.failed']);
  });

  test('[BA8] all slices may fail: the batch succeeds with what its merge makes of nothing', () => {
    const slice = { onBranchFailure: 'end' } as const;
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2, merge }, slice }, 2);
    trial.fail(4);
    trial.fail(3);
    expect(trial.of('batch.completed')).toEqual([
      { type: 'batch.completed', token: 2, group: 1, slices: 2, output: [] },
    ]);
    expect(trial.context.state).toEqual({ xs: [0, 1], sums: [], total: [] });
  });

  test('[BA8][FL1] a failure that a transition inside the slice handles is none of the slice', () => {
    const nodes = [work, task('mend', { outputMapping: { 'state.sum': 'result' } })];
    const ways = [{ from: 'work', to: 'mend', on: 'failure' }] as const;
    const trial = started({ batch: { merge: append }, nodes, ways }, 1);
    trial.fail(3);
    expect(trial.told).toEqual(['3 task.failed', '4 created at mend in 1:0', '4 handed out 1.1']);
    trial.complete(4, 'mended');
    expect(trial.context.state['total']).toEqual(['mended']);
  });
});

describe('a batch that waits', () => {
  test('[BA7][LC7] cancelling the run calls off its slices', () => {
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2 } }, 3);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.told).toEqual(['2,3,4 cancelled', 'workflow.cancelled']);
    expect(trial.requested).toEqual(['abort 3', 'abort 4']);
  });

  test('[BA7][LC11] results that come while it is paused have their turn in order, and the next slices begin then', () => {
    const trial = started({ batch: { batchSize: 1, parallelBatches: 2, merge: append } }, 3);
    trial.send({ type: 'pause' });
    trial.complete(4, { sum: 4 });
    trial.complete(3, { sum: 3 });
    expect(trial.told).toEqual(['workflow.held']);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '4 task.completed',
      '1:1 state.sum=4',
      '4 completed',
      'branch 1:1 ended completed',
      'held.taken',
      '3 task.completed',
      '1:0 state.sum=3',
      '3 completed',
      'branch 1:0 ended completed',
      '5 created at work in 1:2',
      '5 handed out 1.1',
    ]);
    trial.complete(5, { sum: 5 });
    expect(trial.context.state['total']).toEqual([3, 4, 5]);
  });

  test('[BA7][RT6] a batch in a loop is a new one each round', () => {
    const trial = new Trial(
      flow(
        [{ id: 'batch', batch: { items: 'input.xs', batchSize: 1, merge: append } }, work, 'end'],
        [
          { from: 'batch', to: 'work', on: 'slice' },
          { from: 'batch', to: 'batch', loop: { maxIterations: 1 } },
          { from: 'batch', to: 'end', priority: 2 },
        ],
      ),
      { input: { xs: [1] } },
    );
    trial.complete(2, { sum: 1 });
    expect(trial.told.slice(4)).toEqual([
      '1 batch.completed',
      'group 1 group.closed',
      '1 completed',
      '3 created at batch',
      'group 2 fan_out.started',
      '3 waits for batch',
      '4 created at work in 2:0',
      '4 handed out 1.1',
    ]);
    trial.complete(4, { sum: 2 });
    expect(trial.state.outcome).toBe('completed');
  });

  test('[BA7][RT2] slices inherit the counts of loops: one that leads back to its batch ends at its limit', () => {
    const trial = new Trial(
      flow(
        [{ id: 'batch', batch: { items: 'input.xs', batchSize: 1 } }, 'work', 'end'],
        [
          { from: 'batch', to: 'work', on: 'slice' },
          { from: 'work', to: 'batch', loop: { maxIterations: 2 } },
          { from: 'work', to: 'end', priority: 2 },
        ],
      ),
      { input: { xs: [1] } },
    );
    expect(trial.state.outcome).toBe('completed');
  });

  test('[BA7][FL2] the first nodes of slices see the error that their batch was entered with', () => {
    const trial = new Trial(
      flow(
        [
          task('try'),
          { id: 'batch', batch: { items: 'input.xs' } },
          task('work', { inputMapping: { code: 'state._last_error.code' } }),
        ],
        [
          { from: 'try', to: 'batch', on: 'failure' },
          { from: 'batch', to: 'work', on: 'slice' },
        ],
      ),
      { input: { xs: [1] } },
    );
    trial.fail(1);
    expect(trial.of('task.dispatched').map(({ input }) => input)).toEqual([{ code: 'BROKEN' }]);
  });
});
