// Engine operations: what a test asks of a program that holds engines for it, wherever that runs. It serves engines on virtual
// time by their HTTP API, one tenant each, and has no actions: those are done by workers, which are in the test's process. What
// no client can ask for (to move the time, to come to rest, to look into the store) are operations.
//
// Always true: it imports nothing of the engine: a program brings its own build of it.

/** Takes everything that is sent: a transport cannot be handed to another process. */
const network = {
  resolve: async () => ['1.1.1.1'],
  send: async () => ({ status: 200, headers: {}, body: new Uint8Array() }),
};

/**
 * `engine` is the build. `openStore` opens the store of an id on a clock, `endEngine` ends one of its engines, `forgetStore`
 * removes it. `tell` takes what engines tell of themselves.
 */
export function serveEngines({ engine: { createApp, createTestEngine, VirtualClock }, ...host }) {
  /** By tenant, which is also the text of its key. */
  const worlds = new Map();

  const app = createApp({
    engineOf: (tenant) => worlds.get(tenant)?.engine ?? null,
    isTenant: (tenant) => worlds.has(tenant),
    authenticate: (key) => (worlds.has(key) ? { tenant: key, scopes: new Set(['*']), keyId: key } : null),
    limits: { bodyBytesMax: 64 * 1024 * 1024, jsonDepthMax: 4_000, jsonNodesMax: Infinity, jsonKeysMax: Infinity },
    onError: (error) => host.tell({ type: 'broken', message: String(error?.stack ?? error) }),
  });

  const operations = {
    async open({ tenant, storeId, now, options }) {
      const clock = new VirtualClock(now);
      const store = await host.openStore(storeId, clock);
      const tell = (type) => (first, second) =>
        host.tell({ type, tenant, first: type === 'error' ? shown(first) : first, second });
      const sinks = { onError: tell('error'), ...(options.trace ? { onTrace: tell('trace') } : {}) };
      const { trace: _, hasNetwork, ...engineOptions } = options;
      const http = hasNetwork ? { http: { transport: network } } : {};
      const world = await createTestEngine({ ...engineOptions, ...sinks, ...http, store, clock });
      worlds.set(tenant, { ...world, leased: countLeases(world.engine) });
      return { feedEnd: await store.feedEnd() };
    },
    /** Answers with what its workers had, also what was on its way to them. */
    async close({ tenant }) {
      const world = worlds.get(tenant);
      if (world === undefined) return [];
      worlds.delete(tenant);
      await host.endEngine(world.engine);
      const { leased, clock } = world;
      for (let count = -1; count !== leased.count; ) {
        count = leased.count;
        await clock.settle();
      }
      return leased.texts.slice(-1_000);
    },
    forget: ({ storeId }) => host.forgetStore(storeId),
    async settle({ tenant }) {
      const { settle, engine, clock, leased, store } = worlds.get(tenant);
      await settle();
      const actions = engine.readOnly ? [] : await engine.tasks.actions({ limit: 10_000 });
      const waiting = actions
        .filter(({ place }) => place === 'workers')
        .map(({ name, waiting: count }) => [name, count]);
      return { waiting, leased: leased.count, nextAt: clock.nextAt, feedEnd: await store.feedEnd() };
    },
    async advance({ tenant, to }) {
      const { clock } = worlds.get(tenant);
      await clock.advanceTo(to);
    },
    snapshotKey: ({ tenant }) => worlds.get(tenant).engine.snapshotKey(),
    store: ({ tenant, method, args }) => worlds.get(tenant).store[method](...args),
  };

  /** Never rejects: an operation that fails answers with its error. */
  async function perform(operation, argument) {
    try {
      return { answer: (await operations[operation](argument)) ?? null };
    } catch (error) {
      return { error: shown(error) };
    }
  }

  return { app, perform };
}

/** The tasks that were handed to workers: the test waits until it has seen as many. */
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
