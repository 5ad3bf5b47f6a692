import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const work = task('work', { outputMapping: { 'state.v': 'result.v', 'output.w': 'result.w' } });
const fan = (opens: Partial<TransitionDefinition>, strategy: 'all' | 'any' = 'all') =>
  flow(
    ['start', work, task('after'), 'aside'],
    [
      { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g', ...opens },
      { from: 'work', to: 'after', condition: '!has(result.aside)', synchronization: { siblingGroup: 'g', strategy } },
      { from: 'work', to: 'aside', priority: 2 },
    ],
  );

describe('branches that end elsewhere', () => {
  test('[BR1] a branch in which nothing lives and that did not arrive has ended, and the join counts it', () => {
    const trial = new Trial(fan({}));
    trial.complete(2);
    trial.complete(3);
    trial.complete(4, { aside: true });
    expect(trial.told).toEqual([
      '4 task.completed',
      '4 completed',
      '7 created at aside in 1:2',
      '7 completed',
      'branch 1:2 ended completed',
      'group 1 fan_in.completed',
      '5,6 completed',
      'group 1 group.closed',
      '8 created at after',
      '8 handed out 1.1',
    ]);
    expect(trial.of('fan_in.completed')).toMatchObject([{ branches: 2 }]);
  });

  test('[BR2] what it wrote is dropped, and the journal says which paths', () => {
    const trial = new Trial(fan({}));
    trial.complete(2, { aside: true, v: 1, w: 2 });
    expect(trial.events.slice(-2)).toEqual([
      { type: 'branch.ended', branch: [1, 0], how: 'completed' },
      { type: 'branch.discarded', branch: [1, 0], paths: ['state.v', 'output.w'] },
    ]);
    trial.complete(3);
    trial.complete(4);
    expect(trial.context).toEqual({ state: {}, output: {} });
  });

  test('[BR2] also of a branch that a join left alone', () => {
    const trial = new Trial(
      flow(
        ['start', work, task('after')],
        [
          { from: 'start', to: 'work', spawnCount: 2, siblingGroup: 'g' },
          {
            from: 'work',
            to: 'after',
            synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete: 'abandon' },
          },
        ],
      ),
    );
    trial.complete(2);
    trial.complete(3, { v: 1 });
    expect(trial.of('branch.discarded')).toEqual([{ type: 'branch.discarded', branch: [1, 1], paths: ['state.v'] }]);
  });
});

describe('failures that nobody handled', () => {
  test('[BR4] a group that tolerates failures loses the branch, up to its maximum; the next one fails the run', () => {
    const trial = new Trial(fan({ onBranchFailure: 'end', maxFailures: 1 }));
    trial.fail(3, 'FIRST');
    expect(trial.events).toEqual([
      { type: 'task.failed', token: 3, error: { code: 'FIRST', message: 'FIRST it is', nodeId: 'work', attempts: 1 } },
      {
        type: 'branch.ended',
        branch: [1, 1],
        how: 'failed',
        error: { code: 'FIRST', message: 'FIRST it is', nodeId: 'work', attempts: 1 },
      },
    ]);
    trial.complete(2);
    trial.fail(4, 'SECOND');
    expect(trial.told).toEqual(['4 task.failed', '5 cancelled', 'workflow.failed']);
    expect(trial.error?.code).toBe('SECOND');
  });

  test('[BR4] without a maximum it may lose all of them: the join then acts with nothing', () => {
    const trial = new Trial(fan({ onBranchFailure: 'end' }));
    for (const id of [2, 3, 4]) trial.fail(id);
    expect(trial.told.slice(-4)).toEqual([
      'group 1 fan_in.completed',
      'group 1 group.closed',
      '5 created at after',
      '5 handed out 1.1',
    ]);
  });

  test('[BR4] the nearest enclosing branch that tolerates ends, with all that lives in it', () => {
    const trial = new Trial(
      flow(
        ['start', 'row', task('cell'), 'sum', task('after')],
        [
          { from: 'start', to: 'row', spawnCount: 2, siblingGroup: 'rows', onBranchFailure: 'end' },
          { from: 'row', to: 'cell', spawnCount: 2, siblingGroup: 'cells' },
          { from: 'cell', to: 'sum', synchronization: { siblingGroup: 'cells', strategy: 'all' } },
          { from: 'sum', to: 'after', synchronization: { siblingGroup: 'rows', strategy: 'all' } },
        ],
      ),
    );
    trial.fail(4);
    expect(trial.told).toEqual(['4 task.failed', '5 cancelled', 'group 2 group.closed', 'branch 1:0 ended failed']);
    expect(trial.effects).toEqual([{ type: 'abort', token: 5 }]);
    trial.complete(6);
    trial.complete(7);
    expect(trial.of('fan_in.completed').map(({ group, branches }) => [group, branches])).toEqual([
      [3, 2],
      [1, 1],
    ]);
  });

  test('[FL4] where nobody tolerates it, the run fails with the original error', () => {
    const trial = new Trial(fan({}));
    trial.fail(3, 'ORIGINAL');
    expect(trial.events).toEqual([
      {
        type: 'task.failed',
        token: 3,
        error: { code: 'ORIGINAL', message: 'ORIGINAL it is', nodeId: 'work', attempts: 1 },
      },
      { type: 'tokens.cancelled', tokens: [2, 4], reason: 'the run has ended' },
      {
        type: 'workflow.failed',
        at: 1_000,
        error: { code: 'ORIGINAL', message: 'ORIGINAL it is', nodeId: 'work', attempts: 1 },
      },
    ]);
  });

  test('[BR3] what a join left alone can fail for itself alone', () => {
    const definition = flow(
      ['start', task('work'), task('after')],
      [
        { from: 'start', to: 'work', spawnCount: 2, siblingGroup: 'g' },
        {
          from: 'work',
          to: 'after',
          synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete: 'abandon' },
        },
      ],
    );
    const trial = new Trial(definition);
    trial.complete(2);
    trial.fail(3, 'ALONE');
    expect(trial.told).toEqual(['3 task.failed', 'branch 1:1 abandoned_failed', 'group 1 group.closed']);
    trial.complete(trial.ids('after')[0] ?? 0);
    expect(trial.state.outcome).toBe('completed');
  });
});
