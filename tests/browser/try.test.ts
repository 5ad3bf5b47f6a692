// Trying drafts in a real browser: the engine runs in a worker of the page, the world is pinned, and the server is not asked.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

let calls = 0;
let isBroken = true;

const actions = {
  rate: {
    input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    output: { type: 'object', required: ['score'], properties: { score: { type: 'number', minimum: 1 } } },
    run: ({ input }: { readonly input: object }) => {
      calls += 1;
      return { score: (input as { readonly name: string }).name.length };
    },
  },
  charge: () => {
    if (isBroken) throw new Error('The card was declined');
    return { receipt: 'R-1' };
  },
};

/** One branch for each name, its score from an action, and all of them in the output. */
const rateAll = {
  id: 'rate-all',
  initialNode: 'start',
  inputSchema: {
    type: 'object',
    required: ['names'],
    properties: { names: { type: 'array', items: { type: 'string' } } },
  },
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

const payment = {
  id: 'payment',
  initialNode: 'rate',
  nodes: [
    {
      id: 'rate',
      action: 'rate',
      inputMapping: { name: 'input.name' },
      outputMapping: { 'state.score': 'result.score' },
    },
    {
      id: 'charge',
      action: 'charge',
      outputMapping: { 'output.receipt': 'result.receipt', 'output.score': 'state.score' },
    },
  ],
  transitions: [{ from: 'rate', to: 'charge' }],
};

describeWebApp('trying a draft', { actions }, (app) => {
  webTest('[W19] it runs in the browser with the network cut, prompts and timers included', async () => {
    await app().server.engine.register({
      id: 'approval',
      initialNode: 'rest',
      nodes: [
        { id: 'rest', wait: { seconds: 86_400 } },
        {
          id: 'ask',
          input: {
            title: 'Is it fine?',
            schema: { type: 'object', required: ['why'], properties: { why: { type: 'string' } } },
          },
          outputMapping: { 'output.why': 'result.why' },
        },
      ],
      transitions: [{ from: 'rest', to: 'ask' }],
    });
    const page = await openTry(app(), 'approval', { expectErrors: /ERR_INTERNET_DISCONNECTED/ });
    await page.context().setOffline(true);
    await start(page);
    await page.getByText('Next: 1 d').waitFor();
    await button(page, 'Continue').click();
    const question = page.getByRole('form', { name: 'Is it fine?' });
    await question.getByLabel('Why').fill('It was checked');
    await question.getByRole('button', { name: 'Answer' }).click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '"It was checked"');
  });

  webTest('[W20] before the start the draft is drawn, and a node leads to its outcome', async () => {
    const page = await openRateAll(app());
    const drawing = page.getByRole('region', { name: /^Draft/ });
    await expect.poll(() => drawing.locator('.react-flow__node').count()).toBe(3);
    await drawing.locator('.react-flow__node', { hasText: 'rate' }).click();
    await page.getByLabel('What rate does').waitFor();
    await start(page);
    await page.getByRole('region', { name: /^Graph/ }).waitFor();
    expect(await drawing.count()).toBe(0);
  });

  webTest('[W20] a pinned output is used in place of the action, and one that does not fit is told', async () => {
    const page = await openRateAll(app());
    const before = calls;
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '0: 1'); // made from the schema
    await unfold(page, 'rate');
    await page.getByRole('textbox', { name: 'Score' }).fill('42');
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '0: 42');
    await page.getByRole('textbox', { name: 'Score' }).fill('0');
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'failed');
    await page.getByText('ACTION_OUTPUT_INVALID').first().waitFor();
    expect(calls).toBe(before); // nothing was called
  });

  webTest('[W21] outcomes are taken from a past run, branch by branch', async () => {
    const { engine } = app().server;
    await engine.register(rateAll);
    const run = await engine.start('rate-all', { names: ['Ada', 'Zoe-Marie'] });
    await run.result();
    const before = calls;
    const page = await openTry(app(), 'rate-all');
    await page.getByLabel('Take input and outcomes from').selectOption(run.id);
    await page.getByText('from the run').waitFor();
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '0: 3');
    await hasOutput(page, '1: 9');
    expect(calls).toBe(before);
  });

  webTest('[W22] it is stepped, a value is changed on the way, and it plays on', async () => {
    const page = await openRateAll(app());
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.getByRole('textbox', { name: 'Item 2' }).fill('Bob');
    await unfold(page, 'rate');
    await page.getByLabel('Pause at rate').check();
    await start(page);
    await button(page, 'Continue').click();
    await page.getByText('Halted: rate is answered (2 tasks wait)').waitFor();
    const next = page.getByRole('region', { name: 'Next task: rate' });
    await next.getByText('"names"').waitFor();
    await button(page, 'Step').click();
    await next.getByText('"Bob"').waitFor();
    await page.getByRole('textbox', { name: 'Score' }).fill('7');
    await next.getByText('score: 7').waitFor();
    await button(page, 'Continue').click(); // it halts at the second task, once
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '0: 1');
    await hasOutput(page, '1: 7');
    // What was set is there again after a look at the drawing.
    await page.getByRole('button', { name: 'Back to drawing' }).click();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('by hand').waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Item 2' }).inputValue()).toBe('Bob');
  });

  webTest('[W22] built-in actions are stepped, paused at and pinned like all others, and nothing is sent', async () => {
    let requests = 0;
    const outside = createServer((_request, response) => response.end(String((requests += 1))));
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void outside.close());
    const { port } = outside.address() as AddressInfo; // it listens on a port
    await app().server.engine.register({
      id: 'built-in',
      initialNode: 'say',
      nodes: [
        {
          id: 'say',
          action: 'core.echo',
          inputMapping: { word: '"own"' },
          outputMapping: { 'state.word': 'result.word' },
        },
        {
          id: 'again',
          action: 'core.echo',
          inputMapping: { word: 'state.word' },
          outputMapping: { 'output.word': 'result.word' },
        },
        {
          id: 'get',
          action: 'http.request',
          inputMapping: { url: `"http://127.0.0.1:${port}/"` },
          outputMapping: { 'output.got': 'result.body' },
        },
      ],
      transitions: [
        { from: 'say', to: 'again' },
        { from: 'again', to: 'get' },
      ],
    });
    const page = await openTry(app(), 'built-in');
    await unfold(page, 'again');
    await page.getByLabel('Pause at again').check();
    await unfold(page, 'get');
    await page.getByLabel('Output of get').fill('{ "body": "pinned" }');
    await start(page);
    await page.getByText('Next: say is answered').waitFor();
    await button(page, 'Step').click();
    await page.getByText('Next: again is answered').waitFor();
    const next = page.getByRole('region', { name: 'Next task: again' });
    await next.getByText('"own"').waitFor();
    await next.getByText('it does its own work').waitFor();
    await page.getByRole('button', { name: 'Pin an outcome for again' }).click();
    await page.getByLabel('Output of again').fill('{ "word": "pinned by hand" }');
    await next.getByText('"pinned by hand"').waitFor();
    await button(page, 'Continue').click(); // it halts there
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '"pinned by hand"');
    await hasOutput(page, '"pinned"');
    expect(requests).toBe(0);
  });

  webTest('[W23] a failed run is opened in the editor with its data: the failure is mended and tried', async () => {
    const { engine } = app().server;
    await engine.register(payment);
    isBroken = true;
    const run = await engine.start('payment', { name: 'Ada' });
    await run.result();
    const page = await app().open(`/runs/${run.id}`);
    await page.getByRole('link', { name: 'Debug in editor' }).click();
    await page.getByText('from the run').first().waitFor();
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'failed');
    await page.getByText('The card was declined').first().waitFor();
    await unfold(page, 'charge');
    await page.getByLabel('What charge does').selectOption('output');
    await page.getByLabel('Output of charge').fill('{ "receipt": "R-2" }');
    await start(page);
    await button(page, 'Continue').click();
    await hasEnded(page, 'completed');
    await hasOutput(page, '"R-2"');
    await hasOutput(page, 'score: 3'); // as the run had it

    // What is drawn has changed since.
    expect(await engine.register({ ...payment, description: 'Newer' })).toMatchObject({ version: 2 });
    await page.goto(`${app().url}/workflows/payment/edit?run=${run.id}`);
    await page.getByText('The run had version 1').waitFor();
  });
});

async function openTry(app: WebApp, workflow: string, options: { readonly expectErrors?: RegExp } = {}): Promise<Page> {
  const page = await app.open(`/workflows/${workflow}/edit`, options);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Start', exact: true, disabled: false }).waitFor();
  return page;
}

async function openRateAll(app: WebApp): Promise<Page> {
  await app.server.engine.register(rateAll);
  return openTry(app, 'rate-all');
}

const button = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Trial' }).getByRole('button', { name, exact: true });

/** For the first time, or again. */
async function start(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Start( again)?$/, disabled: false }).click();
  await page
    .getByRole('toolbar', { name: 'Trial' })
    .getByText(/Next|Halted|Waits for you/)
    .waitFor();
}

const unfold = (page: Page, node: string) => page.locator('.hd-pin summary', { hasText: node }).click();

const hasEnded = (page: Page, status: string) =>
  page.getByRole('toolbar', { name: 'Trial' }).getByText(status, { exact: true }).waitFor();

const hasOutput = (page: Page, text: string) =>
  page
    .getByRole('group', { name: /^output/i })
    .getByText(text)
    .waitFor();
