import type { Json, RunEvent, StartOptions } from 'heddle';
import { createTestEngine, type TestEngine } from 'heddle/testing';
import { expect, test } from 'vitest';
import { draw, follow } from './board.testsuite.ts';

/** A definition or a node: an object with an id. */
type Part = Readonly<Record<string, unknown>> & { readonly id: string };

interface Play extends TestEngine {
  readonly events: RunEvent[];
}

/** Registers, starts, and lets it go as far as it can. */
async function play(definition: Part, options: StartOptions = {}): Promise<Play> {
  const events: RunEvent[] = [];
  const t = await createTestEngine({ onEvent: (event) => void events.push(event) });
  const { problems } = await t.engine.register(definition);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  await t.engine.start(definition.id, {}, options);
  await t.settle();
  return { ...t, events };
}

async function answer({ engine, settle }: Play, payload: Json): Promise<void> {
  const [prompt] = await engine.prompts();
  await engine.run(prompt!.runId).reply(prompt!.correlationId, payload);
  await settle();
}

const chain = (...nodes: readonly Part[]) => ({
  id: 'w',
  initialNode: nodes[0]!.id,
  nodes,
  transitions: nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]!.id, to: id })),
});

test('prompts: what is asked, and what was answered; the run is suspended meanwhile', async () => {
  const t = await play(chain({ id: 'ask', input: { title: 'Publish?' } }, { id: 'any', input: true }));
  expect(draw(follow(t.events).board)).toEqual(['  w v1  RUN  suspended', '    ? ask       asks: Publish?']);
  await answer(t, { ok: true });
  await answer(t, 7);
  const { board, lines } = follow(t.events);
  expect(draw(board)).toEqual(['  w v1  RUN  completed', '    ✓ ask', '    ✓ any']);
  expect(lines).toEqual([
    'w: started, version 1, run RUN',
    'ask: asks: Publish?',
    'w: suspended: only people or events from outside can wake it',
    'ask: was answered: {"ok":true}',
    'any: asks for an answer',
    'any: was answered: 7',
    'w: resumes',
    'w: completed in',
  ]);
});

test('prompts that wait for their turn, and one that nobody answers', async () => {
  const both = {
    id: 'w',
    inputPolicy: 'serial',
    initialNode: 'start',
    nodes: [{ id: 'start' }, { id: 'ask', input: { title: 'Me?', deadlineMs: 60_000 } }],
    transitions: [{ from: 'start', to: 'ask', spawnCount: 2, onBranchFailure: 'end' }],
  };
  const t = await play(both);
  const { board, lines } = follow(t.events);
  expect(draw(board)[2]).toMatch(/^ {4}\? ask +\?◷ {2}asks: Me\? \(until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)$/);
  expect(lines.slice(1, 5)).toEqual([
    'start: fans out into 2 branches',
    'ask[0]: waits for its turn to ask',
    expect.stringMatching(/^ask\[0\]: asks: Me\? \(until /),
    'ask[1]: waits for its turn to ask',
  ]);
  await t.advance(60_000);
  expect(follow(t.events).lines).toContain('ask[0]: was not answered in time');
});

test('events from outside', async () => {
  const t = await play(chain({ id: 'paid', wait: { event: 'order.paid', correlation: '"o-7"' } }));
  expect(draw(follow(t.events).board)).toEqual([
    '  w v1  RUN  suspended',
    '    ◷ paid      waits for the event "order.paid" (o-7)',
  ]);
  await t.engine.publish('order.paid', { amount: 1 }, { correlation: 'o-7' });
  await t.settle();
  expect(follow(t.events).lines.slice(1)).toEqual([
    'paid: waits for the event "order.paid" (o-7)',
    'w: suspended: only people or events from outside can wake it',
    'paid: the event came: {"amount":1}',
    'w: resumes',
    'w: completed in',
  ]);
});

test('a batch is a fan-out over slices', async () => {
  const { nodes, transitions, ...rest } = chain(
    { id: 'make', outputMapping: { 'state.n': '[1, 2, 3, 4, 5]' } },
    { id: 'all', batch: { items: 'state.n', batchSize: 2, parallelBatches: 3 } },
  );
  const t = await play({
    ...rest,
    nodes: [...nodes, { id: 'each', input: true }],
    transitions: [...transitions, { from: 'all', to: 'each', on: 'slice' }],
  });
  const { board, lines } = follow(t.events);
  expect(draw(board).slice(2)).toEqual([
    '    ◷ all       waits for its slices',
    '    ? each      ???  asks for an answer',
  ]);
  expect(lines[1]).toBe('all: takes 5 items in 3 slices');
  for (let slice = 0; slice < 3; slice++) await answer(t, {});
  const ended = follow(t.events);
  expect(ended.lines.slice(-3)).toEqual(['all: done with 3 slices', 'w: resumes', 'w: completed in']);
  expect(draw(ended.board).slice(2)).toEqual(['    ✓ all', '    ✓ each      ✓✓✓  3 of 3']);
});

test('credits that are asked for, and that nobody has', async () => {
  const step = { action: 'core.echo', cost: 2 };
  const t = await play(chain({ id: 'a', ...step }), { organization: 'acme' });
  const { board, lines } = follow(t.events);
  expect(lines).toEqual([
    'w: started, version 1, run RUN',
    'a: asks for 2 credits',
    expect.stringMatching(/^w: exhausted: CREDITS_EXHAUSTED: Expected /),
  ]);
  expect(draw(board)[0]).toBe('  w v1  RUN  exhausted');
  const asked = t.events.findIndex(({ type }) => type === 'credits.requested');
  expect(draw(follow(t.events.slice(0, asked + 1)).board)[1]).toBe('    ◷ a         waits for credits');
});

test('credits that are asked for before a run begins: it is submitted until then', async () => {
  const graph = { dialect: 'dataflow', id: 'w', nodes: [{ id: 'a', type: 'core.echo', cost: 2 }] };
  const t = await play(graph, { organization: 'acme' });
  const { lines } = follow(t.events);
  expect(lines[1]).toBe('w: asks for 2 credits');
  const asked = t.events.findIndex(({ type }) => type === 'credits.requested');
  expect(draw(follow(t.events.slice(0, asked + 1)).board)).toEqual(['  w v1  RUN  submitted']);
});
