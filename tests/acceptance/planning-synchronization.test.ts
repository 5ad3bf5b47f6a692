import { describe, expect, test } from 'vitest';
import { eventsOf, fan, flow, go, graphOf, node, PlannedRun, task, typesOf } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };
const work = { outputMapping: { 'state.x': 'result.x' } };
const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };

const statusesAt = (run: PlannedRun, nodeId: string) => run.tokensAt(nodeId).map(({ status }) => status);

describe('strategies', () => {
  test('[T347] any: the first arrival activates the join at once', () => {
    const run = PlannedRun.started(fan({ strategy: 'any', merge }, { work }), items);
    expect(typesOf(run.complete('work', { x: 1 }, 1))).toEqual([
      'task.completed',
      'context.updated',
      'token.completed',
      'token.created',
      'token.waiting',
      'fan_in.completed',
      'branches.merged',
      'tokens.completed',
      'tokens.cancelled',
      'group.closed',
      'token.created',
      'task.dispatched',
    ]);
    expect(run.context.state).toEqual({ all: [1] });
    expect(statusesAt(run, 'work')).toEqual(['cancelled', 'completed', 'cancelled']);
  });

  test('[T348][T349] all: arrivals wait until as many are there as the group has branches', () => {
    const run = PlannedRun.started(fan({ strategy: 'all' }), items);
    expect(typesOf(run.complete('work', {}, 2))).not.toContain('fan_in.completed');
    expect(statusesAt(run, 'join')).toEqual(['waiting_for_siblings']);
    expect(typesOf(run.complete('work', {}, 0))).not.toContain('fan_in.completed');
    expect(statusesAt(run, 'join')).toEqual(['waiting_for_siblings', 'waiting_for_siblings']);
    expect(typesOf(run.complete('work', {}, 1))).toContain('fan_in.completed');
    expect(statusesAt(run, 'join')).toEqual(['completed', 'completed', 'completed', 'dispatched']);
  });

  test('[T350] mOfN: arrivals wait until the n-th, which activates the join', () => {
    const run = PlannedRun.started(fan({ strategy: { mOfN: 2 } }), items);
    expect(typesOf(run.complete('work', {}, 2))).not.toContain('fan_in.completed');
    expect(statusesAt(run, 'join')).toEqual(['waiting_for_siblings']);
    expect(typesOf(run.complete('work', {}, 1))).toContain('fan_in.completed');
    expect(statusesAt(run, 'join')).toEqual(['completed', 'completed', 'dispatched']);
    expect(statusesAt(run, 'work')).toEqual(['cancelled', 'completed', 'completed']);
  });

  test('[T351] a token on a transition without synchronization is handed out', () => {
    const run = PlannedRun.started(
      flow([node('s'), task('a'), task('b')], [go('s', 'a', { spawnCount: 2 }), go('a', 'b')]),
    );
    const { events, effects } = run.complete('a');
    expect(typesOf({ events })).toEqual(['task.completed', 'token.completed', 'token.created', 'task.dispatched']);
    expect(effects).toMatchObject([{ type: 'dispatch', node: 'b' }]);
  });
});

describe('timeouts', () => {
  test('[T352] fail: the run fails when the time is up', () => {
    const run = PlannedRun.started(fan({ strategy: 'all', timeoutMs: 100 }), items);
    run.complete('work');
    const { events } = run.advance(100);
    expect(events[0]).toEqual({ type: 'tokens.timed_out', tokens: [5] });
    expect(events.at(-1)).toMatchObject({
      type: 'workflow.failed',
      error: {
        code: 'FAN_IN_TIMED_OUT',
        nodeId: 'join',
        details: { group: 'g', join: 'join/g', arrived: 1, total: 3 },
      },
    });
    expect(run.tokens.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'cancelled',
      'cancelled',
      'timed_out',
    ]);
  });

  test('[T353] proceed_with_available: what is there is merged, and the run goes on', () => {
    const settings = { strategy: 'all', timeoutMs: 100, onTimeout: 'proceed_with_available', merge };
    const run = PlannedRun.started(fan(settings, { work }), items);
    run.complete('work', { x: 'c' }, 2);
    run.complete('work', { x: 'a' }, 0);
    const { events } = run.advance(100);
    expect(events).toContainEqual({ type: 'fan_in.completed', group: 1, join: 'join/g', branches: 2, timedOut: true });
    expect(run.context.state).toEqual({ all: ['a', 'c'] });
    expect(statusesAt(run, 'work')).toEqual(['completed', 'cancelled', 'completed']);
    expect(run.complete('join').state.outcome).toBe('completed');
  });

  test('[T357] the time counts from the first arrival; exactly at its end it is up; without a timeout it never is', () => {
    const run = PlannedRun.started(fan({ strategy: 'all', timeoutMs: 100 }), items);
    expect(run.advance(1_000).reply).toEqual({ applied: false, reason: 'nothing was due' });
    run.complete('work');
    run.advance(60);
    run.complete('work');
    const arrivals = run.eventsOf('token.waiting');
    expect(arrivals.map((event) => ('deadline' in event ? event.deadline : null))).toEqual([2_100, null]);
    expect(run.advance(39).events).toEqual([]);
    expect(typesOf(run.advance(1))).toContain('tokens.timed_out');
    for (const timeout of [{}, { timeoutMs: 0 }]) {
      const patient = PlannedRun.started(fan({ strategy: 'all', ...timeout }), items);
      patient.complete('work');
      expect(patient.advance(1_000_000_000).events).toEqual([]);
    }
  });
});

describe('the continuation', () => {
  test('[T354] one token at the join’s node, with the path and the counts of the token that fanned out', () => {
    const synchronization = { strategy: 'all' };
    const run = PlannedRun.started(
      flow(
        [node('start'), task('a'), task('b'), task('c'), task('end')],
        [
          go('start', 'a', { spawnCount: 2, siblingGroup: 'outer' }),
          go('a', 'a', { id: 'again', priority: 1, condition: 'result.more', loop: { maxIterations: 5 } }),
          go('a', 'b', { priority: 2, spawnCount: 2, siblingGroup: 'inner' }),
          go('b', 'c', { synchronization: { ...synchronization, siblingGroup: 'inner' } }),
          go('c', 'end', { synchronization: { ...synchronization, siblingGroup: 'outer' } }),
        ],
      ),
    );
    run.complete('a', { more: true }, 1);
    run.complete('a', { more: false }, 1);
    const fannedOut = run.tokensAt('a').at(-1);
    run.complete('b');
    const { events } = run.complete('b');
    expect(eventsOf(events, 'token.created')).toMatchObject([
      { via: 'b->c', branch: [2, 1] },
      { node: 'c', from: fannedOut?.id, branch: [1, 1], iterations: { again: 1 } },
    ]);
    expect(run.tokensAt('c').at(-1)).toMatchObject({
      from: fannedOut?.id,
      via: null,
      pathId: 'root.start.1',
      siblingGroup: 'outer',
      branchIndex: 1,
      branchTotal: 2,
      iterationCounts: { again: 1 },
      status: 'dispatched',
    });
  });

  test('[T355] branches are merged exactly if a merge is configured; the run goes on either way', () => {
    for (const settings of [{ merge }, {}]) {
      const run = PlannedRun.started(fan({ strategy: 'any', ...settings }, { work }), items);
      const { events } = run.complete('work', { x: 1 });
      expect(typesOf({ events }).includes('branches.merged')).toBe('merge' in settings);
      expect(run.dispatched('join')).toBeDefined();
    }
  });

  test('[T356] the graph gives the merge of a join, or nothing', () => {
    const withMerge = graphOf(fan({ strategy: 'all', merge }, { work })).joins.get('join/g');
    expect(withMerge?.merges).toMatchObject([
      { source: { source: '_branch.output.x' }, target: 'state.all', strategy: 'append' },
    ]);
    expect(graphOf(fan({ strategy: 'all' })).joins.get('join/g')?.merges).toEqual([]);
  });
});
