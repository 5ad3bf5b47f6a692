// What happens seldom: short pages, an uneven share, and what a restart makes up for.

import { afterEach, expect, test } from 'vitest';
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

async function open(stores: readonly Store[], options: TestEngineOptions = {}): Promise<TestEngine> {
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
