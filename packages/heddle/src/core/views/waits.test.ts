import { describe, expect, test } from 'vitest';
import { flow, lowered, Trial, task } from '../planning/planning.testsuite.ts';
import type { TaskKnowledge } from './wait.ts';
import { activityOf, waitsOf } from './waits.ts';

/** An engine that executes all it has handed out, in its own process. */
const here: TaskKnowledge = {
  isExecuting: () => true,
  standingOf: () => ({ isLocal: true, lastAskedAt: null }),
  sinceOf: () => null,
};

const runOf = ({ state, graph }: Trial, tasks: Partial<TaskKnowledge> = {}) => ({
  state,
  graph,
  tasks: { ...here, ...tasks },
});

/** Each wait as its kind and its words. */
const tell = (trial: Trial, tasks: Partial<TaskKnowledge> = {}) =>
  waitsOf(runOf(trial, tasks)).map(({ kind, text }) => `${kind}: ${text}`);

const only = (work: object) => new Trial(flow([{ id: 'a', ...work }]));

describe('[VW20] what one token waits for', () => {
  test('a task runs; one that is handed out and not begun is next', () => {
    const trial = only({ action: 'pay' });
    expect(tell(trial)).toEqual(['task: runs "a"']);
    expect(waitsOf(runOf(trial, { sinceOf: () => 7 }))).toMatchObject([{ action: 'pay', attempt: 1, since: 7 }]);
    expect(tell(trial, { isExecuting: () => false })).toEqual(['turn: has "a" next']);
  });

  test('a worker is missing: nobody asks for the task, or nobody has the action', () => {
    const trial = only({ action: 'pay' });
    const outside = { isExecuting: () => false, standingOf: () => ({ isLocal: false, lastAskedAt: null }) };
    expect(tell(trial, outside)).toEqual([
      'worker: waits at "a" for a worker that does "pay"; none has asked for it yet',
    ]);
    const asked = { ...outside, standingOf: () => ({ isLocal: false, lastAskedAt: 61_000 }) };
    expect(tell(trial, asked)).toEqual([
      'worker: waits at "a" for a worker that does "pay"; the last one asked at 1970-01-01 00:01:01 UTC',
    ]);
    const outcome = { type: 'unavailable', action: 'pay', failure: { code: 'X', message: 'x' } } as const;
    trial.send({ type: 'task.result', token: 1, dispatch: 1, outcome });
    expect(tell(trial)).toEqual(['worker: waits for the action "pay" of "a", which nobody has']);
  });

  test('a prompt, with its title and deadline; or its turn to ask', () => {
    expect(tell(only({ input: { title: 'Publish?', deadlineMs: 60_000 } }))).toEqual([
      'prompt: waits for a reply at "a" ("Publish?") until 1970-01-01 00:01:01 UTC',
    ]);
    const both = new Trial(
      flow(['s', { id: 'a', input: true }], [{ from: 's', to: 'a', spawnCount: 2 }], { inputPolicy: 'serial' }),
    );
    expect(tell(both)).toEqual(['prompt: waits for a reply at "a"', 'turn: waits for its turn to ask at "a"']);
    expect(waitsOf(runOf(both))).toMatchObject([{ correlationId: expect.any(String), token: 2 }, { token: 3 }]);
  });

  test('a timer and a retry, until when', () => {
    expect(tell(only({ wait: { seconds: 5 } }))).toEqual(['timer: waits at "a" until 1970-01-01 00:00:06 UTC']);
    const trial = only({ action: 'pay', retry: { maxAttempts: 2, initialDelayMs: 2_000 } });
    trial.fail(1);
    expect(tell(trial)).toEqual(['retry: tries "a" again at 1970-01-01 00:00:03 UTC, after attempt 1 failed']);
    expect(waitsOf(runOf(trial))).toMatchObject([{ until: 3_000, node: 'a', token: 1 }]);
  });

  test('an event, with what it must agree with', () => {
    const trial = only({ wait: { event: 'order.paid', correlation: '"o-7"' } });
    expect(tell(trial)).toEqual(['event: waits for the event "order.paid" (o-7)']);
    expect(waitsOf(runOf(trial))).toMatchObject([
      { event: { name: 'order.paid', correlation: 'o-7' }, since: 1_000, until: null },
    ]);
  });

  test('a sub-run, and whether only people can wake that', () => {
    const trial = only({ workflow: 'w' });
    const [{ childRunId } = {}] = waitsOf(runOf(trial));
    expect(tell(trial)).toEqual([`subrun: waits for the run ${childRunId} of "a"`]);
    trial.childChanged(1, 'child.suspended');
    expect(tell(trial)).toEqual([
      `subrun: waits for the run ${childRunId} of "a", which only people or events can wake`,
    ]);
  });

  test('credits, of a node and of the run', () => {
    const start = { organization: 'acme' };
    expect(tell(new Trial(flow([task('a', { cost: 2 })]), { start }))).toEqual(['credits: waits for credits for "a"']);
    const whole = new Trial(lowered([task('a', { cost: 2 })], [], { policy: { charge: 'run' } }), {
      start: { ...start, reserve: 2 },
    });
    expect(tell(whole)).toEqual(['credits: waits for credits before it begins']);
  });

  test('its turn, where nodes run one at a time', () => {
    const ways = ['a', 'b'].map((to) => ({ from: 's', to }));
    const trial = new Trial(lowered(['s', task('a'), task('b')], ways, { policy: { oneAtATime: true } }));
    expect(tell(trial)).toEqual(['task: runs "a"', 'turn: has "b" next']);
  });
});

describe('[VW19] what a run waits for', () => {
  test('it is paused, and what it would do is told too', () => {
    const trial = only({ action: 'pay', retry: { maxAttempts: 2 } });
    trial.send({ type: 'pause' });
    expect(tell(trial)).toEqual(['paused: is paused, and continues when it is resumed', 'task: runs "a"']);
  });

  test('a start that is put off', () => {
    const trial = new Trial(flow([task('a')]), { start: { startAt: 9_000 } });
    expect(tell(trial)).toEqual(['timer: begins at 1970-01-01 00:00:09 UTC']);
  });

  test('nothing, once it has ended', () => {
    const trial = only({ action: 'pay' });
    trial.complete(1);
    expect(tell(trial)).toEqual([]);
    expect(activityOf(runOf(trial))).toBeNull();
  });
});

describe('[VW22] who is missing at a join', () => {
  const join = (synchronization: object, spawn: object = { spawnCount: 4 }) =>
    new Trial(
      flow(
        [task('s'), task('score'), { id: 'ask', input: true }, 'j'],
        [
          { from: 's', to: 'score', siblingGroup: 'g', ...spawn },
          { from: 'score', to: 'ask', condition: 'result.ask == true', priority: 1 },
          { from: 'score', to: 'j', priority: 2, synchronization: { siblingGroup: 'g', ...synchronization } },
          { from: 'ask', to: 'j', synchronization: { siblingGroup: 'g', ...synchronization } },
        ],
      ),
      { input: { xs: [1, 2, 3] } },
    );

  test('how many of all, and where the first of them are', () => {
    const trial = join({ strategy: 'all', timeoutMs: 60_000 });
    trial.complete(1);
    trial.complete(2, { ask: false });
    trial.complete(4, { ask: true });
    const wait = waitsOf(runOf(trial, { sinceOf: (token) => (token === 3 ? 2_000 : null) })).at(-1);
    expect(wait).toEqual({
      id: 'group-1',
      kind: 'join',
      node: 'j',
      token: null,
      since: trial.at,
      until: trial.at + 60_000,
      text: 'waits at "j" for 3 of 4 branches: #1 runs "score" (since 1970-01-01 00:00:02 UTC), #2 waits for a reply at "ask", #3 runs "score" until 1970-01-01 00:01:01 UTC',
      join: {
        over: 'siblings',
        group: 'g',
        instance: 1,
        required: 'all',
        total: 4,
        arrived: 1,
        stillPossible: 3,
        gone: 0,
        missing: [
          { branch: 1, token: 3, node: 'score', text: 'runs "score" (since 1970-01-01 00:00:02 UTC)' },
          { branch: 2, token: trial.ids('ask')[0], node: 'ask', text: 'waits for a reply at "ask"' },
          { branch: 3, token: 5, node: 'score', text: 'runs "score"' },
        ],
      },
    });
  });

  test('how many more of those that may come, where some are enough; one that has not begun', () => {
    const foreach = { foreach: { collection: 'input.xs', maxParallel: 1 } };
    const trial = join({ strategy: { mOfN: 2 } }, foreach);
    trial.complete(1);
    trial.complete(2, { ask: false });
    expect(tell(trial)[1]).toBe(
      'join: waits at "j" for 1 more of 2 branches that may still come: #1 runs "score", #2 has not begun',
    );
  });

  test('those that have ended elsewhere are gone', () => {
    const trial = join({ strategy: 'all' }, { spawnCount: 3, onBranchFailure: 'end' });
    trial.complete(1);
    trial.complete(2, { ask: false });
    trial.fail(3);
    expect(waitsOf(runOf(trial)).at(-1)?.join).toMatchObject({ arrived: 1, stillPossible: 1, gone: 1, total: 3 });
  });

  test('at most twenty are told one by one', () => {
    const trial = join({ strategy: 'all' }, { spawnCount: 30 });
    trial.complete(1);
    trial.complete(2, { ask: false });
    const wait = waitsOf(runOf(trial)).at(-1);
    expect(wait?.join?.missing).toHaveLength(20);
    expect(wait?.text).toMatch(/^waits at "j" for 29 of 30 branches: #1 runs "score", .* and 26 more$/);
  });

  test('the slices of a batch', () => {
    const batch = { items: 'input.xs', batchSize: 1, parallelBatches: 3 };
    const trial = new Trial(flow([{ id: 'all', batch }, task('each')], [{ from: 'all', to: 'each', on: 'slice' }]), {
      input: { xs: [1, 2, 3] },
    });
    trial.complete(trial.ids('each')[0] ?? 0);
    expect(tell(trial).at(-1)).toBe('join: waits at "all" for 2 of 3 slices: #1 runs "each", #2 runs "each"');
  });

  test('edges: those that may still come, and not those that cannot', () => {
    const edges = { synchronization: { over: 'edges', require: 'some' } } as const;
    const trial = new Trial(
      lowered(
        ['a', task('b'), task('c'), 'x', task('d')],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
          { from: 'a', to: 'x', condition: 'false' },
          { from: 'b', to: 'd', ...edges },
          { from: 'c', to: 'd', ...edges },
          { from: 'x', to: 'd', ...edges },
        ],
        { policy: { noMatch: 'end' } },
      ),
    );
    trial.complete(trial.ids('b')[0] ?? 0);
    const wait = waitsOf(runOf(trial)).at(-1);
    expect(wait?.text).toBe('waits at "d" for 1 of 3 ways: c->d may still come from "c"');
    expect(wait?.join).toMatchObject({ over: 'edges', arrived: 1, stillPossible: 1, gone: 1, required: 1 });
  });
});

describe('[VW21] what a run is doing, in one line', () => {
  test('the most telling of its waits, and how many more there are like it', () => {
    const trial = new Trial(
      flow(
        ['s', task('a'), { id: 'nap', wait: { seconds: 5 } }],
        [
          { from: 's', to: 'a', spawnCount: 3 },
          { from: 's', to: 'nap' },
        ],
      ),
    );
    const activity = () => activityOf(runOf(trial));
    expect(activity()).toEqual({ kind: 'task', node: 'a', until: null, text: 'runs "a" (and 2 more)' });
    for (const id of trial.ids('a')) trial.complete(id);
    expect(activity()).toMatchObject({ kind: 'timer', node: 'nap', until: 6_000 });
    trial.send({ type: 'pause' });
    expect(activity()).toMatchObject({ kind: 'paused', node: null });
  });
});
