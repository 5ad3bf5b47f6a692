import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { EventWaitDefinition, TransitionDefinition } from '../../definition/definition.ts';
import { eventWaitKey } from '../notes.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const wait = (more: Partial<EventWaitDefinition> = {}) => ({
  id: 'wait',
  wait: { event: 'paid', ...more },
  outputMapping: { 'state.got': 'result' },
});

/** `wait`, then `after`; a failure goes to `late`. */
const waiting = (more: Partial<EventWaitDefinition> = {}, input: Json = {}) =>
  new Trial(
    flow(
      [wait(more), task('after'), task('late')],
      [
        { from: 'wait', to: 'after' },
        { from: 'wait', to: 'late', on: 'failure' },
      ],
    ),
    { input },
  );

const key = (correlation: string, token = 1): string =>
  eventWaitKey('paid', correlation, { runId: 'RUN0000001', token });

describe('a wait for an event', () => {
  test.each([
    ['a text', 'order-7', 'order-7'],
    ['a number', 7, '7'],
    ['a truth value', true, 'true'],
    ['an empty text', '', ''],
    ['a text with line breaks', 'a\nb', 'a\nb'],
  ])('[EW1] its correlation is %s', (_, order, correlation) => {
    const trial = waiting({ correlation: 'input.order' }, { order });
    expect(trial.of('event.awaited')).toEqual([{ type: 'event.awaited', token: 1, event: 'paid', correlation }]);
    expect(trial.effects).toEqual([
      {
        type: 'note',
        kind: 'event-wait',
        key: key(correlation),
        value: { runId: 'RUN0000001', token: 1, from: 1_000 },
      },
      { type: 'listen', token: 1, event: 'paid', correlation, from: 1_000 },
    ]);
  });

  test('[EW1] without an expression it is empty', () => {
    expect(waiting().of('event.awaited')[0]?.correlation).toBe('');
  });

  test.each([
    [null, 'found null'],
    [[1], 'found a list of 1'],
    [{}, 'found an object'],
    [undefined, expect.stringContaining('missing')],
  ])('[EW1] anything else fails the node: %j', (order, cause) => {
    const trial = waiting({ correlation: 'input.order' }, order === undefined ? {} : { order });
    const error = trial.of('task.failed')[0]?.error;
    expect(error).toMatchObject({ code: 'CORRELATION_INVALID', nodeId: 'wait' });
    expect(error?.message).toEqual(
      typeof cause === 'string'
        ? `Expected a text or a number from input.order to wait for event paid at node wait, but ${cause}`
        : cause,
    );
    expect(trial.tokens).toEqual(['2 late dispatched']);
  });

  test('[EW1] keys of different names and correlations never meet', () => {
    const at = { runId: 'R', token: 1 };
    const keys = [
      eventWaitKey('a', 'b', at),
      eventWaitKey('a\nb', '', at),
      eventWaitKey('a', '', at),
      eventWaitKey('a', 'b\nR', { runId: '', token: 1 }),
      eventWaitKey('a\\nb', '', at),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('[EW2] it says that it listens, so that an event which is kept may end it', () => {
    const trial = waiting();
    expect(trial.requested).toEqual(['note event-wait written', 'listen 1 paid']);
    trial.deliver(1, 'kept', { payload: 5 });
    expect(trial.context.state).toEqual({ got: 5 });
  });
});

describe('an event that comes', () => {
  test('[EW3] ends the wait: its payload is the result', () => {
    const trial = waiting({ correlation: 'input.order' }, { order: 7 });
    trial.deliver(1, 'e1', { payload: { amount: 3 }, expiresAt: 9_000 });
    expect(trial.told).toEqual([
      '1 event.received',
      '0:0 state.got={"amount":3}',
      '1 completed',
      '2 created at after',
      '2 handed out 1.1',
      'workflow.resumed',
    ]);
    expect(trial.of('event.received')).toEqual([
      { type: 'event.received', token: 1, eventId: 'e1', payload: { amount: 3 }, expiresAt: 9_000 },
    ]);
    expect(trial.effects[0]).toEqual({ type: 'note', kind: 'event-wait', key: key('7'), value: null });
  });

  test.each([
    ['of another name', { event: 'sent' }],
    ['of another correlation', { correlation: '8' }],
    ['for another token', { token: 5 }],
  ])('[EW3] one %s is not taken', (_, more) => {
    const trial = waiting({ correlation: 'input.order' }, { order: 7 });
    trial.deliver(1, 'e1', more);
    expect([trial.events, trial.effects, trial.reply]).toEqual([
      [],
      [],
      { applied: false, reason: 'token does not wait for that event' },
    ]);
  });

  test('[EW3] the same event twice ends one wait', () => {
    const trial = waiting();
    trial.deliver(1, 'e1');
    trial.deliver(1, 'e1', { event: 'paid' });
    expect([trial.events, trial.reply.applied]).toEqual([[], false]);
  });

  const looping = () =>
    new Trial(
      flow(
        [wait(), 'end'],
        [
          { from: 'wait', to: 'wait', loop: { maxIterations: 2 } },
          { from: 'wait', to: 'end', priority: 2 },
        ],
      ),
    );

  test('[EW3] a loop that waits again does not take it again, but the next one', () => {
    const trial = looping();
    trial.deliver(1, 'e1');
    expect(trial.told.slice(-2)).toEqual(['2 created at wait', '2 event.awaited']);
    trial.deliver(2, 'e1');
    expect([trial.events, trial.reply]).toEqual([[], { applied: false, reason: 'event was received before' }]);
    trial.deliver(2, 'e2');
    expect(trial.reply).toEqual({ applied: true });
    expect([...trial.state.received.keys()]).toEqual(['e1', 'e2']);
  });

  test('[EW3] what has expired is forgotten when the next comes', () => {
    const trial = looping();
    trial.deliver(1, 'e1', { expiresAt: 2_000 });
    trial.deliver(2, 'e2', { expiresAt: 9_000, at: 2_000 });
    expect([...trial.state.received]).toEqual([['e2', { expiresAt: 9_000, lastToken: 2 }]]);
  });

  test('[EW3] two paths that wait for it: it ends both; one that begins later waits for another event', () => {
    const trial = new Trial(flow(['split', wait()], [{ from: 'split', to: 'wait', spawnCount: 2 }]));
    trial.deliver(3, 'e1');
    trial.deliver(2, 'e1');
    expect(trial.reply).toEqual({ applied: true });
    expect(trial.state.outcome).toBe('completed');
  });

  test('[EW3][LC11] while the run is paused it is kept, and has its turn when the run goes on', () => {
    const trial = waiting({ timeoutMs: 500 });
    trial.send({ type: 'pause' });
    trial.deliver(1, 'e1');
    expect([trial.told, trial.requested]).toEqual([['workflow.held'], []]);
    expect(trial.reply).toEqual({ applied: true, reason: 'held while paused' });
    trial.send({ type: 'resume', at: 9_000 });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '1 event.received',
      '0:0 state.got={"eventId":"e1"}',
      '1 completed',
      '2 created at after',
      '2 handed out 1.1',
    ]);
  });

  test('[EW12] while it is paused one event is kept for a wait, however often some are offered', () => {
    const trial = waiting({});
    trial.send({ type: 'pause' });
    trial.deliver(1, 'e1');
    for (const again of ['e1', 'e2']) {
      trial.deliver(1, again);
      expect([trial.told, trial.reply.applied]).toEqual([[], false]);
    }
    trial.send({ type: 'resume' });
    expect(trial.told).toContain('0:0 state.got={"eventId":"e1"}');
  });

  test('[EW3] of two that come while it is paused, the first is taken; the other is not lost for a later wait', () => {
    const trial = looping();
    trial.send({ type: 'pause' });
    trial.deliver(1, 'e1');
    trial.deliver(1, 'e2');
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '1 event.received',
      '0:0 state.got={"eventId":"e1"}',
      '1 completed',
      '2 created at wait',
      '2 event.awaited',
    ]);
    // It is listened for again, and what is kept is offered again.
    expect(trial.requested).toEqual(['note event-wait removed', 'note event-wait written', 'listen 2 paid']);
    trial.deliver(2, 'e1');
    expect(trial.reply.applied).toBe(false);
    trial.deliver(2, 'e2');
    expect(trial.reply.applied).toBe(true);
  });
});

describe('an event that does not come', () => {
  test('[EW4] fails the node when its time is up', () => {
    const trial = waiting({ timeoutMs: 500 });
    expect(trial.of('event.awaited')[0]?.deadline).toBe(1_500);
    trial.alarmAt(1_500);
    expect(trial.told).toEqual(['1 task.failed', '2 created at late', '2 handed out 1.1']);
    expect(trial.of('task.failed')[0]?.error).toEqual({
      code: 'EVENT_TIMED_OUT',
      message: 'Expected event paid for node wait within 500 ms, but it did not come',
      nodeId: 'wait',
      attempts: 1,
    });
    expect(trial.requested).toEqual(['note event-wait removed', 'dispatch 2']);
    trial.deliver(1, 'late', { event: 'paid' });
    expect(trial.reply.applied).toBe(false);
  });

  test('[EW4][TM2] not while the run is paused', () => {
    const trial = waiting({ timeoutMs: 500 });
    trial.send({ type: 'pause' });
    trial.alarmAt(9_000);
    expect(trial.events).toEqual([]);
    trial.send({ type: 'resume' });
    trial.alarmAt(9_000);
    expect(trial.told[0]).toBe('1 task.failed');
  });

  test('[EW3][TK3] a wait that is called off is forgotten: by a join, and by the end of the run', () => {
    const meet = { siblingGroup: 'g', strategy: 'any' } as const;
    const ways: TransitionDefinition[] = [
      { from: 'split', to: 'fast', siblingGroup: 'g' },
      { from: 'split', to: 'wait', siblingGroup: 'g' },
      { from: 'fast', to: 'meet', synchronization: meet },
      { from: 'wait', to: 'meet', synchronization: meet },
    ];
    const joined = new Trial(flow(['split', task('fast'), wait(), task('meet')], ways));
    joined.complete(2);
    expect(joined.effects[0]).toEqual({ type: 'note', kind: 'event-wait', key: key('', 3), value: null });
    const cancelled = waiting();
    cancelled.send({ type: 'cancel', reason: 'enough' });
    expect(cancelled.effects).toEqual([{ type: 'note', kind: 'event-wait', key: key(''), value: null }]);
  });
});
