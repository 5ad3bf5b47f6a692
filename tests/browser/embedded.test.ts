// The components of `heddle-react` in a foreign page, as they are published: example 18 in a real browser.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { launch, lookForBrowser } from './chromium.testsuite.ts';
import { webTest } from './web-app.testsuite.ts';

const example = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../examples/18-embedded-views');
const found = await lookForBrowser(); // it may be installed now, which takes a while
const isMissing = 'missing' in found;

describe.skipIf(isMissing)(isMissing ? `skipped: ${found.missing}` : 'views in a page of others', () => {
  let server: ChildProcess;
  let browser: Browser;
  let address = '';
  beforeAll(async () => {
    if (isMissing) return;
    const args = [path.join(example, 'server.mjs'), '--port', '0'];
    server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    browser = await launch(found.path);
    [address] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill();
    if (server?.exitCode === null) await once(server, 'exit');
  });

  webTest('[W51] two live components and one fed by a journal share a page of others, in its look', async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(300_000); // a net for what hangs: machines may be busy
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    onTestFinished(async () => {
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.goto(address);

    // Both live ones, by a token for one run: the answer in one moves the other.
    const progress = page.getByRole('region', { name: 'Progress' });
    const questions = page.getByRole('region', { name: 'Questions' });
    await progress.locator('.react-flow__node[data-id="approve"]').waitFor();
    await questions.getByText('Pay 520 to Ada?').first().click();
    await questions.getByRole('radio', { name: 'Yes' }).check();
    await questions.getByRole('button', { name: 'Answer' }).click();
    await progress.getByText('completed').first().waitFor();

    // From the journal alone.
    const past = page.getByRole('region', { name: 'A claim like yours' });
    await past.locator('.react-flow__node[data-id="price"]').waitFor();
    await past.getByText('"Bob"').waitFor();

    // In the look of the page, each in its own; and nothing of the page has changed its look.
    const styleOf = (of: string, name: string) =>
      page
        .locator(of)
        .first()
        .evaluate((element, wanted) => getComputedStyle(element).getPropertyValue(wanted), name);
    expect(await styleOf('.product .hd', '--hd-accent')).toBe('#8a3b12');
    expect(await styleOf('.product-past', '--hd-accent')).toBe('#2f5d3a');
    expect(await styleOf('.product .hd', 'font-family')).toBe('Georgia, serif');
    expect(await styleOf('.product .hd .hd-button', 'border-radius')).toBe('0px');
    expect(await styleOf('.product-button', 'border-radius')).toBe('20px');
    expect(await styleOf('.product h1', 'font-size')).toBe('34px');
    expect(await styleOf('body', 'background-color')).toBe('rgb(250, 246, 239)');
  });
});
