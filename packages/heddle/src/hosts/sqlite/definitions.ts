// Definitions and keys: what is looked up by name.

import type { DefinitionRow, KeyRow, Store } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';
import { toStoredText } from './run-columns.ts';

const columns = 'id, version, hash, body, created_at AS createdAt';

export function prepareDefinitions(driver: SqlDriver) {
  const insert = driver.prepare(
    'INSERT OR REPLACE INTO definitions (id, version, hash, body, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const version = driver.prepare<DefinitionRow>(`SELECT ${columns} FROM definitions WHERE id = ? AND version = ?`);
  const latest = driver.prepare<DefinitionRow>(
    `SELECT ${columns} FROM definitions WHERE id = ? ORDER BY version DESC LIMIT 1`,
  );
  const byHash = driver.prepare<DefinitionRow>(
    `SELECT ${columns} FROM definitions WHERE id = ? AND hash = ? ORDER BY version DESC LIMIT 1`,
  );
  const all = driver.prepare<DefinitionRow>(`SELECT ${columns} FROM definitions ORDER BY id, version`);
  return {
    saveDefinition: (row) =>
      driver.transaction(() => void insert.run(row.id, row.version, row.hash, row.body, row.createdAt)),
    findDefinition: (id, asked) => copyOf(asked === null ? latest.get(id) : version.get(id, asked)),
    findDefinitionByHash: (id, hash) => copyOf(byHash.get(id, hash)),
    listDefinitions: () => all.all().map((row) => ({ ...row })),
  } satisfies Partial<Store>;
}

export function prepareFindKey(driver: SqlDriver): (scope: string, key: string) => KeyRow | null {
  const select = driver.prepare<Pick<KeyRow, 'fingerprint' | 'runId' | 'at'>>(
    'SELECT fingerprint, run_id AS runId, at FROM keys WHERE scope = ? AND key = ?',
  );
  return (scope, key) => {
    const found = select.get(toStoredText(scope), toStoredText(key));
    return found === undefined ? null : { scope, key, ...found };
  };
}

/** SQLite's rows have no prototype; ours are plain objects. */
function copyOf(row: DefinitionRow | undefined): DefinitionRow | null {
  return row === undefined ? null : { ...row };
}
