import { describe, expect, test } from 'vitest';
import {
  apply,
  decodeState,
  type Event,
  emptyState,
  encodeState,
  type RunState,
} from '../../packages/heddle/src/testing.ts';
import { encoded, fan, flow, go, node, PlannedRun, task, typesOf } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };

/** A state that the events lead to from another one. */
function after(before: RunState, ...events: Event[]): RunState {
  const state = emptyState();
  decodeState(state, encodeState(before));
  for (const event of events) apply(state, event);
  return state;
}

const statusesOf = (state: RunState) => [...state.tokens.values()].map(({ id, status }) => [id, status]);

describe('events about tokens', () => {
  test('[T302] token.created makes one token, whose id it tells', () => {
    const { state } = PlannedRun.started(flow([task('a')]));
    const more = after(state, { type: 'token.created', token: 2, node: 'a', from: 1, branch: [0, 0] });
    expect([...more.tokens.keys()]).toEqual([1, 2]);
    expect(more.tokens.get(2)).toMatchObject({ id: 2, node: 'a', status: 'ready' });
    expect(more.lastToken).toBe(2);
  });

  test('[T303] each event sets the status of the token that it names and of no other', () => {
    const { state } = PlannedRun.started(flow([node('s'), task('a')], [go('s', 'a', { spawnCount: 2 })]));
    expect(statusesOf(state)).toEqual([
      [2, 'dispatched'],
      [3, 'dispatched'],
    ]);
    const error = { code: 'X', message: 'x' };
    const retrying = after(state, { type: 'task.attempt_failed', token: 3, attempt: 1, error, retryAt: 5_000 });
    expect(statusesOf(retrying)).toEqual([
      [2, 'dispatched'],
      [3, 'retrying'],
    ]);
    const waiting = after(state, { type: 'token.waiting', token: 2, for: 'timer', until: 5_000 });
    expect(statusesOf(waiting)).toEqual([
      [2, 'waiting_for_timer'],
      [3, 'dispatched'],
    ]);
    const ended = after(state, { type: 'task.failed', token: 2, error });
    expect(statusesOf(ended)).toEqual([[3, 'dispatched']]);
  });

  test('[T304] an arrival is waiting_for_siblings, with the time of its arrival', () => {
    const run = PlannedRun.started(fan({ strategy: 'all' }), items);
    run.at += 7;
    expect(run.complete('work').events.at(-1)).toEqual({
      type: 'token.waiting',
      token: 5,
      for: 'siblings',
      join: 'join/g',
      branch: [1, 0],
      arrivedAt: 1_007,
      required: 0,
    });
    expect(run.tokensAt('join')).toMatchObject([{ status: 'waiting_for_siblings', arrivedAt: 1_007 }]);
  });

  test('[T305] a token that does not wait is among those to be handed out', () => {
    const run = PlannedRun.started(flow([task('a'), task('b')], [go('a', 'b')]), {}, {});
    run.send({ type: 'pause' });
    run.complete('a');
    const resumed = run.send({ type: 'resume' });
    expect(typesOf(resumed)).toContain('task.dispatched');
    // Handing out is the last thing of a plan: until then the new token is ready and in the queue.
    const created = resumed.events.slice(0, -1).reduce((state, event) => after(state, event), run.steps.at(-1)!.before);
    expect(encoded(created)).toMatchObject({ ready: [2], tokens: [{ id: 2, node: 'b', status: 'ready' }] });
  });

  test('[T306] one token or many are completed', () => {
    const { state } = PlannedRun.started(fan({ strategy: 'all' }), items);
    expect(statusesOf(after(state, { type: 'token.completed', token: 3 })).map(([id]) => id)).toEqual([2, 4]);
    expect(statusesOf(after(state, { type: 'tokens.completed', tokens: [2, 4] })).map(([id]) => id)).toEqual([3]);
  });

  test('[T307] many are cancelled, with a reason', () => {
    const run = PlannedRun.started(fan({ strategy: 'any' }), items);
    const { events, effects } = run.complete('work');
    expect(events).toContainEqual({ type: 'tokens.cancelled', tokens: [3, 4], reason: 'join join/g has completed' });
    expect(effects).toContainEqual({ type: 'abort', token: 3 });
    expect(effects).toContainEqual({ type: 'abort', token: 4 });
    expect(run.tokens.filter(({ status }) => status === 'cancelled').map(({ id }) => id)).toEqual([3, 4]);
  });

  test('[T325] a token is handed out with its node, its input and the numbers of its attempt and hand-out', () => {
    const run = PlannedRun.started(flow([task('a', { inputMapping: { n: 'input.n' } })]), { n: 7 });
    expect(run.events.at(-1)).toEqual({ type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: { n: 7 } });
    expect(run.effects).toEqual([{ type: 'dispatch', token: 1, node: 'a', attempt: 1, dispatch: 1, input: { n: 7 } }]);
  });
});

describe('events about values', () => {
  const { state } = PlannedRun.started(flow([task('a')]));

  test('[T308] a value is written at a path, the objects between are made', () => {
    const written = after(state, { type: 'context.updated', branch: [0, 0], writes: [['state.a.b', 1]] });
    const more = after(written, {
      type: 'context.updated',
      branch: [0, 0],
      writes: [
        ['state.a.c', [2]],
        ['output.d', null],
      ],
    });
    expect(more.root.context).toEqual({ state: { a: { b: 1, c: [2] } }, output: { d: null } });
  });

  test('[T309] a whole object is written at a path', () => {
    const writes: [string, { x: number }][] = [['state.result', { x: 1 }]];
    const written = after(state, { type: 'context.updated', branch: [0, 0], writes });
    expect(written.root.context).toEqual({ state: { result: { x: 1 } }, output: {} });
  });

  test('[T310] an output mapping writes what it maps; none writes nothing', () => {
    const outputMapping = { 'state.x': 'result.x', 'output.sum': 'result.x + 1', 'state.absent': 'result.nothing' };
    const mapped = PlannedRun.started(flow([task('a', { outputMapping })]));
    expect(mapped.complete('a', { x: 1, y: 2 }).events).toContainEqual({
      type: 'context.updated',
      branch: [0, 0],
      writes: [
        ['state.x', 1],
        ['output.sum', 2],
      ],
    });
    expect(mapped.context).toEqual({ state: { x: 1 }, output: { sum: 2 } });

    const plain = PlannedRun.started(flow([task('a')]));
    expect(typesOf(plain.complete('a', { x: 1 }))).toEqual(['task.completed', 'token.completed', 'workflow.completed']);
    expect(plain.context).toEqual({ state: {}, output: {} });
  });
});

describe('events about branches', () => {
  const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };
  const work = { outputMapping: { 'state.x': 'result.x' } };

  test('[T311] every branch begins with storage of its own, empty, and takes only what fits the schema', () => {
    const stateSchema = { type: 'object', properties: { x: { type: 'number' } } };
    const run = PlannedRun.started(fan({ strategy: 'all', merge }, { work, flow: { stateSchema } }), items);
    expect(run.state.groups.get(1)?.branches.map(({ writes }) => writes)).toEqual([null, null, null]);
    const { events } = run.complete('work', { x: 'no number' });
    expect(events[0]).toMatchObject({ type: 'task.failed', token: 2, error: { code: 'STATE_INVALID' } });
  });

  test('[T312] what a branch writes is stored in it alone', () => {
    const run = PlannedRun.started(fan({ strategy: 'all', merge }, { work }), items);
    expect(run.complete('work', { x: 10 }, 1).events).toContainEqual({
      type: 'context.updated',
      branch: [1, 1],
      writes: [['state.x', 10]],
    });
    const branches = run.state.groups.get(1)?.branches ?? [];
    expect(branches.map(({ writes }) => [...(writes ?? [])])).toEqual([[], [['state.x', 10]], []]);
    expect(run.context).toEqual({ state: {}, output: {} });
  });

  test('[T313][T314] the merge takes the outputs by branch index as configured; then the storage is gone', () => {
    const keyed = { ...merge, strategy: 'keyed_by_branch' };
    const run = PlannedRun.started(fan({ strategy: { mOfN: 2 }, merge: keyed }, { work }), items);
    run.complete('work', { x: 'c' }, 2);
    const { events, state } = run.complete('work', { x: 'a' }, 0);
    expect(events).toContainEqual({
      type: 'branches.merged',
      group: 1,
      branch: [0, 0],
      writes: [['state.all', { 0: 'a', 2: 'c' }]],
    });
    expect(events).toContainEqual({ type: 'group.closed', group: 1 });
    expect(state.groups.size).toBe(0);
    expect(run.context.state).toEqual({ all: { 0: 'a', 2: 'c' } });
  });
});

describe('events about joins', () => {
  test('[T315] every arrival has the join looked at', () => {
    const run = PlannedRun.started(fan({ strategy: 'all' }), items, { trace: true });
    const data = { group: 'g', join: 'join/g', ended: 0, total: 3 };
    for (const arrived of [1, 2, 3]) {
      expect(run.complete('work').trace).toContainEqual({
        type: 'decision.sync.check_condition',
        data: { ...data, arrived, settled: arrived },
      });
    }
  });

  test('[T316] the activation names group, join and merged tokens, and the run is the one that plans', () => {
    const run = PlannedRun.started(fan({ strategy: 'all' }), items);
    run.complete('work');
    run.complete('work');
    const { events } = run.complete('work');
    expect(events).toContainEqual({ type: 'fan_in.completed', group: 1, join: 'join/g', branches: 3, timedOut: false });
    expect(events).toContainEqual({ type: 'tokens.completed', tokens: [5, 6, 7] });
    expect(run.graph.joins.get('join/g')).toMatchObject({ node: 'join', group: 'g' });
  });

  test('[T317] of two that could activate a join one does; the other is told that it came too late', () => {
    const run = PlannedRun.started(fan({ strategy: 'any' }), items);
    const { id, dispatch } = run.dispatched('work', 1);
    const won = run.complete('work', {}, 0);
    const lost = run.send({ type: 'task.result', token: id, dispatch, outcome: { type: 'completed', output: {} } });
    expect(won.reply).toEqual({ applied: true });
    expect(typesOf(won)).toContain('fan_in.completed');
    expect(lost).toMatchObject({ reply: { applied: false, reason: 'token has ended' }, events: [], effects: [] });
  });
});

describe('events about runs', () => {
  test('[T318] the start sets up status and values from the input', () => {
    const run = PlannedRun.started(flow([task('a')]), { n: 1 });
    expect(run.events[0]).toMatchObject({ type: 'workflow.started', at: 1_000, runId: 'run-1', input: { n: 1 } });
    expect(encoded(run.state)).toMatchObject({ outcome: null, startedAt: 1_000, run: { input: { n: 1 } } });
    expect(run.context).toEqual({ state: {}, output: {} });
  });

  test('[T319] a completed run has its output', () => {
    const run = PlannedRun.started(flow([task('a', { outputMapping: { 'output.x': 'result.x' } })]));
    expect(run.complete('a', { x: 1 }).events.at(-1)).toEqual({
      type: 'workflow.completed',
      at: 1_000,
      output: { x: 1 },
    });
    expect(encoded(run.state)).toMatchObject({ outcome: 'completed', output: { x: 1 }, endedAt: 1_000, tokens: [] });
  });

  test('[T320] a failed run has its error', () => {
    const run = PlannedRun.started(flow([task('a')]));
    const error = { code: 'BROKEN', message: 'it broke', nodeId: 'a', attempts: 1 };
    expect(run.fail('a').events.at(-1)).toEqual({ type: 'workflow.failed', at: 1_000, error });
    expect(encoded(run.state)).toMatchObject({ outcome: 'failed', error, tokens: [] });
  });
});

describe('events about sub-runs', () => {
  const call = (more: object = {}) =>
    flow([node('call', { workflow: { id: 'child', ...more } }), task('next')], [go('call', 'next')]);

  test('[T321] a token waits for its sub-run, with a deadline where there is a timeout', () => {
    const timed = PlannedRun.started(call({ timeoutMs: 500 }), {});
    const [waiting] = timed.tokensAt('call');
    expect(waiting).toMatchObject({ status: 'waiting_for_subworkflow', childRunId: expect.any(String) as string });
    expect(timed.eventsOf('subworkflow.dispatched')).toMatchObject([{ token: 1, workflow: 'child', deadline: 1_500 }]);
    expect(PlannedRun.started(call()).eventsOf('subworkflow.dispatched')[0]).not.toHaveProperty('deadline');
  });

  test('[T322] the sub-run’s output goes on with the token', () => {
    const run = PlannedRun.started(
      flow(
        [node('call', { workflow: 'child', outputMapping: { 'state.n': 'result.n' } }), task('next')],
        [go('call', 'next')],
      ),
    );
    const { events } = run.endChild('call', { status: 'completed', output: { n: 5 } });
    expect(events[0]).toMatchObject({ type: 'subworkflow.completed', token: 1, status: 'completed', output: { n: 5 } });
    expect(run.context.state).toEqual({ n: 5 });
    expect(run.dispatched('next').id).toBe(2);
  });

  test('[T323] the sub-run’s error fails the token', () => {
    const run = PlannedRun.started(call());
    const { events } = run.endChild('call', { status: 'failed', error: { code: 'BAD', message: 'bad' } });
    expect(typesOf({ events })).toEqual(['subworkflow.completed', 'task.failed', 'workflow.failed']);
    expect(run.tokensAt('call')).toMatchObject([{ status: 'failed', error: { code: 'BAD' } }]);
  });

  test('[T324] a sub-run that takes too long is told with its ids, its time and the time that it took', () => {
    const run = PlannedRun.started(call({ timeoutMs: 500 }));
    const { childRunId } = run.eventsOf('subworkflow.dispatched')[0]!;
    const { events, effects } = run.advance(510);
    expect(events[0]).toEqual({ type: 'subworkflow.timed_out', token: 1, childRunId, timeoutMs: 500, elapsedMs: 510 });
    expect(effects).toEqual([
      { type: 'send', to: childRunId, message: { type: 'cancel', reason: 'timed out after 500 ms' } },
    ]);
    expect(run.tokensAt('call')).toMatchObject([{ status: 'timed_out' }]);
  });
});

describe('events about many', () => {
  /** A fan-out that has just been opened, without its branches. */
  function opened(): RunState {
    const run = PlannedRun.started(fan({ strategy: 'all' }), items);
    const state = emptyState();
    for (const event of run.events.slice(0, typesOf(run).indexOf('fan_out.started') + 1)) apply(state, event);
    return state;
  }

  test('[T326] creating many tokens at once equals creating each of them', () => {
    const one = { type: 'token.created', node: 'work', from: 1, via: 'split->work' } as const;
    const many = after(opened(), { ...one, token: 2, branch: [1, 0], count: 3 });
    const singly = after(
      opened(),
      { ...one, token: 2, branch: [1, 0] },
      { ...one, token: 3, branch: [1, 1] },
      { ...one, token: 4, branch: [1, 2] },
    );
    expect(encoded(many)).toEqual(encoded(singly));
    expect(many.tokens.size).toBe(3);
  });

  test('[T327] changing many tokens at once equals changing each of them', () => {
    const { state } = PlannedRun.started(fan({ strategy: 'all' }), items);
    const tokens = [2, 3, 4];
    const changes: [(tokens: number[]) => Event, string][] = [
      [(ids) => ({ type: 'tokens.completed', tokens: ids }), 'completed'],
      [(ids) => ({ type: 'tokens.cancelled', tokens: ids, reason: 'r' }), 'cancelled'],
      [(ids) => ({ type: 'tokens.timed_out', tokens: ids }), 'timed out'],
      [(ids) => ({ type: 'tasks.lost', tokens: ids }), 'lost'],
    ];
    for (const [change, how] of changes) {
      const many = after(state, change(tokens));
      const singly = after(state, ...tokens.map((id) => change([id])));
      expect(encoded(many), how).toEqual(encoded(singly));
      expect(encoded(many), how).not.toEqual(encoded(state));
    }
    const completed = after(state, ...tokens.map((token): Event => ({ type: 'token.completed', token })));
    expect(encoded(completed)).toEqual(encoded(after(state, { type: 'tokens.completed', tokens })));
  });
});
