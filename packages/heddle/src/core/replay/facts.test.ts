import { describe, expect, test } from 'vitest';
import type { Command } from '../commands.ts';
import type { Event } from '../events.ts';
import { flow, lowered, Trial, task } from '../planning/planning.testsuite.ts';
import { restoreCommand } from './facts.ts';

/** What is read as the command of the commit that a step of a trial makes. */
function readOf(trial: Trial, step: () => unknown): Command {
  const state = trial.state; // planning works on a copy
  step();
  const events = JSON.parse(JSON.stringify(trial.events)) as Event[];
  return restoreCommand({ graph: trial.graph, state, commit: { seq: 2, at: trial.at, events } });
}

describe('[RD1] the command of a commit is read from its facts', () => {
  const two = () => new Trial(flow([task('a'), task('b')], [{ from: 'a', to: 'b' }]));

  test('a result, with the hand-out that it answers', () => {
    const trial = two();
    const told = { type: 'task.result', at: 1_000, token: 1, dispatch: 1 };
    expect(readOf(trial, () => trial.complete(1, { n: 1 }))).toEqual({
      ...told,
      outcome: { type: 'completed', output: { n: 1 } },
    });
  });

  test('a cancellation comes last in its commit, behind what was called off', () => {
    const trial = two();
    const told = readOf(trial, () => trial.send({ type: 'cancel', reason: 'no more' }));
    expect([trial.told.length > 1, told]).toEqual([true, { type: 'cancel', at: 1_000, reason: 'no more' }]);
  });

  test('a resume whose held answer ends the run is a resume', () => {
    const trial = new Trial(flow([task('a', { cost: 2 })]), { start: { organization: 'org' } });
    trial.send({ type: 'pause' });
    trial.credit(2, { granted: false, balance: 1, token: 1 });
    expect(readOf(trial, () => trial.send({ type: 'resume' }))).toEqual({ type: 'resume', at: 1_000 });
    expect(trial.events.at(-1)).toMatchObject({ type: 'workflow.exhausted' });
  });

  test('a failure of a task that waits to be handed out, and one of a wait for an event, came from nobody', () => {
    const waiting = new Trial(flow([{ id: 'a', wait: { event: 'e', timeoutMs: 50 } }]));
    expect(readOf(waiting, () => waiting.alarmAt(1_050))).toEqual({ type: 'alarm', at: 1_050 });
    expect(waiting.events[0]).toMatchObject({ type: 'task.failed' });
  });

  test('what is left to a later command is a continue, also when a timer is due', () => {
    const nodes = [{ id: 'fan' }, task('a'), { id: 'wait', wait: { seconds: 1 } }];
    const ways = [
      { from: 'fan', to: 'a', spawnCount: 20, siblingGroup: 'g' },
      { from: 'fan', to: 'wait' },
    ];
    const trial = new Trial(flow(nodes, ways), { limits: { commandCostMax: 6_000 } });
    expect(trial.isUnfinished).toBe(true);
    expect(readOf(trial, () => trial.send({ type: 'continue', at: 3_000 }))).toEqual({ type: 'continue', at: 3_000 });
    expect(trial.events[0]).toMatchObject({ type: 'task.dispatched' });
  });

  test('the end of a sub-run, with what it threw', () => {
    const trial = new Trial(flow([{ id: 'a', workflow: 'below' }]));
    const error = { code: 'NO', message: 'no', thrown: { stack: 'at x' } };
    const told = readOf(trial, () => trial.childEnded(1, { status: 'failed', error }));
    expect(told).toMatchObject({ type: 'child.ended', status: 'failed', error });
  });

  test('control keys of a result: its handle, its wait, and those that could not be read', () => {
    const handle = (): Trial => {
      const connections = [{ fromNodeId: 'a', fromOutput: 'yes', toNodeId: 'b' }];
      const nodes = ['a', 'b'].map((id) => ({ id, type: id }));
      return new Trial({ dialect: 'handle', id: 'w', nodes, connections });
    };
    const read = (output: object): Command => {
      const trial = handle();
      return readOf(trial, () => trial.complete(2, output as never));
    };
    const outcomeOf = (output: object) => ({ outcome: { type: 'completed', output } });
    expect(read({ x: 1, _branch: 'yes' })).toMatchObject(outcomeOf({ x: 1, _branch: 'yes' }));
    expect(read({ _branch: 'none' })).toMatchObject(outcomeOf({ _branch: 'none' }));
    const until = { timestamp: new Date(3_000).toISOString(), label: 'soon' };
    expect(read({ _wait: { seconds: 2, label: 'soon' } })).toMatchObject(outcomeOf({ _waitUntil: until }));
    expect(read({ _branch: 7, _waitUntil: 'x', _wait: { seconds: 2 } })).toMatchObject(
      outcomeOf({ _branch: [], _waitUntil: [], _wait: { seconds: 2 } }),
    );
  });

  test('the handle of a result that an earlier version recorded is read from the way that was taken', () => {
    const trial = new Trial({
      dialect: 'handle',
      id: 'w',
      nodes: ['a', 'b', 'c'].map((id) => ({ id, type: id })),
      connections: [
        { fromNodeId: 'a', fromOutput: 'yes', toNodeId: 'b' },
        { fromNodeId: 'a', fromOutput: 'yes', toNodeId: 'c' },
      ],
    });
    const state = trial.state;
    trial.complete(2, { _branch: 'yes' });
    const events = trial.events.map((event) =>
      event.type === 'task.completed' ? { ...event, handle: undefined } : event,
    );
    const told = restoreCommand({
      graph: trial.graph,
      state,
      commit: { seq: 2, at: 1_000, events: events as Event[] },
    });
    expect(told).toMatchObject({ outcome: { output: { _branch: 'yes' } } });
  });
});

describe('[RD2] what an action asked of its retries is read from what came of it', () => {
  const retry = { maxAttempts: 2, backoff: 'none', initialDelayMs: 100 } as const;
  const failing = (own: boolean) => new Trial(flow([task('a', own ? { retry } : {})]));
  const outcome = (told: Command) => (told.type === 'task.result' ? told.outcome : null);

  test('the policy of the node, and nothing asked for', () => {
    const trial = failing(true);
    const asked = { retryable: true, retryAfterMs: null, retry: null };
    expect(outcome(readOf(trial, () => trial.fail(1)))).toMatchObject(asked);
    trial.alarmAt(1_100);
    expect(outcome(readOf(trial, () => trial.fail(1)))).toMatchObject(asked);
  });

  test('a longer delay, and no further attempt', () => {
    const later = failing(true);
    expect(outcome(readOf(later, () => later.fail(1, 'BUSY', { retryAfterMs: 700 })))).toMatchObject({
      retryAfterMs: 700,
    });
    const never = failing(true);
    expect(outcome(readOf(never, () => never.fail(1, 'BUSY', { retryable: false })))).toMatchObject({
      retryable: false,
    });
  });

  test('a policy of its own', () => {
    const trial = failing(false);
    const own = { ...retry, maxDelayMs: 100, jitter: 0, retryableErrors: null };
    const told = outcome(readOf(trial, () => trial.fail(1, 'BUSY', { retry: own })));
    expect(told).toMatchObject({ retry: { maxAttempts: 2, initialDelayMs: 100 } });
  });
});

test('[RD4] credits that are reserved for the whole run are refused to the run', () => {
  const trial = new Trial(lowered([task('a', { cost: 5 })], [], { policy: { charge: 'run' } }), {
    start: { organization: 'org', reserve: 5 },
  });
  const told = readOf(trial, () => trial.credit(5, { granted: false, balance: 4 }));
  expect(told).toEqual({ type: 'credits.answer', at: 1_000, granted: false, amount: 5, balance: 4 });
});
