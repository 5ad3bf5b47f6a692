// WatchedSqlite: the real SQLite, which tells of every statement that can write, before and after it. Below everything
// that the store does: its transactions, its lock, its migrations.
//
// Always true: within a transaction nothing is there for another process; so the files are looked at outside of one.

import type {
  SqliteConstructor,
  SqliteDatabase,
  SqliteStatement,
} from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import type { CrashPoints } from './crash-points.ts';

/** `logPages`: in place of the store's own setting of when the log is moved into the database. */
export function watchedSqlite(
  Sqlite: SqliteConstructor,
  points: CrashPoints,
  logPages: number | null,
): SqliteConstructor {
  const asSet = (sql: string): string =>
    logPages === null ? sql : sql.replace(/(?<=wal_autocheckpoint = )\d+/, String(logPages));
  return class implements SqliteDatabase {
    readonly #database: SqliteDatabase;

    constructor(...given: ConstructorParameters<SqliteConstructor>) {
      this.#database = new Sqlite(...given);
      points.change('at once');
    }

    exec(sql: string): void {
      this.#watch(sql, () => this.#database.exec(asSet(sql)));
    }

    prepare(sql: string): SqliteStatement {
      const statement = this.#database.prepare(sql);
      if (/^\s*SELECT/i.test(sql)) return statement;
      return {
        run: (...values) => this.#watch(sql, () => statement.run(...values)),
        get: (...values) => this.#watch(sql, () => statement.get(...values)),
        all: (...values) => this.#watch(sql, () => statement.all(...values)),
      };
    }

    close(): void {
      this.#watch('close', () => this.#database.close());
    }

    get isOpen(): boolean {
      return this.#database.isOpen;
    }

    get isTransaction(): boolean {
      return this.#database.isTransaction;
    }

    #watch<T>(sql: string, work: () => T): T {
      const what = sql.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
      points.pass(`before ${what}`);
      const result = work();
      if (!this.#database.isOpen || !this.#database.isTransaction) points.change('bit by bit');
      points.pass(`after ${what}`);
      return result;
    }
  };
}
