// Somebody who has never seen Heddle: an example is started, a fan-out is drawn, tried, published, started and watched, with
// what is on the screen.

import { readFile } from 'node:fs/promises';
import type { Json } from 'heddle';
import { expect } from 'vitest';
import { addFromPalette, nodeNamed, publish } from './editor.testsuite.ts';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const example = async (): Promise<Json> =>
  JSON.parse(await readFile('examples/03-fan-out-fan-in/workflow.json', 'utf8')) as Json; // it gives nothing else

describeWebApp('a first visit', {}, (app) => {
  webTest('[W02][W53] from the first page to a run of a fan-out that was drawn here', async () => {
    await app().server.engine.register(await example());
    const page = await app().open('/');
    await page.getByText('Nothing has run here yet.').waitFor();
    await page.getByRole('button', { name: 'Start plan-trip' }).click();
    await page.locator('.run-header').getByText('completed').waitFor();
    await page.getByText(/^started (now|\d+ s ago)/).waitFor();

    // The examples stay while little has run.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Start plan-trip' }).waitFor();
    await page.getByRole('button', { name: 'Draw a workflow' }).click();
    await page.getByLabel('Name').fill('team lunch');
    await page.getByRole('button', { name: 'Use team-lunch' }).click();
    await page.getByRole('button', { name: 'Open the editor' }).click();
    await page.getByText('Nothing drawn yet').waitFor();
    const said = page.locator('.hd-editor-notice');
    expect((await said.boundingBox())?.height).toBe(0);
    await addFromPalette(page, 'Fan-out with join');
    await said.getByText('Done: Add Fan-out with join').waitFor();
    await nodeNamed(page, 'branch-1').click();
    await page.getByRole('button', { name: 'Add field' }).first().click();
    await page.keyboard.type('dish');
    await page.getByRole('textbox', { name: 'Input: value of dish' }).fill("'pizza for ' + input.name");

    await page.getByRole('button', { name: 'Try it' }).click();
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0); // of what is not seen
    await page.getByRole('textbox', { name: 'Input' }).fill('{ "name": "Ada" }');
    await page.getByRole('button', { name: 'Start', exact: true, disabled: false }).click();
    await page.getByRole('button', { name: 'Continue', disabled: false }).click();
    await page
      .getByRole('group', { name: /^output/i })
      .getByText('"pizza for Ada"')
      .waitFor();

    await publish(page, 1);
    await page.getByRole('button', { name: 'Start a run of it' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start team-lunch' });
    await dialog.getByLabel('Input').fill('{ "name": "Bob" }');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.locator('.run-header').getByText('completed').waitFor();
    await page
      .getByRole('group', { name: /^output/i })
      .getByText('"pizza for Bob"')
      .waitFor();
    await page.getByRole('link', { name: 'Try in editor' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Input' }).inputValue()).toContain('Bob');
  });
});
