// Snapshots of any size, whatever happens while they are written.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot, Store } from '../../actor/ports.ts';
import { memoryStore } from '../memory/store.ts';
import { makeCommit, makeRun } from '../store-fixtures.testsuite.ts';
import type { SqlDriver } from './driver.ts';
import { openSqliteDriver } from './open.ts';
import { createSqliteStore } from './store.ts';

let folder: string;
let driver: SqlDriver;
/** Called at each pause. */
let meanwhile: () => Promise<void>;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-snapshots-'));
  driver = await openSqliteDriver(path.join(folder, 'heddle.db'));
  const { artifacts } = memoryStore();
  const secretKey = async () => new Uint8Array(32);
  meanwhile = () => Promise.resolve();
  store = createSqliteStore({ driver, secretKey, artifacts, pause: () => meanwhile() });
  await store.commit(makeCommit({ runs: [{ row: makeRun('run-a', { seq: 9 }), isNew: true }] }));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Of `count` chunks of half a megabyte and a header. */
const snapshotOf = (seq: number, count: number): Snapshot => ({
  runId: 'run-a',
  seq,
  chunks: ['{}', ...Array.from({ length: count }, (_, index) => `${seq}/${index}/${'x'.repeat(500_000)}`)],
});
const loaded = async () => (await store.loadRun('run-a'))?.snapshot;
const rows = () => driver.prepare<{ count: number }>('SELECT count(*) AS count FROM snapshots').get()?.count;

describe('a snapshot', () => {
  it('[FS7] is written in portions, and the one before counts until it is whole', async () => {
    const [first, second] = [snapshotOf(1, 30), snapshotOf(2, 40)];
    const seen: unknown[] = [];
    meanwhile = async () => void seen.push((await loaded())?.seq);
    await store.saveSnapshot(first);
    expect(await loaded()).toStrictEqual(first);
    await store.saveSnapshot(second);
    expect(await loaded()).toStrictEqual(second);
    expect(seen).toEqual([...Array(3).fill(undefined), ...Array(4).fill(1)]);
    expect(rows()).toBe(41);
  });

  it('[FS7] that a crash left unfinished is in nobody’s way', async () => {
    const small = snapshotOf(1, 2);
    await store.saveSnapshot(small);
    meanwhile = () => Promise.reject(new Error('the process ends here'));
    await expect(store.saveSnapshot(snapshotOf(2, 40))).rejects.toThrow('ends here');
    expect(await loaded()).toStrictEqual(small);
    for (const next of [snapshotOf(3, 1), snapshotOf(4, 3)]) {
      await store.saveSnapshot(next);
      expect(await loaded()).toStrictEqual(next);
    }
    expect(rows()).toBe(4);
  });
});
