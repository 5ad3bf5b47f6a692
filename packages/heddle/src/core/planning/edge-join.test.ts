import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const into =
  (require: 'some' | 'all') =>
  (from: string, to: string, more: Partial<TransitionDefinition> = {}) => ({
    from,
    to,
    synchronization: { over: 'edges' as const, require },
    ...more,
  });

describe('edge joins', () => {
  const diamond = (require: 'some' | 'all') =>
    flow(
      ['a', task('b'), task('c'), task('d')],
      [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        into(require)('b', 'd', { condition: 'result.go' }),
        { from: 'b', to: 'b', priority: 2, condition: 'false' },
        into(require)('c', 'd'),
      ],
    );

  test('[EJ2] an edge is settled when it is taken: the node runs when all its edges are', () => {
    const trial = new Trial(diamond('all'));
    trial.complete(3);
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      '4 created at d',
      '4 waits for edges',
      'edges.settled',
    ]);
    trial.complete(2, { go: true });
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '5 created at d',
      '5 waits for edges',
      'edge_join.completed',
      '5,4 completed',
      '6 created at d',
      'edges.settled',
      '6 handed out 1.1',
    ]);
  });

  const switchInto = (require: 'some' | 'all') =>
    flow(
      ['a', task('b'), task('c'), task('d'), task('e')],
      [
        { from: 'a', to: 'b', condition: 'input.b', priority: 1 },
        { from: 'a', to: 'c', priority: 2 },
        into(require)('b', 'd'),
        into(require)('c', 'd'),
        into(require)('d', 'e'),
      ],
    );

  test('[EJ2] or when its source can no longer run', () => {
    const trial = new Trial(switchInto('some'), { input: { b: true } });
    expect(trial.of('edges.settled').flatMap(({ regions }) => regions)).not.toEqual([]);
    trial.complete(2);
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [0, 0], node: 'd' }]);
    expect(trial.ids('d')).toEqual([4]);
  });

  test('[EJ3] some: one taken edge is enough; all: every edge must be taken, or the node never runs', () => {
    const some = new Trial(switchInto('some'), { input: { b: false } });
    some.complete(2);
    expect(some.ids('d')).toHaveLength(1);
    const all = new Trial(switchInto('all'), { input: { b: false } });
    all.complete(2);
    expect(all.of('edge_join.completed')).toEqual([]);
    expect(all.state.outcome).toBe('completed');
  });

  test('[EJ4] a node that does not run is dead, and so is what only it leads to: one event for all of them', () => {
    const trial = new Trial(switchInto('all'), { input: { b: false } });
    trial.complete(2);
    expect(trial.of('edges.settled').flatMap(({ skipped }) => skipped)).toEqual(['d', 'e']);
    expect(trial.of('tokens.completed')).toEqual([{ type: 'tokens.completed', tokens: [3] }]);
  });

  test('[EJ1] a second token on an edge, or one after the join, ends there without effect', () => {
    const trial = new Trial(
      flow(
        [task('a'), task('b'), task('c'), task('d')],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
          { id: 'b2', from: 'b', to: 'b', loop: { maxIterations: 1 } },
          into('some')('b', 'd'),
          into('some')('c', 'd'),
        ],
      ),
    );
    trial.complete(1);
    trial.complete(2);
    const [again] = trial.ids('b');
    trial.complete(again ?? 0);
    expect(trial.told).toEqual(['4 task.completed', '4 completed', '6 created at d', '6 completed', 'edges.settled']);
    trial.complete(3);
    expect(trial.ids('d')).toHaveLength(1);
  });

  test('[EJ5] each branch has edge joins of its own', () => {
    const trial = new Trial(
      flow(
        [task('s'), 'a', task('b'), task('c'), task('d')],
        [
          { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
          into('all')('b', 'd'),
          into('all')('c', 'd'),
        ],
      ),
    );
    trial.complete(1);
    const [b0, b1] = trial.ids('b');
    const [c0, c1] = trial.ids('c');
    trial.complete(b0 ?? 0);
    trial.complete(c1 ?? 0);
    expect(trial.of('edge_join.completed')).toEqual([]);
    trial.complete(c0 ?? 0);
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [1, 0], node: 'd' }]);
    trial.complete(b1 ?? 0);
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [1, 1], node: 'd' }]);
    for (const id of trial.ids('d')) trial.complete(id);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[EJ6] what cannot be reached from where a branch began was never alive', () => {
    const trial = new Trial(
      flow(
        [task('s'), task('b'), task('other'), task('d')],
        [
          { from: 's', to: 'b', priority: 1, spawnCount: 2, siblingGroup: 'g', condition: 'result.fan' },
          { from: 's', to: 'other', priority: 2 },
          into('some')('b', 'd'),
          into('some')('other', 'd'),
        ],
      ),
    );
    trial.complete(1, { fan: true });
    trial.complete(2);
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [1, 0], node: 'd' }]);
  });
});
