// Sessions: what the page holds of a trial, over messages as between page and worker.

import type { JsonObject } from 'heddle';
import { expect, test } from 'vitest';
import { answerCalls, callsTo } from '../../worker/worker-calls.ts';
import { pinnedByHand } from './pins.ts';
import { TrialSession } from './session.ts';
import { type TrialCalls, trialCalls } from './trial-calls.ts';
import type { TrialSetup } from './trial-view.ts';

const twice: JsonObject = {
  id: 'twice',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'count', outputMapping: { 'state.first': 'result.n' } },
    { id: 'second', action: 'count', outputMapping: { 'output.sum': 'state.first + result.n' } },
  ],
  transitions: [{ from: 'first', to: 'second' }],
};

const counted = (n: number) => pinnedByHand({ type: 'output', output: { n } });
const pins = { first: counted(1), second: counted(2) };
const setup: TrialSetup = {
  definition: twice,
  definitions: [],
  catalogue: [],
  pins,
  pauses: [],
  input: {},
  startsAt: 0,
};

/** The same messages, copied as they are on their way to a worker. */
function open(): TrialSession {
  const { port1, port2 } = new MessageChannel();
  answerCalls(port2, trialCalls());
  port1.start();
  port2.start();
  return new TrialSession(callsTo<TrialCalls>(port1));
}

test('a trial is started, stepped, changed and played; its journal is a source for views', async () => {
  const session = open();
  const phases: string[] = [];
  session.subscribe(() => phases.push(session.read().phase));
  await session.start(setup);
  expect(session.read().source?.read().figures).toMatchObject({ status: 'running' });
  await session.step();
  expect(session.read().view?.next).toEqual({ type: 'call', nodeId: 'second' });
  await session.change({ pins: { ...pins, second: counted(40) }, pauses: [] });
  await session.play();
  const { phase, view, source } = session.read();
  expect({ phase, status: view?.status }).toEqual({ phase: 'resting', status: 'completed' });
  expect(source?.read().figures).toMatchObject({ status: 'completed', output: { sum: 41 } });
  source?.moveTo(1);
  expect(source?.read()).toMatchObject({ moment: 1, isLive: false, figures: { output: {} } });
  expect(phases).toContain('playing');
});

test('what is wrong is told and does not end the session', async () => {
  const session = open();
  await session.start({ ...setup, definition: { id: 'broken' } });
  expect(session.read()).toMatchObject({ phase: 'none', view: null, error: { code: 'DEFINITION_INVALID' } });
  await session.start(setup);
  expect(session.read()).toMatchObject({ phase: 'resting', error: null });
});
