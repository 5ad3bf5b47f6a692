// Migrations: what the database looks like, as numbered steps, and how one is told from one that is not ours. Our mark and the
// number of steps taken are its identity; where that stands is its driver's matter.
//
// Always true: a step and its number become durable together; a released step never changes, a new one is added; a file
// that is refused was not written to.

import type { RecordWrite } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { keysIn } from '../../base/keys-in.ts';
import { checkedTables } from '../sql/checked-tables.ts';
import { fromOrderedText } from '../sql/ordered-text.ts';
import type { SqlDriver } from './driver.ts';
import { prepareRecordWrites } from './records.ts';
import { computeSum, readRows } from './row-check.ts';
import { damagedSentence } from './sqlite-fault.ts';

/** 'Hedl' */
const applicationId = 0x4865646c;

/**
 * The journal is a rowid table: rows of many runs that are appended together share pages, which a table ordered by run
 * would scatter. An integer in place of the run's id was tried and brought 10 to 19 %: not worth a second name.
 * Free text (keys, tags, reasons) is kept as a JSON string: raw text may hold NUL or half a surrogate pair, which not
 * every driver keeps; the keys of records, which are read in order, as `ordered-text.ts` says.
 */
const steps: readonly (string | ((driver: SqlDriver) => void))[] = [
  `
  CREATE TABLE runs (
    run_id TEXT NOT NULL PRIMARY KEY,
    workflow TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    seq INTEGER NOT NULL,
    head TEXT NOT NULL,
    next_timer_at INTEGER,
    has_work INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    parent_run_id TEXT,
    root_run_id TEXT NOT NULL,
    tags TEXT NOT NULL,
    result TEXT,
    quarantine TEXT
  ) STRICT;
  CREATE INDEX runs_by_age ON runs (created_at, run_id);
  CREATE INDEX runs_by_status ON runs (status, created_at, run_id);
  CREATE INDEX runs_by_workflow ON runs (workflow, created_at, run_id);
  CREATE INDEX runs_by_parent ON runs (parent_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_by_timer ON runs (next_timer_at, run_id) WHERE next_timer_at IS NOT NULL;
  CREATE INDEX runs_with_work ON runs (run_id) WHERE has_work = 1;

  CREATE TABLE tags (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    PRIMARY KEY (key, value, created_at, run_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    position INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    events TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX journal_by_run ON journal (run_id, seq);

  CREATE TABLE snapshots (
    run_id TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (run_id, chunk)
  ) STRICT;

  CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    message TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE definitions (
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (id, version)
  ) STRICT;
  CREATE INDEX definitions_by_hash ON definitions (id, hash, version);
  `,
  `
  CREATE TABLE records (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    due_at INTEGER,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX records_by_due_time ON records (kind, due_at) WHERE due_at IS NOT NULL;
  `,
  addChecksums,
  addListsAndClaims,
  // Each run stands in one of two indexes: lists are of root runs, unless sub-runs are asked for, and then both are
  // merged. A root with 100,000 sub-runs therefore hides no other run, and a row costs as many entries as before.
  `
  DROP INDEX runs_by_status;
  DROP INDEX runs_by_workflow;
  DROP INDEX runs_by_workflow_and_status;
  CREATE INDEX roots_by_age ON runs (created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX roots_by_status ON runs (status, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX roots_by_workflow ON runs (workflow, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX roots_by_workflow_and_status ON runs (workflow, status, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX sub_runs_by_status ON runs (status, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX sub_runs_by_workflow ON runs (workflow, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX sub_runs_by_workflow_and_status ON runs (workflow, status, created_at, run_id)
    WHERE parent_run_id IS NOT NULL;
  `,
  // Lists of all runs are merged from both, too: a root run costs one entry less.
  `
  DROP INDEX runs_by_age;
  CREATE INDEX sub_runs_by_age ON runs (created_at, run_id) WHERE parent_run_id IS NOT NULL;
  `,
  // So are lists of all statuses from those of each, of which there are few: two entries less for every run.
  `
  DROP INDEX roots_by_age;
  DROP INDEX roots_by_workflow;
  DROP INDEX sub_runs_by_age;
  DROP INDEX sub_runs_by_workflow;
  `,
];

/** The version of a file that this program writes. */
export const schemaVersion = steps.length;

const tables = ['runs', 'tags', 'journal', 'snapshots', 'outbox', 'keys', 'definitions', 'records'];

/** The version of our file, 0 for one that is new; throws if it is not ours, or newer, or broken. */
export function checkFile(driver: SqlDriver, file: string): number {
  const { identity, names } = readTables(driver);
  if (identity === null) return 0;
  const { owner, version } = identity;
  if (owner !== applicationId) throw foreign(file);
  if (version > schemaVersion) throw newer(file, version);
  const missing = version === schemaVersion ? tables.filter((name) => !names.has(name)) : [];
  if (version < 1 || missing.length > 0)
    throw new StoreError('STORE_DAMAGED', damagedSentence(file, `its tables are missing (${missing.join(', ')})`));
  return version;
}

/** As of one moment: another process may be making the tables while they are read. */
function readTables(driver: SqlDriver) {
  for (;;) {
    const identity = driver.readIdentity();
    const found = driver.prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const now = driver.readIdentity();
    if (identity?.owner === now?.owner && identity?.version === now?.version)
      return { identity, names: new Set(found.map(({ name }) => name)) };
  }
}

/** Brings the file to the newest version, all steps or none; does nothing to one that is there. */
export function migrate(driver: SqlDriver, file: string): void {
  const version = checkFile(driver, file);
  if (version === schemaVersion) return;
  driver.transaction(() => {
    for (const step of steps.slice(version)) {
      if (typeof step === 'string') driver.exec(step);
      else step(driver);
    }
    driver.writeIdentity({ owner: applicationId, version: schemaVersion });
  });
}

/** What was stored before there were checksums is taken for right. */
function addChecksums(driver: SqlDriver): void {
  for (const table of keysIn(checkedTables)) {
    driver.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0`);
    const matches = checkedTables[table].key.map((column) => `${column} = ?`).join(' AND ');
    const write = driver.prepare(`UPDATE ${table} SET checksum = ? WHERE ${matches}`);
    for (const { values, key } of readRows(driver, table)) write.run(computeSum(driver, values), ...key);
  }
}

/**
 * Indexes for every list of runs that is offered, and for deleting runs: they cost 4 to 8 % of the rows a second of a
 * saturated store. An artifact gets a claim for each run that has put it, by which is found whether anybody still wants
 * it: see `actor/artifacts.ts`.
 */
function addListsAndClaims(driver: SqlDriver): void {
  driver.exec(`
    CREATE INDEX runs_by_workflow_and_status ON runs (workflow, status, created_at, run_id);
    CREATE INDEX runs_by_root ON runs (root_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL;
    CREATE INDEX runs_in_quarantine ON runs (created_at, run_id) WHERE quarantine IS NOT NULL;
    CREATE INDEX tags_by_value ON tags (value, created_at, run_id);
    CREATE INDEX keys_by_run ON keys (run_id);
  `);
  const write = prepareRecordWrites(driver);
  const page = driver.prepare<{ key: string }>(
    "SELECT key FROM records WHERE kind = 'artifact' AND key > ? ORDER BY key LIMIT 500",
  );
  for (let last = ''; ; ) {
    const found = page.all(last);
    if (found.length === 0) return;
    for (const { key } of found) write(makeClaim(fromOrderedText(key)));
    last = found.at(-1)?.key ?? '';
  }
}

function makeClaim(key: string): RecordWrite {
  const slash = key.lastIndexOf('/');
  return {
    kind: 'artifact-claim',
    key: `${key.slice(slash + 1)}/${key.slice(0, slash)}`,
    value: '{}',
    dueAt: null,
  };
}

/** For reading only: a file as it must be, since it cannot be brought up to date. */
export function checkCurrent(driver: SqlDriver, file: string): void {
  const version = checkFile(driver, file);
  if (version === schemaVersion) return;
  const found = version === 0 ? 'it is empty' : `it has version ${version}`;
  throw new StoreError(
    'STORE_OLDER',
    `Expected ${file} to hold a store of version ${schemaVersion}, but ${found}. Open it once for writing (start an ` +
      `engine on it), which brings it up to date.`,
  );
}

function foreign(file: string): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected ${file} to be a Heddle store or a new file, but it is a database of another program. Name another file; ` +
      `this one was not changed.`,
  );
}

function newer(file: string, version: number): StoreError {
  return new StoreError(
    'STORE_NEWER',
    `Expected ${file} to have version ${schemaVersion} or older, but a newer Heddle wrote it with version ${version}. ` +
      `Install that Heddle, or name another file; this one was not changed.`,
  );
}
