// MortalSqlite: the real SQLite in a process that is to die: comes to the points in and around its transactions. Below
// everything that the store does: its lock, its migrations, its commits, its closing.
//
// Always true: it changes nothing of what SQLite does, but for an earlier checkpoint where that is the point.

import type {
  SqliteConstructor,
  SqliteDatabase,
  SqliteStatement,
} from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { type Death, type Point, say } from './death.ts';

export function mortalSqlite(Sqlite: SqliteConstructor, death: Death): SqliteConstructor {
  return class implements SqliteDatabase {
    readonly #database: SqliteDatabase;
    readonly #file: string;
    /** Of the transaction under way: which points come after it. */
    readonly #next = new Set<Point>();

    constructor(...given: ConstructorParameters<SqliteConstructor>) {
      death.step();
      this.#file = given[0];
      this.#database = new Sqlite(...given);
    }

    get isOpen(): boolean {
      return this.#database.isOpen;
    }

    get isTransaction(): boolean {
      return this.#database.isTransaction;
    }

    exec(sql: string): void {
      death.step();
      if (sql === 'BEGIN IMMEDIATE') this.#begin(sql);
      else if (sql === 'COMMIT') this.#commit(sql);
      else if (sql.includes('journal_mode = DELETE')) announced(death.announce('closing-file'), () => this.#run(sql));
      else this.#run(sql);
      death.step();
    }

    prepare(sql: string): SqliteStatement {
      const statement = this.#database.prepare(sql);
      return {
        run: (...values) => {
          this.#pass(sql, values);
          return statement.run(...values);
        },
        get: (...values) => {
          this.#pass(sql, values);
          return statement.get(...values);
        },
        all: (...values) => {
          this.#pass(sql, values);
          return statement.all(...values);
        },
      };
    }

    close(): void {
      death.step();
      this.#database.close();
      death.step();
    }

    #run(sql: string): void {
      this.#database.exec(sql);
    }

    #begin(sql: string): void {
      death.reach('before-transaction');
      death.beginCommit(this.#file);
      this.#next.clear();
      this.#run(sql);
    }

    #commit(sql: string): void {
      death.reach('before-commit');
      const checkpointNow = () => this.#run('PRAGMA wal_autocheckpoint = 1');
      const isAnnounced = death.announce('committing') || death.announce('checkpoint', checkpointNow);
      announced(isAnnounced, () => this.#run(sql));
      death.reach('after-commit');
      for (const point of this.#next) death.reach(point);
    }

    #pass(sql: string, values: readonly unknown[]): void {
      death.step();
      if (!this.#database.isTransaction) return;
      death.reach('in-transaction');
      const point = pointOf(sql) ?? letterPointOf(sql, values);
      if (point !== null) death.reach(point);
      if (point === 'letter-posting') this.#next.add('letter-posted');
      if (point === 'letter-arriving') this.#next.add('letter-arrived');
      if (tellOf('tasks.lost', values)) death.reach('recovery-commit');
      if (tellOf('task.dispatched', values)) this.#next.add('before-dispatch');
    }
  };
}

/** Of a statement that is a point by itself. */
function pointOf(sql: string): Point | null {
  if (sql.includes('INTO snapshots')) return 'snapshot';
  if (sql.startsWith('DELETE FROM runs')) return 'deleting';
  return sql.startsWith('DELETE FROM journal') ? 'removing' : null;
}

/** Of one that writes a letter, or what is noted of letters. */
function letterPointOf(sql: string, [first, second]: readonly unknown[]): Point | null {
  const isAdded = sql.startsWith('INSERT INTO ');
  if (sql.includes(' outbox ') && String(first).startsWith('~')) return isAdded ? 'letter-posting' : 'letter-leaving';
  if (first === 'mail-mark') return isAdded ? 'letter-arriving' : 'mark-leaving';
  return first === 'mail-counter' && second === 'copying' ? 'copy-noted' : null;
}

/** Does what the supervisor was asked to kill at; and says so, if it did not. */
function announced(isAnnounced: boolean, work: () => void): void {
  work();
  if (isAnnounced) say({ type: 'past' });
}

/** Whether there is a row of the journal with such an event among the values. */
function tellOf(type: string, values: readonly unknown[]): boolean {
  return values.some((value) => typeof value === 'string' && value.includes(`"type":"${type}"`));
}
