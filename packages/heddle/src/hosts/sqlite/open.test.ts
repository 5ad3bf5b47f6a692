import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { migrate, schemaVersion } from './migrations.ts';
import { openSqliteDriver, openSqliteStore } from './open.ts';
import { isGoodEnough, loadSqlite } from './sqlite-module.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-open-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(() => rm(folder, { recursive: true }));

/** Any database, made without the store. */
async function makeDatabase(sql: string): Promise<void> {
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: false });
  database.exec(sql);
  database.close();
}

/** A store with some pages of content, closed. */
async function makeStore(): Promise<void> {
  const store = await openSqliteStore(file);
  const journal = Array.from({ length: 50 }, (_, index) =>
    makeJournalRow('run-a', index + 1, `["${'x'.repeat(900)}"]`),
  );
  await store.commit(makeCommit({ runs: [{ row: makeRun('run-a', { seq: 50 }), isNew: true }], journal }));
  await store.close();
}

async function expectRefusal(code: string, sentence: RegExp, target = file): Promise<void> {
  for (const readOnly of [false, true]) {
    const refusal = await refusalOf(() => openSqliteStore(target, { readOnly }));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(/^Expected .+, but .+\.$/);
    expect(refusal.message).toMatch(sentence);
  }
}

describe('a file that is refused', () => {
  it.each([
    ['tables of another program', 'CREATE TABLE notes (text)'],
    ['another mark', 'PRAGMA application_id = 42'],
    ['another mark and our tables', 'PRAGMA application_id = 42; CREATE TABLE runs (run_id)'],
    ['a version without a mark', 'PRAGMA user_version = 1'],
  ])('with %s is foreign, and stays as it is', async (_, sql) => {
    await makeDatabase(sql);
    const before = readFileSync(file);
    await expectRefusal('STORE_FOREIGN', /another program\. Name another file; this one was not changed\.$/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['heddle.db']);
  });

  it('by a newer Heddle stays as it is', async () => {
    await makeStore();
    await makeDatabase(`PRAGMA user_version = ${schemaVersion + 1}`);
    await expectRefusal('STORE_NEWER', new RegExp(`version ${schemaVersion + 1}\\. Install that Heddle`));
  });

  it('that is no database is damaged, and stays as it is', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(1000));
    await expectRefusal('STORE_DAMAGED', /not a database.*Put a backup in its place/);
    expect(readFileSync(file, 'utf8')).toBe('Dear diary, '.repeat(1000));
    expect(readdirSync(folder)).toEqual(['heddle.db']);
  });

  it('that is shorter than a header is damaged', async () => {
    writeFileSync(file, 'SQLite format 3\0');
    await expectRefusal('STORE_DAMAGED', /Put a backup/);
  });

  it.each([0.9, 0.5, 0.1])('that was cut off at %f of its length is damaged', async (part) => {
    await makeStore();
    const { length } = readFileSync(file);
    truncateSync(file, Math.floor(length * part));
    await expectRefusal('STORE_DAMAGED', /Put a backup/);
  });

  it('whose header is garbage is damaged', async () => {
    await makeStore();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 16, 100));
    await expectRefusal('STORE_DAMAGED', /Put a backup/);
  });

  it('whose list of tables is garbage is damaged', async () => {
    await makeStore();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 100, 4096));
    await expectRefusal('STORE_DAMAGED', /Put a backup/);
  });

  it('whose tables are missing is damaged', async () => {
    await makeStore();
    await makeDatabase('DROP TABLE journal');
    await expectRefusal('STORE_DAMAGED', /its tables are missing \(journal\)/);
  });

  it('that is empty beside a log that is not, is damaged, and the log stays', async () => {
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, 'frames');
    await expectRefusal('STORE_DAMAGED', /it is empty, and the log beside it is not/);
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe('frames');
  });
});

describe('a path that is refused', () => {
  it('is a folder', async () => {
    await mkdir(file);
    await expectRefusal('STORE_UNWRITABLE', /is a folder\. Name a file in it: .*heddle\.db\/heddle\.db\.$/);
  });

  it('is a device', () => expectRefusal('STORE_UNWRITABLE', /no ordinary file/, '/dev/null'));

  it.each(['', ':memory:'])("is '%s'", (target) => expectRefusal('STORE_UNWRITABLE', /Use memoryStore/, target));

  it('lies in a folder that is none, or does not exist', async () => {
    writeFileSync(file, 'text');
    for (const target of [path.join(folder, 'no', 'heddle.db'), path.join(file, 'heddle.db')]) {
      expect((await refusalOf(() => openSqliteStore(target))).code).toBe('STORE_UNWRITABLE');
      expect((await refusalOf(() => openSqliteStore(target, { readOnly: true }))).code).toBe('STORE_MISSING');
    }
  });

  it.skipIf(!existsSync('/proc/self'))('lies where nothing can be created', async () => {
    const refusal = await refusalOf(() => openSqliteStore('/proc/heddle.db'));
    expect(refusal.code).toBe('STORE_UNWRITABLE');
    expect(refusal.message).toMatch(/Check the permissions|Change its permissions/);
  });

  it.skipIf(process.getuid?.() === 0)('may not be written (root may write everything)', async () => {
    await makeStore();
    await chmod(file, 0o444);
    expect((await refusalOf(() => openSqliteStore(file))).code).toBe('STORE_UNWRITABLE');
    await chmod(file, 0o644);
    await chmod(folder, 0o555);
    expect((await refusalOf(() => openSqliteStore(file))).code).toBe('STORE_UNWRITABLE');
    await chmod(folder, 0o755);
  });

  it('does not exist, for reading; and none is made', async () => {
    const refusal = await refusalOf(() => openSqliteStore(file, { readOnly: true }));
    expect(refusal.code).toBe('STORE_MISSING');
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** What version 7 has changed, undone. */
const withAllStatuses = `
  CREATE INDEX roots_by_age ON runs (created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX roots_by_workflow ON runs (workflow, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX sub_runs_by_age ON runs (created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX sub_runs_by_workflow ON runs (workflow, created_at, run_id) WHERE parent_run_id IS NOT NULL;
`;
/** What version 6 has changed. */
const withAges = `
  ${withAllStatuses}
  DROP INDEX sub_runs_by_age;
  CREATE INDEX runs_by_age ON runs (created_at, run_id);
`;
/** What version 5 has changed. */
const withoutHalves = `
  ${withAges}
  DROP INDEX roots_by_age; DROP INDEX roots_by_status; DROP INDEX roots_by_workflow; DROP INDEX roots_by_workflow_and_status;
  DROP INDEX sub_runs_by_status; DROP INDEX sub_runs_by_workflow; DROP INDEX sub_runs_by_workflow_and_status;
  CREATE INDEX runs_by_status ON runs (status, created_at, run_id);
  CREATE INDEX runs_by_workflow ON runs (workflow, created_at, run_id);
`;
const laterIndexes = ['runs_by_root', 'runs_in_quarantine', 'tags_by_value', 'keys_by_run'];
/** What version 4 has added. */
const withoutLists = withoutHalves + laterIndexes.map((index) => `DROP INDEX ${index};`).join(' ');
/** What version 3 has added. */
const withoutChecksums = ['runs', 'outbox', 'keys', 'definitions', 'records']
  .map((table) => `ALTER TABLE ${table} DROP COLUMN checksum;`)
  .join(' ');

describe('an open store', () => {
  it('is set to keep what it acknowledges', async () => {
    const driver = await openSqliteDriver(file);
    const read = (name: string) => Object.values(driver.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0] as unknown;
    expect(read('journal_mode')).toBe('wal');
    expect(read('synchronous')).toBe(2);
    expect(read('fullfsync')).toBe(1);
    expect(read('trusted_schema')).toBe(0);
    expect(read('cell_size_check')).toBe(1);
    expect(read('busy_timeout')).toBe(5000);
    expect(read('wal_autocheckpoint')).toBe(2000);
    expect(read('application_id')).toBe(0x4865646c);
    expect(read('user_version')).toBe(schemaVersion);
    expect(read('integrity_check')).toBe('ok');
    driver.close();
  });

  it('is migrated once, however often it is opened', async () => {
    const driver = await openSqliteDriver(file);
    const schema = () => driver.prepare<object>('SELECT name, sql FROM sqlite_schema').all();
    const before = schema();
    migrate(driver, file);
    migrate(driver, file);
    expect(schema()).toEqual(before);
    driver.close();
    await makeStore();
    const reader = await openSqliteStore(file, { readOnly: true });
    expect((await reader.loadRun('run-a'))?.journal).toHaveLength(50);
    await reader.close();
  });

  it('is brought up to date from version 1, with all it holds; but not for reading', async () => {
    await makeStore();
    await makeDatabase(`${withoutLists} ${withoutChecksums} DROP TABLE records; PRAGMA user_version = 1`);
    const refusal = await refusalOf(() => openSqliteStore(file, { readOnly: true }));
    expect(refusal.code).toBe('STORE_OLDER');
    expect(refusal.message).toMatch(/a store of version 7, but it has version 1\. Open it once for writing/);
    const store = await openSqliteStore(file);
    const record = { kind: 'note', key: 'a', value: '1', dueAt: 1 };
    await store.commit(makeCommit({ records: [record] }));
    await store.close();
    const reader = await openSqliteStore(file, { readOnly: true });
    expect(await reader.dueRecords('note', 1, 10)).toStrictEqual([record]);
    expect((await reader.loadRun('run-a'))?.journal).toHaveLength(50);
    await reader.close();
  });

  it('is brought up to date from version 2, and every row gets its checksum', async () => {
    const row = makeRun('run-b', { tags: { a: 'b' }, quarantine: 'why' });
    const message = { id: 'm-1', to: 'run-b', message: '{}' };
    const key = { scope: 'start', key: 'k', fingerprint: 'f', runId: 'run-b', at: 1 };
    const record = { kind: 'note', key: 'a b', value: '1', dueAt: 1 };
    const definition = { id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 5 };
    const fresh = await openSqliteStore(file);
    const runs = Array.from({ length: 501 }, (_, index) => ({ row: makeRun(`many-${index}`), isNew: true }));
    await fresh.commit(makeCommit({ runs: [...runs, { row, isNew: true }], outboxAdded: [message], keys: [key] }));
    await fresh.commit(makeCommit({ records: [record] }));
    await fresh.saveDefinition(definition);
    await fresh.close();
    await makeDatabase(`${withoutLists} ${withoutChecksums} PRAGMA user_version = 2`);
    const store = await openSqliteStore(file);
    expect(await store.readRun('run-b')).toStrictEqual(row);
    expect((await store.pageRuns({ limit: 1_000 })).rows).toHaveLength(502);
    expect(await store.readOutbox(null, 10)).toStrictEqual([message]);
    expect(await store.findKey('start', 'k')).toStrictEqual(key);
    expect(await store.readRecord('note', 'a b')).toStrictEqual(record);
    expect(await store.findDefinition('w', null)).toStrictEqual(definition);
    expect(await store.findDamage()).toEqual([]);
    await store.close();
  });

  it('is brought up to date from version 3, and every artifact gets its claims', async () => {
    const artifact = { kind: 'artifact', value: '{"mimeType":"text/plain","bytes":5}', dueAt: null };
    const keys = Array.from({ length: 501 }, (_, index) => `run-${index}/${'ab'.repeat(32)}`);
    const fresh = await openSqliteStore(file);
    await fresh.commit(makeCommit({ records: ['*/x', ...keys].map((key) => ({ ...artifact, key })) }));
    await fresh.close();
    await makeDatabase(`${withoutLists} PRAGMA user_version = 3`);
    const store = await openSqliteStore(file);
    const claims = await store.listRecords('artifact-claim', { limit: 1_000 });
    expect(claims).toHaveLength(502);
    expect(claims.map(({ key }) => key)).toContain(`${'ab'.repeat(32)}/run-500`);
    expect(claims.map(({ key }) => key)).toContain('x/*');
    expect(await store.findDamage()).toEqual([]);
    await store.close();
  });

  it('is refused as damaged when its version is not that of its tables', async () => {
    await makeStore();
    await makeDatabase('PRAGMA user_version = 2');
    const refusal = await refusalOf(() => openSqliteStore(file));
    expect(refusal.code).toBe('STORE_DAMAGED');
    expect(refusal.message).toContain("its tables are not as they should be: SQLite says 'duplicate column name");
  });

  it('takes an empty file for a new one, but not for reading', async () => {
    writeFileSync(file, '');
    expect((await refusalOf(() => openSqliteStore(file, { readOnly: true }))).code).toBe('STORE_OLDER');
    await makeStore();
  });

  it('says so when it is closed, and may be closed twice', async () => {
    const store = await openSqliteStore(file);
    await store.close();
    await store.close();
    expect((await refusalOf(() => store.readRun('run-a'))).code).toBe('STORE_CLOSED');
    expect((await refusalOf(() => store.commit(makeCommit({})))).code).toBe('STORE_CLOSED');
  });
});

it('uses the SQLite of Node from the version on that is sound and silent', () => {
  expect(isGoodEnough({ node: '20.19.0' })).toBe(false);
  expect(isGoodEnough({ node: '22.23.3', sqlite: '3.51.3' })).toBe(false);
  expect(isGoodEnough({ node: '24.0.0', sqlite: '3.49.1' })).toBe(false);
  expect(isGoodEnough({ node: '24.0.0', sqlite: '3.51.2' })).toBe(false);
  expect(isGoodEnough({ node: '24.9.0', sqlite: '3.51.3' })).toBe(true);
  expect(isGoodEnough({ node: '26.0.0', sqlite: '3.53' })).toBe(true);
  expect(isGoodEnough({ node: '26.0.0', sqlite: '4.0.0' })).toBe(true);
});
