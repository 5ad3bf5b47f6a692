// Commit: one commit of the engine as one statement.
//
// Always true: what the commit itself contradicts is refused before it is sent; what contradicts the rows is refused by the
// statement, and nothing of it is stored.

import { checkCommit } from '../../actor/check-commit.ts';
import type { Commit, KeyRow, OutboxRow, RunRow, Stamp } from '../../actor/ports.ts';
import { checkedTables } from '../sql/checked-tables.ts';
import { runText, runValues, toStoredText } from '../sql/stored-run.ts';
import type { SqlValue } from './database.ts';
import { FencedWrite } from './fenced-write.ts';
import { keyPlace, keySum } from './keys.ts';
import { addRecordWrites } from './records.ts';
import { sumOf } from './row-check.ts';
import type { ShardTables } from './shard-tables.ts';
import { tagRows } from './tags.ts';

export async function sendCommit(tables: ShardTables, commit: Commit, stamp: Stamp | undefined): Promise<void> {
  const { born, changed } = collapse(commit);
  refuseContradictions(commit);
  const write = new FencedWrite();
  addBorn(write, born);
  addChanged(write, changed);
  addJournal(write, commit);
  addOutbox(write, commit);
  addKeys(write, commit.keys);
  addRecordWrites(write, commit.records);
  await write.send(tables, stamp, { positions: commit.journal.length });
}

interface Written {
  readonly born: readonly RunRow[];
  readonly changed: readonly RunRow[];
}

/** Of several writes of one run the last counts. */
function collapse({ runs }: Commit): Written {
  const born = new Map<string, RunRow>();
  const changed = new Map<string, RunRow>();
  for (const { row, isNew } of runs) (isNew || born.has(row.runId) ? born : changed).set(row.runId, row);
  return { born: [...born.values()], changed: [...changed.values()] };
}

/** Within the commit; of what is stored only what it says itself. */
function refuseContradictions(commit: Commit): void {
  const stored = new Set<string>();
  const born = new Set<string>();
  for (const { row, isNew } of commit.runs) {
    if (isNew) born.add(row.runId);
    else if (!born.has(row.runId)) stored.add(row.runId);
  }
  checkCommit(commit, {
    hasRun: (runId) => stored.has(runId),
    lastSeq: () => 0,
    hasMessage: () => false,
    hasKey: () => false,
  });
}

/** Of `checkedTables.runs`, and the checksum. */
const runTypes = [
  'text',
  'text',
  'bigint',
  'text',
  'bigint',
  'text',
  'bigint',
  'int',
  'bigint',
  'bigint',
  'bigint',
] as const;
const restTypes = ['text', 'text', 'text', 'text', 'text', 'bigint'] as const;

function addBorn(write: FencedWrite, rows: readonly RunRow[]): void {
  if (rows.length === 0) return;
  const values = rows.map((row) => [...runValues(row), sumOf([runText(row)])]);
  write.add(
    'born',
    `INSERT INTO $runs (shard, ${checkedTables.runs.columns.join(', ')}, checksum)
     SELECT $1::int, r.* FROM fence, unnest(${write.columns(values, [...runTypes, ...restTypes])}) AS r RETURNING 1`,
  );
  const tags = rows.flatMap(tagRows);
  if (tags.length === 0) return;
  write.add(
    'born_tags',
    `INSERT INTO $tags (shard, key, value, created_at, run_id)
     SELECT $1::int, r.* FROM fence, unnest(${write.columns(tags, ['text', 'text', 'bigint', 'text'])}) AS r RETURNING 1`,
  );
}

/** What a run is born with never changes. */
function addChanged(write: FencedWrite, rows: readonly RunRow[]): void {
  if (rows.length === 0) return;
  const values = rows.map((row): SqlValue[] => {
    const { runId, status, seq, head, nextTimerAt, updatedAt, endedAt, result } = row;
    const quarantine = row.quarantine === null ? null : toStoredText(row.quarantine);
    // biome-ignore format: in the order of the columns below
    return [runId, status, seq, head, nextTimerAt, row.hasWork ? 1 : 0, updatedAt, endedAt, result, quarantine, sumOf([runText(row)])];
  });
  // biome-ignore format: as above
  const columns = write.columns(values, ['text', 'text', 'bigint', 'text', 'bigint', 'int', 'bigint', 'bigint', 'text', 'text', 'bigint']);
  write.add(
    'changed',
    `UPDATE $runs AS t SET status = r.status, seq = r.seq, head = r.head, next_timer_at = r.next_timer_at,
       has_work = r.has_work, updated_at = r.updated_at, ended_at = r.ended_at, result = r.result,
       quarantine = r.quarantine, checksum = r.checksum
     FROM fence, unnest(${columns})
       AS r (run_id, status, seq, head, next_timer_at, has_work, updated_at, ended_at, result, quarantine, checksum)
     WHERE t.shard = $1::int AND t.run_id = r.run_id RETURNING 1`,
    rows.length,
  );
}

/** Positions are those that the fence has handed out, and are never given twice (FD5). */
function addJournal(write: FencedWrite, { journal }: Commit): void {
  if (journal.length === 0) return;
  const values = journal.map(({ runId, seq, at, events, hash }) => [runId, seq, at, events, hash]);
  write.add(
    'appended',
    `INSERT INTO $journal (shard, position, run_id, seq, at, events, hash)
     SELECT $1::int, fence.base + r.place, r.run_id, r.seq, r.at, r.events, r.hash
     FROM fence, unnest(${write.columns(values, ['text', 'bigint', 'bigint', 'text', 'text'])}) WITH ORDINALITY
       AS r (run_id, seq, at, events, hash, place) RETURNING 1`,
  );
}

/** What is sent and received in one commit never lies there. */
function addOutbox(write: FencedWrite, { outboxAdded, outboxDone }: Commit): void {
  const done = new Set(outboxDone);
  const sent = outboxAdded.filter(({ id }) => !done.has(id));
  const added = new Set(outboxAdded.map(({ id }) => id));
  const gone = [...done].filter((id) => !added.has(id));
  if (sent.length > 0) {
    const values = sent.map(({ id, to, message }: OutboxRow) => [id, to, message, sumOf([id, to, message])]);
    write.add(
      'sent',
      `INSERT INTO $outbox (shard, id, recipient, message, checksum)
       SELECT $1::int, r.* FROM fence, unnest(${write.columns(values, ['text', 'text', 'text', 'bigint'])}) AS r RETURNING 1`,
    );
  }
  if (gone.length > 0)
    write.add(
      'received',
      `DELETE FROM $outbox AS t USING fence, unnest(${write.columns(
        gone.map((id) => [id]),
        ['text'],
      )}) AS r (id)
       WHERE t.shard = $1::int AND t.id = r.id RETURNING 1`,
    );
}

function addKeys(write: FencedWrite, rows: readonly KeyRow[]): void {
  if (rows.length === 0) return;
  const values = rows.map((row) => {
    const { scope, key, fingerprint, runId, at } = row;
    return [keyPlace(scope, key), toStoredText(scope), toStoredText(key), fingerprint, runId, at, keySum(row)];
  });
  write.add(
    'reserved',
    `INSERT INTO $keys (shard, place, scope, key, fingerprint, run_id, at, checksum)
     SELECT $1::int, r.* FROM fence, unnest(${write.columns(values, ['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint'])}) AS r
     RETURNING 1`,
  );
}
