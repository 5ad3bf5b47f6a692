import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { TransitionDefinition } from '../../definition/definition.ts';
import type { HandleConnection } from '../../dialects/handle/handle.ts';
import { lowered, Trial, type TrialOptions, task } from './planning.testsuite.ts';

type Way = readonly [from: string, to: string, output?: string];

/** A handle definition; every node is an executor of its own name. */
function handles(ids: string, ways: readonly Way[], options: TrialOptions = {}): Trial {
  const nodes = ids.split(' ').map((id) => ({ id, type: id }));
  const connections = ways.map(
    ([fromNodeId, toNodeId, fromOutput = 'main']): Partial<HandleConnection> => ({ fromNodeId, toNodeId, fromOutput }),
  );
  return new Trial({ dialect: 'handle', id: 'w', nodes, connections }, options);
}

const at = (trial: Trial, node: string): number => trial.ids(node)[0] ?? 0;

describe('control keys', () => {
  test('[HN1] they steer, and are taken out: no node and no output sees them', () => {
    const trial = handles('a b', [['a', 'b', 'yes']]);
    trial.complete(at(trial, 'a'), { x: 1, _branch: 'yes', _wait: null, _waitUntil: 3, _other: true });
    expect(trial.of('task.completed').map(({ output }) => output)).toEqual([{ x: 1, _other: true }]);
    expect(trial.of('task.dispatched').map(({ input }) => input)).toEqual([
      { data: {}, nodeId: 'b', context: { x: 1, _other: true } },
    ]);
    trial.complete(at(trial, 'b'), { done: 1, _branch: 'main' });
    expect(trial.state.output).toEqual({ done: 1 });
  });

  test.each([null, [1], 'text', 3])('[HN1] what is no context fails the node: %j', (output) => {
    const trial = handles('a b', [['a', 'b']]);
    trial.complete(at(trial, 'a'), output);
    expect(trial.error).toMatchObject({ code: 'CONTEXT_INVALID', nodeId: 'a' });
  });

  test.each([{}, { _branch: 'main' }, { _branch: null }, { _branch: 3 }])('[HN2] the handle is main: %j', (output) => {
    const trial = handles('a b c', [
      ['a', 'b'],
      ['a', 'c', '3'],
    ]);
    trial.complete(at(trial, 'a'), output);
    expect(trial.of('task.dispatched').map(({ token }) => token)).toEqual([at(trial, 'b')]);
  });

  test.each([
    ['no transition of that name', 'other', [['handle.unmatched', 'other']]],
    ['the empty name', '', [['handle.unmatched', '']]],
    ['main, which nobody named', 'main', []],
  ])('[HN5][RT8] a handle that no connection leaves ends the path: %s', (_, branch, told) => {
    const trial = handles('a b', [['a', 'b', 'yes']]);
    const token = at(trial, 'a');
    trial.complete(token, { _branch: branch, x: 1 });
    expect(trial.of('handle.unmatched')).toEqual(told.map(([type, handle]) => ({ type, token, node: 'a', handle })));
    expect(trial.state.outcome).toBe('completed');
    expect(trial.state.output).toEqual({ x: 1 });
  });

  test('[HN5] the last node of a path may name a handle, and is told of it', () => {
    const trial = handles('a', []);
    trial.complete(at(trial, 'a'), { _branch: 'yes' });
    expect(trial.told.slice(-3)).toEqual([`2 completed`, '2 handle.unmatched', 'workflow.completed']);
  });
});

describe('waits of nodes', () => {
  const waited = (output: Json): number | null => {
    const trial = handles('a b', [['a', 'b']]);
    const token = at(trial, 'a');
    trial.complete(token, output);
    return trial.of('token.waiting')[0] === undefined ? null : (trial.state.tokens.get(token)?.dueAt ?? null);
  };
  const iso = (ms: number): string => new Date(ms).toISOString();

  test.each([
    [{ seconds: 2 }, 3_000],
    [{ seconds: 2.9 }, 3_000],
    [{ seconds: 0.9 }, null],
    [{ seconds: 0 }, null],
    [{ seconds: -1 }, null],
    [{ seconds: '2' }, null],
    [{ minutes: 1 }, null],
    [5, null],
    [null, null],
  ])('[HN3][X26] _wait: %j', (wait, until) => {
    expect(waited({ _wait: wait })).toBe(until);
  });

  test.each([
    [{ timestamp: iso(5_000) }, 5_000],
    [{ timestamp: iso(1_000) }, null],
    [{ timestamp: iso(0) }, null],
    [{ timestamp: 'soon' }, null],
    [{ timestamp: 5_000 }, null],
    [iso(5_000), null],
  ])('[HN4][X26] _waitUntil: %j', (wait, until) => {
    expect(waited({ _waitUntil: wait })).toBe(until);
  });

  test.each([
    [3, 5_000, 5_000],
    [8, 5_000, 9_000],
  ])('[HN3] both: the later time counts (%i s, %i ms)', (seconds, time, until) => {
    expect(waited({ _wait: { seconds }, _waitUntil: { timestamp: iso(time) } })).toBe(until);
  });

  test.each([{ _wait: { seconds: 1e306 } }, { _waitUntil: { timestamp: '+200000-01-01T00:00:00Z' } }])(
    '[HN3] a wait beyond timeoutMsMax fails the node: %j',
    (output) => {
      const trial = handles('a', []);
      trial.complete(at(trial, 'a'), output);
      expect(trial.error).toMatchObject({ code: 'WAIT_INVALID', nodeId: 'a' });
    },
  );

  test('[HN6] the context, the handle and the next node count when the wait is over', () => {
    const trial = handles('a b c', [
      ['a', 'b', 'yes'],
      ['a', 'c'],
    ]);
    trial.complete(at(trial, 'a'), { x: 1, _branch: 'yes', _wait: { seconds: 1 } });
    expect(trial.told).toEqual(['2 task.completed', '2 waits for timer']);
    expect(trial.of('token.waiting')).toEqual([
      {
        type: 'token.waiting',
        token: 2,
        for: 'timer',
        until: 2_000,
        result: { context: { x: 1 }, branch: 'yes' },
      },
    ]);
    expect(trial.context.state).toEqual({ context: {} });
    trial.alarmAt(1_999);
    expect(trial.reply).toEqual({ applied: false, reason: 'nothing was due' });
    trial.alarmAt(2_000);
    expect(trial.told).toEqual([
      '2 timer.fired',
      '0:0 state.context={"x":1}',
      '2 completed',
      '3 created at b',
      '3 handed out 1.1',
    ]);
  });

  test('[HN6][HN5] an unmatched handle is told of after the wait', () => {
    const trial = handles('a', []);
    trial.complete(at(trial, 'a'), { _branch: 'x', _wait: { seconds: 1 } });
    expect(trial.of('handle.unmatched')).toEqual([]);
    trial.alarmAt(2_000);
    expect(trial.told.slice(-2)).toEqual(['2 handle.unmatched', 'workflow.completed']);
  });

  test('[HN6][LC11] paused: the wait is over when the run goes on', () => {
    const trial = handles('a b', [['a', 'b']]);
    trial.complete(at(trial, 'a'), { _wait: { seconds: 1 } });
    trial.send({ type: 'pause' });
    trial.alarmAt(5_000);
    expect(trial.events).toEqual([]);
    trial.send({ type: 'resume' });
    trial.alarmAt(5_000);
    expect(trial.told.slice(-1)).toEqual(['3 handed out 1.1']);
  });

  test('[HN6] a recovery does not run a node again that only waits', () => {
    const trial = handles('a b', [['a', 'b']]);
    trial.complete(at(trial, 'a'), { _wait: { seconds: 1 } });
    expect(trial.send({ type: 'recover' }).reply).toEqual({ applied: false, reason: 'nothing was under way' });
  });
});

describe('one at a time', () => {
  /** `a`, `b` and `c` are ready together. */
  const three = (options: TrialOptions = {}, more: Partial<Parameters<typeof task>[1]> = {}) => {
    const ways = ['a', 'b', 'c'].map((to): TransitionDefinition => ({ from: 'start', to }));
    const nodes = ['start', task('a', more), task('b', more), task('c', more)];
    return new Trial(lowered(nodes, ways, { policy: { oneAtATime: true } }), options);
  };
  const underWay = (trial: Trial): string[] => trial.tokens.filter((line) => line.endsWith('dispatched'));

  test('[TS7] the next follows when the one before has ended, first in, first out', () => {
    const trial = three();
    const order = [];
    for (let i = 0; i < 3; i++) {
      order.push(underWay(trial));
      trial.complete(2 + i);
    }
    expect(order).toEqual([['2 a dispatched'], ['3 b dispatched'], ['4 c dispatched']]);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[TS7] what follows from one has its turn after those that were ready before', () => {
    const trial = handles('a b c d e', [
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'd'],
      ['c', 'e'],
    ]);
    const order: (string | undefined)[] = [];
    while (trial.state.outcome === null) {
      const token = [...trial.state.tokens.values()].find(({ status }) => status === 'dispatched');
      order.push(token?.node);
      trial.complete(token?.id ?? 0, {});
    }
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('[TS7] a retry holds all behind it, and comes before them', () => {
    const trial = three({}, { retry: { maxAttempts: 2, initialDelayMs: 100 } });
    trial.fail(2);
    expect(trial.told).toEqual(['2 task.attempt_failed']);
    expect(underWay(trial)).toEqual([]);
    trial.alarmAt(1_100);
    expect(trial.told).toEqual(['2 timer.fired', '2 handed out 2.2']);
    trial.complete(2);
    expect(underWay(trial)).toEqual(['3 b dispatched']);
  });

  test('[TS7][TS5] what was lost comes first again', () => {
    const trial = three();
    trial.complete(2);
    trial.send({ type: 'recover' });
    expect(trial.told).toEqual(['3 lost', '3 handed out 1.2']);
  });

  test('[TS7] a wait holds all behind it', () => {
    const trial = handles('a b c d', [
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'd'],
    ]);
    trial.complete(at(trial, 'a'), {});
    trial.complete(at(trial, 'b'), { _wait: { seconds: 1 } });
    expect(trial.tokens).toEqual(['3 b waiting_for_timer', '4 c ready']);
    trial.alarmAt(2_000);
    expect(trial.tokens).toEqual(['4 c dispatched', '5 d ready']);
  });

  test('[TS7][LC6] a run that is paused goes on in the same order', () => {
    const trial = three();
    trial.send({ type: 'pause' });
    trial.complete(2);
    expect(underWay(trial)).toEqual(['2 a dispatched']);
    trial.send({ type: 'resume' });
    expect(underWay(trial)).toEqual(['3 b dispatched']);
  });

  test('[TS7] a node that fails for good is followed by the next, where the failure is handled', () => {
    const nodes = ['start', task('a'), task('b'), task('mend')];
    const ways: TransitionDefinition[] = [
      { from: 'start', to: 'a' },
      { from: 'start', to: 'b' },
      { from: 'a', to: 'mend', on: 'failure' },
    ];
    const trial = new Trial(lowered(nodes, ways, { policy: { oneAtATime: true } }));
    trial.fail(2);
    expect(trial.tokens).toEqual(['3 b dispatched', '4 mend ready']);
  });
});

describe('dialects with a bound on executed nodes', () => {
  const chain = (tasksMax: number) =>
    new Trial(
      lowered([task('a', { retry: { maxAttempts: 2 } })], [{ from: 'a', to: 'a', loop: { maxIterations: 9 } }], {
        policy: { dialect: 'handle', oneAtATime: true, tasksMax },
      }),
    );

  test('[TS8] one more fails the run', () => {
    const trial = chain(2);
    trial.complete(1);
    trial.complete(2);
    expect(trial.told).toEqual(['2 task.completed', '2 completed', '3 created at a', '3 cancelled', 'workflow.failed']);
    expect(trial.error).toEqual({
      code: 'LIMIT_EXCEEDED',
      message: 'Expected at most 2 nodes to run by maxNodes of workflow trial, but node a would be one more',
    });
  });

  test('[TS8] attempts and hand-outs of the same node do not count', () => {
    const trial = chain(1);
    trial.send({ type: 'recover' });
    trial.fail(1);
    trial.alarmAt(1_000);
    expect(trial.told).toEqual(['1 timer.fired', '1 handed out 2.3']);
  });
});

describe('paths that may simply end', () => {
  const ways: TransitionDefinition[] = [{ from: 'a', to: 'b', condition: 'result.ok' }];

  test('[RT8] a success for which no transition matches ends the path', () => {
    const trial = new Trial(lowered([task('a'), 'b'], ways, { policy: { noMatch: 'end' } }));
    trial.complete(1, { ok: false });
    expect(trial.told).toEqual(['1 task.completed', '1 completed', 'workflow.completed']);
  });

  test('[RT8] a failure does not, nor a condition that cannot be evaluated', () => {
    const failing = new Trial(lowered([task('a'), 'b'], ways, { policy: { noMatch: 'end' } }));
    failing.fail(1);
    expect(failing.error).toMatchObject({ code: 'BROKEN' });
    const missing = new Trial(lowered([task('a'), 'b'], ways, { policy: { noMatch: 'end' } }));
    missing.complete(1, {});
    expect(missing.error).toMatchObject({ code: 'CONDITION_FAILED' });
  });
});
