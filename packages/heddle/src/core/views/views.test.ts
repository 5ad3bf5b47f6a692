import { describe, expect, test } from 'vitest';
import { emptyState } from '../apply/apply.ts';
import { makePathId } from '../path-id.ts';
import { flow, Trial, task } from '../planning/planning.testsuite.ts';
import { hasWork } from '../run-class.ts';
import { classicTokenStatus } from './projections.ts';
import { statusOf } from './status.ts';
import { tokensOf } from './tokens.ts';

describe('the status of a run', () => {
  const line = flow([task('a'), { id: 'w', wait: { seconds: 1 } }], [{ from: 'a', to: 'w' }]);

  test('[VW1] before the start submitted, with work running, with only timers or sub-runs waiting, then how it ended', () => {
    expect(statusOf(emptyState())).toBe('submitted');
    const trial = new Trial(line);
    expect(statusOf(trial.state)).toBe('running');
    trial.complete(1);
    expect([statusOf(trial.state), hasWork(trial.state)]).toEqual(['waiting', false]);
    trial.alarmAt(2_000);
    expect(statusOf(trial.state)).toBe('completed');
    expect(statusOf(new Trial(flow([{ id: 'a', workflow: 'b' }])).state)).toBe('waiting');
    const retrying = new Trial(flow([task('a', { retry: { maxAttempts: 2, initialDelayMs: 9 } })]));
    retrying.fail(1);
    expect(statusOf(retrying.state)).toBe('waiting');
  });

  test('[VW1] paused overrides what goes on, and an end overrides paused', () => {
    const trial = new Trial(line);
    trial.send({ type: 'pause' });
    expect(statusOf(trial.state)).toBe('paused');
    trial.send({ type: 'cancel', reason: 'x' });
    expect(statusOf(trial.state)).toBe('cancelled');
  });
});

describe('path ids', () => {
  test('[VW2] root, then node and index for each fan-out of more than one branch', () => {
    expect(makePathId([])).toBe('root');
    expect(
      makePathId([
        { node: 'a', index: 2, total: 3 },
        { node: 'alone', index: 0, total: 1 },
        { node: 'b', index: 0, total: 2 },
      ]),
    ).toBe('root.a.2.b.0');
  });

  test('[VW2] odd ids are escaped, so that two paths never read alike', () => {
    expect(makePathId([{ node: 'a.1/é %', index: 0, total: 2 }])).toBe('root.a%2E1%2F%C3%A9%20%25.0');
  });
});

describe('tokens', () => {
  test('[VW5] every token that ever was, folded from the journal, with its place and its fate', () => {
    const trial = new Trial(
      flow(
        [task('s'), task('w'), task('j')],
        [
          { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' },
          { from: 'w', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'any' } },
        ],
      ),
    );
    trial.complete(1, { n: 1 });
    trial.at = 2_000;
    trial.complete(3, { n: 2 });
    const tokens = tokensOf(trial.journal.map((event) => ({ at: 1_500, event })));
    expect(
      tokens.map(({ id, node, status, pathId, from, branchIndex, branchTotal }) => [
        id,
        node,
        status,
        pathId,
        from,
        branchIndex,
        branchTotal,
      ]),
    ).toEqual([
      [1, 's', 'completed', 'root', null, 0, 1],
      [2, 'w', 'cancelled', 'root.s.0', 1, 0, 2],
      [3, 'w', 'completed', 'root.s.1', 1, 1, 2],
      [4, 'j', 'completed', 'root.s.1', 3, 1, 2],
      [5, 'j', 'dispatched', 'root', 1, 0, 1],
    ]);
    expect(tokens[2]).toEqual({
      id: 3,
      node: 'w',
      status: 'completed',
      from: 1,
      via: 's->w',
      pathId: 'root.s.1',
      siblingGroup: 'g',
      groupId: 1,
      branchIndex: 1,
      branchTotal: 2,
      iterationCounts: {},
      attempt: 1,
      input: {},
      output: { n: 2 },
      createdAt: 1_500,
      endedAt: 1_500,
    });
    expect(tokens[3]).toMatchObject({ arrivedAt: 2_000 });
  });

  test('[VW5] failures, timeouts, retries and lost tasks are told', () => {
    const trial = new Trial(
      flow(
        [
          task('a', { retry: { maxAttempts: 2, initialDelayMs: 1 } }),
          { id: 'sub', workflow: { id: 'x', timeoutMs: 5 } },
          'end',
        ],
        [
          { from: 'a', to: 'sub', on: 'failure' },
          { from: 'sub', to: 'end', on: 'failure' },
        ],
      ),
    );
    const status = (id: number) => tokensOf(trial.journal.map((event) => ({ at: 0, event })))[id - 1]?.status;
    expect(status(1)).toBe('dispatched');
    trial.fail(1);
    expect(status(1)).toBe('retrying');
    trial.alarmAt(1_001);
    expect(tokensOf(trial.journal.map((event) => ({ at: 0, event })))[0]).toMatchObject({
      status: 'dispatched',
      attempt: 2,
    });
    trial.fail(1);
    expect([status(1), status(2)]).toEqual(['failed', 'waiting_for_subworkflow']);
    trial.alarmAt(2_000);
    expect([status(2), status(3)]).toEqual(['timed_out', 'completed']);
  });

  test('[VW3] in five words: active, waiting (at a fan-in or otherwise), completed, cancelled, failed', () => {
    const words = [
      'ready',
      'dispatched',
      'waiting_for_siblings',
      'waiting_for_edges',
      'retrying',
      'waiting_for_timer',
      'waiting_for_subworkflow',
      'failed',
      'timed_out',
      'completed',
      'cancelled',
    ] as const;
    expect(words.map(classicTokenStatus)).toEqual([
      'active',
      'active',
      'waiting_at_fan_in',
      'waiting_at_fan_in',
      'waiting',
      'waiting',
      'waiting',
      'failed',
      'failed',
      'completed',
      'cancelled',
    ]);
  });
});
