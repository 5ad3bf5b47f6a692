// The projection in D1, in the platform's own runtime: what lists say is what the engine says, whatever became of objects and of D1.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../packages/heddle/src/cloudflare/projection/database.ts';
import { ProjectedLists } from '../../packages/heddle/src/cloudflare/projection/projected-lists.ts';
import type { RunListRequest } from '../../packages/heddle/src/operations/runs.ts';
import type { Mood } from './projection.worker.ts';
import { operatorKey, Workerd } from './workerd.testsuite.ts';

interface Inside {
  die(): Promise<void>;
  damage(runId: string): Promise<void>;
  marks(): Promise<number>;
  mend(mood: Mood): Promise<number>;
  held(): Promise<number>;
  arrive(): Promise<void>;
}

class Projected {
  readonly workerd: Workerd;
  readonly database: Database;

  private constructor(workerd: Workerd, database: Database) {
    this.workerd = workerd;
    this.database = database;
  }

  static async open(shards?: string): Promise<Projected> {
    const workerd = await Workerd.open({
      program: 'projection.worker.ts',
      bindings: shards === undefined ? {} : { SHARDS: shards },
      more: { d1Databases: ['DB'], serviceBindings: {} },
    });
    return new Projected(workerd, await workerd.runtime.getD1Database('DB'));
  }

  lists(tenant = 'default'): ProjectedLists {
    return new ProjectedLists(this.database, tenant);
  }

  object(name = 'default'): Promise<Inside> {
    return this.workerd.object<Inside>(name);
  }

  objectOf(runId: string): Promise<Inside> {
    const [, shard] = runId.split('~');
    return this.object(shard === undefined ? 'default' : `default/${shard}`);
  }

  async run(sql: string): Promise<void> {
    await this.database.batch([this.database.prepare(sql)]);
  }

  /** All that the engine lists, page by page, as D1 lists it. */
  async agree(request: RunListRequest, key: string = operatorKey, tenant = 'default'): Promise<void> {
    const client = this.workerd.client(key);
    for (let after: string | undefined; ; ) {
      const asked = { ...request, ...(after === undefined ? {} : { after }) };
      const [known, projected] = [await client.call('listRuns', asked), await this.lists(tenant).listRuns(asked)];
      expect(projected.items).toEqual(known.items);
      expect(projected.next === null).toBe(known.next === null);
      if (known.next === null) return;
      after = known.next;
    }
  }

  async caughtUp(seconds = 20): Promise<void> {
    await vi.waitFor(() => this.agree({ subRuns: true, limit: 1_000 }), { timeout: seconds * 1_000, interval: 200 });
  }
}

const workflows = ['shop-order', 'shop-fail', 'ask', 'nap', 'tree', 'grove', 'none'] as const;
const statuses = [
  'submitted',
  'running',
  'waiting',
  'suspended',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] as const;
const texts = ['red', 'blue', '\u0000"\\', '\ud83d\ude00 ü', '\ud800'] as const;
const tags = fc.dictionary(fc.constantFrom('colour', 'size', 'wörd'), fc.constantFrom(...texts), { maxKeys: 2 });

const start = fc.record({
  workflow: fc.constantFrom(...workflows.slice(0, -1)),
  tags,
  afterwards: fc.constantFrom('nothing', 'nothing', 'cancel', 'pause', 'delete'),
  value: fc.oneof(fc.integer(), fc.constant('x'.repeat(20_000))),
});

const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 });

/** Of runs that there are, and others. */
const requests = (ids: readonly string[], times: readonly number[]): fc.Arbitrary<RunListRequest> =>
  fc
    .record({
      workflow: optionally(fc.constantFrom(...workflows)),
      statuses: optionally(fc.uniqueArray(fc.constantFrom(...statuses), { minLength: 1, maxLength: 4 })),
      tags: optionally(tags),
      parentRunId: fc.option(fc.constantFrom(...ids), { nil: undefined, freq: 8 }),
      rootRunId: fc.option(fc.constantFrom(...ids), { nil: undefined, freq: 8 }),
      search: fc.option(
        fc.oneof(
          fc.constantFrom('shop', 'shop-o', 'red', 'gr', 'nothing'),
          fc.constantFrom(...ids).map((id) => id.slice(0, 14)),
        ),
        { nil: undefined, freq: 4 },
      ),
      createdAfter: fc.option(fc.constantFrom(...times), { nil: undefined, freq: 5 }),
      createdBefore: fc.option(fc.constantFrom(...times), { nil: undefined, freq: 5 }),
      quarantined: fc.option(fc.boolean(), { nil: undefined, freq: 5 }),
      subRuns: optionally(fc.boolean()),
      limit: fc.integer({ min: 1, max: 30 }),
    })
    .map((request) => Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)));

async function populate({ workerd }: Projected, seed: number): Promise<void> {
  const client = workerd.client();
  for (const { workflow, tags: marks, afterwards, value } of fc.sample(start, { numRuns: 70, seed })) {
    const run = await client.start(workflow, { value }, { tags: marks });
    if (afterwards === 'pause') await run.pause().catch(() => undefined); // it may have ended
    if (afterwards === 'cancel' || afterwards === 'delete') await run.cancel().catch(() => undefined); // as above
    if (afterwards === 'delete') await run.result().then(() => run.delete());
  }
}

describe.each([
  ['one object for each tenant', undefined],
  ['two for each', '2'],
])('%s', (_, shards) => {
  let projected: Projected;
  beforeAll(async () => {
    projected = await Projected.open(shards);
  });
  afterAll(() => projected.workerd.close());

  test('[DO21] [DO24] lists and counts of random runs are those of the engine, page by page', async () => {
    await populate(projected, shards === undefined ? 1 : 2);
    await projected.caughtUp();
    const client = projected.workerd.client();
    const { items } = await client.call('listRuns', { subRuns: true, limit: 1_000 });
    expect(items.length).toBeGreaterThan(50);
    const ids = items.map(({ runId }) => runId);
    const times = items.map(({ createdAt }) => createdAt);
    await fc.assert(
      fc.asyncProperty(requests(ids, times), async (request) => {
        await projected.agree(request);
      }),
      { numRuns: 80 },
    );
    for (const request of [{}, { subRuns: true }, { workflow: 'shop-order', subRuns: true }, { workflow: 'ask' }])
      expect(await projected.lists().countRuns(request)).toEqual(await client.call('countRuns', request));
    const after = ids[3] as string;
    expect(await projected.lists().listRuns({ after, limit: 2 })).toEqual(
      await client.call('listRuns', { after, limit: 2 }),
    );
    await expect(projected.lists().listRuns({ after: 'nonsense' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    expect(await projected.lists('other').listRuns({})).toEqual({ items: [], next: null });
  });

  test('[DO23] [DO25] what was removed from D1 is there again when the operator asks for it, and what is no run is not', async () => {
    const ask = (path: string, method: string, key = operatorKey) =>
      projected.workerd.fetch(`http://heddle.test/cloudflare/projection${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
      });
    await projected.run('DELETE FROM heddle_runs');
    await projected.run('DELETE FROM heddle_tags');
    await projected.run(
      `INSERT INTO heddle_runs (tenant, object, run_id, created_at, is_root, workflow, version, status, updated_at, root_run_id, tags, claim)
       VALUES ('default', 'default', 'no-run', 1, 1, 'ask', 1, 'suspended', 1, 'no-run', '[]', 1)`,
    );
    const answer = await ask('/rebuild', 'POST');
    expect([answer.status, await answer.json()]).toEqual([202, { objects: Number(shards ?? 1), next: null }]);
    await projected.caughtUp();
    await projected.agree({ tags: { colour: 'red' } });

    await projected.run('UPDATE heddle_projection SET version = 99');
    const again: Database = {
      prepare: (sql) => projected.database.prepare(sql),
      batch: (all) => projected.database.batch(all),
    };
    await expect(new ProjectedLists(again, 'default').listRuns({})).rejects.toMatchObject({ code: 'STORE_NEWER' });
    await projected.run('UPDATE heddle_projection SET version = 1');

    await projected.run('DROP TABLE heddle_runs');
    await projected.run('DROP TABLE heddle_places');
    await ask('/rebuild', 'POST');
    await projected.caughtUp();
    const overview = (await (await ask('', 'GET')).json()) as { tenants: object[] };
    const counts = await projected.workerd.client().call('countRuns', { subRuns: true });
    expect(overview).toMatchObject({ tenants: [{ tenant: 'default', rebuilding: 0, ...counts }], next: null });

    const { key } = await projected.workerd.client().call('createKey', { name: 'acme', scopes: ['*'], tenant: 'acme' });
    expect((await ask('/rebuild', 'POST', key)).status).toBe(401);
    expect((await projected.workerd.fetch('http://heddle.test/cloudflare/projection')).status).toBe(401);
    expect((await ask('/other', 'POST')).status).toBe(404);
    await projected.workerd.client(key).start('ask', {});
    await vi.waitFor(() => projected.agree({}, key, 'acme'), { timeout: 10_000 });
    expect((await projected.lists('acme').listRuns({})).items).toHaveLength(1);
  });

  test('[DO22] while D1 refuses or loses its answers runs go on, and lists are right when it is well again', async () => {
    const object = await projected.object();
    const client = projected.workerd.client();
    const before = await object.mend('refusing');
    for (const mood of ['forgetful', 'well'] as const) {
      for (const workflow of ['shop-order', 'tree', 'shop-fail'])
        await (await client.start(workflow, {}, { tags: { colour: mood } })).result();
      const deleted = await client.start('shop-order', {});
      await deleted.result();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await deleted.delete();
      expect(await object.mend(mood)).toBeGreaterThan(before);
    }
    await projected.caughtUp(60);
  });

  test('[DO21] what arrives late changes nothing that was written since', async () => {
    const object = await projected.object();
    const client = projected.workerd.client();
    await client.start('shop-order', {});
    await projected.caughtUp();
    await object.mend('late');
    const [asks, deleted] = [
      await client.start('ask', {}),
      await client.start('shop-order', {}, { tags: { colour: 'late' } }),
    ];
    await deleted.result();
    await vi.waitFor(async () => expect(await object.held()).toBeGreaterThan(0), { timeout: 10_000 });
    await object.mend('well');
    await asks.cancel();
    await deleted.delete();
    await projected.caughtUp(60);
    // Also where D1 had never heard of it: only once its object has written again is everything late that it sent before.
    const deleter = await projected.objectOf(deleted.id);
    await vi.waitFor(async () => expect(await deleter.marks()).toBe(0), { timeout: 60_000 });
    await object.arrive();
    await projected.agree({ subRuns: true, limit: 1_000 });
    await projected.agree({ tags: { colour: 'late' } });
  });

  test('[DO20] what no event tells outlives the object: a run was set aside, another deleted', async () => {
    const client = projected.workerd.client();
    const [aside, ended] = [await client.start('ask', {}), await client.start('shop-order', {})];
    await ended.result();
    const objects = await Promise.all(
      (shards === undefined ? ['default'] : ['default', 'default/1']).map((name) => projected.object(name)),
    );
    const [, shard = '0'] = aside.id.split('~');
    await objects[Number(shard)]?.damage(aside.id);
    await projected.caughtUp();
    const killAll = () => Promise.all(objects.map((object) => expect(object.die()).rejects.toThrow()));
    await killAll();
    await aside.cancel().catch(() => undefined); // whoever loads it sets it aside
    await ended.delete();
    await killAll();
    for (let started = 0; started < 4; started++) await client.start('shop-order', {}); // each object has something to write
    expect(await client.runs({ quarantined: true })).toMatchObject([{ runId: aside.id }]);
    await projected.caughtUp();
    await projected.agree({ quarantined: true });
  });
});

test('[DO20] an object that is lost between a commit and its projection writes it all the same, and nobody asks it', async () => {
  const projected = await Projected.open();
  try {
    const run = await projected.workerd.client().start('ask', {}); // which leaves no work
    await expect((await projected.object()).die()).rejects.toThrow();
    const listed = async () =>
      (await projected.lists().listRuns({})).items.map(({ runId, status }) => ({ runId, status }));
    expect(await listed()).toEqual([]);
    const wanted = [{ runId: run.id, status: 'suspended' }];
    await vi.waitFor(async () => expect(await listed()).toEqual(wanted), { timeout: 30_000, interval: 250 });
  } finally {
    await projected.workerd.close();
  }
});
