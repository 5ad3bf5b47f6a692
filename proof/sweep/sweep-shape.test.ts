// The sweep must be able to fail: it passes on the store as it is, and finds what a careless SQLite would do to it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  loadSqlite,
  type SqliteConstructor,
  type SqliteDatabase,
} from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { allShapes } from './all-shapes.ts';
import { sweepShape } from './sweep-shape.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-sweep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function sweep(name: string, Sqlite: SqliteConstructor): Promise<readonly string[]> {
  const shape = allShapes.find((one) => one.name === name);
  if (!shape) throw new Error(`Expected a shape ${name}, but there is none`);
  const options = { Sqlite, folder, seed: 1, isAside: false, secondMax: 2, repeats: 2, point: null };
  const { violations } = await sweepShape(shape, options);
  return violations.flatMap(({ differences }) => differences);
}

/** The real one, but for what it does with some statements. */
function careless(Sqlite: SqliteConstructor, exec: (database: SqliteDatabase, sql: string) => void): SqliteConstructor {
  return class implements SqliteDatabase {
    readonly #database: SqliteDatabase;

    constructor(...given: ConstructorParameters<SqliteConstructor>) {
      this.#database = new Sqlite(...given);
    }

    exec(sql: string): void {
      exec(this.#database, sql);
    }

    prepare(sql: string) {
      return this.#database.prepare(sql);
    }

    close(): void {
      this.#database.close();
    }

    get isOpen(): boolean {
      return this.#database.isOpen;
    }

    get isTransaction(): boolean {
      return this.#database.isTransaction;
    }
  };
}

describe('the sweep', () => {
  test('finds nothing in the store as it is', async () => {
    const Sqlite = await loadSqlite();
    expect(await sweep('start: under a key', Sqlite)).toEqual([]);
    expect(await sweep('sub-run completed: its parent waits for it', Sqlite)).toEqual([]);
  });

  test('finds statements that are there one by one', async () => {
    const Sqlite = careless(await loadSqlite(), (database, sql) => {
      if (!['BEGIN', 'BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].includes(sql)) database.exec(sql);
    });
    const found = await sweep('sub-run completed: its parent waits for it', Sqlite);
    expect(found.join('\n')).toContain('right after the crash: ');
  });

  test('finds a commit that was answered before it was there', async () => {
    const Sqlite = careless(await loadSqlite(), (database, sql) => {
      const isLate = database.isTransaction && (sql === 'BEGIN IMMEDIATE' || sql.startsWith('PRAGMA'));
      if (isLate) database.exec('COMMIT');
      if (sql !== 'COMMIT') database.exec(sql);
    });
    expect(await sweep('start: under a key', Sqlite)).toContain('journal of <w 1> (w): expected, but it is not there');
  });

  test('no two shapes have one name', () => {
    const names = allShapes.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
