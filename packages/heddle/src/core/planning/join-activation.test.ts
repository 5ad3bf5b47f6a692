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
    const childRunId = trial.tokensAt('sub')[0]?.childRunId ?? '';
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
      'branch 1:1 discarded',
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

  test('[SY10] what an inner join left alone lives on in a group that closes unjoined, until the run ends', () => {
    const trial = new Trial(
      flow(
        ['s', 'o', task('i'), task('gi'), task('next')],
        [
          { from: 's', to: 'o', spawnCount: 2, siblingGroup: 'out' },
          { from: 'o', to: 'i', spawnCount: 2, siblingGroup: 'in' },
          { from: 'i', to: 'gi', synchronization: { siblingGroup: 'in', strategy: 'any', onEarlyComplete: 'abandon' } },
        ],
      ),
    );
    const [first, left, second, other] = trial.ids('i');
    trial.complete(first ?? 0);
    trial.complete(second ?? 0);
    for (const id of trial.ids('gi')) trial.complete(id);
    expect([trial.ids('i'), trial.state.outcome]).toEqual([[left, other], null]);
    trial.complete(other ?? 0);
    trial.fail(left ?? 0);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[SY10] and beside an enclosing join that leaves things alone too', () => {
    const trial = new Trial(
      flow(
        ['s', 'o', task('i'), 'gi', task('end')],
        [
          { from: 's', to: 'o', spawnCount: 2, siblingGroup: 'out' },
          { from: 'o', to: 'i', spawnCount: 2, siblingGroup: 'in' },
          { from: 'i', to: 'gi', synchronization: { siblingGroup: 'in', strategy: 'any', onEarlyComplete: 'abandon' } },
          {
            from: 'gi',
            to: 'end',
            synchronization: { siblingGroup: 'out', strategy: 'any', onEarlyComplete: 'abandon' },
          },
        ],
      ),
    );
    const [first, left, ...others] = trial.ids('i');
    trial.complete(first ?? 0);
    trial.complete(trial.ids('end')[0] ?? 0);
    for (const id of others) if (trial.state.tokens.has(id)) trial.complete(id);
    expect([trial.ids('i'), trial.state.outcome]).toEqual([[left], null]);
    trial.complete(left ?? 0);
    expect(trial.state.outcome).toBe('completed');
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
