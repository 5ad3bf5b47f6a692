import { describe, expect, test } from 'vitest';
import type { SiblingSynchronization } from '../../definition/definition.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const all = { siblingGroup: 'g', strategy: 'all' } as const;

/** `start` fans out to `count` tasks `work`, which meet at the task `after`. */
const fan = (join: Partial<SiblingSynchronization>, count = 3) =>
  flow(
    ['start', task('work', { outputMapping: { 'state.v': 'result.v' } }), task('after')],
    [
      { from: 'start', to: 'work', spawnCount: count, siblingGroup: 'g' },
      { from: 'work', to: 'after', synchronization: { ...all, ...join } },
    ],
  );

describe('whose arrival it is', () => {
  test('[SY1] a token in no instance of the named group passes straight through', () => {
    const trial = new Trial(
      flow(
        [task('a'), task('b')],
        [
          { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g', condition: 'input.fan', priority: 1 },
          { from: 'a', to: 'b', synchronization: all, priority: 2 },
          { from: 'b', to: 'b', synchronization: all, condition: 'false', on: 'failure' },
        ],
      ),
      { input: { fan: false } },
    );
    trial.complete(1);
    expect(trial.told).toEqual(['1 task.completed', '1 completed', '2 created at b', '2 handed out 1.1']);
  });

  test('[SY2] an arrival at another join over the same instance fails the run and names both', () => {
    const trial = new Trial(
      flow(
        [task('a'), task('b'), 'c', 'd'],
        [
          { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g', emptyJoin: 'c' },
          { from: 'b', to: 'c', condition: '_branch.index == 0', synchronization: all },
          { from: 'b', to: 'd', condition: '_branch.index == 1', synchronization: all },
        ],
      ),
    );
    trial.complete(1);
    trial.complete(2);
    trial.complete(3);
    expect(trial.error).toEqual({
      code: 'FAN_IN_DIVERGED',
      message: 'Expected all branches of group g to meet at join c/g, but one arrived at join d/g',
      nodeId: 'd',
      details: { group: 'g', joins: ['c/g', 'd/g'] },
    });
  });

  const nested = (inner: SiblingSynchronization, outer: SiblingSynchronization) =>
    flow(
      [task('a'), 'b', task('c'), 'd', task('e')],
      [
        { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
        { from: 'b', to: 'c', spawnCount: 2, siblingGroup: 'g' },
        { from: 'c', to: 'd', synchronization: inner },
        { from: 'd', to: 'e', synchronization: outer },
      ],
    );

  test('[SY3] a name means the nearest enclosing instance, no name the innermost group; inner joins come first', () => {
    for (const inner of [all, { strategy: 'all' } as const]) {
      const trial = new Trial(nested(inner, all));
      trial.complete(1);
      const [first, second, ...others] = trial.ids('c');
      trial.complete(first ?? 0);
      trial.complete(second ?? 0);
      expect(trial.told.slice(-7)).toEqual([
        'group 2 fan_in.completed',
        '8,9 completed',
        'group 2 group.closed',
        '10 created at d in 1:0',
        '10 completed',
        '11 created at e in 1:0',
        '11 waits for siblings',
      ]);
      for (const id of others) trial.complete(id);
      expect(trial.of('fan_in.completed').map(({ group }) => group)).toEqual([3, 1]);
      expect(trial.tokens).toEqual(['16 e dispatched']);
    }
  });

  test('[SY5] an arrival from an inner group is one of the enclosing branch; the groups between close unjoined', () => {
    const trial = new Trial(
      flow(
        [task('a'), 'b', task('c'), task('e')],
        [
          { from: 'a', to: 'b', spawnCount: 1, siblingGroup: 'out' },
          { from: 'b', to: 'c', spawnCount: 2, siblingGroup: 'in' },
          { from: 'c', to: 'e', synchronization: { siblingGroup: 'out', strategy: 'all' } },
        ],
      ),
    );
    trial.complete(1);
    trial.complete(3);
    expect(trial.events.slice(-2)).toEqual([
      {
        type: 'token.waiting',
        token: 5,
        for: 'siblings',
        join: 'e/out',
        branch: [1, 0],
        arrivedAt: 1_000,
        required: 0,
      },
      { type: 'branch.ended', branch: [2, 0], how: 'completed' },
    ]);
    trial.complete(4);
    expect(trial.told).toEqual([
      '4 task.completed',
      '4 completed',
      '6 created at e in 2:1',
      '6 completed',
      'branch 2:1 ended completed',
      'group 2 group.closed',
      'group 1 fan_in.completed',
      '5 completed',
      'group 1 group.closed',
      '7 created at e',
      '7 handed out 1.1',
    ]);
  });

  test('[SY4] a second token of a branch that has arrived ends there without effect', () => {
    const trial = new Trial(
      flow(
        [task('a'), 'b', task('c'), task('d'), task('e')],
        [
          { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
          { from: 'b', to: 'c' },
          { from: 'b', to: 'd' },
          { from: 'c', to: 'e', synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } } },
          { from: 'd', to: 'e', synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } } },
        ],
      ),
    );
    trial.complete(1);
    trial.complete(4);
    trial.complete(5);
    expect(trial.told).toEqual(['5 task.completed', '5 completed', '9 created at e in 1:0', '9 completed']);
    expect(trial.of('fan_in.completed')).toEqual([]);
  });
});

describe('when a join acts', () => {
  test('[SY6] all: at the last branch, arrived or ended elsewhere', () => {
    const trial = new Trial(fan({}));
    trial.complete(2);
    expect(trial.of('fan_in.completed')).toEqual([]);
    trial.complete(3);
    trial.complete(4);
    expect(trial.of('fan_in.completed')).toEqual([
      { type: 'fan_in.completed', group: 1, join: 'after/g', branches: 3, timedOut: false },
    ]);
  });

  test('[SY6] all: a branch has arrived only when nothing else of it lives', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', task('c'), task('d'), task('e')],
        [
          { from: 'a', to: 'b', spawnCount: 1, siblingGroup: 'g' },
          { from: 'b', to: 'c' },
          { from: 'b', to: 'd' },
          { from: 'c', to: 'e', synchronization: all },
        ],
      ),
    );
    trial.complete(3);
    expect(trial.tokens).toEqual(['4 d dispatched', '5 e waiting_for_siblings']);
    trial.complete(4);
    expect(trial.tokens).toEqual(['6 e dispatched']);
  });

  test('[SY6] any: at the first arrival; mOfN: at the n-th, never earlier', () => {
    const any = new Trial(fan({ strategy: 'any' }));
    any.complete(3);
    expect(any.of('fan_in.completed')).toMatchObject([{ branches: 1 }]);
    const two = new Trial(fan({ strategy: { mOfN: 2 } }));
    two.complete(4);
    expect(two.of('fan_in.completed')).toEqual([]);
    two.complete(2);
    expect(two.of('fan_in.completed')).toMatchObject([{ branches: 2 }]);
  });

  test('[SY6] an empty foreach: all acts at once with nothing', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', task('c')],
        [
          { from: 'a', to: 'b', foreach: { collection: 'input.none' }, siblingGroup: 'g' },
          { from: 'b', to: 'c', synchronization: { ...all, merge: { target: 'state.list', strategy: 'append' } } },
        ],
      ),
      { input: { none: [] } },
    );
    expect(trial.told.slice(3)).toEqual([
      'group 1 fan_out.started',
      'group 1 fan_in.completed',
      '0:0 state.list=[]',
      'group 1 group.closed',
      '2 created at c',
      '2 handed out 1.1',
    ]);
  });

  test('[SY7] a join that can no longer be met fails at once, while others are still under way', () => {
    const trial = new Trial(
      flow(
        ['start', task('work'), task('after'), 'aside'],
        [
          { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g' },
          {
            from: 'work',
            to: 'after',
            condition: 'result.ok',
            synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } },
          },
          { from: 'work', to: 'aside', priority: 2 },
        ],
      ),
    );
    trial.complete(2, { ok: false });
    expect(trial.state.outcome).toBeNull();
    trial.complete(3, { ok: false });
    expect(trial.error).toEqual({
      code: 'FAN_IN_UNREACHABLE',
      message: 'Expected 2 of 3 branches of group g to reach join after/g, but 2 ended elsewhere',
      nodeId: 'after',
      details: { group: 'g', join: 'after/g', required: 2, ended: 2 },
    });
    expect(trial.told.slice(-2)).toEqual(['4 cancelled', 'workflow.failed']);
  });

  test('[SY7] any over an empty foreach fails at once', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', 'c'],
        [
          { from: 'a', to: 'b', foreach: { collection: 'input.none' }, siblingGroup: 'g' },
          { from: 'b', to: 'c', synchronization: { siblingGroup: 'g', strategy: 'any' } },
        ],
      ),
      { input: { none: [] } },
    );
    expect(trial.error?.code).toBe('FAN_IN_UNREACHABLE');
  });

  test('[SY9] a group that was left for an enclosing join closes without firing its own', () => {
    const trial = new Trial(
      flow(
        ['start', 'split', task('work'), 'inner', task('end')],
        [
          { from: 'start', to: 'split', spawnCount: 1, siblingGroup: 'outer' },
          { from: 'split', to: 'work', spawnCount: 2, siblingGroup: 'g' },
          {
            from: 'work',
            to: 'inner',
            condition: 'result.stays',
            synchronization: { siblingGroup: 'g', strategy: 'all' },
          },
          { from: 'work', to: 'end', priority: 2, synchronization: { siblingGroup: 'outer', strategy: 'all' } },
        ],
      ),
    );
    trial.complete(3, { stays: false });
    trial.complete(4, { stays: false });
    expect(trial.told.filter((line) => line.endsWith('fan_in.completed'))).toEqual(['group 1 fan_in.completed']);
    expect(trial.told.filter((line) => line.includes('created at inner'))).toEqual([]);
  });

  test('[SY9] a group that nobody joins closes when its last branch has ended, and the path ends', () => {
    const trial = new Trial(flow(['a', task('b')], [{ from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' }]));
    trial.complete(3);
    trial.complete(2);
    expect(trial.told).toEqual([
      '2 task.completed',
      '2 completed',
      'branch 1:0 ended completed',
      'group 1 group.closed',
      'workflow.completed',
    ]);
  });

  test('[SY13] a quorum that is an expression is asked in the branch that fanned out', () => {
    const trial = new Trial(fan({ strategy: { mOfN: 'input.n' } }), { input: { n: 2 } });
    trial.complete(2);
    expect(trial.of('token.waiting')).toMatchObject([{ required: 2 }]);
    trial.complete(3);
    expect(trial.of('fan_in.completed')).toMatchObject([{ branches: 2 }]);
  });

  test('[SY13] one that is no whole number from 1 on fails the run; one above the total cannot be met', () => {
    for (const n of [0, 1.5, 'two', null]) {
      const trial = new Trial(fan({ strategy: { mOfN: 'input.n' } }), { input: { n } });
      trial.complete(2);
      expect(trial.error).toMatchObject({ code: 'QUORUM_INVALID', nodeId: 'after' });
    }
    const tooMany = new Trial(fan({ strategy: { mOfN: 'input.n' } }), { input: { n: 4 } });
    tooMany.complete(2);
    expect(tooMany.error?.code).toBe('FAN_IN_UNREACHABLE');
  });
});
