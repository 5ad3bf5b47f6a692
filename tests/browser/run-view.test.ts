// The view of a run: one drawing, however many tokens; live; sub-runs in place; large runs; a server that comes back.

import type { Actions, JsonObject, Run } from 'heddle';
import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

/** Tasks of `work` that wait for the test to let them finish. */
const held: (() => void)[] = [];

const actions: Actions = {
  hold: async ({ input }) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return input;
  },
  echo: ({ input }) => input,
  price: ({ input: { n } }) => {
    if (n === 4_321) throw Object.assign(new Error('No price for 4321'), { code: 'NO_PRICE' });
    return { price: n };
  },
};

/** Each item in a branch of its own, joined in the end. */
const fanOut = (id: string, action: string): JsonObject => ({
  id,
  initialNode: 'start',
  nodes: [{ id: 'start' }, { id: 'work', action, inputMapping: { n: 'item' } }, { id: 'sum' }],
  transitions: [
    {
      from: 'start',
      to: 'work',
      foreach: { collection: 'input.items', itemVar: 'item' },
      siblingGroup: 'items',
      onBranchFailure: 'end',
    },
    { from: 'work', to: 'sum', synchronization: { siblingGroup: 'items', merge: [] } },
  ],
});

async function start(app: WebApp, definition: JsonObject, input: JsonObject = {}): Promise<Run> {
  const { id, problems } = await app.server.engine.register(definition);
  if (id === null) throw new Error(`Expected a definition, but ${JSON.stringify(problems)}`);
  return app.server.engine.start(id, input);
}

const addressOf = (run: Run, rest = ''): string => `/runs/${run.id}${rest}`;
const nodeOf = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Its ends are at the handles of the nodes, as they are on the screen. */
async function expectEdgeAtNodes(page: Page, from: string, to: string): Promise<void> {
  const path = page.locator(`.react-flow__edge[data-id="${from}->${to}"] .react-flow__edge-path`);
  const gaps = async (): Promise<readonly number[]> => {
    const ends = await path.evaluate((line: SVGPathElement) => {
      const matrix = line.getScreenCTM() ?? new DOMMatrix();
      return [0, line.getTotalLength()].map((at) => line.getPointAtLength(at).matrixTransform(matrix).y);
    });
    const boxes = await Promise.all([nodeOf(page, from).boundingBox(), nodeOf(page, to).boundingBox()]);
    const borders = [(boxes[0]?.y ?? 0) + (boxes[0]?.height ?? 0), boxes[1]?.y ?? 0];
    return ends.map((end, place) => Math.abs(end - (borders[place] ?? 0)));
  };
  await expect.poll(async () => Math.max(...(await gaps()))).toBeLessThan(6);
}

describeWebApp('the view of a run', { actions }, (app) => {
  webTest('[W24] counters are live, and a fan-out is one node', async () => {
    const run = await start(app(), fanOut('held', 'hold'), { items: numbers(5) });
    const page = await app().open(addressOf(run));
    await nodeOf(page, 'work').getByTitle('5 active').waitFor();
    await expect.poll(() => held.length).toBe(5);
    // Nobody has come to the join: it says who may.
    await nodeOf(page, 'sum').getByText('0 arrived, 5 may still come').waitFor();
    await nodeOf(page, 'start').click();
    await page.getByText('sum waits for branches: 0 arrived, 5 may still come, 0 gone.').waitFor();
    // What runs lasts until now, not until the last event.
    await page
      .getByRole('table', { name: 'Branches' })
      .getByRole('row', { name: /^#0 .* [1-9][\d.]* s$/ })
      .waitFor();
    for (const finish of held.splice(0, 2)) finish();
    await nodeOf(page, 'work').getByTitle('2 done').waitFor();
    await nodeOf(page, 'work').getByTitle('3 active').waitFor();
    await nodeOf(page, 'start').getByText('2 of 5 branches').waitFor();
    await nodeOf(page, 'sum').getByText('2 arrived, 3 may still come').waitFor();
    await page.locator('.react-flow__edge').getByText('5×').waitFor();
    for (const finish of held.splice(0)) finish();
    await page.locator('.run-header').getByText('completed').waitFor();
    await nodeOf(page, 'work').getByTitle('5 done').waitFor();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(3);
  });

  webTest('[W24] edges begin and end at their nodes, whatever is selected and however the run moves', async () => {
    const run = await start(app(), {
      id: 'in-line',
      initialNode: 'first',
      nodes: [{ id: 'first', input: { title: 'Go on?' } }, { id: 'second' }],
      transitions: [{ from: 'first', to: 'second' }],
    });
    const page = await app().open(addressOf(run));
    await expectEdgeAtNodes(page, 'first', 'second');
    await nodeOf(page, 'first').click();
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await expectEdgeAtNodes(page, 'first', 'second');
    const [prompt] = await app().server.engine.prompts({ runId: run.id });
    await run.reply(prompt?.correlationId ?? '', {});
    await page.locator('.run-header').getByText('completed').waitFor();
    await expectEdgeAtNodes(page, 'first', 'second');
  });

  webTest('[W25] 10,000 branches: filtered, sorted, one opened', async () => {
    const run = await start(app(), fanOut('many', 'price'), { items: numbers(10_000) });
    await run.result();
    const page = await app().open(addressOf(run));
    // A large value is searched: what is found says where it stands.
    await page.getByRole('searchbox', { name: 'Search input of the run' }).fill('4321');
    await page.getByText('items[4321]: 4321').waitFor();
    await nodeOf(page, 'start').click();
    await nodeOf(page, 'start').getByText('9,999 of 10.0k branches, 1 failed').waitFor();
    await page.getByText('10,000 branches.').waitFor();
    const table = page.getByRole('table', { name: 'Branches' });
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Failed' }).click();
    await page.getByText('1 found among 10,000 branches.').waitFor();
    await table.getByRole('button', { name: '#4321' }).waitFor();
    await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'All' }).click();
    await table.getByRole('button', { name: 'Branch' }).click();
    await table.getByRole('button', { name: '#9999' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search branches' }).fill('#9876');
    await table.getByRole('button', { name: '#9876' }).click();
    const path = page.getByRole('list', { name: 'Path of the branch' });
    await path.getByRole('button').first().click();
    await page.getByRole('group', { name: 'input', exact: true }).getByText('9876').waitFor();
    expect(new URL(page.url()).searchParams.get('branch')).toMatch(/^\d+\.9876$/);
  });

  webTest('[W26] sub-runs open in place, those of sub-runs too', async () => {
    const leaf = { id: 'leaf', initialNode: 'last', nodes: [{ id: 'last', action: 'echo' }] };
    const middle = { id: 'middle', initialNode: 'call-leaf', nodes: [{ id: 'call-leaf', workflow: 'leaf' }] };
    await app().server.engine.register(leaf);
    await app().server.engine.register(middle);
    const run = await start(app(), { id: 'top', initialNode: 'call', nodes: [{ id: 'call', workflow: 'middle' }] });
    await run.result();
    const page = await app().open(addressOf(run));
    await nodeOf(page, 'call').click();
    await page.getByRole('button', { name: 'Open here' }).click();
    const inner = page.getByRole('region', { name: /^Sub-run/ }).first();
    await inner.locator('.react-flow__node[data-id="call-leaf"]').click();
    await inner.getByRole('button', { name: 'Open here' }).click();
    const innermost = inner.getByRole('region', { name: /^Sub-run/ });
    await innermost.locator('.react-flow__node[data-id="last"]').waitFor();
    await innermost.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('.react-flow__node[data-id="last"]').count()).toBe(0);
    await expect.poll(() => nodeOf(page, 'call').count()).toBe(1);
  });

  webTest('[W27] a loop shows its rounds', async () => {
    const run = await start(app(), {
      id: 'rounds',
      initialNode: 'count',
      nodes: [{ id: 'count', outputMapping: { 'state.n': '(has(state.n) ? state.n : 0) + 1' } }, { id: 'end' }],
      transitions: [
        { from: 'count', to: 'count', loop: { maxIterations: 9 }, condition: 'state.n < 5', priority: 1 },
        { from: 'count', to: 'end', priority: 2 },
      ],
    });
    await run.result();
    const page = await app().open(addressOf(run, '?node=count'));
    await page.locator('.react-flow__edge').getByText('state.n < 5 · ↻ 4×').waitFor();
    await nodeOf(page, 'count').getByTitle('5 done').waitFor();
    await page.getByText('5 executions').waitFor();
  });

  webTest(
    '[W24][VW23][VW25] what the author says of the run and of a node is shown, live and at a moment',
    async () => {
      const run = await start(
        app(),
        {
          id: 'order',
          summary: "'Order ' + input.order + ': ' + state.total + ' EUR'",
          initialNode: 'price',
          nodes: [
            {
              id: 'price',
              action: 'echo',
              inputMapping: { total: '12' },
              outputMapping: { 'state.total': 'result.total' },
              summary: "'costs ' + result.total",
            },
            { id: 'wait', action: 'hold', outputMapping: { 'state.total': '99' } },
          ],
          transitions: [{ from: 'price', to: 'wait' }],
        },
        { order: 'A7' },
      );
      const page = await app().open(addressOf(run, '?node=price'));
      const header = page.locator('.run-header');
      await header.getByText('Order A7: 12 EUR').waitFor();
      await page.getByLabel('Inspector').getByText('costs 12').waitFor();
      await expect.poll(() => held.length).toBe(1);
      const { figures } = await run.view();
      for (const finish of held.splice(0)) finish();
      await header.getByText('Order A7: 99 EUR').waitFor();
      const before = await app().open(addressOf(run, `?at=${figures.events}`));
      await before.locator('.run-header').getByText('Order A7: 12 EUR').waitFor();
    },
  );

  webTest('[W53] of a large run, what is still being read is not said to be missing', async () => {
    const run = await start(app(), fanOut('large', 'echo'), { items: numbers(5_000) });
    await run.result();
    const page = await app().open('/runs');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/v1\/runs\/[^/]+\/(tokens|events)/, (route) => released.then(() => route.continue()));
    await page.goto(new URL(addressOf(run, '?node=start'), app().url).href);
    await page.getByText('Reading 5,000 branches…').waitFor();
    await page.getByRole('status', { name: 'Loading the journal' }).waitFor();
    expect(await page.getByText(/No events yet|0 events|0 begun/).count()).toBe(0);
    release();
    await page.getByText('5,000 branches.').waitFor();
    await page.getByText(/^Commits /).waitFor();
  });

  webTest('[W35] 200,000 events open in bounded memory, without being loaded', async () => {
    const run = await start(app(), fanOut('very-many', 'echo'), { items: numbers(40_000) });
    await run.result();
    const page = await app().open('/runs');
    const asked: Request[] = [];
    page.on('request', (request) => request.url().includes(`/v1/runs/${run.id}`) && asked.push(request));
    await page.goto(new URL(addressOf(run), app().url).href);
    const told = page.getByText(/events: shown by commits/);
    await told.waitFor();
    const events = Number((await told.innerText()).replaceAll(/\D/g, ''));
    expect(events).toBeGreaterThanOrEqual(200_000);
    await nodeOf(page, 'work').getByTitle('40,000 done').waitFor();
    expect(asked.length).toBeLessThan(20);
    expect(asked.filter((request) => request.url().includes('/events/stream'))).toEqual([]);
    const sizes = await Promise.all(asked.map(async (request) => (await request.sizes()).responseBodySize));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(5_000_000);
    const { usedSize } = await (await page.context().newCDPSession(page)).send('Runtime.getHeapUsage');
    expect(usedSize).toBeLessThan(100_000_000);
  });

  webTest('[W36] the server is restarted: the page continues without a reload, and no event is missed', async () => {
    const ask = (id: string): JsonObject => ({ id, input: { title: `About ${id}` } });
    const run = await start(app(), {
      id: 'two-questions',
      initialNode: 'first',
      nodes: [ask('first'), ask('second'), { id: 'end' }],
      transitions: [
        { from: 'first', to: 'second' },
        { from: 'second', to: 'end' },
      ],
    });
    const page = await app().open(addressOf(run), { expectErrors: /net::|Failed to load/ });
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.getByText('About first').first().waitFor();
    await app().restart();
    const again = app().server.engine.run(run.id);
    const [prompt] = await app().server.engine.prompts({ runId: run.id });
    await again.reply(prompt?.correlationId ?? '', {});
    await page.getByText('About second').first().waitFor();
    const events = [];
    for await (const event of again.events({ follow: false })) events.push(event);
    await page.getByText(`Event ${events.length} of ${events.length}`).waitFor();
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  });

  webTest('[W54] a run is read without the canvas, by keyboard and as a list', async () => {
    const run = await start(app(), fanOut('to-read', 'price'), { items: [1, 4_321] });
    await run.result();
    const page = await app().open(addressOf(run));
    await page.getByRole('button', { name: 'Show as a list' }).press('Enter');
    const list = page.getByRole('list', { name: 'Nodes of the run' });
    await list.waitFor();
    await expect.poll(() => page.locator('.react-flow').count()).toBe(0);
    await expect
      .poll(() => list.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/start.*completed, 1 of 2 branches done, 1 failed.*to work.*taken 2 times/s),
        expect.stringMatching(/work.*price.*2 visits, 1 done, 1 failed.*to sum: taken once/s),
        expect.stringMatching(/sum.*completed/s),
      ]);
    await list.getByRole('button').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('heading', { name: 'work' }).waitFor();
    await page.keyboard.press('f');
    await inspector.getByText('NO_PRICE').first().waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('node')).toBe('work');
    await page.keyboard.press('Enter');
    await expect.poll(() => inspector.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  webTest('[W54] arrow keys move between the nodes of the graph, Enter opens the inspector', async () => {
    const run = await start(app(), fanOut('to-walk', 'echo'), { items: [1] });
    await run.result();
    const page = await app().open(addressOf(run));
    await nodeOf(page, 'start').waitFor();
    await page.getByRole('region', { name: /^Graph/ }).focus();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    for (const node of ['start', 'work', 'sum']) {
      await page.keyboard.press('ArrowDown');
      await inspector.getByRole('heading', { name: node }).waitFor();
    }
    await page.keyboard.press('ArrowUp');
    await inspector.getByRole('heading', { name: 'work' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => inspector.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
