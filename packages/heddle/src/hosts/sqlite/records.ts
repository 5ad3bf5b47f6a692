// Records: what stands beside the runs, by kind and key: read one, a stretch of them, or what is due.
//
// Always true: nothing of a record that was changed on the disk is believed but its name. Asked for by name it is
// refused; in a stretch it comes without its value; and it is never due, so that nobody fires or removes it.

import type { RecordRow, RecordStore, RecordWrite } from '../../actor/ports.ts';
import { endOfPrefix, fromOrderedText, nextOrderedText, toOrderedText } from '../sql/ordered-text.ts';
import type { SqlDriver } from './driver.ts';
import { computeSum, damagedRow, isIntact, mustAscend } from './row-check.ts';

interface StoredRecord extends Omit<RecordRow, 'kind'> {
  readonly checksum: number;
}

const columns = 'key, value, due_at AS dueAt, checksum';
const unreadable = { value: '', dueAt: null };

export function prepareRecords(driver: SqlDriver) {
  const one = driver.prepare<StoredRecord>(`SELECT ${columns} FROM records WHERE kind = ? AND key = ?`);
  const stretch = driver.prepare<StoredRecord>(
    `SELECT ${columns} FROM records WHERE kind = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?`,
  );
  const readRecord = (kind: string, key: string): RecordRow | null => {
    const stored = one.get(toOrderedText(kind), toOrderedText(key));
    if (stored === undefined) return null;
    const found = wholeRecord(driver, kind, stored);
    if (!isIntactRecord(driver, kind, found)) throw damagedRow(driver, 'records', `${kind} ${key}`);
    return toRecordRow(kind, found);
  };
  return {
    readRecord,
    listRecords: (kind, { prefix = '', after, limit }) => {
      const start = toOrderedText(prefix);
      const next = after === undefined ? '' : nextOrderedText(toOrderedText(after));
      const from = next > start ? next : start;
      const found = stretch
        .all(toOrderedText(kind), from, endOfPrefix(start), limit)
        .map((stored) => wholeRecord(driver, kind, stored));
      mustAscend(driver, `its records of kind ${kind}`, [from, found.map(({ key: stored }) => stored)]);
      return found.flatMap((stored) => {
        const row = toRecordRow(kind, stored);
        if (isIntactRecord(driver, kind, stored)) return [row];
        // By a name that nobody can have given, nobody could continue behind it.
        return toOrderedText(row.key) === stored.key ? [{ ...row, ...unreadable }] : [];
      });
    },
    ...prepareDueRecords(driver),
  } satisfies RecordStore;
}

function prepareDueRecords(driver: SqlDriver) {
  const due = driver.prepare<StoredRecord>(
    `SELECT ${columns} FROM records WHERE kind = ? AND due_at <= ? ORDER BY due_at, key LIMIT ? OFFSET ?`,
  );
  /** Those that are intact, earliest first: damaged ones are few, and passed over. */
  const findDue = (kind: string, at: number, limit: number): RecordRow[] => {
    const found: RecordRow[] = [];
    for (let offset = 0; found.length < limit; offset += limit) {
      const rows = due.all(toOrderedText(kind), at, limit, offset).map((stored) => wholeRecord(driver, kind, stored));
      for (const row of rows)
        if (found.length < limit && isIntactRecord(driver, kind, row)) found.push(toRecordRow(kind, row));
      if (rows.length < limit) break;
    }
    return found;
  };
  return {
    dueRecords: findDue,
    nextDueAt: (kind) => findDue(kind, Number.MAX_SAFE_INTEGER, 1)[0]?.dueAt ?? null,
  } satisfies Partial<RecordStore>;
}

export function prepareRecordWrites(driver: SqlDriver): (write: RecordWrite) => void {
  const put = driver.prepare(
    `INSERT INTO records (kind, key, value, due_at, checksum) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, due_at = excluded.due_at, checksum = excluded.checksum`,
  );
  const remove = driver.prepare('DELETE FROM records WHERE kind = ? AND key = ?');
  return ({ kind, key, value, dueAt }) => {
    const [storedKind, storedKey] = [toOrderedText(kind), toOrderedText(key)];
    driver.texts.drop('record', storedKind, storedKey);
    if (value === null) return void remove.run(storedKind, storedKey);
    const kept = driver.texts.keep(value, 'record', storedKind, storedKey);
    put.run(storedKind, storedKey, kept, dueAt, computeSum(driver, [storedKind, storedKey, value, dueAt]));
  };
}

function wholeRecord({ texts }: SqlDriver, kind: string, stored: StoredRecord): StoredRecord {
  return { ...stored, value: texts.read(stored.value, 'record', toOrderedText(kind), stored.key) };
}

function isIntactRecord(driver: SqlDriver, kind: string, { key, value, dueAt, checksum }: StoredRecord): boolean {
  return isIntact(driver, [toOrderedText(kind), key, value, dueAt], checksum);
}

function toRecordRow(kind: string, { key, value, dueAt }: StoredRecord): RecordRow {
  return { kind, key: fromOrderedText(key), value, dueAt };
}
