import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import type { LoweredNode } from '../../definition/lowered.ts';
import { lowered, Trial, task } from './planning.testsuite.ts';

const policy = { unjoinedBranches: 'last_wins', joinOutsideGroup: 'fail' } as const;

/** A task that writes its result, key by key, over the context. */
const work = (id: string): LoweredNode => ({ ...task(id), edits: [{ merge: { path: ['result'] } }] });

const threads = (nodes: readonly (string | LoweredNode)[], ways: readonly TransitionDefinition[]) =>
  new Trial(lowered(nodes, ways, { policy, output: { path: ['context'] } }));

const fan = (from: string, to: string, more: Partial<TransitionDefinition> = {}): TransitionDefinition => ({
  from,
  to,
  siblingGroup: from,
  ...more,
});

describe('a fan-out that nobody joins, where the last branch counts', () => {
  const both = (more: Partial<TransitionDefinition> = {}) =>
    threads(
      [work('first'), 'split', work('a'), work('b')],
      [{ from: 'first', to: 'split' }, fan('split', 'a', more), fan('split', 'b', more)],
    );

  test('[TH2] what the branch that ended last has written goes to whoever fanned out', () => {
    const trial = both();
    trial.complete(1, { kept: 1, n: 0 });
    trial.complete(4, { n: 'b', b: true });
    expect(trial.told).toEqual([
      '4 task.completed',
      '1:1 state.n="b" state.b=true',
      '4 completed',
      'branch 1:1 ended completed',
    ]);
    trial.complete(3, { n: 'a', a: true });
    expect(trial.told).toEqual([
      '3 task.completed',
      '1:0 state.n="a" state.a=true',
      '3 completed',
      'branch 1:0 ended completed',
      '0:0 state.n="a" state.a=true',
      'group 1 group.closed',
      'workflow.completed',
    ]);
    expect(trial.state.output).toEqual({ kept: 1, n: 'a', a: true });
  });

  test('[TH2] one that wrote nothing leaves the context as it was', () => {
    const trial = both();
    trial.complete(1, { n: 0 });
    trial.complete(3, { n: 'a' });
    trial.complete(4, {});
    expect(trial.state.output).toEqual({ n: 0 });
  });

  test('[TH2][BR4] one that failed does not count', () => {
    const trial = both({ onBranchFailure: 'end' });
    trial.complete(1, {});
    trial.complete(3, { n: 'a' });
    trial.fail(4);
    expect(trial.state.output).toEqual({ n: 'a' });
  });

  test('[TH2] what it removed is removed', () => {
    const removing: LoweredNode = { id: 'b', edits: [{ delete: ['deep', 'x'] }, { delete: ['gone'] }] };
    const trial = threads(
      [work('first'), 'split', 'a', removing],
      [{ from: 'first', to: 'split' }, fan('split', 'a'), fan('split', 'b')],
    );
    trial.complete(1, { deep: { x: 1, y: 2 }, gone: 1, kept: 1 });
    expect(trial.state.output).toEqual({ deep: { y: 2 }, kept: 1 });
  });

  test('[TH2] fan-outs inside: the last branch of the inner one, within the last branch of the outer one', () => {
    const trial = threads(
      ['split', 'inner', work('x'), work('y'), work('b')],
      [fan('split', 'inner'), fan('split', 'b'), fan('inner', 'x'), fan('inner', 'y')],
    );
    const [x = 0, y = 0, b = 0] = [trial.ids('x')[0], trial.ids('y')[0], trial.ids('b')[0]];
    trial.complete(y, { by: 'y', y: 1 });
    trial.complete(b, { by: 'b', b: 1 });
    trial.complete(x, { by: 'x', x: 1 });
    expect(trial.told.slice(3)).toEqual([
      'branch 2:0 ended completed',
      '1:0 state.by="x" state.x=1',
      'group 2 group.closed',
      'branch 1:0 ended completed',
      '0:0 state.by="x" state.x=1',
      'group 1 group.closed',
      'workflow.completed',
    ]);
    expect(trial.state.output).toEqual({ by: 'x', x: 1 });
  });

  test('[TH2] what the inner one brought is in its branch for whoever comes to a join of the outer one', () => {
    const merge = { source: 'state.output', target: 'state.output', strategy: 'output_merge' } as const;
    const meet = { siblingGroup: 'split', strategy: 'all', merge } as const;
    const trial = threads(
      ['split', 'inner', work('x'), work('y'), work('b'), 'meet'],
      [
        fan('split', 'inner'),
        fan('split', 'b'),
        fan('inner', 'x'),
        fan('inner', 'y'),
        { from: 'b', to: 'meet', synchronization: meet },
      ],
    );
    trial.complete(trial.ids('x')[0] ?? 0, { output: 'x' });
    trial.complete(trial.ids('y')[0] ?? 0, { output: 'y' });
    trial.complete(trial.ids('b')[0] ?? 0, { output: 'b', other: 1 });
    // The branch with the inner fan-out ended elsewhere: only the one that came is merged.
    expect(trial.state.output).toEqual({ output: 'b' });
  });

  test('[TH2] in a slice of a batch it goes to the slice', () => {
    const trial = new Trial(
      lowered(
        [
          {
            id: 'batch',
            batch: {
              items: 'input.xs',
              batchSize: 1,
              merge: { source: 'state.output', target: 'state.output', strategy: 'output_merge' },
            },
          },
          'split',
          work('a'),
          work('b'),
        ],
        [{ from: 'batch', to: 'split', on: 'slice' }, fan('split', 'a'), fan('split', 'b')],
        { policy, output: { path: ['context'] } },
      ),
      { input: { xs: [1, 2] } },
    );
    for (const [last, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      trial.complete(trial.ids(other)[0] ?? 0, { output: other });
      trial.complete(trial.ids(last)[0] ?? 0, { output: last });
    }
    expect(trial.state.output).toEqual({ output: ['a', 'b'] });
  });

  test('[TH2][CX3] elsewhere what no join took is dropped', () => {
    const trial = new Trial(
      lowered(['split', work('a')], [fan('split', 'a', { spawnCount: 2 })], { output: { path: ['context'] } }),
    );
    trial.complete(2, { n: 1 });
    trial.complete(3, { n: 2 });
    expect(trial.told.slice(3)).toEqual([
      'branch 1:1 ended completed',
      'branch 1:1 discarded',
      'group 1 group.closed',
      'workflow.completed',
    ]);
    expect(trial.state.output).toEqual({});
  });
});

describe('joins that nobody came for', () => {
  test('[TH1] a token in no group fails at a join, and a branch that tolerates it ends', () => {
    const ways: TransitionDefinition[] = [
      fan('split', 'a', { spawnCount: 2, onBranchFailure: 'end' }),
      { from: 'a', to: 'meet', synchronization: { siblingGroup: 'other', strategy: 'all' } },
      { from: 'nowhere', to: 'split', siblingGroup: 'other' },
    ];
    const trial = threads(['split', work('a'), 'meet', 'nowhere'], ways);
    trial.complete(2);
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '4 created at meet in 1:0',
      '4 cancelled',
      'branch 1:0 ended failed',
    ]);
    expect(trial.of('branch.ended')[0]?.error).toMatchObject({ code: 'FAN_IN_WITHOUT_FAN_OUT', nodeId: 'meet' });
  });
});
