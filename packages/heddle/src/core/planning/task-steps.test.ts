import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const retry = { maxAttempts: 3, initialDelayMs: 5 };
const single = () => new Trial(flow([task('a', { retry })]));

const finish = (trial: Trial, step: string, result?: Json, dispatch = 1) =>
  trial.send({ type: 'task.step', token: 1, dispatch, step, ...(result === undefined ? {} : { result }) });

describe('finished steps', () => {
  test('[EX27] are recorded, and handed out with every later attempt', () => {
    const trial = single();
    expect(trial.effects).toEqual([{ type: 'dispatch', token: 1, node: 'a', attempt: 1, dispatch: 1, input: {} }]);
    finish(trial, 'pay', { receipt: 7 });
    expect(trial.events).toEqual([
      { type: 'step.completed', token: 1, attempt: 1, step: 'pay', result: { receipt: 7 } },
    ]);
    finish(trial, 'log');
    trial.fail(1);
    trial.alarmAt(1_005);
    const steps = [{ step: 'pay', result: { receipt: 7 } }, { step: 'log' }];
    expect(trial.effects).toEqual([
      { type: 'dispatch', token: 1, node: 'a', attempt: 2, dispatch: 2, input: {}, steps },
    ]);
    finish(trial, 'mail', null, 2);
    trial.send({ type: 'recover' });
    expect(trial.effects).toMatchObject([{ dispatch: 3, steps: [...steps, { step: 'mail', result: null }] }]);
  });

  test('[EX27] are offered again with a task that nobody ever had', () => {
    const trial = single();
    finish(trial, 'pay', 1);
    trial.send({ type: 'recover', unclaimed: [{ token: 1, dispatch: 1 }] });
    expect(trial.effects).toMatchObject([{ dispatch: 1, steps: [{ step: 'pay', result: 1 }] }]);
  });

  test('[EX27] are dropped when the task is complete, and their bytes with them', () => {
    const trial = new Trial(flow([task('a'), task('b')], [{ from: 'a', to: 'b' }]));
    finish(trial, 'pay', 'x'.repeat(100));
    expect(trial.state.inputBytes).toBeGreaterThan(100);
    trial.complete(1);
    expect(trial.state.inputBytes).toBe(2);
    expect(trial.effects).toEqual([{ type: 'dispatch', token: 2, node: 'b', attempt: 1, dispatch: 1, input: {} }]);
  });

  test('[EX27] are dropped when the task is complete, also where its token still waits', () => {
    const trial = new Trial({ dialect: 'handle', id: 'w', nodes: [{ id: 'a', type: 'a' }], connections: [] });
    const [token = 0] = trial.ids('a');
    trial.send({ type: 'task.step', token, dispatch: 1, step: 'pay', result: 'x'.repeat(100) });
    expect(trial.state.inputBytes).toBeGreaterThan(100);
    trial.complete(token, { _wait: { seconds: 5 } });
    const { status, steps } = trial.state.tokens.get(token) ?? {};
    expect([status, steps]).toEqual(['waiting_for_timer', null]);
    expect(trial.state.inputBytes).toBeLessThan(100);
  });

  test('[EX27] go with a token that is called off', () => {
    const trial = single();
    finish(trial, 'pay', 1);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect([trial.state.tokens.size, trial.state.inputBytes]).toEqual([0, 0]);
  });
});

describe('whose steps count', () => {
  const unchanged = (trial: Trial, reason: string) =>
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason }, []]);

  test('[EX28] a hand-out that is not the newest records nothing', () => {
    const trial = single();
    trial.send({ type: 'recover' });
    finish(trial, 'pay', 1);
    unchanged(trial, 'superseded hand-out');
    trial.fail(1);
    finish(trial, 'pay', 1, 2);
    unchanged(trial, 'superseded hand-out');
  });

  test('[EX28] nor does one of a token that is unknown or has ended, or of a run that has', () => {
    const trial = new Trial(flow([task('a'), task('b')], [{ from: 'a', to: 'b' }]));
    trial.send({ type: 'task.step', token: 9, dispatch: 1, step: 'pay' });
    unchanged(trial, 'unknown token');
    trial.complete(1);
    finish(trial, 'pay');
    unchanged(trial, 'token has ended');
    trial.complete(2);
    finish(trial, 'pay');
    unchanged(trial, 'run has ended: completed');
  });

  test('[EX28] while the run is paused a step is recorded, unless its task has answered', () => {
    const trial = single();
    trial.send({ type: 'pause' });
    finish(trial, 'pay', 1);
    expect(trial.told).toEqual(['1 step pay completed']);
    trial.complete(1);
    finish(trial, 'mail');
    unchanged(trial, 'answered while paused');
  });

  test('[EX28] the first record stays: a second of the same name changes nothing, and is no error', () => {
    const trial = single();
    finish(trial, 'pay', 1);
    finish(trial, 'pay', 2);
    expect([trial.reply, trial.events]).toEqual([{ applied: true }, []]);
  });
});

describe('bounds', () => {
  const bounded = (limits: object) => new Trial(flow([task('a')]), { limits });

  test('[EX29] one step more than a task may have is refused, with the limit and the way out', () => {
    const trial = bounded({ stepsPerTaskMax: 1 });
    finish(trial, 'one');
    finish(trial, 'two');
    const message =
      'Expected at most 1 steps of a task by the limit stepsPerTaskMax, but step "two" of node a is one more; the engine was made with it, raise it with createEngine({ limits: { stepsPerTaskMax: … } })';
    expect(trial.reply).toEqual({
      applied: false,
      reason: message,
      refusal: { code: 'LIMIT_EXCEEDED', message, limit: 'stepsPerTaskMax' },
    });
    expect(trial.events).toEqual([]);
  });

  test('[EX29] so are more bytes than they may have together', () => {
    const trial = bounded({ stepBytesPerTaskMax: 10 });
    finish(trial, 'one', '12345');
    finish(trial, 'two', '12');
    expect(trial.reply.refusal).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'stepBytesPerTaskMax' });
    finish(trial, 'three', '1');
    expect(trial.told).toEqual(['1 step three completed']);
  });

  test('[EX29] what a step returned counts as a value of its command', () => {
    const trial = bounded({ commandBytesMax: 50 });
    finish(trial, 'one', 'x'.repeat(60));
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'commandBytesMax' });
  });
});
