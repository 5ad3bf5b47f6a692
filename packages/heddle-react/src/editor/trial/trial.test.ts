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
  expect(describeGraph(thread, catalogue).drawing?.nodes).toEqual(['start', 'work', 'end']);
  const broken = describeGraph({ id: 'broken' }, catalogue);
  expect(broken.problems).not.toEqual([]);
  expect(broken.drawing).toBeNull();
  await expect(start({ id: 'broken' })).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
});

test('no request leaves it, and one that could not be sent fails as it would in production', async () => {
  const node = { id: 'get', action: 'http.request', inputMapping: { url: '"https://example.com"' } };
  const asking: JsonObject = { id: 'asking', initialNode: 'get', nodes: [node] };
  const trial = await start(asking, { pins: { get: output({ status: 200 }) } });
  expect((await trial.view()).calls).toMatchObject([{ action: 'http.request', answer: { output: { status: 200 } } }]);
  expect(await trial.play(budgetMs)).toMatchObject({ status: 'completed' });
  const unpinned = await start(asking);
  expect((await unpinned.view()).calls).toMatchObject([{ action: 'http.request', answer: { type: 'output' } }]);
  expect(await unpinned.play(budgetMs)).toMatchObject({ status: 'completed' });
  const nowhere = await start({ ...asking, nodes: [{ id: 'get', action: 'http.request' }] });
  const failed = (await nowhere.view()).events.find((event) => event.type === 'workflow.failed');
  expect(failed?.error.code).toBe('ACTION_INPUT_INVALID');
});

const builtIn: JsonObject = {
  id: 'built-in',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    {
      id: 'echo',
      action: 'core.echo',
      inputMapping: { word: 'word' },
      retry: { maxAttempts: 2, initialDelayMs: 1_000 },
      outputMapping: { 'state.word': 'result.word' },
    },
    { id: 'rest', action: 'core.sleep', inputMapping: { ms: '60000' } },
    { id: 'done', outputMapping: { 'output.words': 'state.words' } },
  ],
  transitions: [
    { from: 'start', to: 'echo', foreach: { collection: 'input.words', itemVar: 'word' }, siblingGroup: 'words' },
    {
      from: 'echo',
      to: 'rest',
      synchronization: {
        siblingGroup: 'words',
        merge: { source: '_branch.output.word', target: 'state.words', strategy: 'append' },
      },
    },
    { from: 'rest', to: 'done' },
  ],
};

test('built-in actions do their own work unless they are pinned; they are stepped and paused at like all others', async () => {
  const input = { words: ['one', 'two'] };
  expect(describeGraph(builtIn, catalogue).nodes).toEqual([
    { nodeId: 'echo', kind: 'action', what: 'core.echo', runsItself: true },
    { nodeId: 'rest', kind: 'action', what: 'core.sleep', runsItself: true },
  ]);
  const trial = await start(builtIn, { input, pauses: ['echo'] });
  const halted = await trial.play(budgetMs);
  expect(halted).toMatchObject({ isHalted: true, callCount: 2, next: { type: 'call', nodeId: 'echo' } });
  expect(halted.calls[0]).toMatchObject({ input: { word: 'one' }, answer: { type: 'own' } });
  expect(await trial.step()).toMatchObject({ callCount: 1 });
  const changed = await trial.change({ pins: { echo: output({ word: 'pinned' }) }, pauses: [] });
  expect(changed.calls[0]?.answer).toEqual({ type: 'output', output: { word: 'pinned' } });
  const done = await trial.play(budgetMs);
  expect(outputIn(done)).toEqual({ words: ['one', 'pinned'] });
  expect(done.now).toBe(1_060_000); // the sleep took its time, which is virtual
  const awake = await start(builtIn, { input, pins: { rest: output({}) } });
  expect(await awake.play(budgetMs)).toMatchObject({ status: 'completed', now: 1_000_000 });
});

test('a pinned failure of a built-in action is tried again as its node says', async () => {
  const error = { code: 'NO_ECHO', message: 'Expected an echo, but there was none' };
  const trial = await start(builtIn, {
    input: { words: ['one'] },
    pins: { echo: pinnedByHand({ type: 'error', error }) },
  });
  await trial.step();
  const again = await trial.step();
  expect(again).toMatchObject({ now: 1_001_000, calls: [{ nodeId: 'echo', attempt: 2 }] });
  await trial.change({ pins: {}, pauses: [] });
  expect(outputIn(await trial.play(budgetMs))).toEqual({ words: ['one'] });
});

test('built-in actions are pinned in every dialect', async () => {
  const dataflow: JsonObject = {
    dialect: 'dataflow',
    id: 'flow',
    nodes: [
      { id: 'in', type: 'core.input', outputs: [{ name: 'word' }] },
      { id: 'say', type: 'core.echo', inputs: [{ name: 'word' }], outputs: [{ name: 'word' }] },
    ],
    edges: [{ source: 'in', sourceOutput: 'word', target: 'say', targetInput: 'word' }],
  };
  const thread: JsonObject = {
    dialect: 'thread',
    id: 'thread',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'say', type: 'action', action: 'core.echo' },
      { id: 'end', type: 'end' },
    ],
    connectors: [
      { from: 'start', to: 'say' },
      { from: 'say', to: 'end' },
    ],
  };
  const drawn: JsonObject = {
    dialect: 'handle',
    id: 'drawn',
    nodes: [{ id: 'say', type: 'core.echo', data: { word: 'own' } }],
    edges: [],
  };
  for (const definition of [dataflow, thread, drawn]) {
    const said = output({ word: 'pinned' });
    const trial = await start(definition, { input: { word: 'own' }, pins: { in: output({ word: 'in' }), say: said } });
    const view = await trial.play(budgetMs);
    const given = view.events.flatMap((event) => (event.type === 'task.completed' ? [event.output] : []));
    expect([definition['dialect'], view.status, given.at(-1)]).toEqual([
      definition['dialect'],
      'completed',
      { word: 'pinned' },
    ]);
  }
});
