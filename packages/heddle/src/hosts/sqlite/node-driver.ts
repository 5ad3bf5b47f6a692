// NodeDriver: a SqlDriver over `node:sqlite` or its packaged twin, with every setting that durability and caution ask for.
//
// Always true: a transaction that fails is rolled back before its error is seen; nothing reads or writes between two
// statements of a transaction, since all of it is synchronous.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Identity, SqlDriver, SqlStatement } from './driver.ts';
import { wholeTexts } from './long-texts.ts';
import { toStoreError } from './sqlite-fault.ts';
import type { SqliteConstructor, SqliteDatabase, SqliteStatement } from './sqlite-module.ts';

export const busyTimeout = 'PRAGMA busy_timeout = 5000;';
export const logSettings = 'PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864;';
/**
 * Settings of the connection. The page cache holds what running workflows touch; the file system caches the rest.
 * `fullfsync` matters on macOS only, where a plain fsync does not reach the disk.
 */
const connectionSettings = `
  ${busyTimeout}
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -16384;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  ${logSettings}
`;
// wal_autocheckpoint, measured with 1,000 journal rows and 1,000 run rows per commit: 1,000 or 2,000 pages give the same
// throughput (83,000 commands/s) and the longest commit is about 10 ms; 4,000 to 25,000 pages gain nothing and stall
// a commit for 50 to 100 ms. 2,000 halves the checkpoints, which counts where an fsync is slow.

export function openNodeDriver(Sqlite: SqliteConstructor, file: string, readOnly: boolean): SqlDriver {
  const database = translating(
    file,
    () => new Sqlite(file, { readOnly, enableForeignKeyConstraints: false, defensive: true }),
  );
  const driver: SqlDriver = {
    file,
    checksum: crc32,
    hash: (text) => hash('sha256', text, 'base64url'),
    texts: wholeTexts,
    writesMoves: true,
    readIdentity: () => readIdentity(driver),
    writeIdentity: ({ owner, version }) =>
      driver.exec(`PRAGMA application_id = ${owner}; PRAGMA user_version = ${version}`),
    findFaults: (max) =>
      driver
        .prepare<{ integrity_check: string }>(`PRAGMA integrity_check(${max})`)
        .all()
        .map(({ integrity_check: finding }) => finding)
        .filter((finding) => finding !== 'ok'),
    exec: (sql) => translating(file, () => database.exec(sql)),
    prepare: <Row extends object>(sql: string) =>
      wrapStatement<Row>(
        file,
        translating(file, () => database.prepare(sql)),
      ),
    transaction: (body) => inTransaction({ database, file, begin: 'BEGIN IMMEDIATE' }, body),
    // Nothing comes between the reads of a transaction, also if another connection writes.
    readTogether: (body) => (database.isTransaction ? body() : inTransaction({ database, file, begin: 'BEGIN' }, body)),
    close: () => translating(file, () => database.isOpen && database.close()),
  };
  configure(driver);
  return driver;
}

/** Of another program, too: whatever has a table is not new. */
function readIdentity(driver: SqlDriver): Identity | null {
  const [owner, version] = [readPragma(driver, 'application_id'), readPragma(driver, 'user_version')];
  const isNew =
    owner === 0 && version === 0 && driver.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  return isNew ? null : { owner, version };
}

function readPragma(driver: SqlDriver, name: string): number {
  return driver.prepare<{ value: number }>(`SELECT ${name} AS value FROM pragma_${name}`).get()?.value ?? 0;
}

function configure(driver: SqlDriver): void {
  try {
    driver.exec(connectionSettings);
  } catch (error) {
    driver.close();
    throw error;
  }
}

function wrapStatement<Row extends object>(file: string, statement: SqliteStatement): SqlStatement<Row> {
  // Written out, without a shared closure: these three carry every row (about 5 µs each).
  return {
    run: (...values) => {
      try {
        return Number(statement.run(...values).changes);
      } catch (error) {
        throw toStoreError(error, file);
      }
    },
    get: (...values) => {
      try {
        return statement.get(...values) as Row | undefined; // The caller says what its statement selects.
      } catch (error) {
        throw toStoreError(error, file);
      }
    },
    all: (...values) => {
      try {
        return statement.all(...values) as Row[]; // As above.
      } catch (error) {
        throw toStoreError(error, file);
      }
    },
  };
}

interface Bracket {
  readonly database: SqliteDatabase;
  readonly file: string;
  readonly begin: string;
}

function inTransaction<T>({ database, file, begin }: Bracket, body: () => T): T {
  try {
    database.exec(begin);
    const result = body();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw toStoreError(error, file);
  }
}

/** SQLite has rolled back by itself after some faults, such as a full disk. */
function rollBack(database: SqliteDatabase): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {
    // The error that led here is the one to tell; a connection that cannot roll back refuses the next BEGIN.
  }
}

function translating<T>(file: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw toStoreError(error, file);
  }
}
