// Records: what stands beside the runs, by kind and key: read one, a stretch of them, or what is due.
//
// A key lies as `ordered-text.ts` says; of one that is too long for an index its beginning (`head`) is there, with a hash of the
// rest (`tail`), which is '' for all others.
//
// Always true: nothing of a record that was changed in the database is believed but its name. Asked for by name it is refused; in
// a stretch it comes without its value; and it is never due, so that nobody fires or removes it.

import type { RecordQuery, RecordRow, RecordStore, RecordWrite } from '../../actor/ports.ts';
import { sha256Base64url } from '../../base/hash.ts';
import { endOfPrefix, fromOrderedText, nextOrderedText, toOrderedText } from '../sql/ordered-text.ts';
import type { SqlValue } from './database.ts';
import type { FencedWrite } from './fenced-write.ts';
import { damagedRow, sumOf } from './row-check.ts';
import type { ShardTables } from './shard-tables.ts';

export const recordColumns = 'kind, head, tail, rest, value, due_at, checksum';
const selected = 'head, tail, rest, value, due_at AS "dueAt", checksum';

interface StoredRecord {
  readonly head: string;
  readonly tail: string;
  readonly rest: string;
  readonly value: string;
  readonly dueAt: number | null;
  readonly checksum: number;
}

/** Characters of a key that stand in the index. */
const headMax = 1_000;

interface Place {
  readonly head: string;
  readonly tail: string;
  readonly rest: string;
}

function placeOf(key: string): Place {
  const stored = toOrderedText(key);
  const rest = stored.slice(headMax);
  return { head: stored.slice(0, headMax), tail: rest === '' ? '' : sha256Base64url(rest), rest };
}

/** In the order of `recordColumns`. */
export function storedRecord({ kind, key, value, dueAt }: RecordWrite): SqlValue[] {
  const { head, tail, rest } = placeOf(key);
  return [
    toOrderedText(kind),
    head,
    tail,
    rest,
    value,
    dueAt,
    recordSum(toOrderedText(kind), head + rest, value, dueAt),
  ];
}

const recordSum = (kind: string, key: string, value: string | null, dueAt: number | null): number =>
  sumOf([kind, key, value, dueAt]);

export function recordsOf(tables: ShardTables): RecordStore {
  return {
    readRecord: async (kind, key) => {
      const { head, tail } = placeOf(key);
      const [stored] = await tables.read<StoredRecord>(
        `SELECT ${selected} FROM $records WHERE shard = $1 AND kind = $2 AND head = $3 AND tail = $4`,
        [toOrderedText(kind), head, tail],
      );
      if (stored === undefined) return null;
      if (!isIntact(kind, stored)) throw damagedRow(tables, 'records', `${kind} ${key}`);
      return toRecordRow(kind, stored);
    },
    listRecords: async (kind, query) => {
      const found = await readStretch(tables, kind, query);
      return found.flatMap((stored) => {
        const row = toRecordRow(kind, stored);
        if (isIntact(kind, stored)) return [row];
        // By a name that nobody can have given, nobody could continue behind it.
        return toOrderedText(row.key) === stored.head + stored.rest ? [{ ...row, value: '', dueAt: null }] : [];
      });
    },
    dueRecords: (kind, at, limit) => findDue(tables, kind, at, limit),
    nextDueAt: async (kind) => (await findDue(tables, kind, Number.MAX_SAFE_INTEGER, 1))[0]?.dueAt ?? null,
  };
}

async function readStretch(
  tables: ShardTables,
  kind: string,
  { prefix = '', after, limit }: RecordQuery,
): Promise<readonly StoredRecord[]> {
  const start = toOrderedText(prefix);
  const next = after === undefined ? '' : nextOrderedText(toOrderedText(after));
  const from = next > start ? next : start;
  const end = endOfPrefix(start);
  const bounds = [from.slice(0, headMax), from.slice(headMax), end.slice(0, headMax), end.slice(headMax)];
  const ask = (order: string): Promise<readonly StoredRecord[]> =>
    tables.read<StoredRecord>(
      `SELECT ${selected} FROM $records WHERE shard = $1 AND kind = $2 AND (head, rest) >= ($3::text, $4::text)
         AND (head, rest) < ($5::text, $6::text) ORDER BY ${order} LIMIT $7`,
      [toOrderedText(kind), ...bounds, limit],
    );
  const found = await ask('head, tail');
  // Long keys that begin alike stand in the index by the hash of their rest.
  return found.some(({ rest }) => rest !== '') ? ask('head, rest') : found;
}

/** Those that are intact, earliest first: damaged ones are few, and passed over. */
async function findDue(tables: ShardTables, kind: string, at: number, limit: number): Promise<RecordRow[]> {
  const found: RecordRow[] = [];
  for (let offset = 0; found.length < limit; offset += limit) {
    const rows = await tables.read<StoredRecord>(
      `SELECT ${selected} FROM $records WHERE shard = $1 AND kind = $2 AND due_at <= $3
       ORDER BY due_at, head, tail LIMIT $4 OFFSET $5`,
      [toOrderedText(kind), at, limit, offset],
    );
    for (const row of rows) if (found.length < limit && isIntact(kind, row)) found.push(toRecordRow(kind, row));
    if (rows.length < limit) break;
  }
  return found;
}

function isIntact(kind: string, { head, rest, value, dueAt, checksum }: StoredRecord): boolean {
  return recordSum(toOrderedText(kind), head + rest, value, dueAt) === checksum;
}

const toRecordRow = (kind: string, { head, rest, value, dueAt }: StoredRecord): RecordRow => ({
  kind,
  key: fromOrderedText(head + rest),
  value,
  dueAt,
});

/** Of several writes of one record the last counts. */
export function addRecordWrites(write: FencedWrite, records: readonly RecordWrite[]): void {
  const last = new Map(records.map((record) => [JSON.stringify([record.kind, record.key]), record]));
  const kept = [...last.values()].filter(({ value }) => value !== null).map(storedRecord);
  const gone = [...last.values()].filter(({ value }) => value === null).map(storedRecord);
  if (kept.length > 0)
    write.add(
      'kept_records',
      `INSERT INTO $records (shard, ${recordColumns})
       SELECT $1::int, r.* FROM fence, unnest(${write.columns(kept, ['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint'])}) AS r
       ON CONFLICT (shard, kind, head, tail) DO UPDATE
         SET value = excluded.value, due_at = excluded.due_at, checksum = excluded.checksum RETURNING 1`,
    );
  if (gone.length > 0)
    write.add(
      'gone_records',
      `DELETE FROM $records AS t USING fence, unnest(${write.columns(gone, ['text', 'text', 'text'])}) AS r (kind, head, tail)
       WHERE t.shard = $1::int AND t.kind = r.kind AND t.head = r.head AND t.tail = r.tail RETURNING 1`,
    );
}
