// An object for every run, with a projection: lists come from D1, what is done to many runs is done by their objects, and an object
// whose runs are past their rule gives all of its storage up.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ObjectStub } from '../../packages/heddle/src/cloudflare/object-stub.ts';
import type { Database } from '../../packages/heddle/src/cloudflare.ts';
import type { Death } from './ended-runs.worker.ts';
import { operatorKey, Workerd } from './workerd.testsuite.ts';

interface Inside extends Pick<ObjectStub, 'ask'> {
  pass(ms: number): Promise<void>;
  feel(ms: number): Promise<void>;
  dieAt(death: Death): Promise<void>;
  hasDied(): Promise<boolean>;
  alarmIn(): Promise<number | null>;
  tables(): Promise<number>;
  marks(): Promise<number>;
  die(): Promise<void>;
}

const dayMs = 86_400_000;
let workerd: Workerd;
let database: Database;
beforeAll(async () => {
  workerd = await Workerd.open({
    program: 'ended-runs.worker.ts',
    more: { d1Databases: ['DB'], serviceBindings: {} },
  });
  database = await workerd.runtime.getD1Database('DB');
});
afterAll(() => workerd.close());

/** The object of a run, also after it has died. */
type Where = <Answer>(ask: (object: Inside) => Promise<Answer>) => Promise<Answer>;

const objectOf =
  (name: string, id: string): Where =>
  async (ask) =>
    ask(await workerd.object<Inside>(`${name}/${id.split('~')[1]}`));

const eventually = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 40_000, interval: 250 });

/** A tenant of its own. */
async function tenant(name: string) {
  const { key } = await workerd.client().call('createKey', { name, scopes: ['*'], tenant: name });
  return workerd.client(key);
}

/** For these objects, and nobody asks them. */
async function pass(ms: number, objects: readonly Where[]): Promise<void> {
  await (await workerd.object<Inside>('default')).pass(ms);
  for (const object of objects) await object((inside) => inside.feel(ms));
}

/** As far as an object looks after its work. */
const watchMs = 15_000;

const tables = (object: Where): Promise<number> => object((inside) => inside.tables());
const alarmIn = (object: Where): Promise<number | null> => object((inside) => inside.alarmIn());

const placesOf = async (name: string): Promise<readonly string[]> => {
  const { results } = await database
    .prepare('SELECT object FROM heddle_places WHERE tenant = ?')
    .bind(name)
    .all<{ readonly object: string }>();
  return results.map(({ object }) => object);
};

test('[DO26] lists and counts of all runs come from the projection, and those of a tree from its object', async () => {
  const heddle = await tenant('lists');
  const [failed, asks, tree] = [
    await heddle.start('fail', {}, { tags: { shop: 'north' } }),
    await heddle.start('ask', {}),
    await heddle.start('tree', {}),
  ];
  await failed.result();
  await tree.result();
  const { items } = await heddle.call('listRuns', { rootRunId: tree.id });
  expect(items).toMatchObject([{ workflow: 'order', status: 'completed' }]);
  expect(await asks.prompts()).toHaveLength(1);
  await eventually(async () => expect(await heddle.runs({ statuses: ['completed'] })).toHaveLength(1));
  await eventually(async () => expect(await heddle.runs({ statuses: ['suspended'] })).toHaveLength(1));
  await eventually(async () =>
    expect(await heddle.runs({ tags: { shop: 'north' } })).toMatchObject([{ runId: failed.id }]),
  );
  const page = await heddle.call('listRuns', { limit: 2, activity: true });
  const rest = await heddle.call('listRuns', { limit: 2, after: page.next ?? '' });
  expect([...page.items, ...rest.items].map(({ runId }) => runId)).toEqual([tree.id, asks.id, failed.id]);
  expect(await heddle.call('countRuns', { workflow: 'fail' })).toMatchObject({ byStatus: { failed: 1 } });
  expect(await heddle.call('listActions', {})).toMatchObject({ items: expect.arrayContaining([]) });
  const types: string[] = [];
  for await (const { type } of tree.events()) types.push(type);
  expect(types.at(-1)).toBe('workflow.completed');
});

test('[DO27] what is done to many runs is done by their objects, to those that fit by then', async () => {
  const heddle = await tenant('many');
  const asking = await Promise.all(Array.from({ length: 5 }, () => heddle.start('ask', {})));
  const failing = await Promise.all(Array.from({ length: 3 }, () => heddle.start('fail', {})));
  for (const run of failing) await run.result();
  await eventually(async () => expect(await heddle.runs({ statuses: ['suspended'] })).toHaveLength(5));
  await eventually(async () => expect(await heddle.runs({ statuses: ['failed'] })).toHaveLength(3));
  for (const none of [{}, { reason: 'whatever' }, { preview: true }])
    await expect(heddle.call('cancelRuns', none)).rejects.toMatchObject({ code: 'FILTER_MISSING' });
  const filter = { statuses: ['suspended'], workflow: 'ask' } as const;
  const preview = await heddle.call('cancelRuns', { ...filter, preview: true });
  expect(preview.items.map(({ applied }) => applied)).toEqual([true, true, true, true, true]);
  await asking[0]?.cancel(); // which D1 does not know yet
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await heddle.call('cancelRuns', { ...filter, limit: 2, ...(after ? { after } : {}) });
    ids.push(...items.filter(({ applied }) => applied).map(({ runId }) => runId));
    if (next === null) break;
    after = next;
  }
  expect(ids.toSorted()).toEqual(
    asking
      .slice(1)
      .map(({ id }) => id)
      .toSorted(),
  );
  for (const run of asking) expect(await run.result()).toMatchObject({ status: 'cancelled' });
  const retry = async () => {
    const { items } = await heddle.call('retryRuns', { workflow: 'fail' });
    return new Set(items.flatMap(({ retriedAs }) => retriedAs ?? []));
  };
  const retried = await retry();
  expect(retried.size).toBe(3);
  expect([...(await retry())]).toEqual(expect.arrayContaining([...retried]));
});

test('[DO31] [DO32] [KP4] a run goes when its days are over, its key is remembered, and then its object has nothing', async () => {
  const heddle = await tenant('days');
  await heddle.retention.set('order', { days: 1 });
  await heddle.retention.set('await', { days: 1 });
  const keyed = () => heddle.start('order', {}, { idempotencyKey: 'once' });
  const run = await keyed();
  await run.result();
  const kept = await heddle.start('ask', {});
  const caller = await heddle.start('await', { id: 'a' });
  await heddle.publish('call', {}, { correlation: 'a' });
  await caller.result();
  const home = await workerd.object<Inside>('days');
  const [object, other, called] = [objectOf('days', run.id), objectOf('days', kept.id), objectOf('days', caller.id)];
  expect(await home.marks()).toBeGreaterThan(0);
  await pass(watchMs, [object, other, called]);
  await eventually(async () => expect(await alarmIn(object)).toBeGreaterThan(dayMs / 2));
  await eventually(async () => expect(await alarmIn(called)).toBeGreaterThan(dayMs / 2));
  await eventually(async () => expect(await heddle.runs()).toHaveLength(3));
  for (const each of [object, other, called]) await expect(each((inside) => inside.die())).rejects.toThrow();

  await pass(dayMs, [object, other, called]);
  await eventually(async () => expect((await heddle.runs()).map(({ runId }) => runId)).toEqual([kept.id]));
  await expect(run.summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  expect((await keyed()).id).toBe(run.id);

  await pass(7 * dayMs, [object, other, called]);
  await eventually(async () => expect([await tables(object), await tables(called)]).toEqual([0, 0]));
  await eventually(async () => expect([await alarmIn(object), await alarmIn(called)]).toEqual([null, null]));
  expect((await placesOf('days')).filter((place) => place !== 'days')).toEqual([`days/${kept.id.split('~')[1]}`]);
  expect(await home.marks()).toBe(0);
  expect(await tables(other)).toBeGreaterThan(0);
  expect(await kept.summary()).toMatchObject({ status: 'suspended' });
  const anew = await keyed();
  expect(anew.id).not.toBe(run.id);
  expect(await anew.result()).toMatchObject({ status: 'completed' });
});

test('[DO32] an object that was asked for a run that it does not have is nothing again', async () => {
  const heddle = await tenant('bogus');
  const id = '01hzzzzzzzzzzzzzzzzzzzzzzz~4711';
  await expect(heddle.run(id).summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  const object = objectOf('bogus', id);
  expect(await tables(object)).toBeGreaterThan(0);
  await pass(watchMs, [object]);
  await eventually(async () => expect(await tables(object)).toBe(0));
  await eventually(async () => expect(await alarmIn(object)).toBeNull());
  await expect(heddle.run(id).summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('[ML12] [DO32] a late letter to an object that is no more is answered, and the object is nothing again', async () => {
  const heddle = await tenant('late-letter');
  await heddle.retention.set('*', { days: 1 });
  const run = await heddle.start('order', {});
  await run.result();
  const object = objectOf('late-letter', run.id);
  await pass(watchMs, [object]);
  await eventually(async () => expect(await alarmIn(object)).toBeGreaterThan(dayMs / 2));
  await pass(9 * dayMs, [object]);
  await eventually(async () => expect(await tables(object)).toBe(0));
  const message = { type: 'event.received', event: 'call', token: 1 };
  // The second of two, of which the first has arrived long ago.
  const letter = { from: 0, incarnation: 'a', number: 2, after: 0, lowest: 2, to: run.id, message };
  const place = { tenant: 'late-letter', shard: Number(run.id.split('~')[1]) };
  const bring = () => object((inside) => inside.ask(place, { name: 'peer', args: [['receive', [letter]]] }));
  expect([await bring(), await bring()]).toEqual([{ value: undefined }, { value: undefined }]);
  await expect(run.summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await pass(watchMs, [object]);
  await eventually(async () => expect(await tables(object)).toBe(0));
});

test('[DO30] [DO32] an object that dies while its run is deleted, or it gives its storage up, is nothing all the same', async () => {
  const heddle = await tenant('dying');
  await heddle.retention.set('*', { days: 1 });
  const moments: readonly Death[] = ['before', 'after', 1, 2, 3, 4, 5, 6];
  const runs = await Promise.all(moments.map(() => heddle.start('order', {}, { tags: { one: 'of many' } })));
  for (const run of runs) await run.result();
  const objects = runs.map(({ id }) => objectOf('dying', id));
  await pass(watchMs, objects);
  for (const object of objects) await eventually(async () => expect(await alarmIn(object)).toBeGreaterThan(dayMs / 2));
  for (const [index, object] of objects.entries()) await object((inside) => inside.dieAt(moments[index] ?? 0));
  await pass(9 * dayMs, objects);
  const died: boolean[] = [];
  for (const object of objects) {
    await eventually(async () => expect(await tables(object)).toBe(0));
    died.push(await object((inside) => inside.hasDied()));
  }
  expect(died.slice(0, 5)).toEqual([true, true, true, true, true]); // later there may be no commit
  await eventually(async () => expect((await placesOf('dying')).filter((place) => place !== 'dying')).toEqual([]));
  await eventually(async () => expect(await heddle.runs()).toEqual([]));
});

test('[DO28] a rule that was set later reaches the objects of runs that had ended, when somebody sweeps', async () => {
  const heddle = await tenant('later');
  const [run, kept] = [await heddle.start('order', {}), await heddle.start('ask', {})];
  await run.result();
  const object = objectOf('later', run.id);
  await eventually(async () => expect(await heddle.runs()).toHaveLength(2));
  await pass(watchMs, [object]);
  await eventually(async () => expect(await alarmIn(object)).toBeNull());
  await heddle.retention.set('*', { days: 1 });
  expect(await heddle.retention.sweep()).toEqual({ deleted: 0 });
  await pass(2 * dayMs, []);
  expect(await heddle.retention.sweep()).toEqual({ deleted: 1 });
  await eventually(async () => expect((await heddle.runs()).map(({ runId }) => runId)).toEqual([kept.id]));
});

test('[DO29] what was spoiled in D1 is written again by the objects that it names, and an object that it has lost comes again with its next commit', async () => {
  const heddle = await tenant('spoiled');
  const [run, lost] = [await heddle.start('ask', {}), await heddle.start('ask', {})];
  await eventually(async () => expect(await heddle.runs()).toHaveLength(2));
  const spoil = async (sql: string, ...values: string[]): Promise<void> => {
    await database
      .prepare(sql)
      .bind(...values)
      .all();
  };
  await spoil("DELETE FROM heddle_runs WHERE tenant = 'spoiled'");
  await spoil("DELETE FROM heddle_places WHERE tenant = 'spoiled' AND object = ?", `spoiled/${lost.id.split('~')[1]}`);
  const rebuild = async (after: string): Promise<{ readonly objects: number; readonly next: string | null }> => {
    const answer = await workerd.fetch(`http://heddle.test/cloudflare/projection/rebuild${after}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}` },
    });
    return (await answer.json()) as { readonly objects: number; readonly next: string | null };
  };
  expect(await rebuild('')).toMatchObject({ next: null });
  await eventually(async () => expect(await heddle.runs()).toMatchObject([{ runId: run.id }]));
  expect((await rebuild('?after=spoiled')).objects).toBeGreaterThanOrEqual(1);
  await lost.cancel();
  await eventually(async () => expect(await heddle.runs()).toHaveLength(2));
});
