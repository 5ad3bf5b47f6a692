import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { flow, lowered, Trial, type TrialOptions, task } from './planning.testsuite.ts';

const organization = 'org';

describe('credits for the whole run', () => {
  const whole = (start: TrialOptions['start'] = { organization, reserve: 5 }) =>
    new Trial(
      lowered([task('a', { cost: 2 }), task('b', { cost: 3 })], [{ from: 'a', to: 'b' }], {
        policy: { charge: 'run' },
      }),
      { start },
    );

  test('[CR1] they are asked for before its first node; until the answer nothing runs', () => {
    const trial = whole();
    expect(trial.told).toEqual(['workflow.started', 'run credits.requested 5']);
    expect(trial.effects).toEqual([
      { type: 'charge', charge: { type: 'reserve', runId: 'RUN0000001', organization, amount: 5 } },
    ]);
    trial.alarmAt(9_000);
    expect(trial.send({ type: 'recover' }).events).toEqual([]);
    expect(trial.state.outcome).toBeNull();
    trial.credit(5);
    expect(trial.told).toEqual(['run credits.granted 5', '1 created at a', '1 handed out 1.1']);
  });

  test.each([
    ['without an organization', { reserve: 5 }],
    ['that costs nothing', { organization, reserve: 0 }],
    ['of which nothing is known', { organization }],
  ])('[CR1] a run %s begins at once', (_, start) => {
    const trial = whole(start);
    expect(trial.told.slice(0, 3)).toEqual(['workflow.started', '1 created at a', '1 handed out 1.1']);
  });

  test('[CR1] a second answer changes nothing', () => {
    const trial = whole();
    trial.credit(5);
    trial.credit(5);
    expect([trial.events, trial.reply]).toEqual([[], { applied: false, reason: 'credits were not awaited' }]);
  });

  test('[CR1][LC11] paused: the answer is kept until the run goes on', () => {
    const trial = whole();
    trial.send({ type: 'pause' });
    trial.credit(5);
    expect(trial.told).toEqual(['workflow.held']);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      'run credits.granted 5',
      '1 created at a',
      '1 handed out 1.1',
    ]);
  });

  test('[CR3] refused: the run is exhausted, and says what was asked and what there is', () => {
    const trial = whole();
    trial.credit(5, { granted: false, balance: 4 });
    expect(trial.events).toEqual([
      {
        type: 'workflow.exhausted',
        at: 1_000,
        error: {
          code: 'CREDITS_EXHAUSTED',
          message: 'Expected 5 credits of organization org for workflow trial, but it has 4',
          details: { amount: 5, balance: 4 },
        },
      },
    ]);
    expect(trial.requested).toEqual(['settle 0']);
    expect(trial.state.outcome).toBe('exhausted');
  });

  test('[CR4] at its end a run gives back what it did not spend: a task is spent when it is first handed out', () => {
    const trial = whole();
    trial.credit(5);
    trial.complete(1);
    expect(trial.of('task.dispatched')[0]).toMatchObject({ token: 2, cost: 3 });
    trial.complete(2);
    expect(trial.requested).toEqual(['settle 5']);
    const failed = whole();
    failed.credit(5);
    failed.fail(1);
    expect(failed.requested).toEqual(['settle 2']);
  });

  test('[CR4] a run that is cancelled before the answer settles too, and takes no answer', () => {
    const trial = whole();
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.requested).toEqual(['settle 0']);
    trial.credit(5);
    expect([trial.events, trial.reply]).toEqual([[], { applied: false, reason: 'run has ended: cancelled' }]);
  });

  test('[CR4] without an organization nothing is settled', () => {
    const trial = whole({ reserve: 5 });
    trial.complete(1);
    trial.complete(2);
    expect(trial.requested).toEqual([]);
  });
});

describe('credits node by node', () => {
  const retry = { maxAttempts: 3 };
  const both = (start: TrialOptions['start'] = { organization }) =>
    new Trial(
      flow(
        ['start', task('a', { cost: 2, retry }), task('b', { cost: 3 }), task('free'), task('after', { cost: 4 })],
        [
          { from: 'start', to: 'a' },
          { from: 'start', to: 'b' },
          { from: 'start', to: 'free' },
          { from: 'b', to: 'after' },
        ],
      ),
      { start },
    );

  test('[CR2] each task that costs something waits for its own before it is handed out', () => {
    const trial = both();
    expect(trial.told.slice(3)).toEqual([
      '2 created at a',
      '3 created at b',
      '4 created at free',
      '2 credits.requested 2',
      '3 credits.requested 3',
      '4 handed out 1.1',
    ]);
    expect(trial.effects.slice(0, 2)).toEqual([
      { type: 'charge', charge: { type: 'reserve', runId: 'RUN0000001', organization, token: 2, amount: 2 } },
      { type: 'charge', charge: { type: 'reserve', runId: 'RUN0000001', organization, token: 3, amount: 3 } },
    ]);
    trial.credit(3, { token: 3 });
    expect(trial.told).toEqual(['3 credits.granted 3', '3 handed out 1.1']);
    expect(trial.of('task.dispatched')[0]?.cost).toBe(3);
    trial.complete(3);
    expect(trial.told.slice(2)).toEqual(['5 created at after', '5 credits.requested 4']);
  });

  test('[CR2] once, whatever its attempts and hand-outs', () => {
    const trial = both();
    trial.credit(2, { token: 2 });
    trial.fail(2);
    trial.alarmAt(1_000);
    expect(trial.told).toEqual(['2 timer.fired', '2 handed out 2.2']);
    expect(trial.of('task.dispatched')[0]?.cost).toBeUndefined();
    trial.send({ type: 'recover' });
    expect(trial.requested).toEqual(['dispatch 2', 'dispatch 4']);
    expect(trial.state.credits).toMatchObject({ requested: 5, spent: 2 });
  });

  test('[CR2] the amount that was granted counts, whatever the node costs by then', () => {
    const trial = both();
    trial.credit(7, { token: 2 });
    expect(trial.state.credits).toMatchObject({ spent: 7 });
  });

  test('[CR2] without an organization nothing is asked for', () => {
    expect(both({}).requested).toEqual(['dispatch 2', 'dispatch 3', 'dispatch 4']);
  });

  test('[CR2][RT6] every visit to a node costs again', () => {
    const trial = new Trial(flow([task('a', { cost: 1 })], [{ from: 'a', to: 'a', loop: { maxIterations: 1 } }]), {
      start: { organization },
    });
    trial.credit(1, { token: 1 });
    trial.complete(1);
    expect(trial.told.slice(2)).toEqual(['2 created at a', '2 credits.requested 1']);
  });

  test('[CR2] an answer for a token that waits for none changes nothing', () => {
    const trial = both();
    const notAwaited = { applied: false, reason: 'credits were not awaited' };
    trial.credit(2, { token: 2 });
    for (const token of [2, 4, 9]) {
      trial.credit(2, { token });
      expect([trial.events, trial.reply]).toEqual([[], notAwaited]);
    }
    trial.credit(2);
    expect([trial.events, trial.reply]).toEqual([[], notAwaited]);
  });

  test('[CR3] refused in the middle: the run is exhausted, and what is under way is called off', () => {
    const trial = both();
    trial.credit(2, { token: 2 });
    trial.credit(3, { token: 3, granted: false, balance: 1 });
    expect(trial.told).toEqual(['2,3,4 cancelled', 'workflow.exhausted']);
    expect(trial.requested).toEqual(['settle 2', 'abort 2', 'abort 4']);
    expect(trial.error).toEqual({
      code: 'CREDITS_EXHAUSTED',
      message: 'Expected 3 credits of organization org for node b, but it has 1',
      nodeId: 'b',
      details: { amount: 3, balance: 1 },
    });
  });

  test('[CR3] no transition handles that, and no branch tolerates it', () => {
    const trial = new Trial(
      flow(
        ['start', task('a', { cost: 1 }), 'mend'],
        [
          { from: 'start', to: 'a', spawnCount: 2, onBranchFailure: 'end' },
          { from: 'a', to: 'mend', on: 'failure' },
        ],
      ),
      { start: { organization } },
    );
    trial.credit(1, { token: 2, granted: false });
    expect(trial.state.outcome).toBe('exhausted');
  });

  test('[CR3] a sub-run that is exhausted is a failure of its node, with that code', () => {
    const trial = new Trial(flow([{ id: 'sub', workflow: 'other' }]));
    trial.childEnded(1, { status: 'exhausted', error: { code: 'CREDITS_EXHAUSTED', message: 'none left' } });
    expect([trial.state.outcome, trial.error?.code]).toEqual(['failed', 'CREDITS_EXHAUSTED']);
  });

  test('[CR4] what was granted and never handed out is given back', () => {
    const trial = both();
    trial.send({ type: 'pause' });
    trial.credit(2, { token: 2 });
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.requested[0]).toBe('settle 0');
  });

  /** A race between a task that costs nothing and one that waits for its credits. */
  const racing = (ways: readonly TransitionDefinition[] = []) => {
    const meet = { siblingGroup: 'g', strategy: 'any' } as const;
    return new Trial(
      flow(
        ['split', task('fast'), task('dear', { cost: 5 }), task('end')],
        [
          { from: 'split', to: 'fast', siblingGroup: 'g' },
          { from: 'split', to: 'dear', siblingGroup: 'g' },
          { from: 'fast', to: 'end', synchronization: meet },
          { from: 'dear', to: 'end', synchronization: meet },
          ...ways,
        ],
      ),
      { start: { organization } },
    );
  };

  test('[CR4] also what was asked for by a token that a join called off before the answer', () => {
    const trial = racing();
    trial.complete(2);
    expect(trial.told).toContain('3 cancelled');
    trial.credit(5, { token: 3 });
    expect([trial.events, trial.reply.applied]).toEqual([[], false]);
    trial.complete(trial.ids('end')[0] ?? 0);
    expect(trial.requested).toEqual(['settle 0']);
  });

  test('[CR4] a run that never asked for credits settles nothing', () => {
    const trial = new Trial(flow([task('a')]), { start: { organization } });
    trial.complete(1);
    expect(trial.requested).toEqual([]);
  });
});
