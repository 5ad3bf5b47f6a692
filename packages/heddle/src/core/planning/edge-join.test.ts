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
    expect(trial.told).toEqual(['3 task.completed', '3 completed', '4 created at d', '4 waits for edges']);
    trial.complete(2, { go: true });
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '5 created at d',
      '5 waits for edges',
      'edge_join.completed',
      '5,4 completed',
      '6 created at d',
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
    expect(trial.of('edges.settled')).toEqual([{ type: 'edges.settled', branch: [0, 0], skipped: ['d', 'e'] }]);
    trial.complete(2);
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '3 created at d',
      '3 completed',
      'workflow.completed',
    ]);
  });

  test('[EJ8] where all edges are required the node is dead as soon as one edge is; whoever waits there ends', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('c'), task('slow'), task('d'), task('e'), 'away'],
        [
          ...['b', 'c', 'slow'].map((to) => ({ from: 'a', to })),
          ...['b', 'slow'].map((from) => into('all')(from, 'd')),
          into('all')('c', 'd', { condition: 'result.go' }),
          { from: 'c', to: 'away', priority: 2 },
          ...['b', 'd'].map((from) => into('some')(from, 'e')),
        ],
      ),
    );
    trial.complete(2);
    expect(trial.tokens).toContain('5 d waiting_for_edges');
    trial.complete(3, { go: false });
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      '7 created at away',
      '7 completed',
      'edges.settled',
      '5 completed',
      'edge_join.completed',
      '6 completed',
      '8 created at e',
      '8 handed out 1.1',
    ]);
    trial.complete(4);
    expect(trial.told).toEqual(['4 task.completed', '4 completed', '9 created at d', '9 completed']);
  });

  test('[EJ1][EJ6][EJ8] which can be from the start: whoever comes by another edge later ends there', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('unreachable'), task('d')],
        [{ from: 'a', to: 'b' }, ...['b', 'unreachable'].map((from) => into('all')(from, 'd'))],
      ),
    );
    expect(trial.of('edges.settled')).toEqual([{ type: 'edges.settled', branch: [0, 0], skipped: ['d'] }]);
    trial.complete(2);
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      '3 created at d',
      '3 completed',
      'workflow.completed',
    ]);
  });

  test('[EJ7] nothing gets past a join that is decided, though a loop still leads to it', () => {
    const trial = new Trial(
      flow(
        ['s', { id: 'l', wait: { event: 'tick' } }, task('b'), task('j1'), task('j2'), 'away'],
        [
          { from: 's', to: 'l' },
          { from: 's', to: 'b' },
          { from: 'l', to: 'l' },
          ...['l', 'b'].map((from) => into('some')(from, 'j1')),
          into('some')('l', 'j2'),
          into('some')('j1', 'j2', { condition: 'result.x' }),
          { from: 'j1', to: 'away', priority: 2 },
        ],
      ),
    );
    trial.deliver(2, 'tick1');
    trial.complete(3);
    const [j1 = 0] = trial.ids('j1');
    expect(trial.tokens).toEqual(['4 l waiting_for_event', '6 j2 waiting_for_edges', `${j1} j1 dispatched`]);
    trial.complete(j1, { x: false });
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [0, 0], node: 'j2' }]);
  });

  test('[EJ9] an open fan-out leads to the joins over its group, and to nothing else', () => {
    const ways = (end: string): TransitionDefinition[] => [
      { from: 's', to: 'b' },
      { from: 's', to: 'fan' },
      { from: 'fan', to: 'leaf', spawnCount: 2, siblingGroup: 'g' },
      { from: 'leaf', to: 'met', synchronization: { strategy: 'all', siblingGroup: 'g' } },
      into('some')('b', 'd'),
      into('some')(end, 'd'),
    ];
    const decided = (end: string): number => {
      const trial = new Trial(flow(['s', task('b'), 'fan', task('leaf'), 'met', task('d')], ways(end)));
      trial.complete(2);
      return trial.of('edge_join.completed').length;
    };
    expect([decided('met'), decided('leaf'), decided('fan')]).toEqual([0, 1, 1]);
  });

  test('[EJ10] a token that comes to the join of its group leaves its branch: what is behind is out of reach', () => {
    const trial = new Trial(
      flow(
        [task('s'), 'a', task('b'), task('c'), task('met'), task('d')],
        [
          { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
          { from: 'c', to: 'met', synchronization: { strategy: 'all', siblingGroup: 'g' } },
          into('some')('b', 'd'),
          into('some')('met', 'd'),
        ],
      ),
    );
    trial.complete(1);
    trial.complete(trial.ids('b')[0] ?? 0);
    expect(trial.of('edge_join.completed')).toEqual([{ type: 'edge_join.completed', branch: [1, 0], node: 'd' }]);
  });

  test('[EJ11] edge joins are looked at when everybody has arrived who is on the way', () => {
    const trial = new Trial(
      flow(['a', task('d'), task('e')], [into('some')('a', 'd'), into('some')('a', 'e'), into('some')('d', 'e')]),
    );
    expect(trial.told.slice(2)).toEqual([
      '1 completed',
      '2 created at d',
      '3 created at e',
      '2 waits for edges',
      '3 waits for edges',
      'edge_join.completed',
      '2 completed',
      '4 created at d',
      '4 handed out 1.1',
    ]);
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
    expect(trial.told).toEqual(['4 task.completed', '4 completed', '6 created at d', '6 completed']);
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

describe('edge joins in loops', () => {
  const join = into('some');
  const again = { condition: 'result.again', loop: { maxIterations: 3 } };
  /** `h` forks to `b` and `c`, which meet at `d`; `d` goes back to `h`, and both lead out to `x`, which `y` leads to as well. */
  const loop = flow(
    ['a', task('h'), task('b'), task('c'), task('d'), task('x'), task('y')],
    [
      { from: 'a', to: 'y' },
      join('a', 'h'),
      { from: 'h', to: 'b' },
      { from: 'h', to: 'c' },
      join('b', 'd'),
      join('c', 'd', { condition: '!result.out' }),
      join('c', 'x', { condition: 'result.out' }),
      join('d', 'h', again),
      join('d', 'x', { condition: '!result.again' }),
      join('y', 'x'),
    ],
  );

  const working = (trial: Trial, node: string) =>
    trial.tokensAt(node).flatMap(({ id, status }) => (status === 'dispatched' ? [id] : []));
  const run = (trial: Trial, node: string, result = {}) => trial.complete(working(trial, node)[0] ?? 0, result);

  test('[EJ12][EJ13] each round has joins of its own, and the ways out wait for the last', () => {
    const trial = new Trial(loop);
    run(trial, 'y');
    for (const isLast of [false, false, true]) {
      run(trial, 'h');
      run(trial, 'b');
      expect(working(trial, 'd')).toEqual([]);
      run(trial, 'c', { out: false });
      expect(working(trial, 'x')).toEqual([]);
      run(trial, 'd', { again: !isLast });
    }
    expect(working(trial, 'x')).toHaveLength(1);
    run(trial, 'x');
    expect(trial.state.outcome).toBe('completed');
  });

  test('[EJ13] what was taken or skipped in one round counts for nothing in the next', () => {
    const trial = new Trial(loop);
    run(trial, 'y');
    run(trial, 'h');
    run(trial, 'c', { out: true });
    run(trial, 'b');
    run(trial, 'd', { again: true });
    expect(trial.of('edge_join.completed').at(-1)).toEqual({
      type: 'edge_join.completed',
      branch: [0, 0],
      node: 'h',
      again: { edges: ['d->h', 'b->d'], joins: ['d'] },
    });
    run(trial, 'h');
    run(trial, 'b');
    expect(working(trial, 'd')).toEqual([]);
    run(trial, 'c', { out: false });
    expect(working(trial, 'd')).toHaveLength(1);
  });

  test('[EJ13] the next round begins when all of the last has ended, with the highest counts', () => {
    const parallel = flow(
      [task('h'), task('b'), task('c')],
      [
        { from: 'h', to: 'b' },
        { from: 'h', to: 'c' },
        join('b', 'h', { id: 'back b', ...again }),
        join('c', 'h', { id: 'back c', ...again }),
      ],
    );
    const trial = new Trial(parallel);
    run(trial, 'h');
    run(trial, 'b', { again: true });
    expect(working(trial, 'h')).toEqual([]);
    run(trial, 'c', { again: true });
    const [header] = working(trial, 'h');
    expect(trial.state.tokens.get(header ?? 0)?.iterations).toEqual({ 'back b': 1, 'back c': 1 });
  });
});
