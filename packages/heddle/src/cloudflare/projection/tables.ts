// Tables: what the projection is in D1: runs as lists show them, their tags, and for each object how far it has come. They make
// themselves, and bring themselves up to date.
//
// Always true: every step can be taken again, as several objects may take it at once; a released step never changes.

import { HeddleError } from '../../base/heddle-error.ts';
import { askTogether, type Database } from './database.ts';

/**
 * Free text (tags, reasons) is kept as a JSON string, as in the store of an object. Each index begins with the tenant, and has an order
 * that lists have; roots and sub-runs stand in one, apart.
 */
const steps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS heddle_places (
      tenant TEXT NOT NULL,
      object TEXT NOT NULL,
      position INTEGER NOT NULL,
      claim INTEGER NOT NULL,
      walk TEXT,
      walk_claim INTEGER NOT NULL,
      PRIMARY KEY (tenant, object)
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS heddle_runs (
      tenant TEXT NOT NULL,
      object TEXT NOT NULL,
      run_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      is_root INTEGER NOT NULL,
      workflow TEXT NOT NULL,
      version INTEGER NOT NULL,
      status TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      ended_at INTEGER,
      next_timer_at INTEGER,
      parent_run_id TEXT,
      root_run_id TEXT NOT NULL,
      tags TEXT NOT NULL,
      quarantine TEXT,
      result TEXT,
      claim INTEGER NOT NULL,
      PRIMARY KEY (tenant, object, run_id)
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS heddle_tags (
      tenant TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      run_id TEXT NOT NULL,
      object TEXT NOT NULL,
      PRIMARY KEY (tenant, key, value, created_at, run_id)
    ) WITHOUT ROWID`,
    'CREATE INDEX IF NOT EXISTS heddle_runs_by_id ON heddle_runs (tenant, run_id)',
    'CREATE INDEX IF NOT EXISTS heddle_runs_by_age ON heddle_runs (tenant, is_root, created_at, run_id)',
    'CREATE INDEX IF NOT EXISTS heddle_runs_by_status ON heddle_runs (tenant, is_root, status, created_at, run_id)',
    'CREATE INDEX IF NOT EXISTS heddle_runs_by_workflow ON heddle_runs (tenant, is_root, workflow, created_at, run_id)',
    `CREATE INDEX IF NOT EXISTS heddle_runs_by_workflow_and_status
      ON heddle_runs (tenant, is_root, workflow, status, created_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS heddle_runs_by_parent
      ON heddle_runs (tenant, parent_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS heddle_runs_by_root
      ON heddle_runs (tenant, root_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS heddle_runs_in_quarantine
      ON heddle_runs (tenant, created_at, run_id) WHERE quarantine IS NOT NULL`,
    'CREATE INDEX IF NOT EXISTS heddle_tags_by_value ON heddle_tags (tenant, value, created_at, run_id)',
  ],
];

const current = steps.length;

/** Which databases are known to be up to date; the platform has one binding for as long as a program runs. */
const prepared = new WeakMap<Database, Promise<void>>();

/** DO25: does something with the tables, which are made where they are not there, and made again where they have gone. */
export async function withTables<T>(database: Database, work: () => Promise<T>): Promise<T> {
  await prepare(database);
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    prepared.delete(database);
    await prepare(database);
    return work();
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && /no such table: heddle_/.test(error.message);

function prepare(database: Database): Promise<void> {
  const known = prepared.get(database);
  if (known !== undefined) return known;
  const preparing = migrate(database).catch((error: unknown) => {
    prepared.delete(database);
    throw error;
  });
  prepared.set(database, preparing);
  return preparing;
}

const tableCount =
  "SELECT count(*) AS found FROM sqlite_schema WHERE name IN ('heddle_places', 'heddle_runs', 'heddle_tags')";

async function migrate(database: Database): Promise<void> {
  const [, [state] = []] = await askTogether<{ readonly version: number | null; readonly found: number }>(database, [
    database.prepare('CREATE TABLE IF NOT EXISTS heddle_projection (version INTEGER NOT NULL)'),
    database.prepare(`SELECT (SELECT max(version) FROM heddle_projection) AS version, (${tableCount}) AS found`),
  ]);
  const version = state?.found === 3 ? (state.version ?? 0) : 0;
  if (version > current) throw newer(version);
  if (version === current) return;
  const made = steps.slice(version).flat();
  await askTogether(database, [
    ...made.map((sql) => database.prepare(sql)),
    database.prepare('DELETE FROM heddle_projection'),
    database.prepare('INSERT INTO heddle_projection (version) VALUES (?)').bind(current),
  ]);
}

function newer(version: number): HeddleError {
  return new HeddleError(
    'STORE_NEWER',
    `Expected the projection in D1 to have version ${current} or older, but a newer Heddle made it with version ${version}. ` +
      'Deploy that Heddle, or name another database; this one was not changed.',
  );
}
