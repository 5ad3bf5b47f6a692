// What is done to a run from its page: each says first what it comes to, and only what is allowed is offered.

import type { Actions, JsonObject } from 'heddle';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

let isBroken = true;

const actions: Actions = {
  prepare: () => ({ isReady: true }),
  deliver: ({ input }) => {
    if (isBroken) throw Object.assign(new Error('The bridge is closed'), { code: 'CLOSED' });
    return input;
  },
};

const delivery: JsonObject = {
  id: 'delivery',
  initialNode: 'prepare',
  inputSchema: { type: 'object', properties: { to: { type: 'string', title: 'To whom' } } },
  nodes: [
    { id: 'prepare', action: 'prepare' },
    { id: 'deliver', action: 'deliver', inputMapping: { to: 'input.to' }, outputMapping: { 'output.to': 'result.to' } },
  ],
  transitions: [{ from: 'prepare', to: 'deliver' }],
};

const question: JsonObject = { id: 'question', initialNode: 'ask', nodes: [{ id: 'ask', input: { title: 'Go on?' } }] };

const statusOf = (page: Page, status: string) => page.locator('.run-header .hd-status').getByText(status);
const dialogOf = (page: Page) => page.getByRole('dialog');
const control = (page: Page, name: string) =>
  page.getByRole('group', { name: 'What can be done to the run' }).getByRole('button', { name, exact: true });

describeWebApp('controls of a run', { actions }, (app) => {
  webTest('[W33] pause, resume and cancel say what they come to, and do it', async () => {
    const { engine } = app().server;
    await engine.register(question);
    const run = await engine.start('question', {});
    const page = await app().open(`/runs/${run.id}`);
    await control(page, 'Pause').click();
    await dialogOf(page).getByText('Nothing more of the run is handed out until it is resumed.').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Keep things as they are' }).click();
    expect(await run.status()).not.toBe('paused');
    await control(page, 'Pause').click();
    await dialogOf(page).getByRole('button', { name: 'Pause' }).click();
    await statusOf(page, 'paused').waitFor();
    await control(page, 'Resume').click();
    await dialogOf(page).getByRole('button', { name: 'Resume' }).click();
    await statusOf(page, 'suspended').waitFor();
    await control(page, 'Cancel').click();
    await dialogOf(page).getByText('ask ends.').waitFor();
    await dialogOf(page).getByText('1 prompt can no longer be answered.').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    await statusOf(page, 'cancelled').waitFor();
    await expect.poll(() => control(page, 'Cancel').count()).toBe(0);
  });

  webTest('[W33] a retry says what is done again and what is kept, and leads to the new run', async () => {
    isBroken = true;
    const { engine } = app().server;
    await engine.register(delivery);
    const run = await engine.start('delivery', { to: 'Ada' });
    const page = await app().open(`/runs/${run.id}?node=deliver`);
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByText('The bridge is closed', { exact: true })
      .waitFor();
    isBroken = false;
    await control(page, 'Retry').click();
    await dialogOf(page)
      .getByText(/^deliver is executed again/)
      .waitFor();
    await dialogOf(page).getByText('1 execution that was completed is kept.').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Retry' }).click();
    await page.waitForURL((url) => !url.pathname.includes(run.id));
    await statusOf(page, 'completed').waitFor();
  });

  webTest('[W33] start again: by the form of the input, or as JSON; what was typed stays', async () => {
    isBroken = false;
    const { engine } = app().server;
    await engine.register(delivery);
    const run = await engine.start('delivery', { to: 'Ada' });
    await run.result();
    const page = await app().open(`/runs/${run.id}`);
    await control(page, 'Start again').click();
    await dialogOf(page).getByLabel('To whom').fill('Grace');
    await dialogOf(page).getByRole('button', { name: 'Edit as JSON' }).click();
    const json = dialogOf(page).getByLabel('Input, as JSON');
    expect(JSON.parse(await json.inputValue())).toEqual({ to: 'Grace' });
    await json.fill('{ "to": ');
    await expect.poll(() => dialogOf(page).getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
    await json.fill('{ "to": "Hedy" }');
    await dialogOf(page).getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.includes(run.id));
    await statusOf(page, 'completed').waitFor();
    await page.getByRole('group', { name: 'input of the run' }).getByText('"Hedy"').waitFor();
  });
});
