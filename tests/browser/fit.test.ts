// Fit: every page for everybody: without barriers, on every screen, in every state; what is loaded, and what is only text.

import axe from 'axe-core';
import type { Engine } from 'heddle';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

/** Whatever is shown, of whatever name: were it taken for markup, it would say so. */
const evil = `"><img src=x onerror="window.broken=1"><script>window.broken=1</script>'\${1}`;

const talking = {
  id: 'talking',
  initialNode: 'ask',
  nodes: [
    {
      id: 'ask',
      name: evil,
      input: {
        title: evil,
        description: evil,
        schema: { type: 'object', title: evil, properties: { [evil]: { type: 'string', description: evil } } },
      },
    },
  ],
  transitions: [],
};
const failing = {
  id: 'failing',
  initialNode: 'fail',
  nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { code: '"EVIL"', message: 'input.text' } }],
  transitions: [],
};
const plain = {
  id: 'plain',
  initialNode: 'first',
  nodes: [{ id: 'first', action: 'core.echo' }, { id: 'second' }],
  transitions: [{ from: 'first', to: 'second' }],
};

interface Seeds {
  readonly completed: string;
  readonly other: string;
  readonly failed: string;
  readonly waiting: string;
  readonly prompt: string;
  readonly answer: string;
}

async function seed(engine: Engine, text: string): Promise<Seeds> {
  for (const definition of [plain, talking, failing]) await engine.register(definition);
  const runs = await Promise.all(
    [1, 2].map((n) => engine.start('plain', { n, text: `${text}${n}` }, { tags: { text } })),
  );
  await Promise.all(runs.map((run) => run.result()));
  const failed = await engine.start('failing', { text });
  await failed.result();
  const asking = await engine.start('talking', { text }, { tags: { text } });
  await expect.poll(async () => (await asking.prompts()).length).toBe(1);
  const [prompt] = await asking.prompts();
  const [completed, other] = runs;
  await engine.triggers.create({ id: 'now', type: 'manual', workflow: 'plain', name: text, description: text });
  await engine.drafts.put('plain', { ...plain, description: text }, { revision: null, author: text });
  const secret = await engine.promptSecret(prompt?.correlationId ?? '');
  return {
    completed: completed?.id ?? '',
    other: other?.id ?? '',
    failed: failed.id,
    waiting: asking.id,
    prompt: prompt?.correlationId ?? '',
    answer: `/answer/default/${encodeURIComponent(secret)}`,
  };
}

const addressesOf = ({ completed, other, failed, waiting, prompt, answer }: Seeds): readonly string[] => [
  '/',
  '/runs',
  `/runs/${completed}`,
  `/runs/${failed}`,
  `/runs/${waiting}`,
  `/runs/${completed}/compare/${other}`,
  '/workflows',
  '/workflows/plain',
  '/workflows/plain/edit',
  '/inbox',
  `/inbox/${encodeURIComponent(prompt)}`,
  answer,
  '/work',
  '/triggers',
  '/settings',
  '/docs',
  '/nowhere',
];

/** The page has said what it is, and nothing on it is being loaded. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await expect.poll(() => page.locator('.hd-skeleton').count()).toBe(0);
}

describeWebApp('every page', {}, (app) => {
  let seeds: Promise<Seeds> | null = null;
  const seeded = (): Promise<Seeds> => (seeds ??= seed(app().server.engine, evil));

  webTest('[W47] whatever is shown is text: nothing that people or programs wrote is taken for markup', async () => {
    for (const address of addressesOf(await seeded())) {
      const page = await app().open(address);
      await settled(page);
      expect([address, await page.evaluate('window.broken')]).toEqual([address, undefined]);
      expect([address, await page.locator('img[src="x"]').count()]).toEqual([address, 0]);
      await page.close();
    }
  });

  webTest('[W47] what people and programs wrote is read as they wrote it, wherever it is shown', async () => {
    const { failed, waiting, completed, other, answer, prompt } = await seeded();
    const shown = [
      '/runs',
      `/runs/${failed}`,
      `/runs/${failed}?node=fail`,
      `/runs/${waiting}?node=ask`,
      `/runs/${waiting}?tab=waits`,
      `/runs/${completed}?tab=state`,
      `/runs/${completed}/compare/${other}`,
      '/workflows/talking/edit',
      '/inbox',
      `/inbox/${encodeURIComponent(prompt)}`,
      answer,
      '/triggers',
    ];
    for (const address of shown) {
      const page = await app().open(address);
      // Without its quotes, which JSON writes otherwise.
      await page.getByText('<script>window.broken=1</script>').first().waitFor();
      expect([address, await page.evaluate('window.broken')]).toEqual([address, undefined]);
      expect([address, await page.locator('img[src="x"]').count()]).toEqual([address, 0]);
      await page.close();
    }
    const editor = await app().open('/workflows/talking/edit');
    await editor.locator('.react-flow__node[data-id="ask"]').click();
    await expect.poll(() => editor.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe(evil);
    expect(await editor.locator('img[src="x"]').count()).toBe(0);
  });

  webTest('[W48] no page has a barrier, light or dark, wide or narrow, and none scrolls sideways', async () => {
    const addresses = addressesOf(await seeded());
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1440]) {
        const page = await app().open('/', { colorScheme, viewport: { width, height: 900 } });
        for (const address of addresses) {
          await page.goto(new URL(address, app().url).href);
          await settled(page);
          const where = `${address} ${colorScheme} ${width}`;
          found.push(...(await barriers(page)).map((barrier) => `${where}: ${barrier}`));
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          if (overflow !== 0) found.push(`${where}: scrolls sideways by ${String(overflow)} px`);
        }
        await page.close();
      }
    expect(found).toEqual([]);
  });

  webTest('[W49] nothing moves for whoever asked for that', async () => {
    const page = await app().open('/', { reducedMotion: 'reduce' });
    for (const address of addressesOf(await seeded())) {
      await page.goto(new URL(address, app().url).href);
      await settled(page);
      expect([address, await page.evaluate(movements)]).toEqual([address, []]);
    }
  });

  webTest('[W50] the first load is small, and nothing is loaded from elsewhere', async () => {
    await seeded();
    for (const address of ['/', '/runs', '/inbox']) {
      const page = await app().open(address);
      await settled(page);
      // With what a page loads after it was shown: its charts.
      if (address === '/') await page.locator('canvas').first().waitFor();
      const sizes = await page.evaluate<readonly { name: string; size: number }[]>(
        `performance.getEntries().filter(({ name, entryType }) => entryType === 'navigation' || name.includes('/assets/'))
          .map(({ name, encodedBodySize }) => ({ name, size: encodedBodySize }))`,
      );
      expect(sizes.length).toBeGreaterThan(2);
      expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(200_000);
      await page.close();
    }
  });

  /** Every page that asks the server for something. */
  const asking = async (): Promise<readonly string[]> => addressesOf(await seeded()).filter((at) => at !== '/nowhere');

  webTest('[W53] every page keeps the place of what is being loaded', async () => {
    for (const address of await asking()) {
      const page = await app().open('/nowhere');
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(questions, (route) => released.then(() => route.continue()));
      await page.goto(new URL(address, app().url).href);
      await page.locator('main .hd-skeleton').first().waitFor();
      release();
      await settled(page);
      await page.close();
    }
  });

  webTest('[W53] every page says what went wrong in the words of the server, and tries again', async () => {
    for (const address of await asking()) {
      const page = await app().open('/nowhere', { expectErrors: /500/ });
      await page.route(questions, (route) =>
        route.fulfill({
          status: 500,
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'SERVER_BROKEN', detail: 'Expected a server, but it broke', status: 500 }),
        }),
      );
      await page.goto(new URL(address, app().url).href);
      const alerts = page.getByRole('alert').filter({ hasText: /it broke|found status 500/ });
      await alerts.first().waitFor();
      await page.unroute(questions);
      const again = page.getByRole('button', { name: 'Try again' });
      // What failed later than the rest is asked again, too.
      await expect
        .poll(async () => {
          await again.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
          return alerts.count();
        })
        .toBe(0);
      await settled(page);
      await page.close();
    }
  });
});

describeWebApp('the calls behind a page', {}, (app) => {
  webTest('[W50] a page says which calls it is made of, and each leads to its operation, filled in', async () => {
    const { engine } = app().server;
    await engine.register(plain);
    const run = await engine.start('plain', {});
    await run.result();
    const page = await app().open(`/runs/${run.id}`);
    await settled(page);
    await page.locator('summary', { hasText: 'default' }).click();
    await page.getByRole('button', { name: 'API calls of this page' }).click();
    const dialog = page.getByRole('dialog', { name: 'API calls of this page' });
    await dialog.getByText(`GET /v1/runs/${run.id}/view`).first().waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy getRunView as curl' }).first().click();
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toContain(`curl '${new URL(`/v1/runs/${run.id}/view`, app().url).href}`);
    await dialog.getByRole('listitem').filter({ hasText: '/view' }).first().getByRole('link').click();
    // The operation is open, in sight, and asks for the same.
    const operation = page.locator('details#getRunView[open]');
    await expect.poll(async () => (await operation.boundingBox())?.y).toBeLessThan(200);
    await expect.poll(() => operation.getByLabel('runId').inputValue()).toBe(run.id);
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByRole('status').filter({ hasText: '200' }).waitFor();
  });
});

describeWebApp('pages with nothing to show', {}, (app) => {
  const empty: Readonly<Record<string, RegExp>> = {
    '/': /Nothing has run here yet/,
    '/runs': /No runs yet/,
    '/workflows': /No workflows yet/,
    '/workflows/nothing': /Nothing is published under this name/,
    '/inbox': /Nothing is asked of you/,
    '/inbox/none': /This is not open/,
    '/work': /No workers/,
    '/triggers': /Nothing starts runs by itself/,
    '/settings': /No keys/,
    '/nowhere': /There is no page at this address/,
  };

  webTest('[W53] a page with nothing to show says so, and what to do next', async () => {
    for (const [address, words] of Object.entries(empty)) {
      const page = await app().open(address);
      await page.getByText(words).first().waitFor();
      await page.close();
    }
    for (const address of ['/runs/none', '/runs/none/compare/none']) {
      const page = await app().open(address, { expectErrors: /404/ });
      await page
        .getByText(/Expected a run|there is none|not found/i)
        .first()
        .waitFor();
      await page.close();
    }
  });
});

/** What pages ask the server, beside who is there. */
const questions = /\/v1\/(?!me$)|openapi/;

/** What stands in the way of somebody, as axe finds it. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
  );
}

/** Animations that run, and transitions that would. */
const movements = `[
  ...document.getAnimations().map((animation) => animation.effect?.getTiming()).filter((timing) => Number(timing?.duration) > 0).map(() => 'animation'),
  ...[...document.querySelectorAll('.hd *')].filter((element) => {
    const { transitionDuration, transitionProperty } = getComputedStyle(element);
    return transitionProperty !== 'none' && transitionDuration.split(',').some((duration) => parseFloat(duration) > 0);
  }).map((element) => element.className),
]`;
