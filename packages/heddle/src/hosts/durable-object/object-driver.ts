// ObjectDriver: a SqlDriver over the storage of a Durable Object.
//
// Always true: what a transaction writes, and the alarm that it needs, is durable before anything leaves the object: the
// platform holds back what it sends until then.

import { sha256Base64url } from '../../base/hash.ts';
import type { Identity, SqlDriver, SqlStatement, SqlValue } from '../sqlite/driver.ts';
import { cutTexts } from '../sqlite/long-texts.ts';
import { toStoreError } from '../sqlite/sqlite-fault.ts';
import { crc32 } from './crc32.ts';
import type { ObjectCursor, ObjectStorage } from './storage.ts';

/** A value of the platform has 2 MiB, a row too; a unit of UTF-16 takes up to three bytes. */
const pieceMax = 500_000;

/** What it is called in messages. */
const name = 'the storage of this object';

export interface ObjectDriver extends SqlDriver {
  /** Called at the end of every transaction, as a part of it. */
  beforeCommit: () => void;
}

export function openObjectDriver(storage: ObjectStorage): ObjectDriver {
  const asked = <Answer>(ask: () => Answer): Answer => {
    try {
      return ask();
    } catch (error) {
      throw toStoreError(withCode(error), name);
    }
  };
  const exec = (sql: string, values: readonly SqlValue[]): ObjectCursor =>
    asked(() => storage.sql.exec(sql, ...values));
  const prepare = <Row extends object>(sql: string): SqlStatement<Row> => ({
    run: (...values) => exec(sql, values).rowsWritten,
    get: (...values) => exec(sql, values).toArray()[0] as Row | undefined, // the caller says what it selects
    all: (...values) => exec(sql, values).toArray() as Row[], // as above
  });
  const runScript = (sql: string): void => void exec(sql, []);
  runScript(identityTable);
  const driver: ObjectDriver = {
    file: name,
    checksum: crc32,
    hash: sha256Base64url,
    texts: cutTexts({ exec: runScript, prepare }, pieceMax),
    writesMoves: false,
    readIdentity: () => prepare<Identity>('SELECT owner, version FROM heddle').get() ?? null,
    writeIdentity({ owner, version }) {
      runScript('DELETE FROM heddle');
      prepare('INSERT INTO heddle (owner, version) VALUES (?, ?)').run(owner, version);
    },
    findFaults: (max) =>
      prepare<{ finding: string }>('SELECT quick_check AS finding FROM pragma_quick_check LIMIT ?')
        .all(max)
        .map(({ finding }) => finding)
        .filter((finding) => finding !== 'ok'),
    exec: runScript,
    prepare,
    beforeCommit: () => undefined,
    // The platform may refuse at its end what it has taken statement by statement.
    transaction: (body) =>
      asked(() =>
        storage.transactionSync(() => {
          const answer = body();
          driver.beforeCommit();
          return answer;
        }),
      ),
    // Nobody else writes, and nothing of it waits.
    readTogether: (body) => body(),
    close: () => undefined,
  };
  return driver;
}

/** Pragmas are refused: whose the tables are, and of which version, stands in one of them. */
const identityTable = 'CREATE TABLE IF NOT EXISTS heddle (owner INTEGER NOT NULL, version INTEGER NOT NULL) STRICT';

/** The platform tells SQLite's codes in its messages alone: `…: SQLITE_FULL (extended: …)`. */
const codes: Readonly<Record<string, number>> = {
  SQLITE_ERROR: 1,
  SQLITE_NOMEM: 7,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_TOOBIG: 18,
  SQLITE_CONSTRAINT: 19,
  SQLITE_NOTADB: 26,
};

function withCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, code = ''] = /: (SQLITE_[A-Z]+)(?: \(extended: \w+\))?$/.exec(error.message) ?? [];
  const errcode = codes[code];
  return errcode === undefined ? error : Object.assign(error, { errcode });
}
