// Runs: everything about one run, or about many in one request: row, snapshot, journal.

import type { JournalRow, RunRow, RunStore, Snapshot, Stamp, StoredRun } from '../../actor/ports.ts';
import { type CheckedRunColumns, runColumns, storedValues, toRunRow, unreadableRun } from '../sql/stored-run.ts';
import { isUnstorable, textArray } from './database.ts';
import { FencedWrite } from './fenced-write.ts';
import { damagedRow, sumOf } from './row-check.ts';
import type { AskShard, ShardTables } from './shard-tables.ts';

type Reads = Required<Pick<RunStore, 'loadRun' | 'loadRuns' | 'readRun' | 'readJournal'>>;

export function runsOf(tables: ShardTables): Reads {
  const loadRuns = (runIds: readonly string[]) => loadAll(tables, runIds, false);
  return {
    loadRuns,
    // A run that has ended is loaded whole here: nobody says that its row is enough.
    loadRun: async (runId) => (await loadAll(tables, [runId], true))[0] as StoredRun | null, // one for one, and whole
    readRun: async (runId) => (await readRows(tables, tables.read, [runId], mustBeIntact)).get(runId) ?? null,
    readJournal: (runId, fromSeq, limit) =>
      tables.read<JournalRow>(
        'SELECT seq, at, events, hash FROM $journal WHERE shard = $1 AND run_id = $2 AND seq >= $3 ORDER BY seq LIMIT $4',
        [runId, fromSeq, limit],
      ),
  };
}

/** What `loadAll` selects of all three tables; what one does not have is null there. */
interface Part extends CheckedRunColumns {
  readonly part: 'run' | 'chunk' | 'row';
}

const nothing = 'NULL::bigint, NULL::int, NULL::bigint';

/** PG10: rows, snapshots and journals of many runs in one statement, and so of one moment. */
async function loadAll(
  tables: ShardTables,
  runIds: readonly string[],
  isWhole: boolean,
): Promise<readonly (StoredRun | RunRow | null)[]> {
  const asked = runIds.filter((runId) => !isUnstorable(runId));
  const goesOn = isWhole ? 'true' : 'r.ended_at IS NULL AND r.quarantine IS NULL';
  const parts = await tables.read<Part>(
    `WITH asked AS (
       SELECT runs.* FROM unnest($2::text[]) AS w (run_id) JOIN $runs AS runs ON runs.shard = $1 AND runs.run_id = w.run_id
     ), going AS (
       SELECT r.run_id, (SELECT max(s.seq) FROM $snapshots AS s WHERE s.shard = $1 AND s.run_id = r.run_id) AS seq
       FROM asked AS r WHERE ${goesOn}
     )
     SELECT 'run' AS part, ${runColumns} FROM asked AS runs
     UNION ALL
     SELECT 'chunk', s.run_id, NULL, s.chunk, NULL, s.seq, NULL, ${nothing}, NULL::bigint, NULL::bigint, NULL, NULL, NULL, s.body, NULL, NULL::bigint
     FROM going AS g JOIN $snapshots AS s ON s.shard = $1 AND s.run_id = g.run_id AND s.seq = g.seq
     UNION ALL
     SELECT 'row', j.run_id, NULL, NULL::bigint, NULL, j.seq, j.hash, ${nothing}, j.at, NULL::bigint, NULL, NULL, NULL, j.events, NULL, NULL::bigint
     FROM going AS g CROSS JOIN LATERAL (
       SELECT run_id, seq, at, events, hash FROM $journal
       WHERE shard = $1 AND run_id = g.run_id AND seq > coalesce(g.seq, 0) ORDER BY seq
     ) AS j`,
    [textArray(asked)],
  );
  const found = gather(parts);
  return runIds.map((runId) => {
    const stored = found.get(runId);
    if (stored?.row === undefined) return null;
    const row = mustBeIntact(tables, stored.row);
    if (!isWhole && (row.endedAt !== null || row.quarantine !== null)) return row;
    return { row, snapshot: toSnapshot(runId, stored.chunks), journal: toJournal(stored.journal) };
  });
}

interface Gathered {
  row: Part | undefined;
  readonly chunks: Part[];
  readonly journal: Part[];
}

function gather(parts: readonly Part[]): ReadonlyMap<string, Gathered> {
  const found = new Map<string, Gathered>();
  for (const part of parts) {
    const run: Gathered = found.get(part.runId) ?? { row: undefined, chunks: [], journal: [] };
    found.set(part.runId, run);
    if (part.part === 'run') run.row = part;
    else (part.part === 'chunk' ? run.chunks : run.journal).push(part);
  }
  return found;
}

/** The chunk stands in the place of the version. */
function toSnapshot(runId: string, chunks: readonly Part[]): Snapshot | null {
  const [first] = chunks;
  if (first === undefined) return null;
  const ordered = chunks.toSorted((a, b) => a.version - b.version);
  return { runId, seq: first.seq, chunks: ordered.map(({ result }) => result ?? '') };
}

/** Hash, time and events stand in the places of head, age and result. */
function toJournal(rows: readonly Part[]): JournalRow[] {
  const journal = rows.map(({ seq, updatedAt, result, head }) => ({
    seq,
    at: updatedAt,
    events: result ?? '',
    hash: head,
  }));
  return journal.toSorted((a, b) => a.seq - b.seq);
}

/** Rows of runs by their ids, each looked at by `check`. */
export async function readRows(
  tables: ShardTables,
  read: AskShard,
  runIds: readonly string[],
  check: (tables: ShardTables, columns: CheckedRunColumns) => RunRow,
): Promise<ReadonlyMap<string, RunRow>> {
  const rows = await read<CheckedRunColumns>(
    `SELECT ${runColumns} FROM unnest($2::text[]) AS w (run_id) JOIN $runs AS runs ON runs.shard = $1 AND runs.run_id = w.run_id`,
    [textArray(runIds)],
  );
  return new Map(rows.map((columns) => [columns.runId, check(tables, columns)]));
}

/** Throws if its row was changed. */
function mustBeIntact(tables: ShardTables, columns: CheckedRunColumns): RunRow {
  if (!isIntactRun(columns)) throw damagedRow(tables, 'runs', columns.runId);
  return toRunRow(only(columns));
}

/** For lists: a run whose row was changed shows up as one that was set aside, so that the others can be seen. */
export function listedRun(tables: ShardTables, columns: CheckedRunColumns): RunRow {
  return isIntactRun(columns)
    ? toRunRow(columns)
    : unreadableRun(columns, damagedRow(tables, 'runs', columns.runId).message);
}

const isIntactRun = (columns: CheckedRunColumns): boolean => sumOf(storedValues(columns)) === columns.checksum;

function only(columns: CheckedRunColumns & { part?: unknown }): CheckedRunColumns {
  const { part: _, ...rest } = columns;
  return rest;
}

/** The chunks of the newest take the place of all others, in one statement. */
export async function sendSnapshot(
  tables: ShardTables,
  { runId, seq, chunks }: Snapshot,
  stamp: Stamp | undefined,
): Promise<void> {
  const write = new FencedWrite();
  const run = write.value(runId);
  const newest = `${write.value(seq)}::bigint`;
  write.add(
    'older',
    `DELETE FROM $snapshots AS t USING fence WHERE t.shard = $1::int AND t.run_id = ${run}::text
       AND (t.seq <> ${newest} OR t.chunk >= ${write.value(chunks.length)}::int) RETURNING 1`,
  );
  const rows = chunks.map((body, chunk) => [chunk, body]);
  write.add(
    'newest',
    `INSERT INTO $snapshots (shard, run_id, seq, chunk, body)
     SELECT $1::int, ${run}::text, ${newest}, r.chunk, r.body
     FROM fence, unnest(${write.columns(rows, ['int', 'text'])}) AS r (chunk, body)
     ON CONFLICT (shard, run_id, seq, chunk) DO UPDATE SET body = excluded.body RETURNING 1`,
  );
  await write.send(tables, stamp);
}
