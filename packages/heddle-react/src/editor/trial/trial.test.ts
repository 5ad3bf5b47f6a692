// Trials: drafts in the real engine without a world: pins, steps, pauses, people, time, and what past runs gave.

import { createEngine, type JsonObject, type NodeTypeInfo } from 'heddle';
import { expect, onTestFinished, test } from 'vitest';
import { pinnedByHand, pinsFromTokens } from './pins.ts';
import { Trial } from './trial.ts';
import { describeGraph } from './trial-graph.ts';
import type { TrialSetup, TrialView } from './trial-view.ts';

const catalogue: readonly NodeTypeInfo[] = [
  {
    type: 'rate',
    version: 1,
    title: 'Rate',
    sideEffects: true,
    source: 'program',
    outputs: [{ name: 'score', schema: { type: 'integer', minimum: 7 } }],
  },
];

const rateAll: JsonObject = {
  id: 'rate-all',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    { id: 'rate', action: 'rate', inputMapping: { name: 'name' }, outputMapping: { 'state.score': 'result.score' } },
    { id: 'done', outputMapping: { 'output.scores': 'state.scores' } },
  ],
  transitions: [
    { from: 'start', to: 'rate', foreach: { collection: 'input.names', itemVar: 'name' }, siblingGroup: 'names' },
    {
      from: 'rate',
      to: 'done',
      synchronization: {
        siblingGroup: 'names',
        merge: { source: '_branch.output.score', target: 'state.scores', strategy: 'append' },
      },
    },
  ],
};

const output = (value: JsonObject) => pinnedByHand({ type: 'output', output: value });
const budgetMs = 600_000;

async function start(definition: JsonObject, more: Partial<TrialSetup> = {}): Promise<Trial> {
  const setup = { definitions: [], catalogue, pins: {}, pauses: [], input: {}, startsAt: 1_000_000, ...more };
  const trial = await Trial.start({ ...setup, definition });
  onTestFinished(() => trial.close());
  return trial;
}

const outputIn = ({ events }: TrialView): unknown =>
  events.find((event) => event.type === 'workflow.completed')?.output;

test('what nobody pinned is made from the schema', async () => {
  const trial = await start(rateAll, { input: { names: ['Ada', 'Bob'] } });
  const { status, callCount } = await trial.view();
  expect({ status, callCount }).toEqual({ status: 'running', callCount: 2 });
  const view = await trial.play(budgetMs);
  expect(view).toMatchObject({ status: 'completed', next: { type: 'none' }, calls: [] });
  expect(outputIn(view)).toEqual({ scores: [7, 7] });
});

test('a pinned output is used, and a pinned failure fails', async () => {
  const input = { names: ['Ada'] };
  const pinned = await start(rateAll, { input, pins: { rate: output({ score: 9 }) } });
  expect(outputIn(await pinned.play(budgetMs))).toEqual({ scores: [9] });
  const error = { code: 'NO_RATING', message: 'Expected a rating, but there is none' };
  const failing = await start(rateAll, { input, pins: { rate: pinnedByHand({ type: 'error', error }) } });
  expect(await failing.play(budgetMs)).toMatchObject({ status: 'failed' });
});

test('a pin that does not fit the schema of its action fails as it would in production', async () => {
  const trial = await start(rateAll, { input: { names: ['Ada'] }, pins: { rate: output({ score: 'high' }) } });
  const view = await trial.play(budgetMs);
  expect(view.events.find((event) => event.type === 'workflow.failed')?.error.code).toBe('ACTION_OUTPUT_INVALID');
});

test('it steps, halts at a pause, takes a changed value, and plays on', async () => {
  const trial = await start(rateAll, { input: { names: ['Ada', 'Bob', 'Cleo'] }, pauses: ['rate'] });
  const first = await trial.step();
  expect(first).toMatchObject({ callCount: 2, next: { type: 'call', nodeId: 'rate' }, isHalted: false });
  expect(first.calls.map(({ input, answer }) => [input, answer])).toEqual([
    [{ name: 'Bob' }, { type: 'output', output: { score: 7 } }],
    [{ name: 'Cleo' }, { type: 'output', output: { score: 7 } }],
  ]);
  expect(await trial.play(budgetMs)).toMatchObject({ callCount: 2, isHalted: true });
  const changed = await trial.change({ pins: { rate: output({ score: 10 }) }, pauses: [] });
  expect(changed.calls[0]?.answer).toEqual({ type: 'output', output: { score: 10 } });
  expect(outputIn(await trial.play(budgetMs))).toEqual({ scores: [7, 10, 10] });
});

test('what a past run gave is given again, branch by branch and visit by visit', async () => {
  const engine = await createEngine({
    store: 'memory',
    actions: { rate: ({ input }) => ({ score: (input['name'] as string).length }) },
  });
  onTestFinished(() => engine.close());
  await engine.register(rateAll);
  const input = { names: ['Ada', 'Zoe-Marie', 'Bo'] };
  const run = await engine.start('rate-all', input);
  await run.result();
  const pins = pinsFromTokens(await run.tokens());
  const trial = await start(rateAll, { input, pins, catalogue: [] });
  expect(outputIn(await trial.play(budgetMs))).toEqual({ scores: [3, 9, 2] });
});

const approval: JsonObject = {
  id: 'approval',
  initialNode: 'ask',
  nodes: [
    {
      id: 'ask',
      input: { title: 'Is it fine?', schema: { type: 'object', required: ['ok'] }, deadlineMs: 3_600_000 },
      outputMapping: { 'state.ok': 'result.ok' },
    },
    { id: 'rest', wait: { seconds: 86_400 } },
    { id: 'paid', wait: { event: 'paid', correlation: '"42"' }, outputMapping: { 'state.sum': 'result.sum' } },
    { id: 'done', outputMapping: { 'output.ok': 'state.ok', 'output.sum': 'state.sum' } },
  ],
  transitions: [
    { from: 'ask', to: 'rest' },
    { from: 'rest', to: 'paid' },
    { from: 'paid', to: 'done' },
  ],
};

test('people and the world are asked; time goes to the next timer', async () => {
  const trial = await start(approval);
  const asked = await trial.play(budgetMs);
  expect(asked).toMatchObject({ next: { type: 'person' }, now: 1_000_000, timerAt: 4_600_000 });
  const [prompt] = asked.prompts;
  expect(prompt?.title).toBe('Is it fine?');
  await expect(trial.reply(prompt!, { sure: true })).rejects.toThrow('ok');
  await trial.reply(prompt!, { ok: true });
  const waiting = await trial.play(budgetMs);
  expect(waiting).toMatchObject({ next: { type: 'person' }, now: 87_400_000 });
  expect(waiting.awaited).toMatchObject([{ nodeId: 'paid', event: 'paid', correlation: '42' }]);
  const done = await trial.publish(waiting.awaited[0]!, { sum: 7 });
  expect(outputIn(done)).toEqual({ ok: true, sum: 7 });
});

test('answers and events can be pinned; a deadline passes when time is skipped', async () => {
  const pinned = await start(approval, { pins: { ask: output({ ok: false }), paid: output({ sum: 1 }) } });
  expect(outputIn(await pinned.play(budgetMs))).toEqual({ ok: false, sum: 1 });
  const late = await start(approval);
  expect(await late.skipTime()).toMatchObject({ status: 'failed', now: 4_600_000 });
});

const caller: JsonObject = {
  id: 'caller',
  initialNode: 'call',
  nodes: [
    { id: 'call', workflow: 'rate-all', inputMapping: { names: '["Ada"]' }, outputMapping: { 'output.all': 'result' } },
  ],
};

test('a sub-workflow runs where its definition is there, and is pinned where it is not, or where somebody says so', async () => {
  const nested = await start(caller, { definitions: [rateAll] });
  const ends = (await nested.play(budgetMs)).events.filter((event) => event.type === 'workflow.completed');
  expect(ends.map((event) => event.output)).toEqual([{ scores: [7] }, { all: { scores: [7] } }]);
  const absent = await start(caller, { pins: { call: output({ scores: [1] }) } });
  expect(outputIn(await absent.play(budgetMs))).toEqual({ all: { scores: [1] } });
  const pinned = await start(caller, { definitions: [rateAll], pins: { call: output({ scores: [2] }) } });
  expect(outputIn(await pinned.play(budgetMs))).toEqual({ all: { scores: [2] } });
});

test('what can be pinned is said for every dialect; what is wrong with a draft is told', async () => {
  expect(describeGraph(approval, catalogue).nodes.map(({ nodeId, kind }) => [nodeId, kind])).toEqual([
    ['ask', 'prompt'],
    ['paid', 'event'],
  ]);
  expect(describeGraph(caller, catalogue).calls).toEqual(['rate-all']);
  const thread = {
    dialect: 'thread',
    id: 'thread',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'work', type: 'action', action: 'rate' },
      { id: 'end', type: 'end' },
    ],
    connectors: [
      { from: 'start', to: 'work' },
      { from: 'work', to: 'end' },
    ],
  };
  expect(describeGraph(thread, catalogue)).toMatchObject({ problems: [], nodes: [{ nodeId: 'work', what: 'rate' }] });
  expect(describeGraph({ id: 'broken' }, catalogue).problems).not.toEqual([]);
  await expect(start({ id: 'broken' })).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
});

test('no request leaves it', async () => {
  const asking: JsonObject = { id: 'asking', initialNode: 'get', nodes: [{ id: 'get', action: 'http.request' }] };
  const trial = await start(asking, { pins: { get: output({ status: 200 }) } });
  expect((await trial.view()).calls).toMatchObject([{ action: 'http.request' }]);
  expect(await trial.play(budgetMs)).toMatchObject({ status: 'completed' });
});
