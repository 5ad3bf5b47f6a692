// LogMark: a record in the database that says that a log belongs to it, for as long as one does. Without its log such a
// file lacks what was committed last, and SQLite would open it without a word.
//
// Always true: the mark is in the file itself, not only in the log, before anything else is acknowledged, and it is written
// through a log that is not empty; it leaves the file before the log does. So whenever the mark is there and the log is
// not, the log was lost: deleted, left behind by a copy, or beside another name of the file.

import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver } from './driver.ts';
import { prepareRecords, prepareRecordWrites } from './records.ts';
import { lookAt } from './store-file.ts';

const [kind, key] = ['store', 'log'];

/** From now on the file is not whole without its log. `file` is its real name. */
export function markLog(driver: SqlDriver, file: string): void {
  writeMark(driver, JSON.stringify({ file }));
  driver.exec('PRAGMA wal_checkpoint(PASSIVE)');
}

/** All that the log holds may be moved into the file, and the log may go. */
export function unmarkLog(driver: SqlDriver): void {
  writeMark(driver, null);
}

function writeMark(driver: SqlDriver, value: string | null): void {
  const write = prepareRecordWrites(driver);
  driver.transaction(() => write({ kind, key, value, dueAt: null }));
}

// FS3: a file whose log is missing is refused. `file` is its real name, and its tables are up to date.
export function checkMark(driver: SqlDriver, file: string): void {
  const mark = readMark(driver);
  if (mark === null || (lookAt(`${file}-wal`)?.size ?? 0) > 0) return;
  throw new StoreError('STORE_DAMAGED', missingLogSentence(file, mark.file));
}

function missingLogSentence(file: string, openedAs: string): string {
  const elsewhere = openedAs === file ? '' : `, for it was last open as ${openedAs}`;
  return (
    `Expected the log ${file}-wal, which holds what was committed last, but it is missing or empty${elsewhere}. Put it ` +
    `back beside the file, or put a backup in the place of both. If another SQLite program has opened and closed the ` +
    `file since, nothing is lost: open it once with withoutLog: true, or with \`heddle db accept-missing-log\`.`
  );
}

/** Null if there is none, or none that can be read. */
function readMark(driver: SqlDriver): { readonly file: string } | null {
  try {
    const row = prepareRecords(driver).readRecord(kind, key);
    return row === null ? null : (JSON.parse(row.value) as { readonly file: string }); // `markLog` wrote it
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
