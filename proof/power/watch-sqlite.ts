// WatchSqlite: the SQLite that the store uses, with the connection of the store itself to look through, and with a log as
// short as a proof wants it.

import {
  loadSqlite,
  type SqliteConstructor,
  type SqliteDatabase,
} from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';

export interface WatchedSqlite {
  readonly Sqlite: SqliteConstructor;
  /** The connection to the store's file that was opened last. */
  readonly database: () => SqliteDatabase;
}

const settings = /wal_autocheckpoint = \d+/;

export async function watchSqlite({ pagesInLogMax }: { readonly pagesInLogMax?: number }): Promise<WatchedSqlite> {
  let opened: SqliteDatabase | null = null;
  class Shortened extends (await loadSqlite()) {
    override exec(sql: string): void {
      super.exec(pagesInLogMax === undefined ? sql : sql.replace(settings, `wal_autocheckpoint = ${pagesInLogMax}`));
    }
  }
  const Sqlite = new Proxy(Shortened, {
    construct: (target, given: ConstructorParameters<SqliteConstructor>) => {
      const database = new target(...given);
      if (given[0].endsWith('.db')) opened = database;
      return database;
    },
  });
  const database = (): SqliteDatabase => {
    if (opened) return opened;
    throw new Error('Expected the store to open its file, but it did not');
  };
  return { Sqlite, database };
}
