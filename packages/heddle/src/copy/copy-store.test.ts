import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mailAddress } from '../actor/mail/letter.ts';
import { isTerminal } from '../core/views/status.ts';
import { mustBeThere } from '../fleet/claim-stores.ts';
import { openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { loadSqlite } from '../hosts/sqlite/sqlite-module.ts';
import type { HttpTransport } from '../outbound/transport.ts';
import type { TestEngine } from '../testing/test-engine.ts';
import { fill, hashFiles, hourMs, look, names, newFolder, openAt, type World } from './copy.testsuite.ts';
import { copyStore } from './copy-store.ts';

/** 0 shards are a file. */
const ways = [
  { from: 0, to: 3 },
  { from: 3, to: 5 },
  { from: 1, to: 0 },
  { from: 2, to: 2 },
];
const shardsOf = (to: number) => (to === 0 ? {} : { shards: to });

describe.each(ways)('a copy from $from to $to shards', ({ from, to }) => {
  test('[CY1] [CY2] [CY5] shows all that the source did; the source is not changed', async () => {
    const folder = newFolder();
    const [source, copy] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    const first = await openAt(source, from);
    await fill(first);
    const before = await look(first.engine);
    await first.engine.close({ graceMs: 0 });
    const hashes = hashFiles(source);
    const copied = await copyStore({ from: source, to: copy, ...shardsOf(to) });
    expect(copied.runs).toBe(before.runs.length);
    expect(hashFiles(source)).toEqual(hashes);
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
    const second = await openAt(copy, to, { clock: first.clock, readOnly: true });
    expect(await look(second.engine)).toEqual(before);
    expect((await second.engine.audit()).problems).toEqual([]);
    await second.engine.close({ graceMs: 0 });
  });

  test('[CY3] goes on where the source was: every wait, prompt, task, key, credit and trigger, once', async () => {
    const folder = newFolder();
    const [source, copy] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    const first = await openAt(source, from);
    const world = await fill(first);
    await first.engine.close({ graceMs: 0 });
    await copyStore({ from: source, to: copy, ...shardsOf(to) });
    const second = await openAt(copy, to, { clock: first.clock });
    await checkKeys(second, world);
    await checkEvents(second);
    await checkCredits(second);
    await checkTimers(second);
    const { engine } = second;
    expect((await engine.artifacts.get(world.artifact)).bytes).toEqual(new TextEncoder().encode('bytes'));
    const left = (await engine.runs({ subRuns: true, limit: 10_000 })).filter(({ status }) => !isTerminal(status));
    expect(left).toEqual([]);
    expect((await engine.audit()).problems).toEqual([]);
    await engine.close({ graceMs: 0 });
  });
});

async function checkKeys({ engine, settle }: TestEngine, { keyed, failed, retried }: World): Promise<void> {
  for (const [key, runId] of keyed) {
    expect((await engine.start('echo', { n: key }, { idempotencyKey: key })).id).toBe(runId);
    await expect(engine.start('echo', { n: 0 }, { idempotencyKey: key })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    const fresh = await engine.start('echo', { n: 1 }, { idempotencyKey: `${key} anew` });
    expect((await engine.start('echo', { n: 1 }, { idempotencyKey: `${key} anew` })).id).toBe(fresh.id);
  }
  const { result } = await engine.call('startRun', {
    workflow: 'echo',
    input: { n: 'n3' },
    idempotencyKey: 'n3',
    waitMs: 1_000,
  });
  expect(result).toMatchObject({ runId: keyed.get('n3'), ended: true, output: { n: 'n3' } });
  // KY4: the newest run under the key of a failed one.
  const again = await engine.start('failing', {}, { idempotencyKey: 'broken', ifFailed: 'restart' });
  expect(again.id).not.toBe(failed);
  await settle();
  expect((await engine.start('failing', {}, { idempotencyKey: 'broken' })).id).toBe(again.id);
  expect((await engine.run(failed).retry({ idempotencyKey: 'again' })).id).toBe(retried);
  const other = await engine.start('failing');
  await settle();
  for (const name of names)
    await expect(engine.run(other.id).retry({ idempotencyKey: `retry ${name}` })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  await expect(engine.run(other.id).retry({ idempotencyKey: 'again' })).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
}

async function checkEvents({ engine, settle }: TestEngine): Promise<void> {
  for (const name of names) {
    const told = { correlation: name, id: `spare-${name}` };
    expect(await engine.publish('spare', name, told)).toMatchObject({ applied: false });
    await expect(engine.publish('spare', 'other', told)).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    const [taker, late] = [await engine.start('taking', { name }), await engine.start('taking', { name })];
    await settle();
    expect([await taker.summary(), await late.summary()].map(({ status }) => status).toSorted()).toEqual([
      'completed',
      'suspended',
    ]);
    for (const run of [taker, late]) await run.cancel();
    expect(await engine.publish('paid', name, { correlation: name })).toMatchObject({ delivered: 2 });
  }
  await settle();
  const got = async (workflow: string) => (await engine.runs({ workflow, limit: 100 })).map(({ status }) => status);
  for (const workflow of ['waiting', 'calling']) expect(new Set(await got(workflow))).toEqual(new Set(['completed']));
  for (const { runId, correlationId } of await engine.prompts({ limit: 100 }))
    expect(await engine.run(runId).reply(correlationId, 'yes')).toEqual({ applied: true });
}

async function checkCredits({ engine, script, settle }: TestEngine): Promise<void> {
  await settle();
  expect(script.open('work')).toHaveLength(names.length);
  for (const call of script.open('work')) call.complete({ done: true });
  await settle();
  for (const name of names) {
    expect(await engine.credits.deposit(name, 10, { key: 'first' })).toEqual({ applied: false, balance: 7 });
    expect(await engine.credits.reservations(name)).toMatchObject([{ reserved: 3, spent: 3 }]);
  }
}

async function checkTimers({ engine, settle, advance }: TestEngine): Promise<void> {
  const count = async () => (await engine.countRuns({ workflow: 'echo' })).byStatus['completed'] ?? 0;
  const before = await count();
  for (let n = 0; n < 6; n++) expect((await engine.publish('rung', { n })).fired).toHaveLength(1);
  await settle();
  expect(await count()).toBe(before + 6);
  await advance(hourMs);
  expect(await count()).toBe(before + 7);
}

describe('letters that lay in an outbox', () => {
  test('[CY4] go where they belong now; what had arrived has its effect once', async () => {
    const folder = newFolder();
    const [source, copy] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    const answers = { arrives: true, isTold: true };
    const first = await openAt(source, 3, {
      wire: (peer) => ({
        ...peer,
        async receive(letter) {
          if (answers.arrives) await peer.receive(letter);
          if (!answers.isTold || !answers.arrives) throw new Error('the wire is cut');
        },
      }),
    });
    await fill(first);
    // These arrive, and their senders do not know it.
    answers.isTold = false;
    for (const name of names) await first.engine.start('working', { name }, { organization: name });
    await first.settle();
    // These do not.
    answers.arrives = false;
    for (const name of names) await first.engine.start('working', { name }, { organization: name });
    for (const name of names) await first.engine.start('waiting', { name });
    await first.settle();
    await first.engine.close({ graceMs: 0 });
    const letters = await countLetters(source, 3);
    expect(letters).toBeGreaterThan(10);
    await copyStore({ from: source, to: copy, shards: 5 });
    expect(await countLetters(copy, 5)).toBeLessThan(letters);

    const second = await openAt(copy, 5, { clock: first.clock });
    const { engine, script } = second;
    await second.settle();
    expect(script.open('work')).toHaveLength(3 * names.length);
    for (const call of script.open('work')) call.complete({ done: true });
    await second.settle();
    for (const name of names) {
      expect(await engine.publish('paid', name, { correlation: name })).toMatchObject({ delivered: 3 });
      expect(await engine.credits.balance(name)).toBe(1);
      const reservations = await engine.credits.reservations(name);
      expect(reservations.map(({ reserved, spent }) => [reserved, spent])).toEqual([
        [3, 3],
        [3, 3],
        [3, 3],
      ]);
    }
    await second.settle();
    expect(await countLetters(copy, 5)).toBe(0);
    expect((await engine.audit()).problems).toEqual([]);
    await engine.close({ graceMs: 0 });
  });
});

/** Beside whoever has them open. */
async function countLetters(folder: string, shards: number): Promise<number> {
  const stores = (await openFleetFolder({ folder, shards }, { readOnly: true })).map(mustBeThere);
  let letters = 0;
  for (const store of stores) {
    for (const { to } of await store.readOutbox(null, 10_000)) letters += to === mailAddress ? 1 : 0;
    await store.close();
  }
  return letters;
}

test('[CY7] a fleet that was copied twice finds what was started with a key before, wherever it belonged then', async () => {
  const folder = newFolder();
  const at = (shards: number) => path.join(folder, `with-${shards}`);
  const first = await openAt(at(0), 0);
  const world = await fill(first);
  await first.engine.close({ graceMs: 0 });
  await copyStore({ from: at(0), to: at(2), shards: 2 });
  const second = await openAt(at(2), 2, { clock: first.clock });
  const fresh = new Map<string, string>();
  for (const key of names)
    fresh.set(key, (await second.engine.start('echo', {}, { idempotencyKey: `${key} anew` })).id);
  await second.engine.close({ graceMs: 0 });
  await copyStore({ from: at(2), to: at(5), shards: 5 });
  const { engine } = await openAt(at(5), 5, { clock: first.clock });
  for (const [key, runId] of world.keyed)
    expect((await engine.start('echo', { n: key }, { idempotencyKey: key })).id).toBe(runId);
  for (const [key, runId] of fresh)
    expect((await engine.start('echo', {}, { idempotencyKey: `${key} anew` })).id).toBe(runId);
  const many = await engine.call('startRuns', {
    runs: names.map((key) => ({ workflow: 'echo', input: { n: key }, idempotencyKey: key })),
  });
  expect(many.runs).toEqual(names.map((key) => ({ ok: true, runId: world.keyed.get(key) })));
  await engine.close({ graceMs: 0 });
});

test('[CY2] callbacks go on where they were: what was told is not told again, what was not is told', async () => {
  const folder = newFolder();
  const [source, copy] = [path.join(folder, 'source'), path.join(folder, 'copy')];
  const told: string[] = [];
  const network = { status: 200 };
  const transport: HttpTransport = {
    resolve: () => Promise.resolve(['1.1.1.1']),
    send({ body }) {
      const { runId } = JSON.parse(new TextDecoder().decode(body ?? undefined)) as { readonly runId: string };
      if (network.status === 200) told.push(runId);
      return Promise.resolve({ status: network.status, headers: {}, body: new Uint8Array() });
    },
  };
  const first = await openAt(source, 2, { transport });
  await fill(first);
  await first.engine.callbacks.create({
    id: 'hook',
    url: 'https://a.example/hook',
    on: ['run.ended'],
    workflow: 'echo',
  });
  const started: string[] = [];
  const runSome = async ({ engine, advance }: TestEngine): Promise<void> => {
    for (const n of names) started.push((await engine.start('echo', { n })).id);
    await advance(0);
  };
  await runSome(first);
  network.status = 503;
  await runSome(first);
  await first.engine.close({ graceMs: 0 });
  expect(told).toHaveLength(names.length);
  await copyStore({ from: source, to: copy, shards: 4 });
  network.status = 200;
  const second = await openAt(copy, 4, { clock: first.clock, transport });
  await runSome(second);
  await second.advance(hourMs / 2);
  expect(told.filter((runId) => started.includes(runId)).toSorted()).toEqual(started.toSorted());
  await second.engine.close({ graceMs: 0 });
});

describe('what is refused', () => {
  const openFleet = async (folder: string, shards = 3) => {
    const { engine } = await openAt(folder, shards);
    await engine.close({ graceMs: 0 });
  };

  test('[CY6] fewer shards than before, for ids say their shard', async () => {
    const folder = newFolder();
    await openFleet(path.join(folder, 'source'));
    const [from, to] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    for (const shards of [{ shards: 2 }, {}])
      await expect(copyStore({ from, to, ...shards })).rejects.toMatchObject({
        code: 'STORE_FOREIGN',
        message: expect.stringContaining('a fleet can only grow. Say shards: 3, or more.') as string,
      });
    await expect(copyStore({ from, to, shards: 65 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(readdirSync(folder)).toEqual(['source']);
  });

  test('[CY1] a source that somebody has open, is not there, or is one shard; a target that is there', async () => {
    const folder = newFolder();
    const [from, to] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    await expect(copyStore({ from, to, shards: 3 })).rejects.toMatchObject({ code: 'STORE_MISSING' });
    const { engine } = await openAt(from, 3);
    await expect(copyStore({ from, to, shards: 3 })).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await engine.close({ graceMs: 0 });
    await expect(copyStore({ from: `${from}/shard-01.db`, to, shards: 3 })).rejects.toMatchObject({
      code: 'STORE_FOREIGN',
    });
    await expect(copyStore({ from, to: from, shards: 3 })).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' });
    rmSync(`${from}/shard-01.db`);
    await expect(copyStore({ from, to, shards: 3 })).rejects.toMatchObject({
      code: 'STORE_MISSING',
      message: expect.stringContaining('shard-01.db is not there') as string,
    });
    expect(readdirSync(folder)).toEqual(['source']);
  });

  const indexed = (from: string, to: string): string =>
    `PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'runs_by_timer';
    PRAGMA writable_schema = RESET;`;

  test.each([
    ['a row of a journal', `UPDATE journal SET events = replace(events, 'waiting', 'waited') WHERE position = 1`],
    [
      'an entry of an index',
      `${indexed('IS NOT NULL', 'IS NULL')} REINDEX runs_by_timer; ${indexed('IS NULL', 'IS NOT NULL')}`,
    ],
  ])('[CY5] a source that is damaged: nothing is left of the attempt: %s', async (_, damage) => {
    const folder = newFolder();
    const [from, to] = [path.join(folder, 'source'), path.join(folder, 'copy')];
    const first = await openAt(from, 3);
    await fill(first);
    await first.engine.close({ graceMs: 0 });
    const Sqlite = await loadSqlite();
    const database = new Sqlite(`${from}/shard-01.db`, {
      readOnly: false,
      enableForeignKeyConstraints: false,
      defensive: false,
    });
    database.exec(damage);
    database.close();
    await expect(copyStore({ from, to, shards: 4 })).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(readdirSync(folder)).toEqual(['source']);
  });
});

test('what a copy left that was killed is removed by the next, which becomes whole', async () => {
  const folder = newFolder();
  const [from, to] = [path.join(folder, 'source'), path.join(folder, 'copy')];
  const { engine } = await openAt(from, 2);
  await engine.close({ graceMs: 0 });
  mkdirSync(`${to}.new`);
  writeFileSync(`${to}.new/shard-03.db`, 'half of one');
  expect(await copyStore({ from, to, shards: 3 })).toMatchObject({ runs: 0 });
  const again = await openAt(to, 3);
  await again.engine.close({ graceMs: 0 });
});
