import { describe, expect, test } from 'vitest';
import type { SiblingSynchronization, TransitionDefinition } from '../../definition/definition.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const handler = task('handle', { inputMapping: { error: 'state._last_error', branch: '_branch.index' } });

/** Three branches that tolerate failures meet at `after`; `more` leads on from there. */
const fan = (
  synchronization: Partial<SiblingSynchronization>,
  more: readonly TransitionDefinition[] = [{ from: 'after', to: 'handle', on: 'failure' }],
) =>
  flow(
    ['start', task('work', { outputMapping: { 'state.v': 'result.v' } }), task('after'), handler, task('next')],
    [
      { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g', onBranchFailure: 'end' },
      { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', ...synchronization } },
      ...more,
    ],
  );

const handled = (trial: Trial) => trial.of('task.dispatched').map(({ input }) => input);

describe('a join that fails', () => {
  test('[SY14] takes the transitions for a failure of its node, with the error, where the fan-out was', () => {
    const trial = new Trial(fan({ strategy: { mOfN: 2 } }));
    trial.fail(2);
    trial.fail(3);
    expect(trial.told).toEqual([
      '3 task.failed',
      'branch 1:1 ended failed',
      'group 1 fan_in.failed',
      '4 cancelled',
      'group 1 group.closed',
      '5 created at after',
      '5 task.failed',
      '6 created at handle',
      '6 handed out 1.1',
    ]);
    expect(handled(trial)).toEqual([{ error: { ...trial.of('fan_in.failed')[0]?.error, attempts: 1 } }]);
    expect(trial.requested).toEqual(['abort 4', 'dispatch 6']);
    trial.complete(6);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[SY14] when its time is up: who waited is timed out', () => {
    const trial = new Trial(fan({ timeoutMs: 500, onEarlyComplete: 'abandon' }));
    trial.complete(2);
    trial.alarmAt(1_500);
    expect(trial.told).toEqual([
      'group 1 fan_in.failed',
      '5 timed_out',
      '3,4 cancelled',
      'group 1 group.closed',
      '6 created at after',
      '6 task.failed',
      '7 created at handle',
      '7 handed out 1.1',
    ]);
    expect(handled(trial)).toMatchObject([{ error: { code: 'FAN_IN_TIMED_OUT', nodeId: 'after' } }]);
    trial.alarmAt(9_000);
    expect(trial.reply.applied).toBe(false);
  });

  test('[SY14] by a merge or a quorum that cannot be evaluated', () => {
    const merge = { source: '_branch.output.v > 1', target: 'state.x', strategy: 'append' } as const;
    const wrong = new Trial(fan({ merge }));
    for (const id of [2, 3, 4]) wrong.complete(id, { v: 'text' });
    expect(handled(wrong)).toMatchObject([{ error: { code: 'MERGE_FAILED', nodeId: 'after' } }]);
    const quorum = new Trial(fan({ strategy: { mOfN: 'input.n' } }));
    quorum.complete(2);
    expect(handled(quorum)).toMatchObject([{ error: { code: 'QUORUM_INVALID', nodeId: 'after' } }]);
    expect(quorum.tokens).toEqual([`${quorum.ids('handle')[0]} handle dispatched`]);
  });

  test('[SY14] on: any takes it too; a condition may choose, and what none takes fails the path', () => {
    const ways: TransitionDefinition[] = [
      { from: 'after', to: 'handle', priority: 1, on: 'failure', condition: "state._last_error.code == 'OTHER'" },
      { from: 'after', to: 'next', priority: 2, on: 'any', condition: 'input.any' },
    ];
    const late = (any: boolean) => {
      const trial = new Trial(fan({ timeoutMs: 500 }, ways), { input: { any } });
      trial.complete(2);
      trial.alarmAt(1_500);
      return trial;
    };
    expect(late(true).tokens).toEqual(['7 next dispatched']);
    expect(late(false).error).toMatchObject({ code: 'FAN_IN_TIMED_OUT', nodeId: 'after', attempts: 1 });
  });

  test('[SY14] without one it fails the path of the fan-out, as any failure that nobody handles', () => {
    const trial = new Trial(fan({ timeoutMs: 500 }, [{ from: 'after', to: 'next' }]));
    trial.complete(2);
    trial.alarmAt(1_500);
    expect(trial.told).toEqual(['5 timed_out', '3,4 cancelled', 'workflow.failed']);
  });

  test('[SY14][SY11] in a loop: every instance fails or acts once, and a loop into the join keeps its limit', () => {
    const trial = new Trial(
      flow(
        ['start', task('work'), 'after', task('end')],
        [
          { from: 'start', to: 'work', spawnCount: 2, siblingGroup: 'g' },
          { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', timeoutMs: 100 } },
          { id: 'again', from: 'after', to: 'start', priority: 1, on: 'failure', loop: { maxIterations: 2 } },
          { from: 'after', to: 'end', priority: 2, on: 'any' },
        ],
      ),
    );
    for (let round = 0; round < 3; round++) {
      trial.complete(trial.ids('work')[0] ?? 0);
      trial.alarmAt(trial.at + 100);
    }
    expect(trial.ids('end')).toHaveLength(1);
    const decided = trial.journal.flatMap((event) => (event.type === 'fan_in.failed' ? [event.group] : []));
    expect(decided).toEqual([1, 2, 3]);
  });

  test('[SY15] in an outer branch: what is in its own branches is called off at any depth, and nothing beside them', () => {
    const trial = new Trial(
      flow(
        ['start', 'row', task('cell'), 'deep', task('deeper'), 'sum', handler, task('end')],
        [
          { from: 'start', to: 'row', spawnCount: 2, siblingGroup: 'rows' },
          { from: 'row', to: 'cell', spawnCount: 2, siblingGroup: 'cells', onBranchFailure: 'end' },
          { from: 'cell', to: 'deep', priority: 1, condition: 'has(result.deep)' },
          { from: 'deep', to: 'deeper', spawnCount: 2, siblingGroup: 'deeper' },
          {
            from: 'cell',
            to: 'sum',
            priority: 2,
            synchronization: { siblingGroup: 'cells', strategy: { mOfN: 2 }, onEarlyComplete: 'abandon' },
          },
          { from: 'sum', to: 'handle', on: 'failure' },
          {
            from: 'handle',
            to: 'end',
            synchronization: {
              siblingGroup: 'rows',
              merge: { source: 'state._last_error', target: 'state.errors', strategy: 'append' },
            },
          },
        ],
      ),
    );
    const [first = 0, second = 0, ...others] = trial.ids('cell');
    trial.complete(first, { deep: true });
    trial.fail(second);
    expect(handled(trial)).toMatchObject([{ branch: 0, error: { code: 'FAN_IN_UNREACHABLE', nodeId: 'sum' } }]);
    expect([trial.ids('deeper'), trial.ids('cell')]).toEqual([[], others]);
    trial.complete(trial.ids('handle')[0] ?? 0);
    for (const id of others) trial.fail(id);
    trial.complete(trial.ids('handle')[0] ?? 0);
    expect([trial.ids('end').length, trial.context.state]).toEqual([1, { errors: [] }]);
  });

  test('[SY14] the handler of an inner join may fail in its turn: an outer group that tolerates it loses the branch', () => {
    const trial = new Trial(
      flow(
        ['start', 'row', task('cell'), 'sum', handler, task('end')],
        [
          { from: 'start', to: 'row', spawnCount: 1, siblingGroup: 'rows', onBranchFailure: 'end' },
          { from: 'row', to: 'cell', spawnCount: 1, siblingGroup: 'cells', onBranchFailure: 'end' },
          { from: 'cell', to: 'sum', synchronization: { siblingGroup: 'cells', strategy: 'any' } },
          { from: 'sum', to: 'handle', on: 'failure' },
          { from: 'handle', to: 'end', synchronization: { siblingGroup: 'rows' } },
        ],
      ),
    );
    trial.fail(trial.ids('cell')[0] ?? 0);
    trial.fail(trial.ids('handle')[0] ?? 0, 'WORSE');
    expect(trial.of('branch.ended')).toMatchObject([{ branch: [1, 0], how: 'failed', error: { code: 'WORSE' } }]);
    expect(trial.ids('end')).toHaveLength(1);
  });

  test('[SY14][EJ3] beside edge joins, which see that nothing of the group is left', () => {
    const trial = new Trial(
      flow(
        ['start', 'split', task('work'), 'after', 'handle', 'side', task('meet')],
        [
          { from: 'start', to: 'split' },
          { from: 'start', to: 'side' },
          { from: 'split', to: 'work', spawnCount: 2, siblingGroup: 'g', onBranchFailure: 'end' },
          { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } } },
          { from: 'after', to: 'handle', on: 'failure' },
          { from: 'after', to: 'meet', synchronization: { over: 'edges' } },
          { from: 'side', to: 'meet', synchronization: { over: 'edges' } },
        ],
      ),
    );
    trial.fail(trial.ids('work')[0] ?? 0);
    expect(trial.tokens).toEqual([`${trial.ids('meet')[0]} meet dispatched`]);
  });
});

describe('why a join can no longer be met', () => {
  test('[SY16] it names the failures of its branches, the first three of them', () => {
    const trial = new Trial(
      flow(
        ['start', task('work'), task('after')],
        [
          { from: 'start', to: 'work', spawnCount: 7, siblingGroup: 'g', onBranchFailure: 'end' },
          { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', strategy: { mOfN: 4 } } },
        ],
      ),
    );
    const [, , second = 0, third = 0, fourth = 0, fifth = 0] = trial.ids('work');
    for (const [id, code] of [
      [fifth, 'E5'],
      [second, 'E2'],
      [fourth, 'E4'],
      [third, 'E3'],
    ] as const)
      trial.fail(id, code);
    expect(trial.error).toEqual({
      code: 'FAN_IN_UNREACHABLE',
      message:
        'Expected 4 of 7 branches of group g to reach join after/g, but 4 ended elsewhere: branch 2 failed with E2 (E2 it is), branch 3 failed with E3 (E3 it is), branch 4 failed with E4 (E4 it is), 1 more failed',
      nodeId: 'after',
      details: {
        group: 'g',
        join: 'after/g',
        required: 4,
        ended: 4,
        causes: [
          { index: 2, code: 'E2', message: 'E2 it is' },
          { index: 3, code: 'E3', message: 'E3 it is' },
          { index: 4, code: 'E4', message: 'E4 it is' },
        ],
        moreCauses: 1,
      },
    });
  });
});
