import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';
import { nextTimerAt } from './timers.ts';

const wait = (value: { seconds: number | string } | { until: number | string }) => flow([{ id: 'w', wait: value }]);

describe('waits', () => {
  test('[TM1] a wait ends at its time', () => {
    const trial = new Trial(wait({ seconds: 'input.s' }), { input: { s: 1.5 } });
    expect(trial.events.at(-1)).toEqual({ type: 'token.waiting', token: 1, for: 'timer', until: 2_500 });
    trial.alarmAt(2_499);
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'nothing was due' }, []]);
    trial.alarmAt(2_500);
    expect(trial.told).toEqual(['1 timer.fired', '1 completed', 'workflow.completed']);
  });

  test('[TM1] until a time, as a number or a text', () => {
    const number = new Trial(wait({ until: 'input' }), { input: 5_000 });
    expect(number.events.at(-1)).toMatchObject({ until: 5_000 });
    const text = new Trial(wait({ until: 'input' }), { input: '1970-01-01T00:00:07.5Z' });
    expect(text.events.at(-1)).toMatchObject({ until: 7_500 });
  });

  test('[TM1] one that lies in the past ends at once', () => {
    for (const value of [{ until: 999 }, { seconds: 0 }, { until: "'1969-12-31T00:00:00Z'" }]) {
      expect(new Trial(wait(value)).told).toEqual([
        'workflow.started',
        '1 created at w',
        '1 completed',
        'workflow.completed',
      ]);
    }
  });

  test('[TM1] what is no time, or longer than the limit, fails the node', () => {
    for (const input of ['soon', null, {}, 1e300]) {
      expect(new Trial(wait({ until: 'input' }), { input }).error).toMatchObject({ code: 'WAIT_INVALID', nodeId: 'w' });
      expect(new Trial(wait({ seconds: 'input' }), { input }).error).toMatchObject({
        code: 'WAIT_INVALID',
        nodeId: 'w',
      });
    }
  });
});

describe('when timers fire', () => {
  const two = flow(
    ['s', { id: 'p', wait: { seconds: 2 } }, { id: 'q', wait: { seconds: 1 } }, task('a')],
    [
      { from: 's', to: 'p' },
      { from: 's', to: 'q' },
      { from: 's', to: 'a' },
    ],
  );

  test('[TM2] while paused only the deadline of the run counts; the others are due when it goes on', () => {
    const trial = new Trial({ ...two, timeoutMs: 60_000 });
    expect(nextTimerAt(trial.state)).toBe(2_000);
    trial.send({ type: 'pause' });
    expect(nextTimerAt(trial.state)).toBe(61_000);
    trial.alarmAt(9_000);
    expect(trial.reply.applied).toBe(false);
    trial.send({ type: 'resume' });
    expect(nextTimerAt(trial.state)).toBe(2_000);
    trial.alarmAt(9_000);
    expect(trial.told).toEqual(['3 timer.fired', '3 completed', '2 timer.fired', '2 completed']);
  });

  test('[TM2] the timeout of a paused run goes on', () => {
    const trial = new Trial({ ...two, timeoutMs: 60_000 });
    trial.send({ type: 'pause' });
    trial.alarmAt(61_000);
    expect(trial.state.outcome).toBe('timed_out');
  });

  test('[TM3] a timer fires at or after its time, once', () => {
    const trial = new Trial(two);
    expect(nextTimerAt(trial.state)).toBe(2_000);
    trial.alarmAt(2_700);
    expect(trial.told).toEqual(['3 timer.fired', '3 completed']);
    trial.alarmAt(2_700);
    expect(trial.reply).toEqual({ applied: false, reason: 'nothing was due' });
    expect(nextTimerAt(trial.state)).toBe(3_000);
  });

  test('[TM3] of a result and a timer exactly one wins: what came first', () => {
    const trial = new Trial(flow([task('a', { retry: { maxAttempts: 2, initialDelayMs: 10 } })]));
    trial.fail(1);
    trial.complete(1);
    expect(trial.reply).toEqual({ applied: false, reason: 'superseded hand-out' });
  });

  test('[TM4] time never goes back within a run', () => {
    const trial = new Trial(wait({ seconds: 1 }));
    trial.send({ type: 'pause', at: 1_600 });
    trial.send({ type: 'cancel', reason: 'clock set back', at: 500 });
    expect(trial.of('workflow.cancelled')).toEqual([
      { type: 'workflow.cancelled', at: 1_600, reason: 'clock set back' },
    ]);
  });

  test('[TM5] due timers fire one after another, each with all that follows from it, a bounded number per command', () => {
    const trial = new Trial(
      flow(
        ['s', { id: 'w', wait: { seconds: 1 } }, 'end'],
        [
          { from: 's', to: 'w', spawnCount: 5, siblingGroup: 'g' },
          { from: 'w', to: 'end' },
        ],
      ),
      { limits: { timersPerAlarmMax: 2 } },
    );
    trial.alarmAt(9_000);
    expect(trial.told).toEqual([
      '2 timer.fired',
      '2 completed',
      '7 created at end in 1:0',
      '7 completed',
      'branch 1:0 ended completed',
      '3 timer.fired',
      '3 completed',
      '8 created at end in 1:1',
      '8 completed',
      'branch 1:1 ended completed',
    ]);
    trial.alarmAt(9_000);
    trial.alarmAt(9_000);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[TM5] a timer that ends the run is the last to fire', () => {
    const trial = new Trial(
      flow(['s', { id: 'w', wait: { seconds: 1 } }], [{ from: 's', to: 'w', spawnCount: 3, siblingGroup: 'g' }], {
        timeoutMs: 1_000,
      }),
    );
    trial.alarmAt(5_000);
    expect(trial.told).toEqual(['2,3,4 cancelled', 'workflow.timed_out']);
  });
});
