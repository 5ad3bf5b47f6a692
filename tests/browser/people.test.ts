// People: prompts are answered in the web app by whoever has never seen a graph.

import type { Engine } from 'heddle';
import { VirtualClock } from 'heddle/testing';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

const review = {
  id: 'review',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    {
      id: 'ask',
      input: {
        title: 'May it go out?',
        description: 'Look at the total.',
        deadlineMs: 3_600_000,
        schema: {
          type: 'object',
          required: ['approved', 'amount'],
          properties: {
            approved: { type: 'boolean' },
            amount: { type: 'number', maximum: 10, title: 'Amount' },
            remark: { type: 'string', maxLength: 300 },
          },
        },
      },
      outputMapping: { 'state.answer': 'result' },
    },
    { id: 'end', outputMapping: { 'output.answers': 'state.answers' } },
  ],
  transitions: [
    { from: 'start', to: 'ask', foreach: { collection: 'input.orders', itemVar: 'order' }, siblingGroup: 'orders' },
    {
      from: 'ask',
      to: 'end',
      synchronization: {
        siblingGroup: 'orders',
        strategy: 'all',
        merge: { source: '_branch.output.answer', target: 'state.answers', strategy: 'append' },
      },
    },
  ],
};

const other = {
  id: 'other',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: { title: 'Another question', schema: { type: 'string' } } }],
  transitions: [],
};

async function startReview(engine: Engine, ...orders: readonly object[]) {
  await engine.register(review);
  return engine.start('review', { orders });
}

const form = (page: Page): Locator => page.getByRole('form', { name: 'Answer' });
const amount = (page: Page): Locator => form(page).getByLabel('Amount');
const openPrompt = (page: Page, text: RegExp | string): Promise<void> =>
  page.getByRole('list', { name: 'Open prompts' }).getByRole('button', { name: text }).click();
const submit = (page: Page, label = 'Answer'): Promise<void> =>
  form(page).getByRole('button', { name: label, exact: true }).click();

describeWebApp('prompts in the web app', {}, (app) => {
  webTest('[W38] a prompt is answered by its form, and wrong answers are told at their fields', async () => {
    const run = await startReview(app().server.engine, { id: 'A-17', total: 1_200 });
    const page = await app().open('/inbox', { expectErrors: /422|400/ });
    await openPrompt(page, /A-17/);
    await page.getByText('Look at the total.').waitFor();
    await page.getByText('1200').last().waitFor();
    await amount(page).fill('11');
    await submit(page);
    // What is missing and what is wrong, each at its place; what was typed is there.
    const approved = form(page).getByRole('group', { name: 'Approved' });
    await approved.getByText('Choose one.').waitFor();
    await approved.getByLabel('Yes').and(page.locator(':focus')).waitFor();
    await approved.getByLabel('Yes').check();
    await submit(page);
    await form(page).getByRole('alert').getByText('Enter 10 or less.').waitFor();
    await form(page).getByText('What to change is said at the fields.').waitFor();
    await expect.poll(() => amount(page).getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => amount(page).inputValue()).toBe('11');
    await amount(page).and(page.locator(':focus')).waitFor();
    await amount(page).fill('7.5');
    await submit(page);
    await page.getByText('is answered. Thank you.').waitFor();
    expect((await run.result()).output).toEqual({ answers: [{ approved: true, amount: 7.5 }] });
  });

  webTest(
    '[W38] a server that is gone is said in words for whoever answers, and the answer is still there',
    async () => {
      const run = await startReview(app().server.engine, { id: 'E-1' });
      const page = await app().open('/inbox', { expectErrors: /net::|Failed to load/ });
      await openPrompt(page, /E-1/);
      await form(page).getByLabel('Yes').check();
      await amount(page).fill('4');
      await page.route('**/reply', (route) => route.abort());
      await submit(page);
      await page.getByText('Your answer was not sent: the server cannot be reached.').waitFor();
      await expect.poll(() => amount(page).inputValue()).toBe('4');
      await page.unroute('**/reply');
      await submit(page);
      await page.getByText('is answered. Thank you.').waitFor();
      expect((await run.result()).output).toEqual({ answers: [{ approved: true, amount: 4 }] });
    },
  );

  webTest('[W39] many prompts that ask for the same are answered at once', async () => {
    const { engine } = app().server;
    await engine.register(other);
    const asking = await engine.start('other', {});
    const run = await startReview(engine, { id: 'B-1' }, { id: 'B-2' }, { id: 'B-3' });
    const page = await app().open('/inbox');
    const several = page.getByRole('listitem').filter({ hasText: /B-\d/ }).getByRole('checkbox');
    await expect.poll(() => several.count()).toBe(3);
    for (const place of [0, 1, 2]) await several.nth(place).check();
    await expect.poll(() => page.getByRole('checkbox', { name: /Another question/ }).isDisabled()).toBe(true);
    await form(page).getByLabel('No', { exact: true }).check();
    await amount(page).fill('3');
    await submit(page, 'Answer 3');
    await page.getByText('3 answered. Thank you.').waitFor();
    const answer = { approved: false, amount: 3 };
    expect((await run.result()).output).toEqual({ answers: [answer, answer, answer] });
    expect(await asking.status()).toBe('suspended');
  });

  webTest('[W40] a one-time link is answered without a key, and says so when it is used twice', async () => {
    const { engine, keys } = app().server;
    const run = await startReview(engine, { id: 'C-1' });
    await expect.poll(async () => (await run.prompts()).length).toBe(1);
    const [prompt] = await run.prompts();
    const address = `/answer/default/${encodeURIComponent(await engine.promptSecret(prompt?.correlationId ?? ''))}`;
    const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
    const { id } = await keys.create({ name: 'closes the server', scopes: ['*'] }, operator);
    const page = await app().open(address);
    await page.getByRole('heading', { level: 1, name: 'May it go out?' }).waitFor();
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0);
    const late = await app().open(address, { expectErrors: /409/ });
    await amount(late).fill('9');
    await form(late).getByLabel('Yes').check();
    await form(page).getByLabel('Yes').check();
    await amount(page).fill('2');
    await submit(page);
    await page.getByText('Your answer has arrived. Thank you.').waitFor();
    expect((await run.result()).output).toEqual({ answers: [{ approved: true, amount: 2 }] });
    // The other one was open: it is refused, and keeps what was typed. Opened again, it says so at once.
    await submit(late);
    await late.getByText('it was answered already').waitFor();
    await expect.poll(() => amount(late).inputValue()).toBe('9');
    const again = await app().open(address);
    await again.getByText('This was answered already').waitFor();
    await expect.poll(() => again.getByRole('form').count()).toBe(0);
    const wrong = await app().open(`${address}x`, { expectErrors: /404/ });
    await wrong.getByText('This link leads to nothing').waitFor();
    await keys.revoke(id, operator);
  });
});

/** Time of the server stands still until a test moves it; what counts requests by the second must not run dry. */
const clock = new VirtualClock(Date.now());
describeWebApp('deadlines in the web app', { clock, rate: { perSecond: 1_000_000, burst: 1_000_000 } }, (app) => {
  webTest('[W41] a deadline that passes while the form is open loses nothing that was typed', async () => {
    const { engine } = app().server;
    const run = await startReview(engine, { id: 'D-1' });
    const page = await openInbox(app());
    await openPrompt(page, /D-1/);
    await amount(page).fill('5');
    await form(page).getByLabel('Remark').fill('A remark that took an hour');
    await clock.advance(3_600_001);
    await page.clock.fastForward(3_600_001);
    await page.getByText('The deadline has passed: this can no longer be answered.').waitFor();
    await page.getByText('What you have typed is still here.').waitFor();
    await expect.poll(() => form(page).getByLabel('Remark').inputValue()).toBe('A remark that took an hour');
    await expect.poll(() => amount(page).inputValue()).toBe('5');
    await expect.poll(() => form(page).getByRole('button', { name: 'Answer', exact: true }).isDisabled()).toBe(true);
    expect((await run.result()).status).toBe('failed');
  });
});

async function openInbox(app: WebApp): Promise<Page> {
  const page = await app.open('/inbox');
  await page.clock.install({ time: clock.now() });
  await page.reload();
  return page;
}
