import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardFile, shardOf } from '../base/shard.ts';
import type { ShardPeer } from '../engine/peers.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import { createTestEngine, type TestEngine, type TestEngineOptions } from '../testing/test-engine.ts';

const opened: TestEngine[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close({ graceMs: 0 });
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const newStores = (count = 3): readonly Store[] => Array.from({ length: count }, () => memoryStore());

async function open(options: TestEngineOptions = {}): Promise<TestEngine> {
  const t = await createTestEngine({ stores: newStores(), ...options });
  opened.push(t);
  return t;
}

const placement = new Placement(0, 3);
const words = Array.from({ length: 40 }, (_, n) => `w${n}`);
/** A word that is placed in a shard. */
const wordIn = (shard: number, placeOf: (word: string) => number): string =>
  words.find((word) => placeOf(word) === shard) ?? '';

const waiting = {
  id: 'waiting',
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait: { event: 'paid', correlation: 'input.k' }, outputMapping: { 'state.paid': 'result' } }],
  transitions: [],
  outputMapping: { paid: 'state.paid' },
};
const noop = { id: 'noop', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] };
const once = {
  ...waiting,
  id: 'once',
  nodes: [{ id: 'wait', wait: { event: 'paid', correlation: 'input.k', once: true, since: 'any' } }],
  outputMapping: {},
};

/** A run in each shard. */
async function startInEach(t: TestEngine, workflow: string, input: object = {}) {
  const runs = [
    await t.engine.start(workflow, input),
    await t.engine.start(workflow, input),
    await t.engine.start(workflow, input),
  ];
  await t.settle();
  return runs.toSorted((a, b) => shardOf(a.id) - shardOf(b.id));
}

const statuses = (runs: readonly { status(): Promise<string> }[]) => Promise.all(runs.map((run) => run.status()));

describe('where things are', () => {
  test('[SH1] a run is asked for in its own shard; one of a shard that is not there is not found', async () => {
    const t = await open();
    await t.engine.register(noop);
    const runs = await startInEach(t, 'noop');
    expect(runs.map(({ id }) => shardOf(id))).toEqual([0, 1, 2]);
    expect(await statuses(runs)).toEqual(['completed', 'completed', 'completed']);
    await expect(t.engine.run(`${runs[0]!.id}~7`).status()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('[SH2] one key is one run, whoever is asked; that of a retry too', async () => {
    const t = await open();
    await t.engine.register({
      id: 'bad',
      initialNode: 'a',
      nodes: [{ id: 'a', action: 'core.fail' }],
      transitions: [],
    });
    await t.engine.register(noop);
    const ids = await Promise.all(Array.from({ length: 6 }, () => t.engine.start('noop', {}, { idempotencyKey: 'k' })));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    expect(shardOf(ids[0]!.id)).toBe(placement.ofKey('start', 'k'));
    const failed = await startInEach(t, 'bad');
    const key = wordIn(2, (word) => placement.ofKey('retry', word));
    await failed[0]!.retry({ idempotencyKey: key });
    for (const other of failed.slice(1))
      await expect(other.retry({ idempotencyKey: key })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await t.engine.countRuns()).byStatus['failed']).toBe(4);
  });

  test('[SH2] [RX6] a retry that is refused uses up no key; one that was made is answered again, though its run is deleted', async () => {
    const t = await open();
    const bad = { id: 'bad', initialNode: 'a', nodes: [{ id: 'a', action: 'core.fail' }], transitions: [] };
    for (const definition of [noop, bad]) await t.engine.register(definition);
    const [completed, failed] = [await startInEach(t, 'noop'), await startInEach(t, 'bad')];
    const key = { idempotencyKey: wordIn(2, (word) => placement.ofKey('retry', word)) };
    await expect(completed[0]!.retry(key)).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    await expect(t.engine.run('none').retry(key)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    const retried = await failed[1]!.retry(key);
    await t.settle();
    await failed[1]!.delete();
    expect((await failed[1]!.retry(key)).id).toBe(retried.id);
    await expect(failed[0]!.retry(key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('[SH2] credits of an organization are in one shard, whoever spends them', async () => {
    const t = await open({ actions: { work: { run: () => ({}), cost: 1 } } });
    await t.engine.register({ id: 'paid', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] });
    for (const organization of words.slice(0, 6)) await t.engine.credits.deposit(organization, 3);
    for (const organization of words.slice(0, 6))
      for (let n = 0; n < 3; n++) await t.engine.start('paid', {}, { organization });
    await t.settle();
    const balances = await Promise.all(words.slice(0, 6).map((organization) => t.engine.credits.balance(organization)));
    expect(balances).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await t.engine.countRuns()).byStatus).toMatchObject({ completed: 18, failed: 0 });
  });

  test('[SH3] an event reaches the runs of all shards that wait for it, published before or after', async () => {
    const t = await open();
    await t.engine.register(waiting);
    for (const [shard, k] of [0, 1, 2].map((s) => [s, wordIn(s, (word) => placement.ofEvent('paid', word))] as const)) {
      const runs = await startInEach(t, 'waiting', { k });
      expect([shard, (await t.engine.publish('paid', { n: shard }, { correlation: k })).delivered]).toEqual([shard, 3]);
      expect(await statuses(runs)).toEqual(['completed', 'completed', 'completed']);
    }
  });

  test('[SH4] what an event fires is spread by its key; what a schedule fires is at home', async () => {
    const t = await open();
    await t.engine.register(noop);
    await t.engine.triggers.create({ id: 'e', type: 'event', event: 'go', workflow: 'noop' });
    for (let n = 0; n < 60; n++) await t.engine.publish('go', {});
    expect(new Set((await t.engine.runs({ limit: 100 })).map(({ runId }) => shardOf(runId))).size).toBe(3);
    await t.engine.triggers.create({
      id: 's',
      type: 'schedule',
      cron: '* * * * *',
      workflow: 'noop',
      tags: { by: 's' },
    });
    await t.advance(300_000);
    const scheduled = await t.engine.runs({ tags: { by: 's' } });
    expect([scheduled.length, new Set(scheduled.map(({ runId }) => shardOf(runId)))]).toEqual([5, new Set([0])]);
  });
});

describe('events between shards', () => {
  test('[EW16] an id that stands for an event elsewhere is refused', async () => {
    const t = await open();
    const [one, other] = [0, 1].map((s) => wordIn(s, (word) => placement.ofEvent(word, '')));
    expect(await t.engine.publish(one!, {}, { id: 'x' })).toMatchObject({ applied: true });
    expect(await t.engine.publish(one!, {}, { id: 'x' })).toMatchObject({ applied: false });
    await expect(t.engine.publish(other!, {}, { id: 'x' })).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
  });

  test('[EW17] an event that is used up ends one wait, in whatever shard, also over a crash and a lost answer', async () => {
    const stores = newStores();
    let isCut = false;
    const wire = (peer: ShardPeer): ShardPeer => ({
      ...peer,
      async command(...args) {
        const reply = await peer.command(...args);
        if (isCut) throw new HeddleError('CUT', 'the answer was lost');
        return reply;
      },
    });
    const first = await open({ stores, wire });
    await first.engine.register(once);
    const k = wordIn(0, (word) => placement.ofEvent('paid', word));
    const runs = await startInEach(first, 'once', { k });
    await runs[0]!.cancel();
    isCut = true; // the two that wait are elsewhere: one takes it, and its shard is not heard
    await first.engine.publish('paid', {}, { correlation: k });
    await first.settle();
    await first.engine.close({ graceMs: 0 });
    isCut = false;
    const next = await open({ stores, wire, clock: first.clock });
    await next.advance(60_000);
    const counts = (await next.engine.countRuns()).byStatus;
    expect([counts['completed'], counts['waiting'], counts['suspended']]).toEqual([
      1,
      expect.any(Number),
      expect.any(Number),
    ]);
    await next.engine.publish('paid', {}, { correlation: k });
    await next.settle();
    expect((await next.engine.countRuns()).byStatus['completed']).toBe(2);
  });

  test.each(['lost before', 'lost after', 'doubled', 'late'] as const)(
    '[ML5] [ML6] letters that are %s have one effect',
    async (fault) => {
      let n = 0;
      const lost = new Set<string>();
      const wire = (peer: ShardPeer): ShardPeer => ({
        ...peer,
        async receive(letter) {
          n++;
          const name = `${letter.from} ${letter.number} ${letter.to}`;
          if (fault === 'lost before' && n % 2 === 0 && !lost.has(name)) {
            lost.add(name);
            throw new HeddleError('CUT', 'it was lost');
          }
          if (fault === 'late' && n % 2 === 0) await Promise.resolve().then(() => undefined);
          await peer.receive(letter);
          if (fault === 'doubled') await peer.receive(letter);
          if (fault === 'lost after' && n % 2 === 0) throw new HeddleError('CUT', 'its answer was lost');
        },
      });
      const t = await open({ wire, actions: { work: { run: () => ({}), cost: 1 } } });
      await t.engine.register(waiting);
      await t.engine.register({ id: 'paid', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] });
      await t.engine.credits.deposit('acme', 12);
      for (let i = 0; i < 12; i++) await t.engine.start('paid', {}, { organization: 'acme' });
      const runs = [];
      for (const k of words.slice(0, 12)) runs.push(await t.engine.start('waiting', { k }));
      await t.advance(60_000);
      for (const k of words.slice(0, 12)) await t.engine.publish('paid', {}, { correlation: k });
      await t.advance(60_000);
      expect((await t.engine.countRuns()).byStatus['completed']).toBe(24);
      expect(await t.engine.credits.balance('acme')).toBe(0);
    },
  );

  test('[ML1] [ML3] what a process left in its outbox is brought by the next', async () => {
    const stores = newStores();
    const cut = (peer: ShardPeer): ShardPeer => ({
      ...peer,
      receive: () => Promise.reject(new HeddleError('CUT', 'nothing comes through')),
    });
    const first = await open({ stores, wire: cut });
    await first.engine.register(waiting);
    const runs = [];
    for (const k of words.slice(0, 6)) runs.push(await first.engine.start('waiting', { k }));
    await first.settle();
    await first.engine.close({ graceMs: 0 });
    const next = await open({ stores, clock: first.clock });
    await next.settle();
    for (const k of words.slice(0, 6)) await next.engine.publish('paid', {}, { correlation: k });
    await next.settle();
    expect((await next.engine.countRuns()).byStatus['completed']).toBe(6);
  });
});

describe('all shards as one', () => {
  test('[SH5] a list has every run once, newest first, in pages of any size', async () => {
    const t = await open();
    await t.engine.register(noop);
    for (let n = 0; n < 20; n++) {
      await t.engine.start('noop');
      if (n % 3 === 0) await t.advance(1);
    }
    const all = (await t.engine.runs({ limit: 100 })).map(({ runId }) => runId);
    expect(all.length).toBe(20);
    for (const limit of [1, 3, 7, 20]) {
      const paged: string[] = [];
      for (let after: string | undefined; ; ) {
        const { runs, next } = await t.engine.runPage({ limit, ...(after === undefined ? {} : { after }) });
        paged.push(...runs.map(({ runId }) => runId));
        if (next === null) break;
        after = next;
      }
      expect([limit, paged]).toEqual([limit, all]);
    }
  });

  test('[SH6] a shard that cannot be read fails the question', async () => {
    const stores = newStores();
    const t = await open({ stores });
    stores[2]!.pageRuns = () => {
      throw new HeddleError('STORE_FAILED', 'the disk failed');
    };
    await expect(t.engine.runs()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('[SH7] a reader gets every event of every shard once, from any place on, over a restart', async () => {
    const stores = newStores();
    const t = await open({ stores });
    await t.engine.register(noop);
    for (let n = 0; n < 7; n++) await t.engine.start('noop');
    await t.settle();
    const read = async (engine: TestEngine['engine'], after?: string) => {
      const events = [];
      for await (const event of engine.events({ follow: false, ...(after === undefined ? {} : { after }) }))
        events.push(event);
      return events;
    };
    const all = await read(t.engine);
    const named = all.map(({ runId, id }) => `${runId} ${id}`);
    expect(new Set(named).size).toBe(all.length);
    await t.engine.close();
    const next = await open({ stores, clock: t.clock });
    for (const [index, { feedId }] of all.entries())
      expect((await read(next.engine, feedId)).map(({ runId, id }) => `${runId} ${id}`)).toEqual(
        named.slice(index + 1),
      );
    const ofFirst = all.filter(({ runId }) => shardOf(runId) === 0);
    const oneStore = ofFirst[1]!.feedId.split(',')[0]!;
    expect((await read(next.engine, oneStore)).length).toBe(all.length - 2);
    await expect(read(next.engine, '1.0,x')).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
  });

  test('[SH7] whoever follows hears of all shards, and stops when told', async () => {
    const t = await open();
    await t.engine.register(noop);
    const stop = new AbortController();
    const heard = new Set<number>();
    const following = (async () => {
      for await (const { runId } of t.engine.events({ signal: stop.signal })) {
        heard.add(shardOf(runId));
        if (heard.size === 3) stop.abort();
      }
    })();
    for (let n = 0; n < 3; n++) await t.engine.start('noop');
    await following;
    expect(heard).toEqual(new Set([0, 1, 2]));
  });

  test('[SH8] what is changed at home is everywhere when it is answered, and what was missed comes with the next start', async () => {
    const stores = newStores();
    const first = await open({ stores });
    await first.engine.register(noop);
    await first.engine.secrets.set('s', 'a value of it', { hosts: ['example.com'] });
    await first.engine.triggers.create({ id: 'e', type: 'event', event: 'go', workflow: 'noop' });
    await first.engine.retention.set('noop', { days: 1 });
    const kinds = ['secret', 'trigger', 'retention'];
    const copies = (kind: string) =>
      Promise.all(
        stores.map(async (store) => (await store.listRecords(kind, { limit: 10 })).map(({ value }) => value)),
      );
    for (const kind of kinds) {
      const [home, ...others] = await copies(kind);
      expect([kind, home!.length, others]).toEqual([kind, 1, [home, home]]);
    }
    await first.engine.close();
    const gone = { value: null, dueAt: null };
    await stores[1]!.commit({
      runs: [],
      journal: [],
      outboxAdded: [],
      outboxDone: [],
      keys: [],
      records: [
        { kind: 'trigger', key: 'e', ...gone },
        { kind: 'trigger', key: 'old', value: '{}', dueAt: null },
      ],
    });
    const next = await open({ stores, clock: first.clock });
    expect((await copies('trigger')).map((rows) => rows.length)).toEqual([1, 1, 1]);
    await next.engine.triggers.remove('e');
    await next.engine.secrets.remove('s');
    expect([await copies('trigger'), await copies('secret')]).toEqual([
      [[], [], []],
      [[], [], []],
    ]);
  });

  test('[SH9] a worker gets tasks of all shards, in its share of each, and waits at all', async () => {
    const t = await open({ workers: true });
    await t.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'out' }], transitions: [] });
    const waits = t.engine.tasks.lease({ actions: ['out'], max: 5, waitMs: 60_000 });
    await t.settle();
    await t.engine.start('w');
    const [got] = await waits;
    expect(await t.engine.tasks.finish([{ lease: got!.lease, output: {} }])).toMatchObject([{ applied: true }]);
    for (let n = 0; n < 9; n++) await t.engine.start('w');
    await t.settle();
    const tasks = await t.engine.tasks.lease({ actions: ['out'], max: 6 });
    const shards = tasks.map(({ runId }) => shardOf(runId)).toSorted((a, b) => a - b);
    expect(shards).toEqual([0, 0, 1, 1, 2, 2]);
    const answers = await t.engine.tasks.finish(tasks.map(({ lease }) => ({ lease, output: {} })));
    expect(answers.map(({ lease }) => lease)).toEqual(tasks.map(({ lease }) => lease));
  });

  test('[SH11] the limits of actions are those of the process, and ids sort as they were made', async () => {
    const t = await open({ scripted: ['work'], limits: { concurrencyPerProcess: 2 } });
    await t.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] });
    const ids = [];
    for (let n = 0; n < 9; n++) ids.push((await t.engine.start('w')).id);
    expect(ids.toSorted()).toEqual(ids);
    const running: number[] = [];
    for (let left = 9; left > 0; left--) {
      await t.settle();
      running.push(t.script.open('work').length);
      t.script.open('work')[0]!.complete({});
    }
    await t.settle();
    expect(running).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1]);
    expect((await t.engine.countRuns()).byStatus['completed']).toBe(9);
  });
});

describe('upkeep of a fleet', () => {
  test('[KP2] the newest that a rule keeps are those of all shards', async () => {
    const t = await open();
    await t.engine.register(noop);
    for (let n = 0; n < 6; n++) {
      await t.engine.start('noop');
      await t.advance(1);
    }
    const newest = (await t.engine.runs()).slice(0, 2).map(({ runId }) => runId);
    await t.engine.retention.set('noop', { keepLast: 2 });
    await t.engine.retention.sweep();
    expect((await t.engine.runs()).map(({ runId }) => runId)).toEqual(newest);
  });

  test('[ML10] a backup that was cut off is no fleet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
    folders.push(folder);
    const stores = (await openFleetFolder({ folder: join(folder, 'fleet'), shards: 2 })) as [Store, Store];
    const t = await open({ stores });
    await t.engine.register(noop);
    const { upkeep } = stores[0];
    Object.assign(stores[0], { upkeep: { ...upkeep, backup: () => Promise.reject(new HeddleError('CUT', 'no')) } });
    await expect(t.engine.backup(join(folder, 'copy'))).rejects.toMatchObject({ code: 'CUT' });
    await expect(openFleetFolder({ folder: join(folder, 'copy') })).rejects.toMatchObject({ code: 'STORE_MISSING' });
  });
});

describe('the stores of a fleet', () => {
  test('[SH10] whoever names another number is told what to do; a copy helps only who wants more', async () => {
    const stores = newStores();
    await (await open({ stores })).engine.close();
    const told = (given: readonly Store[]) => open({ stores: given }).catch(({ message }: Error) => message);
    expect(await told(stores.slice(0, 2))).toMatch(/open it with shards: 3; a copy of it can have more, but not fewer/);
    expect(await told([...stores, memoryStore()])).toMatch(/open it with shards: 3, or copy it into a new one/);
  });

  test('[SH10] another number, another fleet, another order and a store that is in use are refused', async () => {
    const [stores, others] = [newStores(), newStores()];
    const told = (error: Error) => [(error as HeddleError).code, error.message.replace(/; .*/, '')];
    const codes = async (given: readonly Store[]): Promise<unknown> => {
      const absences: unknown[] = [];
      try {
        const { engine } = await createTestEngine({ stores: given, onError: (error) => absences.push(told(error)) });
        await engine.close();
        return absences[0];
      } catch (error) {
        return told(error as Error);
      }
    };
    for (const given of [stores, others]) await (await open({ stores: given })).engine.close();
    const used = memoryStore();
    const alone = await createTestEngine({ store: used });
    opened.push(alone);
    await alone.engine.register(noop);
    await alone.engine.start('noop');
    await alone.settle();
    expect([
      await codes(stores.slice(0, 2)),
      await codes([stores[0]!, others[1]!, stores[2]!]),
      await codes([stores[0]!, stores[2]!, stores[1]!]),
      await codes([stores[0]!, memoryStore(), stores[2]!]),
      await codes([used, memoryStore()]),
      await codes([]),
    ]).toEqual([
      ['STORE_FOREIGN', 'Expected a fleet of 2 shards, but it was made with 3, which is fixed'],
      ['STORE_FOREIGN', 'Expected all shards of one fleet, but shard 1 belongs to another'],
      ['STORE_FOREIGN', 'Expected shard 1, but the store in its place is shard 2 of the same fleet'],
      ['STORE_FOREIGN', 'Expected shard 1 of this fleet, but the store in its place is new or belongs to none'],
      ['STORE_FOREIGN', 'Expected new stores to make a fleet of 2 shards, but that of shard 0 holds runs already'],
      ['OPTION_INVALID', 'Expected from 1 to 64 shards, but found 0'],
    ]);
  });

  test('[SH12] [SH13] files: a missing one is named, a shard is not opened alone; a backup of all is a fleet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
    folders.push(folder);
    const [place, copy] = [join(folder, 'fleet'), join(folder, 'copy')];
    const first = await open({ stores: await openFleetFolder({ folder: place, shards: 2 }) });
    await first.engine.register(waiting);
    const runs = [];
    for (const k of words.slice(0, 6)) runs.push(await first.engine.start('waiting', { k }));
    await first.settle();
    await first.engine.backup(copy);
    await first.engine.close();
    const restored = await open({ stores: await openFleetFolder({ folder: copy }), clock: first.clock });
    for (const k of words.slice(0, 6)) await restored.engine.publish('paid', {}, { correlation: k });
    await restored.settle();
    expect(await Promise.all(runs.map(({ id }) => restored.engine.run(id).status()))).toEqual(
      Array(6).fill('completed'),
    );
    expect((await restored.engine.audit()).problems).toEqual([]);
    await restored.engine.close();
    const shard = await openSqliteStore(shardFile(place, 1));
    await expect(createTestEngine({ store: shard })).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    await shard.close();
    await expect(openFleetFolder({ folder: place, shards: 3 })).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    await expect(openFleetFolder({ folder: join(folder, 'none') })).rejects.toMatchObject({ code: 'STORE_MISSING' });
  });

  test('[SH12] [SH14] a file that is missing or damaged is named; the others go on, and what needs it is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
    folders.push(folder);
    const first = await open({ stores: await openFleetFolder({ folder, shards: 3 }) });
    await first.engine.register(waiting);
    const k = wordIn(0, (word) => placement.ofEvent('paid', word));
    const runs = await startInEach(first, 'waiting', { k });
    await first.engine.close();
    const away = shardFile(folder, 2);
    renameSync(away, `${away}.away`);
    const errors: string[] = [];
    const stores = await openFleetFolder({ folder });
    const next = await open({ stores, clock: first.clock, onError: ({ message }) => void errors.push(message) });
    expect(errors).toEqual([expect.stringContaining('shard-02.db is not there')]);
    // Those that are there continue, start, and hear of events.
    await next.engine.publish('paid', {}, { correlation: k });
    const more = [await next.engine.start('waiting', { k }), await next.engine.start('waiting', { k })];
    await next.engine.register(noop);
    await next.settle();
    expect(await statuses(runs.slice(0, 2).map(({ id }) => next.engine.run(id)))).toEqual(['completed', 'completed']);
    expect(new Set(more.map(({ id }) => shardOf(id)))).toEqual(new Set([0, 1]));
    const missing = { code: 'STORE_MISSING', message: expect.stringContaining('shard-02.db is not there') };
    await expect(next.engine.run(runs[2]!.id).status()).rejects.toMatchObject(missing);
    await expect(next.engine.runs()).rejects.toMatchObject(missing);
    await expect(next.engine.audit()).rejects.toMatchObject(missing);
    const key = wordIn(2, (word) => placement.ofKey('start', word));
    await expect(next.engine.start('noop', {}, { idempotencyKey: key })).rejects.toMatchObject(missing);
    await next.engine.close();
    // Back in its place it hears what it missed.
    renameSync(`${away}.away`, away);
    const last = await open({ stores: await openFleetFolder({ folder }), clock: first.clock });
    await last.settle();
    expect(await last.engine.run(runs[2]!.id).status()).toBe('completed');
    await last.engine.close();
    writeFileSync(away, 'this is no database');
    const damaged: string[] = [];
    const onError = ({ message }: Error) => void damaged.push(message);
    const without = await open({ stores: await openFleetFolder({ folder }), onError });
    expect(damaged).toEqual([expect.stringContaining('shard-02.db')]);
    await without.engine.close();
    rmSync(shardFile(folder, 0));
    await expect(openFleetFolder({ folder })).rejects.toMatchObject({
      code: 'STORE_MISSING',
      message: expect.stringContaining('shard-00.db is not there'),
    });
  });
});
