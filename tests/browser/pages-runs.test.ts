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

  webTest('[W37] the second page is the same while runs arrive, and the keyboard moves through it', async () => {
    const { engine } = app().server;
    await engine.register(quick);
    for (let n = 0; n < 70; n++) await engine.start('quick', { n });
    const page = await app().open('/runs?workflow=quick');
    await expect.poll(async () => (await shown(page)).length).toBe(50);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL('**/runs?workflow=quick&after=**');
    await expect.poll(async () => (await shown(page)).length).toBeGreaterThanOrEqual(20);
    const second = await shown(page);
    const late = await engine.start('quick', { late: true });
    await late.result();
    // The list is asked for again when something was committed: the answer has come when the next one is asked for.
    const asked = page.waitForResponse(
      (response) => response.url().includes('/v1/runs?') && response.url().includes('after='),
    );
    await engine.start('quick', { later: true });
    await asked;
    await expect.poll(() => shown(page)).toEqual(second);
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
