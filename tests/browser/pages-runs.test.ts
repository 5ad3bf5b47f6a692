// The list of runs: live, filtered by its address, and steady while runs arrive.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const quick = { id: 'quick', initialNode: 'do', nodes: [{ id: 'do', action: 'core.echo' }], transitions: [] };
const asking = {
  id: 'asking',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: { title: 'Well?' } }],
  transitions: [],
};
const broken = {
  id: 'broken',
  initialNode: 'fail',
  nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { code: '"BROKEN"', message: '"It broke"' } }],
  transitions: [],
};

const rows = (page: Page): Locator => page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
const row = (page: Page, runId: string): Locator =>
  rows(page).filter({ has: page.locator(`a[href="/runs/${runId}"]`) });
/** The runs that are shown, in their order. */
const shown = (page: Page): Promise<string[]> =>
  rows(page)
    .locator('a')
    .evaluateAll((links) => links.map((link) => String(link.getAttribute('href')).slice('/runs/'.length)));

describeWebApp('the list of runs', {}, (app) => {
  webTest(
    '[W37] the list is live, its filters stand in the address, and its pages stay while runs arrive',
    async () => {
      const { engine } = app().server;
      for (const definition of [quick, asking, broken]) await engine.register(definition);
      const waiting = await engine.start('asking', {}, { tags: { customer: 'c-1' } });
      const page = await app().open('/runs');

      // Live: what a run is doing, its end, and new runs, without a reload.
      await row(page, waiting.id).getByText('suspended').waitFor();
      const failed = await engine.start('broken', {});
      await row(page, failed.id).getByText('It broke').waitFor();
      const [prompt] = await waiting.prompts();
      await waiting.reply(prompt?.correlationId ?? '', 'yes');
      await row(page, waiting.id).getByText('completed').waitFor();

      // Rows do not move while somebody works with them; what is new is offered.
      await page.getByRole('checkbox', { name: `Select ${waiting.id}` }).check();
      const before = await shown(page);
      const more = await Promise.all(Array.from({ length: 3 }, (_, n) => engine.start('quick', { n })));
      await page.getByRole('button', { name: 'Show 3 new runs' }).waitFor();
      await expect.poll(() => shown(page)).toEqual(before);
      await page.getByRole('button', { name: 'Show 3 new runs' }).click();
      for (const { id } of more) await row(page, id).waitFor();

      // Filters are in the address, also after a reload and on the way back.
      await page.getByLabel('Status').selectOption('failed');
      await page.waitForURL('**/runs?status=failed');
      await expect.poll(() => shown(page)).toEqual([failed.id]);
      await page.reload();
      await expect.poll(() => shown(page)).toEqual([failed.id]);
      await page.getByRole('button', { name: /status: failed/ }).click();
      await page.getByLabel('Tag, as name=value; Enter adds it').fill('customer=c-1');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/runs?tag=customer%3Dc-1');
      await expect.poll(() => shown(page)).toEqual([waiting.id]);
      await page.goBack();
      await page.goBack();
      await expect.poll(() => shown(page)).toEqual([failed.id]);
    },
  );

  webTest('[W37] lists say what authors wrote: summaries of runs, descriptions of workflows', async () => {
    const { engine } = app().server;
    const description = 'Orders, from the basket to the parcel.';
    await engine.register({ ...quick, id: 'order', description, summary: "'Order ' + input.order" });
    const run = await engine.start('order', { order: 'A7' });
    await run.result();
    const page = await app().open('/runs');
    await row(page, run.id).getByText('Order A7').waitFor();
    await page.goto(`${app().url}/workflows`);
    await page
      .getByRole('row', { name: /^order\b/ })
      .getByText(description)
      .waitFor();
  });

  webTest('[W37] the second page is the same while runs arrive, and the keyboard moves through it', async () => {
    const { engine } = app().server;
    for (const definition of [quick, asking]) await engine.register(definition);
    const tags = { shown: 'here' };
    const oldest = await engine.start('asking', {}, { tags });
    for (let n = 1; n < 71; n++) await engine.start('quick', { n }, { tags });
    const page = await app().open('/runs?tag=shown%3Dhere');
    await expect.poll(async () => (await shown(page)).length).toBe(50);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL('**/runs?tag=shown%3Dhere&after=**');
    await row(page, oldest.id).getByText('suspended').waitFor();
    const second = await shown(page);
    expect(second).toHaveLength(21);
    const late = await Promise.all([1, 2, 3].map((n) => engine.start('quick', { n }, { tags })));
    await Promise.all(late.map((run) => run.result()));
    // What happened after they came is shown: the list was asked for again, and they are not on this page.
    const [prompt] = await oldest.prompts();
    await oldest.reply(prompt?.correlationId ?? '', 'yes');
    await row(page, oldest.id).getByText('completed').waitFor();
    expect(await shown(page)).toEqual(second);
    await rows(page).first().getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${second[1]}`);
  });

  webTest('[W37] several runs are cancelled and retried after a look at what will be done', async () => {
    const { engine } = app().server;
    for (const definition of [asking, broken]) await engine.register(definition);
    const open = await engine.start('asking', {}, { tags: { bulk: 'yes' } });
    const failed = await engine.start('broken', {}, { tags: { bulk: 'yes' } });
    await failed.result();
    const page = await app().open('/runs?tag=bulk%3Dyes');
    await page.getByRole('checkbox', { name: `Select ${open.id}` }).check();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel runs' });
    await dialog.getByText('suspended').waitFor();
    expect(await open.status()).toBe('suspended');
    await dialog.getByRole('button', { name: 'Cancel 1 run' }).click();
    await dialog.getByText('cancelled').first().waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await row(page, open.id).getByText('cancelled').first().waitFor();
    await page.getByRole('checkbox', { name: `Select ${failed.id}` }).check();
    await page.getByRole('button', { name: 'Retry…' }).click();
    const retry = page.getByRole('dialog', { name: 'Retry runs' });
    await retry.getByRole('button', { name: 'Retry 1 run' }).click();
    await retry.getByText('retried').waitFor();
    expect(await engine.runs({ workflow: 'broken', tags: { bulk: 'yes' } })).toHaveLength(2);
  });
});
