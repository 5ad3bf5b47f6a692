import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('what fired transitions become', () => {
  test('[FO1] without a group, tokens stay in the branch they come from', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('c')],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
        ],
      ),
    );
    expect(trial.of('token.created').slice(1)).toEqual([
      { type: 'token.created', token: 2, node: 'b', from: 1, via: 'a->b', branch: [0, 0] },
      { type: 'token.created', token: 3, node: 'c', from: 1, via: 'a->c', branch: [0, 0] },
    ]);
    expect(trial.of('fan_out.started')).toEqual([]);
  });

  test('[FO2] all matches of the tier that share a name form one group; indices run on, the total is the sum', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('c'), task('d'), task('e')],
        [
          { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
          { from: 'a', to: 'c', siblingGroup: 'g' },
          { from: 'a', to: 'd', siblingGroup: 'h' },
          { from: 'a', to: 'e', siblingGroup: 'g', condition: 'false' },
        ],
      ),
    );
    expect(trial.of('fan_out.started').map(({ name, total, spawns }) => [name, total, spawns])).toEqual([
      [
        'g',
        3,
        [
          { node: 'b', via: 'a->b', count: 2 },
          { node: 'c', via: 'a->c', count: 1 },
        ],
      ],
      ['h', 1, [{ node: 'd', via: 'a->d', count: 1 }]],
    ]);
    expect(trial.told.filter((line) => line.includes('created at'))).toEqual([
      '1 created at a',
      '2-3 created at b in 1:0',
      '4 created at c in 1:2',
      '5 created at d in 2:0',
    ]);
  });

  test('[FO3] spawnCount makes that many branches of one group, named after the node if it has no name', () => {
    const trial = new Trial(flow(['a', task('b')], [{ from: 'a', to: 'b', spawnCount: 3 }]));
    expect(trial.events.slice(3)).toEqual([
      {
        type: 'fan_out.started',
        group: 1,
        name: 'a',
        token: 1,
        node: 'a',
        parent: [0, 0],
        total: 3,
        spawns: [{ node: 'b', via: 'a->b', count: 3 }],
        tolerateFailures: false,
        maxFailures: null,
        homeJoin: null,
      },
      { type: 'token.created', token: 2, node: 'b', from: 1, via: 'a->b', branch: [1, 0], count: 3 },
      ...[2, 3, 4].map((token) => ({ type: 'task.dispatched', token, attempt: 1, dispatch: 1, input: {} })),
    ]);
  });

  test('[FO3] foreach makes one branch per item, and each sees its own', () => {
    const trial = new Trial(
      flow(
        ['a', task('b', { inputMapping: { x: 'thing', i: '_branch.index' } })],
        [{ from: 'a', to: 'b', foreach: { collection: 'input.list', itemVar: 'thing' } }],
      ),
      { input: { list: ['p', 'q'] } },
    );
    expect(trial.of('fan_out.started')[0]?.spawns).toEqual([
      { node: 'b', via: 'a->b', count: 2, items: ['p', 'q'], itemVar: 'thing' },
    ]);
    expect(trial.of('task.dispatched').map(({ input }) => input)).toEqual([
      { x: 'p', i: 0 },
      { x: 'q', i: 1 },
    ]);
  });

  test('[FO4] a collection that is missing or no list fails the run', () => {
    const over = (collection: string) =>
      new Trial(flow(['a', 'b'], [{ id: 'each', from: 'a', to: 'b', foreach: { collection } }]), { input: { n: 1 } });
    expect(over('input.n').error).toEqual({
      code: 'FOREACH_NOT_A_LIST',
      message: 'Expected a list from input.n for the foreach of transition each, but found number 1',
      nodeId: 'a',
      details: { transition: 'each', expression: 'input.n' },
    });
    expect(over('input.absent').error?.code).toBe('FOREACH_NOT_A_LIST');
    expect(over('input.n + {}').error?.code).toBe('FOREACH_NOT_A_LIST');
  });

  test('[FO4] nothing of the tier fires then', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', 'c'],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c', foreach: { collection: 'input.absent' } },
        ],
      ),
    );
    expect(trial.told).toEqual(['workflow.started', '1 created at a', '1 completed', 'workflow.failed']);
  });
});

describe('bounds of a fan-out', () => {
  test('[FO5] one wider than the limit fails the run with the name of the limit', () => {
    const trial = new Trial(flow(['a', 'b'], [{ from: 'a', to: 'b', foreach: { collection: 'input.list' } }]), {
      input: { list: [1, 2, 3, 4] },
      limits: { branchesPerFanOutMax: 3 },
    });
    expect(trial.error).toEqual({
      code: 'LIMIT_EXCEEDED',
      message:
        'Expected at most 3 by the limit branchesPerFanOutMax, but found 4; the engine was made with it, raise it with createEngine({ limits: { branchesPerFanOutMax: … } })',
      limit: 'branchesPerFanOutMax',
    });
  });

  test('[FO5] one deeper than the limit fails the run', () => {
    const trial = new Trial(
      flow([task('a')], [{ from: 'a', to: 'a', spawnCount: 2, siblingGroup: 'g', loop: { maxIterations: 9 } }]),
      { limits: { branchDepthMax: 2 } },
    );
    trial.complete(1);
    trial.complete(2);
    expect(trial.state.outcome).toBeNull();
    trial.complete(4);
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'branchDepthMax' });
    expect(trial.told.slice(-2)).toEqual(['3,5 cancelled', 'workflow.failed']);
  });

  test('[FO6] at most maxParallel branches are under way; the others follow as those settle', () => {
    const trial = new Trial(
      flow(
        [task('a'), task('b'), 'end'],
        [
          { from: 'a', to: 'b', foreach: { collection: 'input.list', itemVar: 'x', maxParallel: 2 } },
          { from: 'b', to: 'end', synchronization: { strategy: 'all' } },
        ],
      ),
      { input: { list: [1, 2, 3] } },
    );
    trial.complete(1);
    expect(trial.ids('b')).toEqual([2, 3]);
    trial.complete(3);
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      '4 created at end in 1:1',
      '4 waits for siblings',
      '5 created at b in 1:2',
      '5 handed out 1.1',
    ]);
    trial.complete(2);
    expect(trial.ids('b')).toEqual([5]);
    trial.complete(5);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[FO6] what an inner join left alone does not hold back the next branch', () => {
    const trial = new Trial(
      flow(
        ['a', 'each', task('racer'), 'won', 'end'],
        [
          { from: 'a', to: 'each', foreach: { collection: 'input.list', maxParallel: 1 }, siblingGroup: 'outer' },
          { from: 'each', to: 'racer', spawnCount: 2, siblingGroup: 'inner' },
          {
            from: 'racer',
            to: 'won',
            synchronization: { siblingGroup: 'inner', strategy: 'any', onEarlyComplete: 'abandon' },
          },
          { from: 'won', to: 'end', synchronization: { siblingGroup: 'outer', strategy: 'all' } },
        ],
      ),
      { input: { list: [1, 2] } },
    );
    const [first = 0, left = 0] = trial.ids('racer');
    trial.complete(first);
    const [still, ...next] = trial.ids('racer');
    expect([still, next.length]).toEqual([left, 2]);
  });

  test('[FO9] when a join leaves its branches alone, those that have not begun never begin', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('after')],
        [
          { from: 'a', to: 'b', foreach: { collection: 'input.list', maxParallel: 2 }, siblingGroup: 'g' },
          {
            from: 'b',
            to: 'after',
            synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete: 'abandon' },
          },
        ],
      ),
      { input: { list: [1, 2, 3, 4] } },
    );
    const [first = 0, left = 0] = trial.ids('b');
    trial.complete(first);
    expect(trial.ids('b')).toEqual([left]);
    trial.complete(left);
    trial.complete(trial.ids('after')[0] ?? 0);
    const begun = trial.journal.filter((event) => event.type === 'token.created' && event.node === 'b');
    expect([trial.state.outcome, begun.length]).toEqual(['completed', 1]);
  });
});

describe('instances', () => {
  const loop = flow(
    [task('a'), task('b'), task('c')],
    [
      { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
      { from: 'b', to: 'c', synchronization: { siblingGroup: 'g', strategy: 'all' } },
      { from: 'c', to: 'a', loop: { maxIterations: 1 }, priority: 1 },
      { from: 'c', to: 'c', condition: 'false', priority: 2 },
    ],
  );

  test('[FO7] the join that acts when no branch can arrive is known from the start', () => {
    const trial = new Trial(loop);
    trial.complete(1);
    expect(trial.of('fan_out.started')[0]?.homeJoin).toBe('c/g');
  });

  test('[FO8] every fan-out is an instance of its own: a loop never mixes its rounds', () => {
    const trial = new Trial(loop);
    trial.complete(1);
    for (const id of trial.ids('b')) trial.complete(id);
    trial.complete(trial.ids('c')[0] ?? 0);
    trial.complete(trial.ids('a')[0] ?? 0);
    expect(trial.of('fan_out.started').map(({ group, name, total }) => [group, name, total])).toEqual([[2, 'g', 2]]);
    trial.complete(trial.ids('b')[0] ?? 0);
    expect(trial.of('fan_in.completed')).toEqual([]);
    trial.complete(trial.ids('b')[0] ?? 0);
    expect(trial.of('fan_in.completed')).toEqual([
      { type: 'fan_in.completed', group: 2, join: 'c/g', branches: 2, timedOut: false },
    ]);
  });
});
