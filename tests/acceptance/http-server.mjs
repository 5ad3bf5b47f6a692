// HTTP server: a process of its own for the acceptance tests. It serves engines on virtual time over real sockets, one
// tenant each, and has no actions: those are done by workers, which are in the test's process. What no client can ask for
// (to move the time, to come to rest, to look into the store) is asked over the channel to the parent.

import { createApp } from '../../packages/heddle/dist/http.js';
import { memoryStore } from '../../packages/heddle/dist/index.js';
import { listen } from '../../packages/heddle/dist/server.js';
import { createTestEngine, VirtualClock } from '../../packages/heddle/dist/testing.js';

/** Takes everything that is sent: a transport cannot be handed to another process. */
const network = {
  resolve: async () => ['1.1.1.1'],
  send: async () => ({ status: 200, headers: {}, body: new Uint8Array() }),
};

/** By tenant, which is also the text of its key. */
const worlds = new Map();
const stores = new Map();
/** What workers had when their engine was closed, by tenant. */
const leasesOf = new Map();

const app = createApp({
  engineOf: (tenant) => worlds.get(tenant)?.engine ?? null,
  isTenant: (tenant) => worlds.has(tenant),
  authenticate: (key) => (worlds.has(key) ? { tenant: key, scopes: new Set(['*']), keyId: key } : null),
  limits: { bodyBytesMax: 64 * 1024 * 1024, jsonDepthMax: 4_000, jsonNodesMax: Infinity, jsonKeysMax: Infinity },
  onError: (error) => process.send({ type: 'broken', message: String(error?.stack ?? error) }),
});

const operations = {
  async open({ tenant, storeId, now, options }) {
    const store = stores.get(storeId) ?? memoryStore();
    stores.set(storeId, store);
    const clock = new VirtualClock(now);
    const tell = (type) => (first, second) =>
      process.send({ type, tenant, first: type === 'error' ? shown(first) : first, second });
    const sinks = { onError: tell('error'), ...(options.trace ? { onTrace: tell('trace') } : {}) };
    const { trace: _, hasNetwork, ...engineOptions } = options;
    const http = hasNetwork ? { http: { transport: network } } : {};
    const world = await createTestEngine({ ...engineOptions, ...sinks, ...http, store, clock });
    worlds.set(tenant, { ...world, leased: countLeases(world.engine) });
    return { feedEnd: await store.feedEnd() };
  },
  async close({ tenant }) {
    const world = worlds.get(tenant);
    await world?.engine.close({ graceMs: 0 });
    worlds.delete(tenant);
    leasesOf.set(tenant, world?.leased.texts ?? []);
  },
  leases({ tenant }) {
    const texts = leasesOf.get(tenant) ?? [];
    leasesOf.delete(tenant);
    return texts.slice(-1_000);
  },
  forget: ({ storeId }) => stores.delete(storeId),
  async settle({ tenant }) {
    const { settle, engine, clock, leased, store } = worlds.get(tenant);
    await settle();
    const actions = engine.readOnly ? [] : await engine.tasks.actions({ limit: 10_000 });
    const waiting = actions.filter(({ place }) => place === 'workers').map(({ name, waiting: count }) => [name, count]);
    return { waiting, leased: leased.count, nextAt: clock.nextAt, feedEnd: await store.feedEnd() };
  },
  async advance({ tenant, to }) {
    const { clock } = worlds.get(tenant);
    await clock.advanceTo(to);
  },
  snapshotKey: ({ tenant }) => worlds.get(tenant).engine.snapshotKey(),
  store: ({ tenant, method, args }) => worlds.get(tenant).store[method](...args),
};

/** The tasks that were handed to workers: the parent waits until it has seen as many. */
function countLeases(engine) {
  const leased = { count: 0, texts: [] };
  const perform = engine.perform.bind(engine);
  engine.perform = async (name, ...rest) => {
    const given = await perform(name, ...rest);
    if (name !== 'leaseTasks') return given;
    leased.count += given.tasks.length;
    leased.texts.push(...given.tasks.map((task) => task.lease));
    return given;
  };
  return leased;
}

const shown = ({ name, message, code }) => ({ name, message, code });

process.on('message', (message) => void answer(message));

async function answer({ id, operation, argument }) {
  try {
    process.send({ type: 'answer', id, answer: (await operations[operation](argument)) ?? null });
  } catch (error) {
    process.send({ type: 'answer', id, error: shown(error) });
  }
}

process.on('disconnect', () => process.exit());

const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
process.send({ type: 'listening', port: Number(new URL(url).port) });
