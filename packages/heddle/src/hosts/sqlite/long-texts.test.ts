// The conformance suite where every text but the shortest lies in pieces, and runs' rows are not written for a move: what the
// store of a Durable Object does.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { memoryStore } from '../memory/store.ts';
import { describeStore } from '../store.testsuite.ts';
import { makeCommit, makeJournalRow, makeRun } from '../store-fixtures.testsuite.ts';
import type { SqlDriver } from './driver.ts';
import { cutTexts } from './long-texts.ts';
import { openSqliteDriver } from './open.ts';
import { createSqliteStore } from './store.ts';

let folder = '';
let driver: SqlDriver;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-pieces-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What lies beside the rows, for one that is opened again. */
const newBeside = () => ({
  artifacts: memoryStore().artifacts,
  key: crypto.getRandomValues(new Uint8Array(32)),
});

async function open({ artifacts, key } = newBeside()): Promise<Store> {
  const own = await openSqliteDriver(path.join(folder, 'heddle.db'), { lockWaitMs: 0 });
  driver = { ...own, texts: cutTexts(own, 7), writesMoves: false };
  return createSqliteStore({ driver, artifacts, secretKey: async () => key, pause: async () => undefined });
}

describeStore('SQLite in pieces', async () => {
  const beside = newBeside();
  let store = await open(beside);
  const reopen = async () => {
    await store.close();
    store = await open(beside);
    return store;
  };
  return { store, reopen, tearDown: async () => store.close() };
});

const count = (sql: string): unknown =>
  driver.prepare<{ count: number }>(`SELECT count(*) AS count FROM ${sql}`).get()?.count;

describe('a text that is too long for a value', () => {
  const long = JSON.stringify({ text: '𝒳'.repeat(20) });
  const row = makeJournalRow('run-a', 1, `[${long}]`);
  const ended = makeRun('run-a', { seq: 1, head: row.hash, result: long });
  const message = { id: 'm', to: 'run-a', message: long };
  const record = { kind: 'k', key: 'a', value: long, dueAt: 1 };

  test('[DO2] is what it was, wherever it is read', async () => {
    const store = await open();
    await store.commit(
      makeCommit({ runs: [{ row: ended, isNew: true }], journal: [row], outboxAdded: [message], records: [record] }),
    );
    await store.saveDefinition({ id: 'w', version: 1, hash: 'h', body: long, createdAt: 1 });
    expect((await store.readRun('run-a'))?.result).toBe(long);
    expect((await store.readJournal('run-a', 1, 1))[0]?.events).toBe(`[${long}]`);
    expect((await store.readFeed({ after: 0, limit: 1 })).rows[0]?.events).toBe(`[${long}]`);
    expect(await store.readOutbox(null, 1)).toEqual([message]);
    expect(await store.dueRecords('k', 1, 1)).toEqual([record]);
    expect((await store.findDefinition('w', 1))?.body).toBe(long);
    expect(await store.findDamage()).toEqual([]);
    await store.close();
  });

  test('[DO2] leaves no piece when it is written over, received, removed or deleted', async () => {
    const store = await open();
    await store.commit(
      makeCommit({ runs: [{ row: ended, isNew: true }], journal: [row], outboxAdded: [message], records: [record] }),
    );
    expect(count('pieces')).toBeGreaterThan(20);
    await store.commit(makeCommit({ outboxDone: ['m'], records: [{ ...record, value: '{}' }] }));
    expect(await store.readRecord('k', 'a')).toEqual({ ...record, value: '{}' });
    await store.deleteRuns({ runIds: ['run-a'], records: [] });
    expect(await store.deleteRemains('run-a', 10)).toBe(true);
    expect(count('pieces')).toBe(0);
    await store.close();
  });

  test('of which a piece is missing is found', async () => {
    const store = await open();
    await store.commit(makeCommit({ runs: [{ row: ended, isNew: true }] }));
    driver.exec('DELETE FROM pieces WHERE piece = 2');
    expect(() => store.readRun('run-a')).toThrow('does not match its checksum');
    expect((await store.findDamage())[0]).toMatchObject({ runId: 'run-a' });
    await store.close();
  });
});

test('[DO3] a move is written by its journal row alone, and read from there', async () => {
  const store = await open();
  const [first, second] = [makeJournalRow('run-a', 1), makeJournalRow('run-a', 2)];
  const before = makeRun('run-a', { seq: 1, head: first.hash });
  await store.commit(makeCommit({ runs: [{ row: before, isNew: true }], journal: [first] }));
  const after = { ...before, seq: 2, head: second.hash, updatedAt: second.at };
  await store.commit(makeCommit({ runs: [{ row: after, isNew: false, before }], journal: [second] }));
  expect(count('runs WHERE seq = 1')).toBe(1);
  expect(await store.readRun('run-a')).toEqual(after);
  expect((await store.pageRuns({ limit: 1 })).rows).toEqual([after]);
  const stranger = { ...after, runId: 'run-b' };
  const third = makeJournalRow('run-b', 2);
  expect(() =>
    store.commit(makeCommit({ runs: [{ row: stranger, isNew: false, before: stranger }], journal: [third] })),
  ).toThrow('to be stored');
  await store.close();
});
