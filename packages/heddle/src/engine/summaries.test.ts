import { describe, expect, test } from 'vitest';
import { sideCommit } from '../actor/side-writer.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { allOf, openEngine } from './engine.testsuite.ts';

const order = {
  id: 'order',
  summary: "'Order ' + input.order + ': ' + state.total + ' EUR'",
  initialNode: 'price',
  nodes: [
    {
      id: 'price',
      action: 'price',
      outputMapping: { 'state.total': 'result.total' },
      summary: "result.total + ' of ' + state.total",
    },
    { id: 'again', summary: "'round of ' + input.order" },
    { id: 'ask', input: { title: 'Well?' }, summary: 'result.total > 1' },
  ],
  transitions: [
    { from: 'price', to: 'again', condition: 'result.total < 10' },
    { from: 'again', to: 'price', loop: { maxIterations: 3 } },
    { from: 'price', to: 'ask', condition: 'result.total >= 10' },
  ],
};

async function ordered(options: Parameters<typeof openEngine>[0] = {}, definition: object = order) {
  const opened = await openEngine({ scripted: ['price'], ...options });
  await opened.engine.register(definition);
  const run = await opened.engine.start('order', { order: 'A7' });
  await opened.settle();
  const price = async (total: number): Promise<void> => {
    opened.script.next('price').complete({ total });
    await opened.settle();
  };
  return { ...opened, run, price };
}

const summaries = (nodes: readonly { nodeId: string; summary?: string }[]) =>
  Object.fromEntries(nodes.map(({ nodeId, summary }) => [nodeId, summary]));

describe('[VW23] the summary of a run', () => {
  test('is that of now where one run is read, and is in no list that does not ask for it', async () => {
    const { run, price, engine } = await ordered();
    expect(await run.summary()).not.toHaveProperty('summary');
    await price(12);
    expect((await run.summary()).summary).toBe('Order A7: 12 EUR');
    expect((await run.view()).run).toEqual(await run.summary());
    const [listed] = await engine.runs();
    expect(listed).not.toHaveProperty('summary');
    const [prompt] = await run.prompts();
    await run.reply(prompt?.correlationId ?? '', { total: 2 });
    expect((await run.result()).status).toBe('completed');
    expect((await run.summary()).summary).toBe('Order A7: 12 EUR');
  });

  test('[LS10] is in lists that ask for it, of living and of ended runs', async () => {
    const { run, price, engine } = await ordered();
    await price(12);
    const listed = async () => (await engine.runs({ activity: true })).map(({ summary }) => summary);
    expect(await listed()).toEqual(['Order A7: 12 EUR']);
    const [prompt] = await run.prompts();
    await run.reply(prompt?.correlationId ?? '', { total: 2 });
    expect((await run.result()).status).toBe('completed');
    expect(await listed()).toEqual(['Order A7: 12 EUR']);
  });

  test('[LS10] is not loaded for a list of a long run that has ended', async () => {
    const { engine, settle } = await openEngine({ actions: { count: ({ input }) => ({ n: Number(input['n']) + 1 }) } });
    await engine.register({
      id: 'long',
      summary: 'state.n',
      initialNode: 'count',
      nodes: [
        {
          id: 'count',
          action: 'count',
          inputMapping: { n: 'state.?n.orValue(0)' },
          outputMapping: { 'state.n': 'result.n' },
        },
        { id: 'done' },
      ],
      transitions: [
        { from: 'count', to: 'count', condition: 'state.n < input.times', loop: { maxIterations: 1_000 } },
        { from: 'count', to: 'done', condition: 'state.n >= input.times' },
      ],
    });
    const short = await engine.start('long', { times: 3 });
    const long = await engine.start('long', { times: 200 });
    await settle();
    expect([await short.status(), await long.status()]).toEqual(['completed', 'completed']);
    const listed = await engine.runs({ activity: true });
    expect(listed.map(({ runId, summary }) => [runId, summary])).toEqual([
      [long.id, undefined],
      [short.id, '3'],
    ]);
    expect((await long.summary()).summary).toBe('200');
  });

  test('is that of the moment in the figures of a moment', async () => {
    const { run, price } = await ordered();
    await price(5);
    const { lastEventId } = await run.view();
    await price(12);
    const { figures, run: now } = await run.view(lastEventId ?? '');
    expect([figures.summary, now.summary]).toEqual(['Order A7: 5 EUR', 'Order A7: 12 EUR']);
    expect((await run.view()).figures.summary).toBe('Order A7: 12 EUR');
  });

  test('leaves nothing in the journal, which is that of the same workflow without one', async () => {
    const { summary: _, ...silent } = order;
    const journals = [order, { ...silent, nodes: order.nodes.map(withoutSummary) }].map(async (definition) => {
      const { run, price } = await ordered({}, definition);
      await run.summary();
      await price(12);
      await run.view();
      return (await allOf(run.events({ follow: false }))).map((event) => ({ ...event, ...ownIds }));
    });
    const [telling, other] = await Promise.all(journals);
    expect(telling).toEqual(other);
  });

  test('that fails is told in its place, and the run is as it was', async () => {
    const { engine, settle } = await openEngine();
    await engine.register({ id: 'w', summary: 'input.a - 1', initialNode: 'a', nodes: [{ id: 'a' }] });
    const run = await engine.start('w', { a: 'text' });
    await settle();
    const { summary, status } = await run.summary();
    expect([summary, status]).toEqual([expect.stringMatching(/^No summary: /), 'completed']);
  });

  test('is not read of a run that was set aside', async () => {
    const store = memoryStore();
    const { run, price, engine } = await ordered({ store });
    await price(12);
    const row = { ...(await store.readRun(run.id))!, quarantine: 'for a test', hasWork: false };
    await store.commit({ ...sideCommit({}), runs: [{ row, isNew: false }] });
    const { summary, quarantine } = await engine.run(run.id).summary();
    expect([summary, quarantine]).toEqual([undefined, 'for a test']);
  });
});

describe('[VW25] the summary of a node', () => {
  test('is of its newest visit, with the state of the run; without a visit there is none', async () => {
    const { run, price } = await ordered();
    await price(5);
    expect(summaries(await run.nodes())).toEqual({ price: undefined, again: 'round of A7', ask: undefined });
    await price(12);
    expect(summaries(await run.nodes())).toEqual({ price: '12 of 12', again: 'round of A7', ask: undefined });
    expect(summaries((await run.view()).figures.nodes)).toEqual(summaries(await run.nodes()));
    const [prompt] = await run.prompts();
    await run.reply(prompt?.correlationId ?? '', { total: 2 });
    expect(summaries(await run.nodes())).toMatchObject({ ask: 'true' });
  });

  test('takes its steps from those that all nodes of an answer have', async () => {
    const { engine, settle } = await openEngine();
    const summary = 'string(input.list.map(x, x * 2).size())';
    await engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: ['a', 'b', 'c'].map((id) => ({ id, summary })),
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
      limits: { expressionCostMax: 1_000 },
    });
    const run = await engine.start('w', { list: Array.from({ length: 200 }, (_, index) => index) });
    await settle();
    expect((await run.summary()).status).toBe('completed');
    const refused: unknown = expect.stringMatching(/^No summary: Expected an evaluation within expressionCostMax/);
    expect(Object.values(summaries(await run.nodes()))).toEqual(['200', refused, refused]);
  });
});

/** No two runs have the same; the hash is that of the definition. */
const ownIds = { runId: '', rootRunId: '', keyRunId: '', hash: '', correlationId: '' };

const withoutSummary = ({ summary: _, ...node }: (typeof order.nodes)[number]) => node;
