import { describe, expect, test } from 'vitest';
import { encodeState } from '../apply/snapshot.ts';
import type { Event } from '../events.ts';
import { flow, lowered, Trial, task } from '../planning/planning.testsuite.ts';
import { journaled, type RunEvent, runEvent } from '../run-event.ts';
import { Checkpoints } from './checkpoints.ts';
import { drawingOf } from './drawing.ts';
import { eventsOf, foldOf } from './run-fold.testsuite.ts';
import { RunFold } from './run-fold.ts';

const fanOut = () =>
  new Trial(
    flow(
      [task('s'), task('w'), task('j')],
      [
        { from: 's', to: 'w', spawnCount: 3, siblingGroup: 'g' },
        { from: 'w', to: 'j', synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } } },
      ],
    ),
  );

describe('[VW14] a fold', () => {
  test('has the state that the journal adds up to, and its status, after every event', () => {
    const trial = fanOut();
    trial.complete(1);
    trial.complete(2);
    const fold = foldOf(trial, { timeOf: () => trial.at });
    expect(encodeState(fold.run)).toEqual(encodeState(trial.state));
    expect(fold).toMatchObject({ status: 'running', input: {}, state: {}, output: {}, count: trial.journal.length });
    trial.complete(3);
    for (const id of trial.ids('j')) trial.complete(id);
    expect(foldOf(trial)).toMatchObject({ status: 'completed', error: null, firstFailure: null });
  });

  test('counts the visits of each node by how they stand, and who waits at a join apart from them', () => {
    const trial = fanOut();
    trial.complete(1);
    trial.complete(2);
    const counts = (nodeId: string) => {
      const { active, waiting, completed, failed, cancelled, arrivals, visits } = foldOf(trial).node(nodeId);
      return { active, waiting, completed, failed, cancelled, arrivals, visits };
    };
    const none = { active: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0, arrivals: 0, visits: 0 };
    expect(counts('w')).toEqual({ ...none, active: 2, completed: 1, visits: 3 });
    expect(counts('j')).toEqual({ ...none, arrivals: 1 });
    trial.complete(3);
    expect(counts('w')).toEqual({ ...none, completed: 2, cancelled: 1, visits: 3 });
    expect(counts('j')).toEqual({ ...none, active: 1, visits: 1 });
  });

  test('says of each group who has come, who may still come, and keeps it when it is over', () => {
    const trial = fanOut();
    trial.complete(1);
    trial.complete(2);
    const group = { group: 'g', node: 's', token: 1, kind: 'fan_out', total: 3, join: 'j/g', required: 2, notBegun: 0 };
    expect(foldOf(trial).groups()).toMatchObject([
      { ...group, arrived: 1, underWay: 2, stillPossible: 2, isJoined: false, endedAt: null },
    ]);
    trial.complete(3);
    expect(foldOf(trial).groups()).toMatchObject([
      { ...group, arrived: 2, stillPossible: 0, isJoined: true, endedAt: expect.any(Number) },
    ]);
    expect(foldOf(trial, { groupsMax: 0 }).groupTotals()).toEqual([
      { group: 'g', node: 's', instances: 1, branches: 3, arrived: 2, ended: 0, failed: 0 },
    ]);
  });

  test('counts the rounds of a loop by its way back, and joins over edges that are skipped', () => {
    const loop = new Trial(
      flow(
        [task('a'), 'b'],
        [
          { from: 'a', to: 'a', loop: { maxIterations: 2 }, priority: 1 },
          { from: 'a', to: 'b', priority: 2 },
        ],
      ),
    );
    for (const id of [1, 2, 3]) loop.complete(id);
    expect(foldOf(loop).node('a').visits).toBe(3);
    expect(foldOf(loop).edges()).toMatchObject([
      { edgeId: 'a->a', taken: 2 },
      { edgeId: 'a->b', taken: 1 },
    ]);
    const edges = { synchronization: { over: 'edges', require: 'all' } } as const;
    const skipped = new Trial(
      lowered(
        [task('a'), 'b', 'c'],
        [
          { from: 'a', to: 'b', condition: 'false' },
          { from: 'b', to: 'c', ...edges },
        ],
        { policy: { noMatch: 'end' } },
      ),
    );
    skipped.complete(1);
    expect(foldOf(skipped).node('c')).toMatchObject({ status: 'idle', skipped: 1 });
  });

  test('lists prompts, timers and sub-runs that are open', () => {
    const trial = new Trial(
      flow(
        [
          's',
          { id: 'ask', input: { title: 'Well?' } },
          { id: 'nap', wait: { seconds: 5 } },
          { id: 'sub', workflow: 'x' },
        ],
        ['ask', 'nap', 'sub'].map((to) => ({ from: 's', to })),
      ),
    );
    const fold = foldOf(trial);
    const idOf = (node: string) => trial.ids(node)[0];
    expect(fold.prompts()).toMatchObject([{ token: idOf('ask'), node: 'ask', isAsked: true, title: 'Well?' }]);
    expect(fold.timers()).toEqual([
      { token: idOf('nap'), node: 'nap', status: 'waiting_for_timer', dueAt: trial.at + 5_000 },
    ]);
    expect(fold.subruns()).toMatchObject([{ token: idOf('sub'), node: 'sub', isSuspended: false }]);
    trial.send({ type: 'cancel', reason: 'enough' });
    const over = foldOf(trial);
    expect([over.prompts(), over.timers(), over.subruns()]).toEqual([[], [], []]);
  });

  test('knows the first failure, with its node', () => {
    const trial = new Trial(flow([task('a', { retry: { maxAttempts: 2, initialDelayMs: 10 } })]));
    trial.fail(1);
    const index = trial.journal.findIndex(({ type }) => type === 'task.attempt_failed');
    expect(foldOf(trial).firstFailure).toEqual({ eventId: `${index + 1}.0`, index, node: 'a' });
  });

  test('without a drawing it has the nodes that were visited', () => {
    const trial = fanOut();
    trial.complete(1);
    const fold = new RunFold();
    for (const event of eventsOf(trial)) fold.add(event);
    expect(fold.nodes().map(({ nodeId, visits }) => [nodeId, visits])).toEqual([
      ['s', 1],
      ['w', 3],
    ]);
  });
});

describe('[VW15] the order of events', () => {
  test('one that is missing or comes twice is refused, and nothing of it is added', () => {
    const [first, second, third] = eventsOf(fanOut()) as [RunEvent, RunEvent, RunEvent];
    const fold = new RunFold();
    expect(() => fold.add(second)).toThrow('Expected the first event of a journal, 1.0, but found 2.0');
    fold.add(first);
    expect(() => fold.add(third)).toThrow('Expected the event after 1.0, but found 3.0');
    expect(() => fold.add(first)).toThrow('Expected the event after 1.0, but found 1.0');
    fold.add(second);
    expect(() => fold.add(first)).toThrow('Expected the event after 2.0, but found 1.0');
    expect(fold).toMatchObject({ count: 2, lastEvent: '2.0' });
  });

  test('events of one row follow each other in it', () => {
    const { journal } = fanOut();
    const fold = new RunFold();
    for (const [index, event] of journal.entries()) fold.add(runEvent('RUN0000001', { seq: 1, at: 5 }, index, event));
    expect(fold.lastEvent).toBe(`1.${journal.length - 1}`);
  });

  test('what users read is, without its place, what the journal keeps', () => {
    const { journal } = fanOut();
    expect(eventsOf({ journal }, () => 1_000).map(journaled)).toEqual(journal);
  });
});

describe('[VW16] spans', () => {
  test('tell when a visit was ready, was begun, ended, and how its attempts went', () => {
    const trial = new Trial(flow([task('a', { retry: { maxAttempts: 2, initialDelayMs: 10 } })]));
    trial.fail(1);
    trial.alarmAt(1_010);
    trial.complete(1);
    const placeOf = (type: Event['type'], nth = 0) =>
      trial.journal.flatMap((e, i) => (e.type === type ? [i] : []))[nth];
    const [span] = foldOf(trial).spans();
    expect(span).toEqual({
      token: 1,
      node: 'a',
      from: null,
      via: null,
      branch: [0, 0],
      pathId: 'root',
      status: 'completed',
      kind: 'task',
      readyAt: placeOf('token.created'),
      startedAt: placeOf('task.dispatched'),
      endedAt: placeOf('token.completed'),
      attempt: 2,
      attempts: [
        {
          attempt: 1,
          startedAt: placeOf('task.dispatched'),
          endedAt: placeOf('task.attempt_failed'),
          outcome: 'failed',
        },
        {
          attempt: 2,
          startedAt: placeOf('task.dispatched', 1),
          endedAt: placeOf('task.completed'),
          outcome: 'completed',
        },
      ],
      error: { code: 'BROKEN', message: expect.any(String) },
    });
  });

  test('have their place in the tree of branches, and leave out who only waits at a join', () => {
    const trial = fanOut();
    trial.complete(1);
    trial.complete(3);
    const told = [...foldOf(trial).spans()].map(({ node, pathId, status }) => `${node} ${pathId} ${status}`);
    expect(told).toEqual([
      's root completed',
      'w root.s.1 completed',
      'w root.s.0 dispatched',
      'w root.s.2 dispatched',
    ]);
  });

  test('the oldest that have ended make room, and are added up by node', () => {
    const trial = fanOut();
    trial.complete(1);
    for (const id of [2, 3]) trial.complete(id);
    const fold = foldOf(trial, { spansMax: 2 });
    const ended = [...fold.spans()].filter(({ endedAt }) => endedAt !== null);
    expect(ended.map(({ token }) => token)).toEqual([3, 4]);
    expect(fold.spanTotals()).toMatchObject([
      { node: 's', spans: 1, failed: 0 },
      { node: 'w', spans: 1, failed: 0 },
    ]);
    expect(foldOf(trial, { spansMax: 0 }).spanTotals()).toMatchObject([{ node: 's' }, { node: 'w', spans: 3 }]);
  });
});

/** A fan-out of that many branches, each with a task of several steps, as a journal. */
function* longJournal(branches: number, steps: number): Generator<Event> {
  const { journal } = new Trial(flow([task('s')]));
  yield* journal.slice(0, 2);
  const spawns = [{ node: 'w', via: 's->w', count: branches }];
  const settings = { tolerateFailures: false, maxFailures: null, homeJoin: null, parent: [0, 0] } as const;
  yield { type: 'token.completed', token: 1 };
  yield { type: 'fan_out.started', group: 1, name: 's', token: 1, node: 's', total: branches, spawns, ...settings };
  yield { type: 'token.created', token: 2, node: 'w', from: 1, via: 's->w', branch: [1, 0], count: branches };
  for (let index = 0; index < branches; index++) {
    const token = index + 2;
    yield { type: 'task.dispatched', token, attempt: 1, dispatch: 1, input: { index } };
    for (let step = 0; step < steps; step++) yield { type: 'step.completed', token, attempt: 1, step: `s${step}` };
    yield { type: 'task.completed', token, output: index };
    yield { type: 'token.completed', token };
    yield { type: 'branch.ended', branch: [1, index], how: 'completed' };
  }
  yield { type: 'group.closed', group: 1 };
}

test('[VW16] 200,000 events of 10,000 branches leave no more behind than its bounds', () => {
  const fold = new RunFold({ spansMax: 100 });
  let seq = 0;
  for (const event of longJournal(10_000, 16)) fold.add(runEvent('RUN0000001', { seq: ++seq, at: seq }, 0, event));
  expect(fold.count).toBeGreaterThan(200_000);
  expect(fold.node('w')).toMatchObject({ visits: 10_000, completed: 10_000, active: 0 });
  expect([...fold.spans()]).toHaveLength(100);
  expect(fold.spanTotals().reduce((sum, { spans }) => sum + spans, 0)).toBe(9_901);
  expect([fold.run.tokens.size, fold.run.groups.size]).toEqual([0, 0]);
});

describe('[VW17] time travel', () => {
  const told = (fold: RunFold) => ({
    state: encodeState(fold.run),
    nodes: fold.nodes(),
    edges: fold.edges(),
    groups: fold.groups(),
    spans: [...fold.spans()],
    totals: fold.spanTotals(),
    last: [fold.count, fold.lastEvent, fold.firstFailure],
  });

  test('any moment is reached from a checkpoint as from the beginning, and the fold that made them is not changed', () => {
    const trial = fanOut();
    trial.complete(1);
    for (const id of [2, 3]) trial.complete(id);
    for (const id of trial.ids('j')) trial.complete(id);
    const events = eventsOf(trial);
    const checkpoints = new Checkpoints({ every: 3, max: 4, spansMax: 2, drawing: drawingOf(trial.graph) });
    const fold = new RunFold({ spansMax: 2, drawing: drawingOf(trial.graph) });
    for (const event of events) {
      fold.add(event);
      checkpoints.keep(fold);
    }
    for (let until = 0; until <= events.length; until++) {
      const then = checkpoints.travel(until, (index) => events[index] as RunEvent);
      expect(told(then)).toEqual(told(foldOf(trial, { until, spansMax: 2 })));
    }
    expect(told(fold)).toEqual(told(foldOf(trial, { spansMax: 2 })));
  });

  test('there are at most so many checkpoints: they lie further apart instead', () => {
    const checkpoints = new Checkpoints({ every: 10, max: 4 });
    const fold = new RunFold();
    let seq = 0;
    for (const event of longJournal(20, 5)) {
      fold.add(runEvent('RUN0000001', { seq: ++seq, at: seq }, 0, event));
      checkpoints.keep(fold);
    }
    expect(checkpoints.every).toBe(40);
    expect([39, 40, 79, 80, 160].map((count) => checkpoints.before(count).count)).toEqual([0, 40, 40, 80, 160]);
  });
});
