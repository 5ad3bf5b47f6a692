// Fingerprint: everything that a database holds, as one short text: equal for equal contents, row by row and byte by byte.

import { createHash, type Hash } from 'node:crypto';
import type { SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';

/**
 * In the order of their keys, so that where a row lies does not matter. Without the mark of the log, which is there while a
 * store is open.
 */
const small = {
  runs: 'ORDER BY run_id',
  tags: 'ORDER BY key, value, run_id',
  snapshots: 'ORDER BY run_id, chunk',
  outbox: 'ORDER BY id',
  keys: 'ORDER BY scope, key',
  definitions: 'ORDER BY id, version',
  records: "WHERE kind <> 'store' ORDER BY kind, key",
};

/** The journal only grows: whoever asks after every commit has the rows before in the hash already. */
export class Fingerprints {
  readonly #database: SqliteDatabase;
  readonly #journal: Hash = createHash('sha256');
  #position = 0;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  next(): string {
    const rows = this.#database
      .prepare('SELECT * FROM journal WHERE position > ? ORDER BY position')
      .all(this.#position) as { readonly position: number }[]; // As the statement says.
    for (const row of rows) this.#journal.update(JSON.stringify(row));
    this.#position = rows.at(-1)?.position ?? this.#position;
    const hash = this.#journal.copy();
    for (const [table, order] of Object.entries(small))
      hash.update(table + JSON.stringify(this.#database.prepare(`SELECT * FROM ${table} ${order}`).all()));
    return hash.digest('base64url');
  }
}
