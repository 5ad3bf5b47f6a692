// What happens seldom: short pages, an uneven share, and what a restart makes up for.

import { afterEach, describe, expect, test } from 'vitest';
import { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import { shardOf } from '../base/shard.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createTestEngine, type TestEngine, type TestEngineOptions } from '../testing/test-engine.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';

const opened: TestEngine[] = [];
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close({ graceMs: 0 });
});

async function open(stores: readonly (Store | Error)[], options: TestEngineOptions = {}): Promise<TestEngine> {
  const t = await createTestEngine({ stores, ...options });
  opened.push(t);
  return t;
}

const newStores = (): readonly Store[] => [memoryStore(), memoryStore(), memoryStore()];
const noop = { id: 'noop', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] };
const remote = { id: 'remote', initialNode: 'a', nodes: [{ id: 'a', action: 'out' }], transitions: [] };

async function start({ engine, settle }: TestEngine, workflow: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await engine.start(workflow)).id);
  await settle();
  return ids;
}

test('[SH5] a shard whose pages are short hides nothing of the others, nor of its own', async () => {
  const stores = newStores();
  const t = await open(stores);
  await t.engine.register(noop);
  const ids = await start(t, 'noop', 12);
  for (const [shard, store] of stores.entries()) {
    const pageRuns = store.pageRuns.bind(store);
    store.pageRuns = (query) => pageRuns({ ...query, limit: Math.min(query.limit, shard + 1) });
  }
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const { runs, next } = await t.engine.runPage({ limit: 5, ...(after === undefined ? {} : { after }) });
    found.push(...runs.map(({ runId }) => runId));
    if (next === null) break;
    after = next;
  }
  expect(found).toEqual(ids.toReversed());
});

test('[SH9] what does not divide is taken from the shards in turn', async () => {
  const t = await open(newStores(), { workers: true });
  await t.engine.register(remote);
  await start(t, 'remote', 9);
  const tasks = await t.engine.tasks.lease({ actions: ['out'], max: 5 });
  expect([tasks.length, new Set(tasks.map(({ runId }) => shardOf(runId))).size]).toEqual([5, 3]);
});

test('[SH4] [TR24] a schedule fires once, at home, also by a clock that was set back', async () => {
  const stores = newStores();
  const first = await open(stores);
  await first.advance(3_600_000);
  await first.engine.register(noop);
  await first.engine.triggers.create({ id: 's', type: 'schedule', cron: '* * * * *', workflow: 'noop' });
  await first.engine.close();
  const next = await open(stores, { clock: new VirtualClock() });
  await next.advance(180_000);
  const runs = await next.engine.runs();
  expect(runs.map(({ runId }) => shardOf(runId))).toEqual([0, 0, 0]);
});

test('[SH8] a definition that did not come to a shard comes with the next start', async () => {
  const stores = newStores();
  const first = await open(stores);
  const [, second] = stores as [Store, Store];
  const saveDefinition = second.saveDefinition.bind(second);
  second.saveDefinition = () => {
    throw new StoreError('STORE_FAILED', 'the disk is full');
  };
  await expect(first.engine.register(noop)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await first.engine.close({ graceMs: 0 });
  second.saveDefinition = saveDefinition;
  const next = await open(stores, { clock: first.clock });
  const ids = await start(next, 'noop', 3);
  expect(new Set(ids.map(shardOf)).size).toBe(3);
  expect((await next.engine.countRuns()).byStatus).toMatchObject({ completed: 3 });
});

test('[SH14] a shard that can be neither opened nor closed is left out like any other', async () => {
  const stores = newStores();
  const damaged = stores[1] as Store; // there are three
  const fail = (): never => {
    throw new StoreError('STORE_FAILED', 'the disk is on fire');
  };
  damaged.readOutbox = fail;
  damaged.close = fail;
  const t = await open(stores);
  await t.engine.register(noop);
  const ids = await start(t, 'noop', 4);
  expect(new Set(ids.map(shardOf))).toEqual(new Set([0, 2]));
});

describe('one shard fails, or is not there', () => {
  const placement = new Placement(0, 3);
  const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
  const lost = new StoreError('STORE_MISSING', 'the file of the second is gone');
  const missing = { code: 'STORE_MISSING', message: lost.message };

  /** A fleet that has lost its second shard, and what was leased from all before. */
  async function openWithout(options: TestEngineOptions = {}) {
    const stores = newStores();
    const whole = await open(stores, { workers: true });
    for (const definition of [noop, remote]) await whole.engine.register(definition);
    await start(whole, 'remote', 6);
    const leased = await whole.engine.tasks.lease({ actions: ['out'], max: 6 });
    await whole.engine.close({ graceMs: 0 });
    const places = stores.map((store, shard) => (shard === 1 ? lost : store));
    const t = await open(places, { workers: true, clock: whole.clock, ...options });
    return { t, leased };
  }

  test('[SH14] [KY5] what it does not start is told in its own answer; the others start', async () => {
    const { t } = await openWithout();
    const answers = await t.engine.startAll(keys.map((idempotencyKey) => ({ workflow: 'noop', idempotencyKey })));
    expect(answers).toEqual(
      keys.map((key) =>
        placement.ofKey('start', key) === 1
          ? { ok: false, ...missing }
          : { ok: true, runId: expect.any(String) as string },
      ),
    );
    expect(new Set(answers.map(({ ok }) => ok)).size).toBe(2);
  });

  test('[SH14] [WK10] reports of its tasks are refused in their own answers; those of the others count', async () => {
    const { t, leased } = await openWithout();
    const isLost = leased.map(({ runId }) => shardOf(runId) === 1);
    expect(isLost.filter((one) => one).length).toBe(2);
    const beats = await t.engine.tasks.heartbeat(leased.map(({ lease }) => ({ lease, leaseMs: 60_000 })));
    expect(beats.map((beat) => [beat.ok, beat.ok ? null : beat.code])).toEqual(
      isLost.map((one) => (one ? [false, 'STORE_MISSING'] : [true, null])),
    );
    const finished = await t.engine.tasks.finish(leased.map(({ lease }) => ({ lease, output: {} })));
    expect(finished.map(({ applied, error }) => [applied, error])).toEqual(
      isLost.map((one) => (one ? [false, missing] : [true, undefined])),
    );
  });

  test('[SH14] [HT15] what is done to many runs is told as far as it was done, and why it ends there', async () => {
    const { t } = await openWithout();
    const page = await t.engine.perform('cancelRuns', { all: true }); // home has two
    expect(page.items.map(({ runId, applied }) => [shardOf(runId), applied])).toEqual([
      [0, true],
      [0, true],
    ]);
    await expect(t.engine.perform('cancelRuns', { all: true, after: page.next ?? '' })).rejects.toMatchObject(missing);
  });

  const full = (): never => {
    throw new StoreError('STORE_FULL', 'the disk is full');
  };

  /** The second shard gives no lease. */
  async function openFailing(): Promise<TestEngine> {
    const stores = newStores();
    const failing = stores[1] as Store; // there are three
    const commit = failing.commit.bind(failing);
    failing.commit = (batch, stamp) =>
      batch.records?.some(({ kind }) => kind === 'lease') ? full() : commit(batch, stamp);
    const t = await open(stores, { workers: true });
    await t.engine.register(remote);
    return t;
  }

  test('[SH9] one that fails keeps nobody from the tasks of the others', async () => {
    const t = await openFailing();
    await start(t, 'remote', 6);
    const tasks = await t.engine.tasks.lease({ actions: ['out'], max: 6 });
    expect(tasks.map(({ runId }) => shardOf(runId)).toSorted((a, b) => a - b)).toEqual([0, 0, 2, 2]);
    await expect(t.engine.tasks.lease({ actions: ['out'], max: 6 })).rejects.toMatchObject({ code: 'STORE_FULL' });
  });

  test('[SH9] whoever waits at all leaves all when one fails: what comes then is for others', async () => {
    const t = await openFailing();
    const waiting = t.engine.tasks.lease({ actions: ['out'], max: 1, waitMs: 60_000 });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'STORE_FULL' });
    await t.settle();
    await t.engine.start(
      'remote',
      {},
      { idempotencyKey: keys.find((key) => placement.ofKey('start', key) === 1) ?? '' },
    );
    await refused;
    await start(t, 'remote', 2);
    expect((await t.engine.tasks.lease({ actions: ['out'], max: 9 })).map(({ runId }) => shardOf(runId))).toContain(2);
  });
});
