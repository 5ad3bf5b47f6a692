// Screenshots: every page of the web app, light and dark, wide and narrow, with example data, into `.heddle/screenshots`.
// `--readme` writes the two pictures of the README into `docs/images` instead. `--only NAME` takes those whose names have it.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser } from './browser.mjs';
import { root, setup } from './setup.mjs';

await setup();
const { chromium } = await import('playwright-core');
const { serve } = await import('../packages/heddle/dist/server.js');
const { countWords } = await import('../examples/04-foreach/actions.mjs');

const { values: asked } = parseArgs({ options: { readme: { type: 'boolean' }, only: { type: 'string' } } });
const folder = path.join(root, asked.readme ? 'docs/images' : '.heddle/screenshots');
const widths = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 780 } };
const themes = ['light', 'dark'];

/** Whoever may do everything. */
const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };

/** How long a page may take until what it loads is there, and how long it rests before it is taken. */
const loadMs = 60_000;
const restMs = 1_200;

async function main() {
  const store = mkdtempSync(path.join(tmpdir(), 'heddle-screenshots-'));
  mkdirSync(folder, { recursive: true });
  const options = { port: 0, actions: { countWords } };
  const servers = {};
  for (const name of ['seeded', 'empty', 'closed'])
    servers[name] = await serve({ ...options, store: path.join(store, `${name}.db`) });
  const { seeded, empty, closed } = servers;
  const browser = await chromium.launch({
    executablePath: await findBrowser(),
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    for (const file of exampleFiles) await empty.engine.register(read(file));
    await closed.keys.create({ name: 'closes the server', scopes: ['*'] }, operator);
    const seeds = await seed(seeded.engine);
    for (const shot of asked.readme ? readmeShots(seeds) : allShots(seeds)) {
      if (asked.only !== undefined && !shot.name.includes(asked.only)) continue;
      await take(browser, new URL(shot.address, servers[shot.on ?? 'seeded'].url).href, shot);
      console.log(`screenshots: ${shot.name}`);
    }
  } finally {
    await browser.close();
    await Promise.all(Object.values(servers).map((server) => server.close({ graceMs: 0 })));
    rmSync(store, { recursive: true, force: true });
  }
}

async function take(browser, address, { name, theme, width }) {
  const context = await browser.newContext({ viewport: widths[width], colorScheme: theme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('h1').first().waitFor({ timeout: loadMs });
  await page.waitForTimeout(restMs); // pictures are no tests: charts and drawings have no sign that they are done
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await context.close();
}

// ------------------------------------------------------------------------------------------------------------ pages

function pagesOf({ completed, failed, waiting, other, prompt, secretPage }) {
  return {
    'first-visit': { address: '/', on: 'empty' },
    'sign-in': { address: '/', on: 'closed' },
    overview: { address: '/' },
    runs: { address: '/runs' },
    'runs-filtered': { address: '/runs?status=failed&since=24h&workflow=deliver-strictly' },
    'run-completed': { address: `/runs/${completed}` },
    'run-failed': { address: `/runs/${failed}` },
    'run-failed-node': { address: `/runs/${failed}?node=hand-over` },
    'run-waiting': { address: `/runs/${waiting}` },
    'run-branches': { address: `/runs/${waiting}?node=start&tab=waits` },
    'run-state': { address: `/runs/${completed}?at=20&tab=state` },
    compare: { address: `/runs/${completed}/compare/${other}` },
    workflows: { address: '/workflows' },
    workflow: { address: '/workflows/plan-trip' },
    editor: { address: '/workflows/plan-trip/edit' },
    inbox: { address: '/inbox' },
    prompt: { address: `/inbox/${encodeURIComponent(prompt)}` },
    answer: { address: secretPage },
    work: { address: '/work' },
    triggers: { address: '/triggers' },
    settings: { address: '/settings' },
    docs: { address: '/docs#startRun' },
    'not-found': { address: '/nowhere' },
  };
}

function allShots(seeds) {
  return Object.entries(pagesOf(seeds)).flatMap(([page, where]) =>
    themes.flatMap((theme) =>
      Object.keys(widths).map((width) => ({ ...where, name: `${page}-${width}-${theme}`, theme, width })),
    ),
  );
}

function readmeShots(seeds) {
  const { editor, 'run-completed': run } = pagesOf(seeds);
  return [
    { ...editor, name: 'editor', theme: 'light', width: 'wide' },
    { ...run, name: 'run', theme: 'light', width: 'wide' },
  ];
}

// ------------------------------------------------------------------------------------------------------------- data

const exampleFiles = [
  '03-fan-out-fan-in/workflow.json',
  '04-foreach/workflow.json',
  '06-retry-and-failure-route/workflow.json',
  '11-human-input/legal-check.json',
  '11-human-input/workflow.json',
];

const read = (file) => JSON.parse(readFileSync(path.join(root, 'examples', file), 'utf8'));

/** Asks for every order, with a form. */
const approveOrders = {
  id: 'approve-orders',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    {
      id: 'ask',
      input: {
        title: 'May this order be delivered?',
        description: 'It is larger than what may go out unseen.\nAsk sales if you are in doubt.',
        deadlineMs: 86_400_000,
        schema: {
          type: 'object',
          required: ['approved', 'priority'],
          properties: {
            approved: { type: 'boolean', title: 'Approved' },
            priority: { enum: ['low', 'normal', 'high'], title: 'Priority', default: 'normal' },
            discount: { type: 'number', title: 'Discount', minimum: 0, maximum: 30, description: 'In percent.' },
            remark: { type: 'string', title: 'Remark', maxLength: 500 },
          },
        },
      },
    },
    { id: 'deliver' },
  ],
  transitions: [
    { from: 'start', to: 'ask', foreach: { collection: 'input.orders', itemVar: 'order' }, siblingGroup: 'orders' },
    { from: 'ask', to: 'deliver', synchronization: { siblingGroup: 'orders', strategy: 'all' } },
  ],
};

/** Fails for good, and for want of a worker. */
const deliverStrictly = {
  id: 'deliver-strictly',
  initialNode: 'call',
  nodes: [
    { id: 'call', action: 'core.echo' },
    {
      id: 'hand-over',
      action: 'core.fail',
      inputMapping: { code: '"NOBODY_HOME"', message: '"The bell rang in vain"' },
    },
  ],
  transitions: [{ from: 'call', to: 'hand-over' }],
};
const sendMail = {
  id: 'send-mail',
  initialNode: 'send',
  nodes: [{ id: 'send', action: 'mail.send' }],
  transitions: [],
};

async function seed(engine) {
  for (const definition of [...exampleFiles.map(read), approveOrders, deliverStrictly, sendMail])
    await engine.register(definition);
  const trips = [];
  for (const people of [1, 2, 3, 4, 5])
    trips.push(await engine.start('plan-trip', { people, nights: people + 1 }, { tags: { customer: `c-${people}` } }));
  await engine.start('count-words', { lines: ['a heddle parts', 'the warp threads', 'and brings them together'] });
  await engine.start('deliver', {});
  const failed = await engine.start('deliver-strictly', { parcel: 7 });
  await engine.start('deliver-strictly', { parcel: 8 });
  await engine.start('send-mail', {});
  await engine.start('publish-article', { article: { title: 'On looms' } });
  const waiting = await engine.start('approve-orders', {
    orders: [
      { id: 'A-17', total: 1_200 },
      { id: 'A-18', total: 8_400 },
      { id: 'A-21', total: 960 },
    ],
  });
  await Promise.all([...trips, failed].map((run) => run.result()));
  await engine.triggers.create({ id: 'every-morning', type: 'schedule', workflow: 'plan-trip', cron: '0 8 * * 1-5' });
  await engine.triggers.create({ id: 'on-order', type: 'event', workflow: 'approve-orders', event: 'order.created' });
  await engine.triggers.create({ id: 'now', type: 'manual', workflow: 'deliver', name: 'Deliver now' });
  const { definition, version, hash } = await engine.definition('plan-trip');
  const base = { version, hash };
  await engine.drafts.put('plan-trip', { ...definition, timeoutMs: 60_000 }, { revision: null, base });
  const prompt = await firstPrompt(waiting);
  const secret = await engine.promptSecret(prompt.correlationId);
  const [completed, other] = trips;
  return {
    completed: completed.id,
    other: other.id,
    failed: failed.id,
    waiting: waiting.id,
    prompt: prompt.correlationId,
    secretPage: `/answer/default/${encodeURIComponent(secret)}`,
  };
}

/** A run asks when it has come so far. */
async function firstPrompt(run) {
  for (;;) {
    const [prompt] = await run.prompts();
    if (prompt !== undefined) return prompt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await main();
