import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { emptyState } from '../../core/apply/apply.ts';
import { Trial } from '../../core/planning/planning.testsuite.ts';
import { describeExecution } from './execution.ts';

const drawing = {
  dialect: 'handle',
  id: 'w',
  nodes: ['a', 'b', 'c'].map((id) => ({ id, type: 'STEP' })),
  connections: [
    { fromNodeId: 'a', toNodeId: 'b' },
    { fromNodeId: 'a', toNodeId: 'c' },
  ],
};

const recordOf = ({ state }: Trial) => describeExecution(state);
const cleared = { currentNodeId: null, waitingAtNodeId: null, nextStepAt: null, waitLabel: null };

describe('the execution record', () => {
  test('[HN20][HN21] running, waiting and ended; what is cleared is null', () => {
    const trial = new Trial(drawing, { input: { n: 1 } });
    expect(recordOf(trial)).toEqual({
      ...cleared,
      status: 'RUNNING',
      workflowId: 'w',
      eventId: null,
      triggerType: 'MANUAL_TRIGGER',
      triggerDepth: 0,
      currentNodeId: 'a',
      completeAt: null,
      output: null,
      error: null,
      errorStack: null,
    });
    trial.complete(2, { n: 2 });
    expect(recordOf(trial)).toMatchObject({ ...cleared, status: 'RUNNING', currentNodeId: 'b' });
    const nextStepAt = trial.at + 5_000;
    trial.complete(3, { n: 3, _wait: { seconds: 5 } });
    expect(recordOf(trial)).toMatchObject({
      status: 'WAITING',
      currentNodeId: 'b',
      waitingAtNodeId: 'b',
      nextStepAt,
    });
    trial.alarmAt(nextStepAt);
    expect(recordOf(trial)).toMatchObject({ ...cleared, status: 'RUNNING', currentNodeId: 'c' });
    trial.complete(4, { n: 4 });
    expect(recordOf(trial)).toMatchObject({
      ...cleared,
      status: 'SUCCESS',
      completeAt: nextStepAt,
      output: { n: 4 },
      error: null,
      errorStack: null,
    });
  });

  test('[HN20] paused is none of the words: the record stays as it was', () => {
    const trial = new Trial(drawing);
    trial.send({ type: 'pause' });
    expect(recordOf(trial)).toMatchObject({ status: 'RUNNING', currentNodeId: 'a' });
  });

  test('[HN20] before its start a run has nothing but the word', () => {
    expect(describeExecution(emptyState())).toMatchObject({ ...cleared, status: 'RUNNING', workflowId: '' });
  });

  test('[HN20] however a run ends but by completing, it is FAILED', () => {
    const trial = new Trial(drawing);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(recordOf(trial)).toMatchObject({ ...cleared, status: 'FAILED', completeAt: trial.at, output: null });
  });

  test('[HN23] the stack of what was thrown', () => {
    const trial = new Trial(drawing);
    trial.fail(2, 'X', { failure: { code: 'X', message: 'no', thrown: { stack: 'Error: no\n    at x' } } });
    expect(recordOf(trial)).toMatchObject({ error: 'no', errorStack: 'Error: no\n    at x' });
  });

  test.each<[string, Json | undefined, string]>([
    ['as earlier versions kept it', { stack: 'Error: no\n    at x' }, 'Error: no\n    at x'],
    ['none', undefined, 'X: no\n    at node "a"'],
    ['of another kind', { stack: 5 }, 'X: no\n    at node "a"'],
    ['in a list', ['stack'], 'X: no\n    at node "a"'],
  ])('[HN23] the stack: %s', (_, details, errorStack) => {
    const trial = new Trial(drawing);
    trial.fail(2, 'X', { failure: { code: 'X', message: 'no', ...(details === undefined ? {} : { details }) } });
    expect(recordOf(trial)).toMatchObject({ ...cleared, status: 'FAILED', error: 'no', errorStack });
  });
});

describe('the trigger in the record', () => {
  test.each<[string, JsonObject | undefined, { triggerType: string; triggerDepth: number }]>([
    ['nobody says', undefined, { triggerType: 'MANUAL_TRIGGER', triggerDepth: 0 }],
    ['it is told', { type: 'EVENT_TRIGGER', depth: 2 }, { triggerType: 'EVENT_TRIGGER', triggerDepth: 2 }],
    ['of other kinds', { type: 5, depth: '2' }, { triggerType: 'MANUAL_TRIGGER', triggerDepth: 0 }],
    ['an empty type', { type: '', depth: 1 }, { triggerType: 'MANUAL_TRIGGER', triggerDepth: 1 }],
  ])('[HN22] %s', (_, trigger, expected) => {
    expect(recordOf(new Trial(drawing, { start: trigger ? { trigger } : {} }))).toMatchObject(expected);
  });

  test.each<[string, object, string | null]>([
    ['nobody says', {}, null],
    ['by its tag', { tags: { eventId: 'e1' } }, 'e1'],
    ['by its trigger', { tags: { eventId: 'e1' }, trigger: { eventId: 'e2' } }, 'e2'],
  ])('[T244] the id of its event: %s', (_, start, eventId) => {
    expect(recordOf(new Trial(drawing, { start }))).toMatchObject({ eventId });
  });
});
