import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

const fan = (count: number) => flow(['s', task('a')], [{ from: 's', to: 'a', spawnCount: count, siblingGroup: 'g' }]);

describe('handing out', () => {
  test('[TS1] first in, first out, as many as the window holds; it is filled when half of it is free', () => {
    const trial = new Trial(fan(9), { limits: { dispatchWindow: 4 } });
    const out = () => trial.of('task.dispatched').map(({ token }) => token);
    expect(out()).toEqual([2, 3, 4, 5]);
    trial.complete(3);
    expect(out()).toEqual([]);
    trial.complete(2);
    expect(out()).toEqual([6, 7]);
    trial.complete(4);
    trial.complete(7);
    expect(out()).toEqual([8, 9]);
  });

  test('[TS1] what is handed out is asked for as an effect', () => {
    const trial = new Trial(flow([task('a', { inputMapping: { x: 'input' } })]), { input: 7 });
    expect(trial.effects).toEqual([
      { type: 'dispatch', token: 1, node: 'a', attempt: 1, dispatch: 1, input: { x: 7 } },
    ]);
  });

  test('[TS6] the input is mapped at the first hand-out; every later one repeats it', () => {
    const trial = new Trial(
      flow(
        [
          's',
          task('a', { inputMapping: { n: 'state.n' }, retry: { maxAttempts: 3, initialDelayMs: 5 } }),
          task('b', { outputMapping: { 'state.n': 'result' } }),
        ],
        [
          { from: 's', to: 'a' },
          { from: 's', to: 'b' },
        ],
      ),
    );
    trial.complete(3, 'too late');
    trial.fail(2);
    trial.alarmAt(1_005);
    expect(trial.of('task.dispatched')).toEqual([{ type: 'task.dispatched', token: 2, attempt: 2, dispatch: 2 }]);
    expect(trial.effects).toEqual([{ type: 'dispatch', token: 2, node: 'a', attempt: 2, dispatch: 2, input: {} }]);
  });

  test('[TS2] a task that was lost too often fails with TASK_LOST and the name of the limit', () => {
    const trial = new Trial(flow([task('a'), 'b'], [{ from: 'a', to: 'b', on: 'failure' }]), {
      limits: { dispatchesMax: 2 },
    });
    trial.send({ type: 'recover' });
    expect(trial.told).toEqual(['1 lost', '1 handed out 1.2']);
    trial.send({ type: 'recover' });
    expect(trial.of('task.failed')).toMatchObject([
      { error: { code: 'TASK_LOST', limit: 'dispatchesMax', nodeId: 'a' } },
    ]);
    expect(trial.told).toEqual(['1 lost', '1 task.failed', '2 created at b', '2 completed', 'workflow.completed']);
  });

  test('[TS2] an attempt that failed was not lost', () => {
    const trial = new Trial(flow([task('a', { retry: { maxAttempts: 5, initialDelayMs: 1 } })]), {
      limits: { dispatchesMax: 2 },
    });
    for (let attempt = 1; attempt < 5; attempt++) {
      trial.fail(1);
      trial.alarmAt(trial.at + 1);
    }
    expect(trial.told).toEqual(['1 timer.fired', '1 handed out 5.5']);
    trial.complete(1);
    expect(trial.state.outcome).toBe('completed');
  });
});

describe('results', () => {
  test('[TS3] from a hand-out that is not the newest, for a token that has ended or is unknown: nothing changes', () => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'recover' });
    trial.answer(2, { type: 'completed', output: {} }, 1);
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'superseded hand-out' }, []]);
    trial.complete(2);
    expect(trial.reply).toEqual({ applied: true });
    trial.answer(2, { type: 'completed', output: {} }, 2);
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'token has ended' }, []]);
    trial.answer(99, { type: 'completed', output: {} }, 1);
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'unknown token' }, []]);
  });

  test('[TS4] a retry waits as a timer and holds no place among the tasks', () => {
    const trial = new Trial(
      flow(
        ['s', task('a', { retry: { maxAttempts: 2, initialDelayMs: 50 } })],
        [{ from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' }],
      ),
      { limits: { dispatchWindow: 1 } },
    );
    trial.fail(2);
    expect(trial.events).toEqual([
      {
        type: 'task.attempt_failed',
        token: 2,
        attempt: 1,
        error: { code: 'BROKEN', message: 'BROKEN it is' },
        retryAt: 1_050,
      },
      { type: 'task.dispatched', token: 3, attempt: 1, dispatch: 1, input: {} },
    ]);
    trial.complete(3);
    trial.alarmAt(1_050);
    expect(trial.told).toEqual(['2 timer.fired', '2 handed out 2.2']);
  });

  test('[TS5] what a lost host had is handed out again: the same attempt, the next dispatch', () => {
    const trial = new Trial(fan(2));
    trial.complete(2);
    trial.send({ type: 'recover' });
    expect(trial.told).toEqual(['3 lost', '3 handed out 1.2']);
    trial.complete(3);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[TS5] with nothing under way there is nothing to recover', () => {
    const trial = new Trial(flow([{ id: 'a', wait: { seconds: 1 } }]));
    trial.send({ type: 'recover' });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'nothing was under way' }, []]);
  });

  test('[TS5] what somebody outside holds is not lost, as long as it is the newest hand-out', () => {
    const trial = new Trial(fan(3));
    trial.send({
      type: 'recover',
      held: [
        { token: 2, dispatch: 1 },
        { token: 3, dispatch: 7 },
      ],
    });
    expect(trial.told).toEqual(['3,4 lost', '3 handed out 1.2', '4 handed out 1.2']);
    trial.answer(2, { type: 'completed', output: {} }, 1);
    expect(trial.reply).toEqual({ applied: true });
    trial.complete(3);
    trial.send({ type: 'recover', held: [{ token: 4, dispatch: 2 }] });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'nothing was under way' }, []]);
  });
});

describe('what nobody ever had', () => {
  test('[TS10] is offered again as it was, and costs nothing', () => {
    const trial = new Trial(fan(3));
    trial.send({ type: 'recover', held: [{ token: 2, dispatch: 1 }], unclaimed: [{ token: 3, dispatch: 1 }] });
    expect(trial.told).toEqual(['4 lost', '4 handed out 1.2']);
    expect(trial.effects).toMatchObject([
      { type: 'dispatch', token: 3, attempt: 1, dispatch: 1 },
      { type: 'dispatch', token: 4, attempt: 1, dispatch: 2 },
    ]);
    trial.send({ type: 'recover', held: [{ token: 2, dispatch: 1 }], unclaimed: [3, 4].map(at) });
    expect([trial.reply.applied, trial.events]).toEqual([false, []]);
    expect(trial.effects).toMatchObject(
      [3, 4].map((token) => ({ type: 'dispatch', token, dispatch: at(token).dispatch })),
    );
  });

  test('[TS10] but not if it was answered while the run was paused, or is another hand-out', () => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'pause' });
    trial.complete(2);
    trial.send({ type: 'recover', unclaimed: [2, 3].map((token) => ({ token, dispatch: token - 1 })) });
    expect([trial.told, trial.effects]).toEqual([['3 lost'], []]);
  });

  const at = (token: number) => ({ token, dispatch: token - 2 });
});

describe('a single lost task', () => {
  test('[TS9] is handed out again: the same attempt, the next dispatch', () => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'task.lost', token: 3, dispatch: 1 });
    expect(trial.told).toEqual(['3 lost', '3 handed out 1.2']);
    expect(trial.reply).toEqual({ applied: true });
    trial.answer(3, { type: 'completed', output: {} }, 1);
    expect(trial.reply).toEqual({ applied: false, reason: 'superseded hand-out' });
  });

  test('[TS9, TS2] too often lost, it fails with TASK_LOST', () => {
    const trial = new Trial(flow([task('a')]), { limits: { dispatchesMax: 2 } });
    trial.send({ type: 'task.lost', token: 1, dispatch: 1 });
    trial.send({ type: 'task.lost', token: 1, dispatch: 2 });
    expect(trial.of('task.failed')).toMatchObject([{ error: { code: 'TASK_LOST', limit: 'dispatchesMax' } }]);
  });

  test.each([
    ['an older hand-out', { token: 2, dispatch: 1 }, 'superseded hand-out'],
    ['a newer one than there is', { token: 2, dispatch: 3 }, 'superseded hand-out'],
    ['a token that has ended', { token: 3, dispatch: 1 }, 'token has ended'],
    ['a token that never was', { token: 99, dispatch: 1 }, 'unknown token'],
  ])('[TS9, TS3] %s changes nothing', (_, lost, reason) => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'task.lost', token: 2, dispatch: 1 });
    trial.complete(3);
    trial.send({ type: 'task.lost', ...lost });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason }, []]);
  });

  test('[TS9, LC6] of a paused run it waits; one that was answered meanwhile is not lost', () => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'pause' });
    trial.complete(2);
    trial.send({ type: 'task.lost', token: 2, dispatch: 1 });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'answered while paused' }, []]);
    trial.send({ type: 'task.lost', token: 3, dispatch: 1 });
    expect(trial.told).toEqual(['3 lost']);
    trial.send({ type: 'resume' });
    expect(trial.of('task.dispatched')).toEqual([{ type: 'task.dispatched', token: 3, attempt: 1, dispatch: 2 }]);
  });
});

describe('actions that nobody has', () => {
  const failure = { code: 'ACTION_NOT_FOUND', message: 'none' };
  const unavailable = { type: 'unavailable', action: 'work', failure } as const;
  const putOff = (trial: Trial, token: number, dispatch = 1) =>
    trial.send({ type: 'task.result', token, dispatch, outcome: unavailable });

  test('[TS11] the task waits, and has lost neither an attempt nor a hand-out', () => {
    const trial = new Trial(flow([task('a', { action: 'work' })]), { limits: { dispatchesMax: 1 } });
    putOff(trial, 1);
    expect([trial.told, trial.effects]).toEqual([['1 waits for action'], []]);
    trial.send({ type: 'actions.available', names: ['other', 'work'] });
    expect(trial.told).toEqual(['1 offered', '1 handed out 1.1']);
    trial.complete(1);
    expect(trial.told.at(-1)).toBe('workflow.completed');
  });

  test('[TS11] it holds no place among the tasks: those behind it are handed out', () => {
    const trial = new Trial(fan(6), { limits: { dispatchWindow: 2 } });
    putOff(trial, 2);
    putOff(trial, 3);
    expect(trial.of('task.dispatched').map(({ token }) => token)).toEqual([5]);
    expect(trial.state.waitingForActions).toBe(2);
  });

  test('[TS11, LC11] of a paused run it is kept until the run goes on', () => {
    const trial = new Trial(fan(2));
    trial.send({ type: 'pause' });
    putOff(trial, 2);
    expect(trial.reply).toEqual({ applied: true, reason: 'held while paused' });
    trial.send({ type: 'resume' });
    expect(trial.told).toContain('2 waits for action');
  });

  test('[TS12] only those that wait for it are handed out', () => {
    const trial = new Trial(
      flow(
        ['s', task('a', { action: 'one' }), task('b', { action: 'two' })],
        [
          { from: 's', to: 'a' },
          { from: 's', to: 'b' },
        ],
      ),
    );
    putOff(trial, 2);
    putOff(trial, 3);
    trial.send({ type: 'actions.available', names: ['two'] });
    expect(trial.told).toEqual(['3 offered', '3 handed out 1.1']);
    trial.send({ type: 'actions.available', names: ['two'] });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'no task waits for that' }, []]);
  });

  test('[TS13] a new host hands out what it has been asked to, and loses what was under way', () => {
    const trial = new Trial(fan(3));
    putOff(trial, 2);
    putOff(trial, 3);
    trial.send({ type: 'recover', offered: [3] });
    expect(trial.told).toEqual(['3 offered', '4 lost', '3 handed out 1.1', '4 handed out 1.2']);
    expect(trial.state.waitingForActions).toBe(1);
  });
});
