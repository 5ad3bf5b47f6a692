// Records: what stands beside the runs, by kind and key: read one, a stretch of them, or what is due.

import type { RecordRow, RecordWrite, Store } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';
import { endOfPrefix, fromOrderedText, nextOrderedText, toOrderedText } from './ordered-text.ts';

type StoredRecord = Omit<RecordRow, 'kind'>;

const columns = 'key, value, due_at AS dueAt';

export function prepareRecords(driver: SqlDriver) {
  const one = driver.prepare<StoredRecord>(`SELECT ${columns} FROM records WHERE kind = ? AND key = ?`);
  const stretch = driver.prepare<StoredRecord>(
    `SELECT ${columns} FROM records WHERE kind = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?`,
  );
  const due = driver.prepare<StoredRecord>(
    `SELECT ${columns} FROM records WHERE kind = ? AND due_at <= ? ORDER BY due_at, key LIMIT ?`,
  );
  const earliest = driver.prepare<{ at: number }>(
    'SELECT due_at AS at FROM records WHERE kind = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1',
  );
  return {
    readRecord: (kind, key) => {
      const found = one.get(toOrderedText(kind), toOrderedText(key));
      return found === undefined ? null : toRecordRow(kind, found);
    },
    listRecords: (kind, { prefix = '', after, limit }) => {
      const start = toOrderedText(prefix);
      const next = after === undefined ? '' : nextOrderedText(toOrderedText(after));
      const found = stretch.all(toOrderedText(kind), next > start ? next : start, endOfPrefix(start), limit);
      return found.map((stored) => toRecordRow(kind, stored));
    },
    dueRecords: (kind, at, limit) => due.all(toOrderedText(kind), at, limit).map((stored) => toRecordRow(kind, stored)),
    nextDueAt: (kind) => earliest.get(toOrderedText(kind))?.at ?? null,
  } satisfies Partial<Store>;
}

export function prepareRecordWrites(driver: SqlDriver): (write: RecordWrite) => void {
  const put = driver.prepare(
    `INSERT INTO records (kind, key, value, due_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, due_at = excluded.due_at`,
  );
  const remove = driver.prepare('DELETE FROM records WHERE kind = ? AND key = ?');
  return ({ kind, key, value, dueAt }) => {
    if (value === null) remove.run(toOrderedText(kind), toOrderedText(key));
    else put.run(toOrderedText(kind), toOrderedText(key), value, dueAt);
  };
}

function toRecordRow(kind: string, { key, value, dueAt }: StoredRecord): RecordRow {
  return { kind, key: fromOrderedText(key), value, dueAt };
}
