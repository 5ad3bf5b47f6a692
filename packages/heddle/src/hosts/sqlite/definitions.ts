// Definitions and keys: what is looked up by name.

import type { DefinitionRow, DefinitionStore, KeyRow } from '../../actor/ports.ts';
import { toStoredText } from '../sql/stored-run.ts';
import type { SqlDriver, SqlValue } from './driver.ts';
import { computeSum, mustBeIntact } from './row-check.ts';

interface StoredDefinition extends DefinitionRow {
  readonly checksum: number;
}

/** SQLite's way to ask for all rows. */
const noLimit = -1;

const columns = 'id, version, hash, body, created_at AS createdAt, checksum';

export function prepareDefinitions(driver: SqlDriver) {
  const insert = driver.prepare(
    'INSERT OR REPLACE INTO definitions (id, version, hash, body, created_at, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const version = driver.prepare<StoredDefinition>(`SELECT ${columns} FROM definitions WHERE id = ? AND version = ?`);
  const latest = driver.prepare<StoredDefinition>(
    `SELECT ${columns} FROM definitions WHERE id = ? ORDER BY version DESC LIMIT 1`,
  );
  const byHash = driver.prepare<StoredDefinition>(
    `SELECT ${columns} FROM definitions WHERE id = ? AND hash = ? ORDER BY version DESC LIMIT 1`,
  );
  const page = driver.prepare<StoredDefinition>(
    `SELECT ${columns} FROM definitions WHERE (id, version) > (?, ?) ORDER BY id, version LIMIT ?`,
  );
  const versions = driver.prepare<StoredDefinition>(
    `SELECT ${columns} FROM definitions WHERE id = ? AND version > ? ORDER BY version LIMIT ?`,
  );
  const read = (row: StoredDefinition | undefined): DefinitionRow | null =>
    row === undefined ? null : toDefinitionRow(driver, row);
  return {
    saveDefinition: (row) => {
      const sum = computeSum(driver, listValues(row));
      const { id, version: number, body } = row;
      driver.transaction(() => {
        driver.texts.drop('definition', id, number);
        const kept = driver.texts.keep(body, 'definition', id, number);
        insert.run(...listValues({ ...row, body: kept }), sum);
      });
    },
    findDefinition: (id, asked) => read(asked === null ? latest.get(id) : version.get(id, asked)),
    findDefinitionByHash: (id, hash) => read(byHash.get(id, hash)),
    listDefinitions: ({ id, after = { id: '', version: -1 }, limit } = { limit: noLimit }) => {
      const rows = id === undefined ? page.all(after.id, after.version, limit) : versions.all(id, after.version, limit);
      return rows.map((row) => toDefinitionRow(driver, row));
    },
  } satisfies DefinitionStore;
}

export function prepareFindKey(driver: SqlDriver): (scope: string, key: string) => KeyRow | null {
  const select = driver.prepare<Pick<KeyRow, 'fingerprint' | 'runId' | 'at'> & { readonly checksum: number }>(
    'SELECT fingerprint, run_id AS runId, at, checksum FROM keys WHERE scope = ? AND key = ?',
  );
  return (scope, key) => {
    const found = select.get(toStoredText(scope), toStoredText(key));
    if (found === undefined) return null;
    const { fingerprint, runId, at, checksum } = found;
    const row = { scope, key, fingerprint, runId, at };
    mustBeIntact(driver, { table: 'keys', key: `${scope} ${key}`, values: keyValues(row), sum: checksum });
    return row;
  };
}

export function prepareAddKey(driver: SqlDriver): (row: KeyRow) => void {
  const insert = driver.prepare(
    'INSERT INTO keys (scope, key, fingerprint, run_id, at, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return (row) => {
    const values = keyValues(row);
    insert.run(...values, computeSum(driver, values));
  };
}

function keyValues({ scope, key, fingerprint, runId, at }: KeyRow): SqlValue[] {
  return [toStoredText(scope), toStoredText(key), fingerprint, runId, at];
}

function listValues({ id, version, hash, body, createdAt }: DefinitionRow): SqlValue[] {
  return [id, version, hash, body, createdAt];
}

function toDefinitionRow(driver: SqlDriver, { checksum, ...stored }: StoredDefinition): DefinitionRow {
  const row = { ...stored, body: driver.texts.read(stored.body, 'definition', stored.id, stored.version) };
  const key = `${row.id} version ${row.version}`;
  mustBeIntact(driver, { table: 'definitions', key, values: listValues(row), sum: checksum });
  return row;
}
