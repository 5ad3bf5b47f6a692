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

describe('what a join does', () => {
  test('[SY10] branches that it does not need are cancelled, at any depth, and told so', () => {
    const trial = new Trial(
      flow(
        ['a', task('b'), task('c'), task('d'), { id: 'sub', workflow: 'other' }],
        [
          { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
          { from: 'b', to: 'c', spawnCount: 2, priority: 1, condition: '_branch.index == 1 && result.deep' },
          { from: 'b', to: 'd', priority: 2, synchronization: { siblingGroup: 'g', strategy: 'any' } },
          { from: 'c', to: 'sub', condition: '_branch.index == 0' },
          { from: 'c', to: 'sub', condition: 'false' },
        ],
      ),
    );
    trial.complete(3, { deep: true });
    trial.complete(4);
    const childRunId = trial.at_('sub')[0]?.childRunId ?? '';
    trial.complete(2);
    expect(trial.events.slice(4)).toEqual([
      { type: 'fan_in.completed', group: 1, join: 'd/g', branches: 1, timedOut: false },
      { type: 'tokens.completed', tokens: [7] },
      { type: 'tokens.cancelled', tokens: [5, 6], reason: 'join d/g has completed' },
      { type: 'group.closed', group: 2 },
      { type: 'group.closed', group: 1 },
      { type: 'token.created', token: 8, node: 'd', from: 1, branch: [0, 0] },
      { type: 'task.dispatched', token: 8, attempt: 1, dispatch: 1, input: {} },
    ]);
    expect(trial.effects).toMatchObject([
      { type: 'abort', token: 5 },
      { type: 'send', to: childRunId, message: { type: 'cancel', reason: 'join d/g has completed' } },
      { type: 'dispatch', token: 8 },
    ]);
  });

  test('[SY10] or they are left alone: their arrival is absorbed, and the run waits for their end', () => {
    const trial = new Trial(fan({ strategy: 'any', onEarlyComplete: 'abandon' }, 2));
    trial.complete(2);
    expect(trial.told.slice(-3)).toEqual(['group 1 branches.detached', '5 created at after', '5 handed out 1.1']);
    expect(trial.of('branches.detached')).toEqual([{ type: 'branches.detached', group: 1, indices: [1] }]);
    trial.complete(5);
    expect(trial.state.outcome).toBeNull();
    trial.complete(3, { v: 1 });
    expect(trial.told).toEqual([
      '3 task.completed',
      '1:1 state.v=1',
      '3 completed',
      '6 created at after in 1:1',
      '6 completed',
      'group 1 group.closed',
      'workflow.completed',
    ]);
  });

  test('[SY10] a join that cancels takes with it what an inner join had left alone', () => {
    const trial = new Trial(
      flow(
        ['s', 'o', task('i'), 'gi', task('end')],
        [
          { from: 's', to: 'o', spawnCount: 1, siblingGroup: 'out' },
          { from: 'o', to: 'i', spawnCount: 2, siblingGroup: 'in' },
          { from: 'i', to: 'gi', synchronization: { siblingGroup: 'in', strategy: 'any', onEarlyComplete: 'abandon' } },
          { from: 'gi', to: 'end', synchronization: { siblingGroup: 'out', strategy: 'all' } },
        ],
      ),
    );
    trial.complete(3);
    expect(trial.tokens).toEqual([`${trial.ids('end')[0]} end dispatched`]);
  });

  test('[SY11] one continuation, where the fan-out was, with its counts and without a last error', () => {
    const trial = new Trial(
      flow(
        [task('a'), 'b', task('c')],
        [
          { id: 'again', from: 'a', to: 'a', priority: 1, loop: { maxIterations: 1 } },
          { from: 'a', to: 'b', priority: 2, spawnCount: 2, siblingGroup: 'g' },
          { from: 'b', to: 'c', synchronization: all },
        ],
      ),
    );
    trial.complete(1);
    trial.complete(2);
    expect(trial.of('token.created').at(-1)).toEqual({
      type: 'token.created',
      token: 7,
      node: 'c',
      from: 2,
      branch: [0, 0],
      iterations: { again: 1 },
    });
    expect(trial.journal.filter(({ type }) => type === 'fan_in.completed')).toHaveLength(1);
  });
});

describe('the time limit of a join', () => {
  test('[SY8] counts from the first arrival, and only the first sets it', () => {
    const trial = new Trial(fan({ timeoutMs: 500 }));
    trial.at = 2_000;
    trial.complete(2);
    expect(trial.of('token.waiting')).toMatchObject([{ arrivedAt: 2_000, deadline: 2_500 }]);
    trial.at = 2_100;
    trial.complete(3);
    expect(trial.of('token.waiting')[0]).not.toHaveProperty('deadline');
    trial.alarmAt(2_499);
    expect(trial.reply).toEqual({ applied: false, reason: 'nothing was due' });
    trial.alarmAt(2_500);
    expect(trial.reply.applied).toBe(true);
  });

  test('[SY12] when it is up the run fails, naming the group; who waited is timed out', () => {
    const trial = new Trial(fan({ timeoutMs: 500 }));
    trial.complete(2);
    trial.alarmAt(1_500);
    expect(trial.told).toEqual(['5 timed_out', '3,4 cancelled', 'workflow.failed']);
    expect(trial.error).toEqual({
      code: 'FAN_IN_TIMED_OUT',
      message: 'Expected the branches of group g to meet at join after/g within 500 ms, but 1 of 3 did',
      nodeId: 'after',
      details: { group: 'g', join: 'after/g', arrived: 1, total: 3 },
    });
  });

  test('[SY12] or it goes on with what it has: the others are cancelled, the continuation is created', () => {
    const trial = new Trial(
      fan({
        timeoutMs: 500,
        onTimeout: 'proceed_with_available',
        onEarlyComplete: 'abandon',
        merge: { source: '_branch.output.v', target: 'state.list', strategy: 'append' },
      }),
    );
    trial.complete(3, { v: 'x' });
    trial.alarmAt(1_500);
    expect(trial.told).toEqual([
      'group 1 fan_in.completed',
      '0:0 state.list=["x"]',
      '5 completed',
      '2,4 cancelled',
      'group 1 group.closed',
      '6 created at after',
      '6 handed out 1.1',
    ]);
    expect(trial.of('fan_in.completed')).toMatchObject([{ timedOut: true, branches: 1 }]);
  });

  test('[SY12] a join that has fired has no time limit any more', () => {
    const trial = new Trial(fan({ timeoutMs: 500 }));
    for (const id of [2, 3, 4]) trial.complete(id);
    trial.alarmAt(9_000);
    expect(trial.reply.applied).toBe(false);
  });
});
