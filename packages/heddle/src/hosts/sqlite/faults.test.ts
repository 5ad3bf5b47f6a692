// What the store does when the world fails below it, and how it asks its questions.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunPageQuery, Store } from '../../actor/ports.ts';
import { memoryStore } from '../memory/store.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import type { SqlDriver } from './driver.ts';
import { openSqliteDriver, openSqliteStore } from './open.ts';
import { loadSqlite } from './sqlite-module.ts';
import { createSqliteStore } from './store.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-faults-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(() => rm(folder, { recursive: true }));

/** A store of which only the database is under test. */
function storeOver(driver: SqlDriver): Store {
  const { artifacts } = memoryStore();
  const secretKey = async () => new Uint8Array(32);
  return createSqliteStore({ driver, secretKey, artifacts, pause: () => Promise.resolve() });
}

const runs = [{ row: makeRun('run-a'), isNew: true }];
const bigJournal = Array.from({ length: 100 }, (_, index) =>
  makeJournalRow('run-a', index + 1, `["${'x'.repeat(5000)}"]`),
);

it('stores nothing of a commit for which the disk has no room, and goes on once it has', async () => {
  const driver = await openSqliteDriver(file);
  const store = storeOver(driver);
  const pages = driver.prepare<{ page_count: number }>('PRAGMA page_count').get()!.page_count;
  driver.exec(`PRAGMA max_page_count = ${pages + 2}`);
  for (let turn = 0; turn < 2; turn += 1) {
    const refusal = await refusalOf(() => store.commit(makeCommit({ runs, journal: bigJournal })));
    expect(refusal.code).toBe('STORE_FULL');
    expect(refusal.message).toMatch(/Nothing of this write was stored; free some space and try again\.$/);
    expect((await store.pageRuns({ limit: 10 })).rows).toEqual([]);
    expect(await store.readJournal('run-a', 1, 1000)).toEqual([]);
  }
  await store.commit(makeCommit({ outboxAdded: [{ id: 'm-1', to: 'run-a', message: '{}' }] })); // What fits is stored.
  driver.exec('PRAGMA max_page_count = 1000000');
  await store.commit(makeCommit({ runs, journal: bigJournal }));
  await store.close();
  const reopened = await openSqliteStore(file);
  expect((await reopened.loadRun('run-a'))?.journal).toHaveLength(100);
  expect(await reopened.readOutbox(null, 10)).toHaveLength(1);
  await reopened.close();
});

it('says that the file is damaged when a page in its midst is', async () => {
  const store = await openSqliteStore(file);
  await store.commit(makeCommit({ runs, journal: bigJournal }));
  await store.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xa5, 4096)); // Every page but the first.
  const reads: ((store: Store) => unknown)[] = [
    (damaged) => damaged.loadRun('run-a'),
    (damaged) => damaged.pageRuns({ limit: 10 }),
    (damaged) => damaged.readJournal('run-a', 1, 10),
  ];
  for (const read of reads) {
    // It may be found as the file is opened: its schema takes more than a page.
    const refusal = await refusalOf(async () => read(await openSqliteStore(file, { readOnly: true })));
    expect(refusal.code).toBe('STORE_DAMAGED');
  }
});

it('sends a reader away from a file whose writer died as it opened it, and lets a writer in', async () => {
  const driver = await openSqliteDriver(file);
  driver.close();
  const Sqlite = await loadSqlite();
  const dying = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: true });
  dying.exec(
    'PRAGMA cache_size = 1; BEGIN IMMEDIATE; PRAGMA user_version = 9; CREATE TABLE t AS SELECT randomblob(99999)',
  );
  for (const ending of ['', '-journal']) copyFileSync(`${file}${ending}`, path.join(folder, `copy.db${ending}`));
  dying.close();
  const copy = path.join(folder, 'copy.db');
  const refusal = await refusalOf(() => openSqliteStore(copy, { readOnly: true }));
  expect(refusal.code).toBe('STORE_UNWRITABLE');
  expect(refusal.message).toMatch(/Open it once for writing \(start an engine on it\), then read it\.$/);
  await (await openSqliteStore(copy)).close();
  await (await openSqliteStore(copy, { readOnly: true })).close();
});

it('rolls back when the engine throws in the midst of a transaction', async () => {
  const driver = await openSqliteDriver(file);
  const store = storeOver(driver);
  const fault = new TypeError('a bug');
  const journal = [
    makeJournalRow('run-a', 1),
    { ...makeJournalRow('run-a', 2), events: undefined as unknown as string },
  ];
  expect(() => driver.transaction(() => throwIt(fault))).toThrow(fault);
  expect(() => store.commit(makeCommit({ runs, journal }))).toThrow(TypeError);
  expect((await store.pageRuns({ limit: 1 })).rows).toEqual([]);
  await store.commit(makeCommit({ runs }));
  await store.close();
});

function throwIt(error: Error): never {
  throw error;
}

/** Every way in which lists of runs are read. */
const everyPage: readonly Omit<RunPageQuery, 'limit'>[] = [
  {},
  { workflow: 'w' },
  { statuses: ['running', 'failed'] },
  { workflow: 'w', statuses: ['running', 'failed'] },
  { parentRunId: 'run-a' },
  { rootRunId: 'run-a' },
  { isQuarantined: true },
  { tags: { a: '1', b: '2' } },
  { search: '01JABCDEF' },
  { search: 'w', workflow: 'w', createdAfter: 1, createdBefore: 9 },
];

it('[LS6] answers every question from an index', async () => {
  const driver = await openSqliteDriver(file);
  const statements: string[] = [];
  const prepare: SqlDriver['prepare'] = (sql) => {
    statements.push(sql);
    return driver.prepare(sql);
  };
  const store = storeOver({ ...driver, prepare });
  await store.commit(makeCommit({ runs }));
  for (const after of [{}, { after: { createdAt: 5, runId: 'run-a' } }])
    for (const query of everyPage) await store.pageRuns({ limit: 1, ...query, ...after });
  const plans = statements
    .filter((sql) => !sql.startsWith('INSERT'))
    .flatMap((sql) => driver.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all());
  const isStep = (detail: string) => !/CORRELATED|^CO-ROUTINE|^SCAN \(subquery/.test(detail);
  const details = plans.map(({ detail }) => detail).filter(isStep);
  expect(details.length).toBeGreaterThan(20);
  expect(details.filter((detail) => !/USING (COVERING |INTEGER )?(INDEX|PRIMARY KEY) /.test(detail))).toEqual([]);
  expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  await store.close();
});
