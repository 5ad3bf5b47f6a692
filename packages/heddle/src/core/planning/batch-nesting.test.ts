import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { inputs } from './batch.testsuite.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const sum = { 'state.sum': 'result.sum' };
const append = { source: '_branch.output.sum', strategy: 'append' } as const;

describe('batches inside batches', () => {
  const nested = (inner: string) =>
    flow(
      [
        { id: 'load', outputMapping: { 'state.rows': 'input.rows', 'state.xs': 'input.xs' } },
        {
          id: 'outer',
          batch: {
            items: 'state.xs',
            batchSize: 3,
            parallelBatches: 2,
            merge: { source: '_branch.output.inner', strategy: 'append', target: 'state.all' },
          },
        },
        {
          id: 'inner',
          batch: { items: inner, batchSize: 2, merge: { ...append, strategy: 'concat' } },
          outputMapping: { 'state.inner': 'result' },
        },
        task('work', {
          inputMapping: { xs: 'state.xs', rows: 'state.rows', batch: '_batch', outer: '_branch.parent.index' },
          outputMapping: sum,
        }),
      ],
      [
        { from: 'load', to: 'outer' },
        { from: 'outer', to: 'inner', on: 'slice' },
        { from: 'inner', to: 'work', on: 'slice' },
      ],
    );

  test('[BA2][BA3] over the same list: the inner one cuts the slice of the outer one', () => {
    const trial = new Trial(nested('state.xs'), { input: { xs: [0, 1, 2, 3, 4], rows: [] } });
    expect(inputs(trial)).toEqual([
      { xs: [0, 1], rows: [], outer: 0, batch: { index: 0, count: 2, start: 0, end: 2, totalItems: 3 } },
      { xs: [3, 4], rows: [], outer: 1, batch: { index: 0, count: 1, start: 0, end: 2, totalItems: 2 } },
    ]);
    const [first = 0, second = 0] = trial.ids('work');
    trial.complete(second, { sum: ['b'] });
    expect(trial.tokens.slice(0, 3)).toEqual([
      '2 outer waiting_for_batch',
      '3 inner waiting_for_batch',
      `${first} work dispatched`,
    ]);
    trial.complete(first, { sum: ['a1'] });
    expect(inputs(trial)).toEqual([
      { xs: [2], rows: [], outer: 0, batch: { index: 1, count: 2, start: 2, end: 3, totalItems: 3 } },
    ]);
    trial.complete(trial.ids('work')[0] ?? 0, { sum: ['a2'] });
    expect(trial.context.state).toEqual({ xs: [0, 1, 2, 3, 4], rows: [], all: [['a1', 'a2'], ['b']] });
    expect(trial.state.outcome).toBe('completed');
  });

  test('[BA2][BA3] over another list: both stand cut, and _batch is the inner one', () => {
    const trial = new Trial(nested('state.rows'), { input: { xs: [0, 1, 2, 3], rows: ['p', 'q', 'r'] } });
    expect(inputs(trial)).toEqual([
      { xs: [0, 1, 2], rows: ['p', 'q'], outer: 0, batch: { index: 0, count: 2, start: 0, end: 2, totalItems: 3 } },
      { xs: [3], rows: ['p', 'q'], outer: 1, batch: { index: 0, count: 2, start: 0, end: 2, totalItems: 3 } },
    ]);
  });

  test('[BA7] an inner batch that has nothing to do ends its slice of the outer one', () => {
    const trial = new Trial(nested('state.rows'), { input: { xs: [1], rows: [] } });
    expect(trial.context.state).toEqual({ xs: [1], rows: [], all: [[]] });
    expect(trial.told.slice(-9)).toEqual([
      'group 2 group.closed',
      '1:0 state.inner=[]',
      '3 completed',
      'branch 1:0 ended completed',
      '2 batch.completed',
      '0:0 state.all=[[]]',
      'group 1 group.closed',
      '2 completed',
      'workflow.completed',
    ]);
  });

  test('[BA8][BR4] a failure inside ends the slice of the nearest batch that tolerates it, with the batches in it', () => {
    const tolerant = nested('state.xs');
    const transitions = (tolerant.transitions ?? []).map(
      (way): TransitionDefinition => (way.from === 'outer' ? { ...way, onBranchFailure: 'end' } : way),
    );
    const trial = new Trial({ ...tolerant, transitions }, { input: { xs: [0, 1, 2, 3], rows: [] } });
    const [first = 0, second = 0] = trial.ids('work');
    trial.fail(first);
    expect(trial.told).toEqual([
      `${first} task.failed`,
      '3 cancelled',
      'group 2 group.closed',
      'branch 1:0 ended failed',
    ]);
    trial.complete(second, { sum: [9] });
    expect(trial.context.state['all']).toEqual([[9]]);
  });
});

describe('batches and fan-outs', () => {
  const join = { siblingGroup: 'g', strategy: 'all' } as const;

  test('[BA9][MG9] a batch in a branch writes into the branch alone', () => {
    const merge = { source: '_branch.output.sums', target: 'state.all', strategy: 'append' } as const;
    const trial = new Trial(
      flow(
        [
          'split',
          { id: 'copy', outputMapping: { 'state.xs': 'item' } },
          { id: 'batch', batch: { items: 'state.xs', batchSize: 1, merge: { ...append, target: 'state.sums' } } },
          task('work', { inputMapping: { xs: 'state.xs' }, outputMapping: sum }),
          'end',
        ],
        [
          { from: 'split', to: 'copy', foreach: { collection: 'input.lists', itemVar: 'item' }, siblingGroup: 'g' },
          { from: 'copy', to: 'batch' },
          { from: 'batch', to: 'work', on: 'slice' },
          { from: 'batch', to: 'end', synchronization: { ...join, merge } },
        ],
      ),
      { input: { lists: [['a', 'b'], ['c'], []] } },
    );
    expect(inputs(trial)).toEqual([{ xs: ['a'] }, { xs: ['c'] }]);
    const [a = 0, c = 0] = trial.ids('work');
    trial.complete(c, { sum: 'C' });
    trial.complete(a, { sum: 'A' });
    expect(inputs(trial)).toEqual([{ xs: ['b'] }]);
    trial.complete(trial.ids('work')[0] ?? 0, { sum: 'B' });
    expect(trial.context.state).toEqual({ all: [['A', 'B'], ['C'], []] });
  });

  test('[BA7][SY9] a fan-out in a slice that nobody joins: the slice ends with its last branch', () => {
    const trial = new Trial(
      flow(
        [{ id: 'batch', batch: { items: 'input.xs', batchSize: 2 } }, 'each', task('work'), task('after')],
        [
          { from: 'batch', to: 'each', on: 'slice' },
          { from: 'each', to: 'work', foreach: { collection: 'input.xs' } },
          { from: 'batch', to: 'after' },
        ],
      ),
      { input: { xs: [1, 2, 3] } },
    );
    expect(trial.tokens).toEqual(['1 batch waiting_for_batch', '3 work dispatched', '4 work dispatched']);
    trial.complete(4);
    trial.complete(3);
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      'branch 2:0 ended completed',
      'group 2 group.closed',
      'branch 1:0 ended completed',
      '5 created at each in 1:1',
      '5 completed',
      'group 3 fan_out.started',
      '6 created at work in 3:0',
      '6 handed out 1.1',
    ]);
    trial.complete(6);
    expect(trial.tokens).toEqual(['7 after dispatched']);
  });

  test('[BA7][SY11] a fan-out in a slice that is joined in it goes on in the slice, and is merged with it', () => {
    const trial = new Trial(
      flow(
        [
          {
            id: 'batch',
            batch: { items: 'input.xs', batchSize: 2, parallelBatches: 2, merge: append },
            outputMapping: { 'state.out': 'result' },
          },
          'each',
          task('work', { inputMapping: { x: 'x' }, outputMapping: { 'state.y': 'result' } }),
          { id: 'meet', outputMapping: { 'state.sum': 'state.ys' } },
        ],
        [
          { from: 'batch', to: 'each', on: 'slice' },
          { from: 'each', to: 'work', foreach: { collection: 'input.xs', itemVar: 'x' }, siblingGroup: 'g' },
          {
            from: 'work',
            to: 'meet',
            synchronization: { ...join, merge: { source: '_branch.output.y', target: 'state.ys', strategy: 'append' } },
          },
        ],
      ),
      { input: { xs: [1, 2, 3] } },
    );
    expect(inputs(trial)).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
    for (const id of trial.ids('work').toReversed()) trial.complete(id, id);
    expect(trial.context.state).toEqual({ out: [[4, 5], [6]] });
    expect(trial.state.outcome).toBe('completed');
  });
});

describe('a slice is a wall', () => {
  /** `split` opens `g` with two branches; in each a batch leads to `meet`, which joins `g`, from inside and from behind. */
  const walled = (synchronization: TransitionDefinition['synchronization']) =>
    new Trial(
      flow(
        [
          'split',
          { id: 'batch', batch: { items: 'input.xs', batchSize: 1 } },
          'step',
          task('meet', { inputMapping: { batch: '_batch.index', branch: '_branch.index' } }),
        ],
        [
          { from: 'split', to: 'batch', spawnCount: 2, siblingGroup: 'g' },
          { from: 'batch', to: 'step', on: 'slice' },
          { from: 'step', to: 'meet', ...(synchronization ? { synchronization } : {}) },
          { from: 'batch', to: 'meet', synchronization: { siblingGroup: 'g', strategy: 'all' } },
        ],
      ),
      { input: { xs: ['only'] } },
    );

  test('[BA5][SY1] a token in it passes through a join over a group outside, as if there were none', () => {
    const trial = walled({ siblingGroup: 'g', strategy: 'all' });
    expect(inputs(trial)).toEqual([
      { batch: 0, branch: 0 },
      { batch: 0, branch: 0 },
    ]);
    for (const id of trial.ids('meet')) trial.complete(id);
    // Now the batches are done, and their branches meet.
    expect(inputs(trial)).toEqual([{}]);
    expect(trial.of('fan_in.completed')).toEqual([
      { type: 'fan_in.completed', group: 1, join: 'meet/g', branches: 2, timedOut: false },
    ]);
  });

  test('[BA5][SY3] nor at one without a name: the innermost group is the batch itself', () => {
    const trial = new Trial(
      flow(
        ['split', { id: 'batch', batch: { items: 'input.xs' } }, 'step', task('meet')],
        [
          { from: 'split', to: 'batch', spawnCount: 2, siblingGroup: 'g' },
          { from: 'batch', to: 'step', on: 'slice' },
          { from: 'step', to: 'meet', synchronization: { strategy: 'all' } },
        ],
      ),
      { input: { xs: [1] } },
    );
    expect(trial.tokens.slice(2)).toEqual(['6 meet dispatched', '7 meet dispatched']);
    trial.complete(7);
    trial.complete(6);
    expect(trial.state.outcome).toBe('completed');
  });
});

describe('joins that cancel and abandon batches', () => {
  const racing = (onEarlyComplete: 'cancel' | 'abandon') =>
    new Trial(
      flow(
        ['split', task('fast'), { id: 'batch', batch: { items: 'input.xs', batchSize: 1 } }, task('work'), task('end')],
        [
          { from: 'split', to: 'fast', siblingGroup: 'g' },
          { from: 'split', to: 'batch', siblingGroup: 'g' },
          { from: 'batch', to: 'work', on: 'slice' },
          { from: 'fast', to: 'end', synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete } },
          { from: 'batch', to: 'end', synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete } },
        ],
      ),
      { input: { xs: [1, 2] } },
    );

  test('[BA7][SY10] a join that needs it no more calls off the batch with its slices', () => {
    const trial = racing('cancel');
    trial.complete(2);
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '5 created at end in 1:0',
      '5 waits for siblings',
      'group 1 fan_in.completed',
      '5 completed',
      '3,4 cancelled',
      'group 2 group.closed',
      'group 1 group.closed',
      '6 created at end',
      '6 handed out 1.1',
    ]);
    trial.complete(6);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[BA7][SY10] one that leaves it alone lets it work through all its slices', () => {
    const trial = racing('abandon');
    trial.complete(2);
    trial.complete(trial.ids('end')[0] ?? 0);
    expect(trial.state.outcome).toBeNull();
    trial.complete(4);
    expect(trial.tokens).toEqual(['3 batch waiting_for_batch', '7 work dispatched']);
    trial.complete(7);
    expect(trial.told.slice(2)).toEqual([
      'branch 2:1 ended completed',
      '3 batch.completed',
      'group 2 group.closed',
      '3 completed',
      '8 created at end in 1:1',
      '8 completed',
      'group 1 group.closed',
      'workflow.completed',
    ]);
  });

  test('[BA8][BR3] and a slice that fails there ends the branch, not the run', () => {
    const trial = racing('abandon');
    trial.complete(2);
    trial.complete(trial.ids('end')[0] ?? 0);
    trial.fail(4);
    expect(trial.told).toEqual([
      '4 task.failed',
      '3 cancelled',
      'group 2 group.closed',
      'branch 1:1 abandoned_failed',
      'group 1 group.closed',
      'workflow.completed',
    ]);
  });
});
