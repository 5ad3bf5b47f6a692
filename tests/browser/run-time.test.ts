// A run in time: its timeline, the slider over its journal, why it did what it did, and why it waits.

import type { ActionContext, Json, RunEvent } from 'heddle';
import { openSqliteStore } from 'heddle/sqlite';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

const napSeconds = 2;

/** Checks a total, scores every item, rests, ships; below 1,000 it ships at once. */
const order = {
  id: 'order',
  initialNode: 'check',
  nodes: [
    {
      id: 'check',
      action: 'shop.check',
      inputMapping: { total: 'input.total' },
      outputMapping: { 'state.total': 'result.total' },
    },
    { id: 'split' },
    {
      id: 'score',
      action: 'shop.score',
      inputMapping: { item: 'item' },
      outputMapping: { 'state.score': 'result.score' },
      retry: { maxAttempts: 2, initialDelayMs: 20 },
    },
    { id: 'join' },
    { id: 'rest', wait: { seconds: napSeconds } },
    { id: 'ship', action: 'shop.ship', outputMapping: { 'output.shipped': 'result.ok' } },
  ],
  transitions: [
    { from: 'check', to: 'split', condition: 'state.total >= 1000' },
    { from: 'check', to: 'ship', condition: 'state.total < 1000' },
    { from: 'split', to: 'score', foreach: { collection: 'input.items', itemVar: 'item' }, siblingGroup: 'items' },
    {
      from: 'score',
      to: 'join',
      synchronization: {
        siblingGroup: 'items',
        strategy: 'all',
        merge: { target: 'state.scores', strategy: 'collect' },
      },
    },
    { from: 'join', to: 'rest' },
    { from: 'rest', to: 'ship' },
  ],
};

/** One branch for each thing that a run can wait for, and a join that waits for all of them. */
const waiting = {
  id: 'waiting',
  initialNode: 'begin',
  nodes: [
    { id: 'begin' },
    { id: 'ask', input: { title: 'May it go?' } },
    { id: 'sleep', wait: { seconds: 86_400 } },
    { id: 'listen', wait: { event: 'paid', correlation: '"o-1"' } },
    { id: 'print', action: 'nobody.has.it' },
    { id: 'quick', action: 'shop.ship' },
    { id: 'together' },
  ],
  transitions: [
    ...['ask', 'sleep', 'listen', 'print', 'quick'].map((to) => ({ from: 'begin', to, siblingGroup: 'all' })),
    ...['ask', 'sleep', 'listen', 'print', 'quick'].map((from) => ({
      from,
      to: 'together',
      synchronization: { siblingGroup: 'all', strategy: 'all' },
    })),
  ],
};

const triedBefore = new Set<string>();

const actions = {
  'shop.check': ({ input }: ActionContext) => ({ total: Number(input['total']) }),
  'shop.score': ({ input, runId }: ActionContext) => {
    const item = Number(input['item']);
    const key = `${runId} ${item}`;
    if (item === 13) throw new Error('nobody scores 13');
    if (item === 2 && !triedBefore.has(key)) {
      triedBefore.add(key);
      throw new Error('busy');
    }
    return { score: item * 2 };
  },
  'shop.ship': () => ({ ok: true }),
};

async function started(app: WebApp, workflow: string, input: Json): Promise<string> {
  const { engine } = app.server;
  for (const definition of [order, waiting]) await engine.register(definition);
  return (await engine.start(workflow, input)).id;
}

async function ended(app: WebApp, total: number, items: readonly number[]): Promise<string> {
  const runId = await started(app, 'order', { total, items: [...items] });
  await app.server.engine.run(runId).result();
  return runId;
}

const sliderOf = (page: Page) => page.getByRole('slider', { name: 'Moment' });
const timelineOf = (page: Page) => page.getByRole('region', { name: 'Timeline' });

async function boxOf(page: Page, name: RegExp): Promise<{ readonly x: number; readonly width: number }> {
  const box = await timelineOf(page).getByRole('button', { name }).first().boundingBox();
  if (box === null) throw new Error(`Expected a bar ${name} in view, but there is none`);
  return box;
}

describeWebApp('A run in time', { actions }, (app) => {
  webTest('[W28] the timeline squeezes idle time, opens branches, zooms by keys, and is a table too', async () => {
    const page = await app().open(`/runs/${await ended(app(), 1_200, [1, 2, 3])}`);
    const timeline = timelineOf(page);
    await timeline.getByRole('row').first().waitFor();
    // Two seconds of rest in a run that works for milliseconds: less than a third of the drawing.
    const frame = await timeline.getByRole('treegrid').boundingBox();
    expect((await boxOf(page, /^rest: completed/)).width).toBeLessThan((frame?.width ?? 0) / 3);
    const gap = timeline.locator('.hd-timeline-axis .hd-timeline-gap').filter({ hasText: `${napSeconds}` });
    await gap.first().waitFor();
    // However short and however late, a pointer meets it.
    const edge = (frame?.x ?? 0) + (frame?.width ?? 0);
    for (const bar of await timeline.locator('.hd-bar').all()) {
      const { x, width } = (await bar.boundingBox()) ?? { x: 0, width: 0 };
      expect(width).toBeGreaterThanOrEqual(6);
      expect(x + width).toBeLessThanOrEqual(edge);
    }
    await timeline.getByRole('button', { name: /^split: completed/ }).click();
    await page.waitForURL(/node=split/);
    // Branches: one row each; the attempt that failed is told.
    await timeline.getByRole('button', { name: 'score ×3' }).click();
    await timeline.getByRole('row', { name: /split\.1/ }).waitFor();
    await timeline.getByRole('button', { name: /^score in split\.1: completed.*2 attempts/ }).waitFor();
    // By keys: closer, along, and back to all of it.
    const axis = timeline.locator('.hd-timeline-axis');
    const shown: (string | null)[] = [await axis.textContent()];
    await timeline.getByRole('treegrid').focus();
    for (const key of ['+', 'Shift+ArrowRight', '0']) {
      await page.keyboard.press(key);
      if (key !== '0') await expect.poll(() => axis.textContent()).not.toBe(shown.at(-1));
      shown.push(await axis.textContent());
    }
    await expect.poll(() => axis.textContent()).toBe(shown[0]);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/node=ship/);
    await timeline.getByRole('button', { name: 'As table' }).click();
    await timeline.getByRole('row', { name: /score split\.2 completed/ }).waitFor();
  });

  webTest('[W29] at every moment of the slider, the state is the one that the API has', async () => {
    const runId = await ended(app(), 1_200, [1, 2]);
    const page = await app().open(`/runs/${runId}?tab=state`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const events: RunEvent[] = [];
    for await (const event of app().server.engine.run(runId).events({ follow: false })) events.push(event);
    await sliderOf(page).focus();
    await page.keyboard.press('Home');
    for (const [index, event] of events.entries()) {
      await page.getByText(`Event ${index + 1} of ${events.length}`, { exact: true }).waitFor();
      const told = await app().server.engine.call('getStateAt', { runId, eventId: event.id });
      const state = page.getByRole('region', { name: 'State' });
      await state.getByRole('button', { name: 'Copy state' }).click();
      const copied: string = await page.evaluate('navigator.clipboard.readText()');
      expect(JSON.parse(copied)).toEqual(told.state);
      await expect.poll(() => state.locator('.hd-state-status').textContent()).toBe(told.status);
      await expect(state.locator('.hd-state-list').last().getByRole('listitem').count()).resolves.toBe(
        told.tokens.length,
      );
      await sliderOf(page).focus();
      await page.keyboard.press('ArrowRight');
    }
  });

  webTest('[W30] the first failure in one key: the moment, the node and what was said there', async () => {
    const runId = await ended(app(), 1_200, [1, 13]);
    const page = await app().open(`/runs/${runId}`);
    await page.getByRole('button', { name: 'First failure' }).and(page.locator(':enabled')).waitFor();
    await page.keyboard.press('f');
    await page
      .getByText(/Attempt 1 of score failed.*nobody scores 13/)
      .first()
      .waitFor();
    await page.waitForURL(/node=score/);
    await page.waitForURL(/at=\d+/);
    // Where somebody types, the key is a letter.
    const search = page.getByRole('searchbox', { name: 'Search the journal' });
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await search.fill('');
    await search.press('f');
    await expect.poll(() => search.inputValue()).toBe('f');
    await expect(page.getByRole('button', { name: 'End', exact: true }).getAttribute('aria-pressed')).resolves.toBe(
      'true',
    );
  });

  webTest('[W31] why this transition: every condition with what it came to, by which values', async () => {
    const runId = await ended(app(), 1_200, [1]);
    const page = await app().open(`/runs/${runId}`);
    await page.getByRole('searchbox', { name: 'Search the journal' }).fill('split was entered');
    await page.getByRole('button', { name: /split was entered/ }).click();
    await page.getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('check succeeded; continued with split').waitFor();
    await why.getByText('to split: state.total >= 1000 was true: state.total = 1200').waitFor();
    await why.getByText('to ship: state.total < 1000 was false: state.total = 1200').waitFor();
  });

  webTest('[W32] why it is waiting: the join with who is missing, a prompt, a timer, an event, a worker', async () => {
    const runId = await started(app(), 'waiting', {});
    const page = await app().open(`/runs/${runId}?tab=waits`);
    const waits = page.getByRole('region', { name: 'Why is it waiting?' });
    for (const kind of ['join', 'prompt', 'timer', 'event', 'worker'])
      await waits
        .getByRole('listitem')
        .filter({ hasText: new RegExp(`^${kind}`) })
        .first()
        .waitFor();
    await waits.getByText('1 arrived, 4 may still come, 0 will not').waitFor();
    // A sentence leads to its node.
    await waits.getByRole('button', { name: 'ask' }).first().click();
    await page.waitForURL(/node=ask/);
    // What comes is taken off the list without a reload.
    await app().server.engine.publish('paid', {}, { correlation: 'o-1' });
    await waits.getByText('2 arrived, 3 may still come, 0 will not').waitFor();
  });

  webTest('[W32] why it is waiting: credits that the ledger has not decided on', async () => {
    // It decides at once, unless the account is damaged: then it waits until somebody mends that (CR13).
    await app().restart(async (file) => {
      const store = await openSqliteStore(file);
      const account = { kind: 'account', key: '"acme"', value: '{', dueAt: null };
      await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [account] });
      await store.close();
    });
    const { engine } = app().server;
    await engine.register({
      id: 'paid',
      initialNode: 'ship',
      nodes: [{ id: 'ship', action: 'shop.ship', cost: 3 }],
    });
    const { id } = await engine.start('paid', {}, { organization: 'acme' });
    const page = await app().open(`/runs/${id}?tab=waits`);
    const waits = page.getByRole('region', { name: 'Why is it waiting?' });
    await waits
      .getByRole('listitem')
      .filter({ hasText: /^credits.*waits for credits/ })
      .waitFor();
    await waits.getByRole('button', { name: 'ship' }).click();
    await page.waitForURL(/node=ship/);
  });
});
