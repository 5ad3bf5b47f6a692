// Expressions in a real browser: completion of what is in scope, the problem at its place, and a try-out on a past run.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

const person = { type: 'object', properties: { name: { type: 'string' }, born: { type: 'integer' } } };

const actions = {
  look: {
    output: { type: 'object', properties: { people: { type: 'array', items: person } } },
    run: () => ({ people: [{ name: 'Ada', born: 1815 }] }),
  },
  weigh: {
    output: { type: 'object', properties: { weight: { type: 'number' } } },
    run: () => ({ weight: 40 }),
  },
};

const weighing = {
  id: 'weighing',
  initialNode: 'look',
  inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
  nodes: [
    { id: 'look', action: 'look', outputMapping: { 'state.people': 'result.people' } },
    { id: 'weigh', action: 'weigh', outputMapping: { 'state.weight': 'result.weight + 2' } },
    { id: 'done', outputMapping: { 'output.weights': 'state.weights' } },
  ],
  transitions: [
    { from: 'look', to: 'weigh', foreach: { collection: 'state.people', itemVar: 'one' }, siblingGroup: 'people' },
    {
      from: 'weigh',
      to: 'done',
      synchronization: {
        siblingGroup: 'people',
        merge: { source: '_branch.output.weight', target: 'state.weights', strategy: 'append' },
      },
    },
  ],
};

describeWebApp('expressions', { actions }, (app) => {
  webTest('[W15] completion knows input, state, results and items; a problem is shown at its place', async () => {
    const { page, field } = await openField(app());
    const offers = page.getByRole('listbox', { name: 'Completions' });
    const offered = async (typed: string, names: readonly string[]): Promise<void> => {
      await field.fill('');
      await field.pressSequentially(typed);
      for (const name of names) await offers.getByRole('option', { name: new RegExp(`^${name}\\b`) }).waitFor();
    };
    await offered('input.', ['topic']);
    await offered('state.', ['people']);
    await offered('result.', ['weight']);
    await offered('one.', ['name', 'born']);
    await offered('state.people.filter(p, p.', ['name', 'born']);
    await offered('siz', ['size']);
    await page.keyboard.press('Enter'); // takes it
    await page.keyboard.type('input.topic');
    await expect.poll(() => field.textContent()).toBe('size(input.topic)');
    // Parsed while it is typed.
    const told = page.locator('.hd-expression').getByRole('status').filter({ hasText: 'Did you mean "result"?' });
    await field.fill('resutl.weight');
    await told.waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('resutl');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('result.weight');
    await told.waitFor({ state: 'detached' });
    // What is advised can be typed as it stands there.
    await field.fill('Dear Ada');
    const advice = "A text is written in quotes of its own: 'Dear Ada'.";
    await page.locator('.hd-expression').getByRole('status').filter({ hasText: advice }).waitFor();
  });

  webTest('[W15] a long expression wraps in its field, and neither the settings nor the page grow by it', async () => {
    const { page, field } = await openField(app());
    await field.fill(`result.weight + ${'size(state.people) + '.repeat(12)}size(input.topic)`);
    await page.getByRole('button', { name: /^Try out .*state\.weight$/ }).click();
    await page.getByRole('region', { name: 'Try out' }).waitFor();
    const beyond = (part: Locator) =>
      part.evaluate(({ scrollWidth, clientWidth }) => Math.max(0, scrollWidth - clientWidth));
    expect(await beyond(page.locator('.hd-inspector'))).toBe(0);
    expect(await beyond(field)).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  });

  webTest('[W16] an expression is tried on sample data, and on the data of a past run as of an event', async () => {
    const { engine } = app().server;
    await engine.register(weighing);
    const run = await engine.start('weighing', { topic: 'looms' });
    await run.result();
    const { page, field } = await openField(app());
    await field.fill('result.weight * 2');
    await page.getByRole('button', { name: /^Try out .*state\.weight$/ }).click();
    const out = page.getByRole('region', { name: 'Try out' });
    const value = out.getByRole('status', { name: 'Value' });
    await value.getByText('2', { exact: true }).waitFor(); // of the sample that the schema gives
    await out.getByLabel('Sample data').fill('{ "result": { "weight": 5 } }');
    await value.getByText('10', { exact: true }).waitFor();
    await out.getByLabel('Data', { exact: true }).selectOption(run.id);
    await value.getByText('80', { exact: true }).waitFor();
    await field.fill('size(state.weights) + size(input.topic)');
    await value.getByText('6', { exact: true }).waitFor();
    await out.getByRole('slider').focus();
    await page.keyboard.press('Home'); // nothing was written then
    await value.getByText('state.weights is missing').waitFor();
  });
});

/** The value that the node "weigh" writes. */
async function openField(app: WebApp): Promise<{ readonly page: Page; readonly field: Locator }> {
  await app.server.engine.register(weighing);
  const page = await app.open('/workflows/weighing/edit');
  await page.locator('.react-flow__node[data-id="weigh"]').click();
  const field = page.getByRole('textbox', { name: /value of state\.weight$/ });
  await page.locator('.hd-code-line').first().waitFor(); // the editor has taken the place of the plain input
  return { page, field };
}
