// The workflow builder of example 17 in a real browser: what a user draws with mouse and keyboard is checked, stored, run,
// coloured, and there again after a reload.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launch, lookForBrowser } from './chromium.testsuite.ts';

const example = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../examples/17-workflow-builder');
const found = await lookForBrowser(); // it may be installed now, which takes a while
const isMissing = 'missing' in found;

describe.skipIf(isMissing)(isMissing ? `skipped: ${found.missing}` : 'a workflow builder', () => {
  let server: ChildProcess;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    if (isMissing) return;
    server = spawn(process.execPath, [path.join(example, 'server.mjs'), '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    browser = await launch(found.path);
    [url] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill();
    if (server?.exitCode === null) await once(server, 'exit');
  });

  /** A page of its own; what goes wrong in it fails the test. */
  async function open(workflow: string, { user = 'ada' } = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(300_000); // a net for what hangs: machines may be busy
    await context.addCookies([{ name: 'user', value: user, url }]);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    onTestFinished(async () => {
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.goto(`${url}/?workflow=${workflow}`);
    await step(page, 'Condition').waitFor();
    return page;
  }

  test('a graph is drawn, mended, saved, run, coloured and answered, and lies where it lay after a reload', async () => {
    const page = await open('first-graph');
    await page.getByText('Drag a step from the left').waitFor();

    // Draw.
    await step(page, 'Load orders').dragTo(page.locator('main'), { targetPosition: { x: 260, y: 120 } });
    await set(page, 'Customer', '=input.customer');
    await step(page, 'Ask a person').dragTo(page.locator('main'), { targetPosition: { x: 420, y: 300 } });
    await set(page, 'Title', 'Which address?');
    const schema = { type: 'object', required: ['address'], properties: { address: { type: 'string' } } };
    await set(page, 'Schema', JSON.stringify(schema));
    await step(page, 'Send mail').click(); // below the last one
    await node(page, 'send').getByText('Expected "to", "text" in the settings').waitFor();
    await set(page, 'To', '=nodes.promt.address');
    await set(page, 'Text', 'Hello');
    await connect(page, ['load', 'main'], 'prompt');
    await connect(page, ['prompt', 'main'], 'send');

    // Mend.
    await node(page, 'send').getByText('there is no "promt"').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved: the graph has errors.').waitFor();
    await set(page, 'To', '=nodes.prompt.address');
    await node(page, 'send').getByRole('alert').waitFor({ state: 'detached' });

    // Save.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 1.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);

    // Run. The input is in the panel of the page while no node is selected.
    await page.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } });
    await page.getByLabel('Input').fill('{ "customer": "Ada" }');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await hasStatus(page, 'prompt', 'waiting');
    await hasStatus(page, 'load', 'completed');
    await expect.poll(() => node(page, 'send').getByText('completed').count()).toBe(0);
    await page.reload(); // the run and its question are not the page's
    await page.getByRole('form', { name: 'Question' }).getByText('Which address?').waitFor();
    await expect.poll(() => node(page, 'load').getByText('completed').count()).toBe(1);
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.locator('output', { hasText: 'address' }).waitFor(); // it is required
    await page.getByLabel('address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Answer' }).click();
    await hasStatus(page, 'send', 'completed');
    await page.locator('header strong.completed').waitFor();
    await page.getByText('"to": "ada@example.com"').waitFor();
    await expect.poll(() => page.locator('.react-flow__edge.taken').count()).toBe(2);

    // Reload.
    const places = await placesOf(page);
    expect(Object.keys(places)).toEqual(['load', 'prompt', 'send']);
    await page.reload();
    await node(page, 'send').waitFor();
    await expect.poll(() => placesOf(page)).toEqual(places);
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(2); // drawn once the nodes are measured
    await node(page, 'send').click();
    await expect.poll(() => setting(page, 'To').inputValue()).toBe('=nodes.prompt.address');
  });

  test('every save is a version, also if a node was only moved, and an old one comes back with its positions', async () => {
    const page = await open('price-orders');
    await node(page, 'tell').waitFor();
    const before = await placesOf(page);
    await drag(page, node(page, 'tell').locator('strong'), { x: 120, y: 90 });
    const after = await placesOf(page);
    expect(after['tell']).not.toBe(before['tell']);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    await page.reload();
    await node(page, 'tell').waitFor();
    await expect.poll(() => placesOf(page)).toEqual(after);
    await page.getByLabel('Version').selectOption('1');
    await expect.poll(() => placesOf(page)).toEqual(before);
  });

  test('a problem of an edge is shown at the edge, and leaves with it', async () => {
    const page = await open('price-orders');
    await node(page, 'price').waitFor();
    await connect(page, ['price', 'main'], 'tell');
    await page.getByText('to be drawn in the same node').waitFor();
    const edge = edgeOf(page, 'price', 'tell');
    await edge.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Backspace');
    await edge.waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('what is dropped into a container is drawn in it, and runs for each item', async () => {
    const page = await open('containers');
    await step(page, 'For each').click();
    await set(page, 'Items', '=input.names');
    await step(page, 'Rate a customer').dragTo(node(page, 'foreach'), { targetPosition: { x: 40, y: 60 } });
    await set(page, 'Customer', '=item');
    await page.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } });
    await page.getByLabel('Input').fill('{ "names": ["Ada", "Bob", "Cleo"] }');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await node(page, 'rate').getByText('completed ×3').waitFor();
    await hasStatus(page, 'foreach', 'completed');
  });

  test('who may only look is refused by the server, and told', async () => {
    const page = await open('price-orders', { user: 'vic' });
    await node(page, 'load').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Expected a key with the scope run:start').waitFor();
  });
});

const step = (page: Page, title: string): Locator => page.getByRole('navigation').getByRole('button', { name: title });
const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
const edgeOf = (page: Page, from: string, to: string): Locator =>
  page.getByRole('group', { name: `Edge from ${from} to ${to}` });
const hasStatus = (page: Page, id: string, status: string): Promise<void> =>
  page.locator(`.react-flow__node.${status}[data-id="${id}"]`).waitFor();

/** A setting of the node that is selected. */
const setting = (page: Page, name: string): Locator =>
  page.getByRole('form', { name: 'Settings' }).getByLabel(new RegExp(`^${name}\\b`));

async function set(page: Page, name: string, value: string): Promise<void> {
  await setting(page, name).fill('');
  await setting(page, name).pressSequentially(value);
}

/** From a handle at the lower side of a node to the upper side of another. */
async function connect(page: Page, [from, handle]: readonly [string, string], to: string): Promise<void> {
  const source = node(page, from).locator(`.react-flow__handle.source[data-handleid="${handle}"]`);
  await source.dragTo(node(page, to).locator('.react-flow__handle.target'));
  await edgeOf(page, from, to).waitFor();
}

async function drag(page: Page, what: Locator, by: { readonly x: number; readonly y: number }): Promise<void> {
  const { x, y, width, height } = (await what.boundingBox())!;
  const [left, top] = [x + width / 2, y + height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + by.x, top + by.y, { steps: 5 });
  await page.mouse.up();
}

/** Where the nodes lie on the canvas, by id. */
async function placesOf(page: Page): Promise<Record<string, string>> {
  const nodes = await page.locator('.react-flow__node').all();
  const places = nodes.map(async (one) => {
    const style = (await one.getAttribute('style')) ?? '';
    return [await one.getAttribute('data-id'), /translate\([^)]*\)/.exec(style)?.[0]] as [string, string];
  });
  return Object.fromEntries((await Promise.all(places)).toSorted(([one], [other]) => one.localeCompare(other)));
}
