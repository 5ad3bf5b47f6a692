import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { encodeState } from '../apply/snapshot.ts';
import { flow, lowered, Trial, task } from '../planning/planning.testsuite.ts';
import { foldOf } from './run-fold.testsuite.ts';

const nodesIn = (trial: Trial, at = 0) => foldOf(trial, { timeOf: () => at }).nodeViews();

/** Each node as `id status visits/attempts`. */
const tell = (trial: Trial) =>
  nodesIn(trial).map(({ nodeId, status, visits, attempts }) => `${nodeId} ${status} ${visits}/${attempts}`);

describe('what became of a node', () => {
  const retrying = { retry: { maxAttempts: 2, initialDelayMs: 10 } };

  test('[VW9] idle, running, waiting to be tried again, completed; the error of a try is told until the next', () => {
    const trial = new Trial(flow([task('a', retrying), 'b'], [{ from: 'a', to: 'b' }]));
    const idle = { nodeId: 'b', status: 'idle', visits: 0, attempts: 0, startedAt: null, endedAt: null };
    const a = { nodeId: 'a', visits: 1, attempts: 1, startedAt: 0, endedAt: null };
    expect(nodesIn(trial)).toEqual([{ ...a, status: 'running' }, idle]);
    trial.fail(1);
    expect(nodesIn(trial)).toEqual([
      { ...a, status: 'waiting', error: expect.objectContaining({ code: 'BROKEN' }) },
      idle,
    ]);
    trial.alarmAt(1_010);
    expect(nodesIn(trial)).toEqual([{ ...a, status: 'running', attempts: 2 }, idle]);
    trial.complete(1, { n: 1 });
    expect(nodesIn(trial, 5)).toEqual([
      { nodeId: 'a', status: 'completed', visits: 1, attempts: 2, startedAt: 5, endedAt: 5, output: { n: 1 } },
      { nodeId: 'b', status: 'completed', visits: 1, attempts: 1, startedAt: 5, endedAt: 5 },
    ]);
  });

  test.each([
    ['a timer', { wait: { seconds: 1 } }],
    ['an event', { wait: { event: 'paid' } }],
    ['a person', { input: { title: 'Well?' } }],
    ['a sub-workflow', { workflow: 'w' }],
  ])('[VW9] it waits for %s', (_, work) => {
    const trial = new Trial(flow([{ id: 'a', ...work }]));
    expect(tell(trial)).toEqual(['a waiting 1/1']);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(tell(trial)).toEqual(['a cancelled 1/1']);
  });

  test('[VW9] one visit under way counts before others that wait or are over, then the newest', () => {
    const trial = new Trial(
      flow([task('s'), task('w', retrying)], [{ from: 's', to: 'w', spawnCount: 3, siblingGroup: 'g' }]),
    );
    trial.complete(1);
    trial.complete(4, { n: 4 });
    trial.fail(2);
    expect(tell(trial)).toEqual(['s completed 1/1', 'w running 3/3']);
    trial.complete(3);
    expect(tell(trial)).toEqual(['s completed 1/1', 'w waiting 3/3']);
    trial.alarmAt(1_010);
    trial.complete(2);
    expect(tell(trial)).toEqual(['s completed 1/1', 'w completed 3/4']);
    expect(nodesIn(trial)[1]?.output).toEqual({ n: 4 });
  });

  test('[VW9] where nodes run one at a time, the next one waits for its turn', () => {
    const edges = [
      { from: 's', to: 'a' },
      { from: 's', to: 'b' },
    ];
    const trial = new Trial(lowered(['s', task('a'), task('b')], edges, { policy: { oneAtATime: true } }));
    expect(tell(trial)).toEqual(['s completed 1/1', 'a running 1/1', 'b waiting 1/1']);
    trial.complete(2);
    expect(tell(trial)).toEqual(['s completed 1/1', 'a completed 1/1', 'b running 1/1']);
  });

  test('[VW9] the times are those of the first that came and of the last that left', () => {
    const trial = new Trial(flow([task('s'), task('w')], [{ from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' }]));
    trial.complete(1);
    trial.complete(3);
    trial.complete(2);
    const indexOf = (type: string, token?: number) =>
      trial.journal.findIndex((e) => e.type === type && (token === undefined || ('token' in e && e.token === token)));
    const w = (until?: number) => foldOf(trial, { until }).node('w');
    expect(w()).toMatchObject({
      startedAt: indexOf('token.created', 2),
      endedAt: indexOf('token.completed', 2),
    });
    expect(w(indexOf('token.completed', 2))).toMatchObject({ endedAt: null });
  });

  test('[VW9] a node that fails is failed, with its error; what was called off is cancelled', () => {
    const trial = new Trial(
      flow(
        ['s', task('a'), task('b')],
        [
          { from: 's', to: 'a' },
          { from: 's', to: 'b' },
        ],
      ),
    );
    trial.fail(2);
    expect(tell(trial)).toEqual(['s completed 1/1', 'a failed 1/1', 'b cancelled 1/1']);
    expect(nodesIn(trial)[1]?.error).toMatchObject({ code: 'BROKEN', nodeId: 'a' });
  });

  test('[VW9] a node after whose visit the run failed is failed too', () => {
    const trial = new Trial(flow([task('a'), 'b'], [{ from: 'a', to: 'b', condition: 'result.go' }]));
    trial.complete(1, { go: false });
    expect(trial.state.outcome).toBe('failed');
    expect(nodesIn(trial)).toMatchObject([
      { nodeId: 'a', status: 'failed', output: { go: false }, error: trial.state.error },
      { nodeId: 'b', status: 'idle' },
    ]);
  });

  test('[VW9] and so is a join for which not all came in time, though nothing was in it', () => {
    const trial = new Trial(
      flow(
        [task('s'), task('w'), task('j')],
        [
          { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' },
          { from: 'w', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all', timeoutMs: 10 } },
        ],
      ),
    );
    trial.complete(1);
    trial.complete(2);
    expect(tell(trial)).toEqual(['s completed 1/1', 'w running 2/2', 'j idle 0/0']);
    trial.alarmAt(1_010);
    expect(tell(trial)).toEqual(['s completed 1/1', 'w cancelled 2/2', 'j failed 0/0']);
    expect(nodesIn(trial)[2]?.error).toMatchObject({ code: 'FAN_IN_TIMED_OUT' });
  });
});

describe('[VW10] arrivals are no visits', () => {
  test('at a join over edges, whichever come', () => {
    const edges = { synchronization: { over: 'edges', require: 'all' } } as const;
    const trial = new Trial(
      flow(
        ['a', task('b'), task('c'), task('d')],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
          { from: 'b', to: 'd', ...edges },
          { from: 'c', to: 'd', ...edges },
        ],
      ),
    );
    trial.complete(2);
    expect(tell(trial)[3]).toBe('d idle 0/0');
    trial.complete(3);
    expect(tell(trial)[3]).toBe('d running 1/1');
    for (const id of trial.ids('d')) trial.complete(id);
    expect(tell(trial)[3]).toBe('d completed 1/1');
  });

  const quorum = { siblingGroup: 'g', strategy: 'any', onEarlyComplete: 'abandon' } as const;

  test('at a join over siblings, those that come too late included', () => {
    const trial = new Trial(
      flow(
        [task('s'), task('w'), 'j'],
        [
          { from: 's', to: 'w', spawnCount: 3, siblingGroup: 'g' },
          { from: 'w', to: 'j', synchronization: quorum },
        ],
      ),
    );
    trial.complete(1);
    for (const id of [2, 3, 4]) trial.complete(id);
    expect(trial.state.outcome).toBe('completed');
    expect(tell(trial)).toEqual(['s completed 1/1', 'w completed 3/3', 'j completed 1/1']);
  });

  test('but a token outside the group passes through, and that is one', () => {
    const trial = new Trial(
      flow(
        ['s', task('w'), 'j'],
        [
          { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g', condition: 'input.fan', priority: 1 },
          { from: 's', to: 'j', synchronization: { ...quorum }, priority: 2 },
          { from: 'w', to: 'j', synchronization: { ...quorum } },
        ],
      ),
      { input: { fan: false } },
    );
    expect(tell(trial)).toEqual(['s completed 1/1', 'w idle 0/0', 'j completed 1/1']);
  });

  test('nor in a run that goes on from another', () => {
    const definition = flow(
      [task('s'), task('w'), task('j')],
      [
        { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' },
        { from: 'w', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
      ],
    );
    const first = new Trial(definition);
    first.complete(1);
    first.complete(2);
    const trial = new Trial(definition, { restore: encodeState(first.state) as unknown as Json });
    trial.complete(3);
    expect(tell(trial)).toEqual(['s idle 0/0', 'w completed 1/1', 'j running 1/1']);
  });
});
