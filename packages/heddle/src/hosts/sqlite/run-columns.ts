// RunColumns: how a run's row lies in the table, is written, and comes back. What a run is born with (workflow, version, age,
// lineage, tags) never changes.
//
// Always true: a changed row was there before; a new one was not; the checksum covers the whole row as the engine knows
// it, so that a column that was changed on the disk since is found although it is not written again.

import type { RunRow, RunWrite } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver, SqlValue } from './driver.ts';
import { checkedTables, computeSum, damagedRow, isIntact } from './row-check.ts';

/** A RunRow but for what SQLite has no type for. */
interface StoredRunColumns extends Omit<RunRow, 'hasWork' | 'tags' | 'quarantine'> {
  readonly hasWork: number;
  readonly tags: string;
  readonly quarantine: string | null;
}

/** What `runColumns` selects. */
export interface CheckedRunColumns extends StoredRunColumns {
  readonly checksum: number;
}

const names = checkedTables.runs.columns.map((column) => `runs.${column} AS ${camelCase(column)}`);
export const runColumns = `${names.join(', ')}, runs.checksum`;

/** In the order of the table's columns. */
function runValues(row: RunRow): SqlValue[] {
  const quarantine = row.quarantine === null ? null : toStoredText(row.quarantine);
  return valuesOf(row, { hasWork: row.hasWork ? 1 : 0, tags: JSON.stringify(row.tags), quarantine });
}

/** What the checksum of a run's row covers, without a list in between: 0.2 µs in place of 0.4 with `join`. */
function runText(row: RunRow): string {
  const { runId, workflow, version, status, seq, head, nextTimerAt, createdAt, updatedAt, endedAt } = row;
  const quarantine = row.quarantine === null ? '' : toStoredText(row.quarantine);
  return (
    `${runId}\n${workflow}\n${version}\n${status}\n${seq}\n${head}\n${nextTimerAt ?? ''}\n${row.hasWork ? 1 : 0}\n` +
    `${createdAt}\n${updatedAt}\n${endedAt ?? ''}\n${row.parentRunId ?? ''}\n${row.rootRunId}\n` +
    `${JSON.stringify(row.tags)}\n${row.result ?? ''}\n${quarantine}`
  );
}

type Untyped = Pick<StoredRunColumns, 'hasWork' | 'tags' | 'quarantine'>;

function valuesOf(run: Omit<RunRow, keyof Untyped>, { hasWork, tags, quarantine }: Untyped): SqlValue[] {
  const { runId, workflow, version, status, seq, head, nextTimerAt, createdAt, updatedAt, endedAt } = run;
  // biome-ignore format: in the order of the columns
  return [runId, workflow, version, status, seq, head, nextTimerAt, hasWork, createdAt, updatedAt, endedAt,
    run.parentRunId, run.rootRunId, tags, run.result, quarantine];
}

/** `isTold`: the journal of the same commit says where in it the run is. */
export function prepareRunWrites(driver: SqlDriver): (write: RunWrite, isTold: boolean) => void {
  const insert = prepareInsert(driver);
  const update = prepareUpdate(driver);
  const find = driver.prepare('SELECT 1 FROM runs WHERE run_id = ?');
  return ({ row, isNew, before }, isTold) => {
    if (isNew) insert(row);
    // DO3: what the journal tells is not written again where nothing of it is lost.
    else if (driver.writesMoves || !isTold || !isMove(row, before)) update(row, before);
    else if (find.get(row.runId) === undefined) throw notStored(row);
  };
}

function prepareInsert(driver: SqlDriver): (row: RunRow) => void {
  const { columns } = checkedTables.runs;
  const insertRun = driver.prepare(
    `INSERT INTO runs (${columns.join(', ')}, checksum) VALUES (${columns.map(() => '?').join(', ')}, ?)`,
  );
  const insertTag = driver.prepare('INSERT INTO tags (key, value, created_at, run_id) VALUES (?, ?, ?, ?)');
  return (row) => {
    insertRun.run(...runValues({ ...row, result: keepResult(driver, row) }), computeSum(driver, runValues(row)));
    for (const [key, value] of Object.entries(row.tags))
      insertTag.run(toStoredText(key), toStoredText(value), row.createdAt, row.runId);
  };
}

/**
 * Most commands only move a run along: its status, alarm and work stay as they are. Those writes leave the columns
 * under an index alone, which makes a commit of 1,000 runs 25 to 40 % faster.
 */
function prepareUpdate(driver: SqlDriver): (row: RunRow, before: RunRow | undefined) => void {
  const moveAlong = driver.prepare('UPDATE runs SET seq = ?, head = ?, updated_at = ?, checksum = ? WHERE run_id = ?');
  const updateRun = driver.prepare(
    `UPDATE runs SET status = ?, seq = ?, head = ?, next_timer_at = ?, has_work = ?, updated_at = ?, ended_at = ?,
       result = ?, quarantine = ?, checksum = ?
     WHERE run_id = ?`,
  );
  const writeWhole = (row: RunRow, sum: number): number => {
    const { runId, status, seq, head, nextTimerAt, updatedAt, endedAt } = row;
    const hasWork = row.hasWork ? 1 : 0;
    driver.texts.drop('result', runId);
    const result = keepResult(driver, row);
    const quarantine = row.quarantine === null ? null : toStoredText(row.quarantine);
    // biome-ignore format: in the order of the columns above
    return updateRun.run(status, seq, head, nextTimerAt, hasWork, updatedAt, endedAt, result, quarantine, sum, runId);
  };
  return (row, before) => {
    const { runId, seq, head, updatedAt } = row;
    const sum = driver.checksum(runText(row));
    const changed = isMove(row, before) ? moveAlong.run(seq, head, updatedAt, sum, runId) : writeWhole(row, sum);
    if (changed === 0) throw notStored(row);
  };
}

const notStored = ({ runId }: RunRow): StoreError =>
  new StoreError('STORE_CONFLICT', `Expected run ${runId} to be stored, but it is not. Please report a bug.`);

const keepResult = ({ texts }: SqlDriver, { runId, result }: RunRow): string | null =>
  result === null ? null : texts.keep(result, 'result', runId);

/** Whether only its place in the journal has changed. */
export function isMove(row: RunRow, before: RunRow | undefined): boolean {
  return (
    row.status === before?.status &&
    row.hasWork === before.hasWork &&
    row.nextTimerAt === before.nextTimerAt &&
    row.endedAt === before.endedAt &&
    row.result === before.result &&
    row.quarantine === before.quarantine
  );
}

/** The run that was asked for; throws if its row was changed, or another's lies in its place. */
export function mustBeRun(driver: SqlDriver, runId: string, stored: CheckedRunColumns): RunRow {
  const columns = wholeColumns(driver, stored);
  if (columns.runId !== runId || !isIntact(driver, valuesOf(columns, columns), columns.checksum))
    throw damagedRow(driver, 'runs', runId);
  return toRunRow(placed(driver, columns));
}

/** For lists: a run whose row was changed shows up as one that was set aside, so that the others can be seen. */
export function listedRun(driver: SqlDriver, stored: CheckedRunColumns): RunRow {
  const columns = wholeColumns(driver, stored);
  return isIntact(driver, valuesOf(columns, columns), columns.checksum)
    ? toRunRow(placed(driver, columns))
    : unreadableRun(driver, columns);
}

/** Where in its journal it is, the newest row of that tells where moves are not written. */
function placed(driver: SqlDriver, columns: CheckedRunColumns): CheckedRunColumns {
  if (driver.writesMoves) return columns;
  const newest = driver
    .prepare<Pick<RunRow, 'seq' | 'head' | 'updatedAt'>>(
      'SELECT seq, hash AS head, at AS updatedAt FROM journal WHERE run_id = ? AND seq > ? ORDER BY seq DESC LIMIT 1',
    )
    .get(columns.runId, columns.seq);
  return newest === undefined ? columns : { ...columns, ...newest };
}

function wholeColumns({ texts }: SqlDriver, stored: CheckedRunColumns): CheckedRunColumns {
  if (stored.result === null) return stored;
  return { ...stored, result: texts.read(stored.result, 'result', stored.runId) };
}

export function readTags(text: string): RunRow['tags'] {
  return JSON.parse(text) as RunRow['tags']; // `runValues` made it from one.
}

function toRunRow({ checksum: _, ...columns }: CheckedRunColumns): RunRow {
  return {
    ...columns,
    hasWork: columns.hasWork === 1,
    tags: readTags(columns.tags),
    quarantine: columns.quarantine === null ? null : fromStoredText(columns.quarantine),
  };
}

/** Nothing of it is believed but its name and its age, which its place in the list is made of. */
function unreadableRun(driver: SqlDriver, columns: CheckedRunColumns): RunRow {
  const { runId } = columns;
  return {
    runId,
    workflow: '',
    version: 0,
    status: 'running',
    seq: 0,
    head: '',
    nextTimerAt: null,
    hasWork: false,
    createdAt: columns.createdAt,
    updatedAt: 0,
    endedAt: null,
    parentRunId: null,
    rootRunId: runId,
    tags: {},
    result: null,
    quarantine: damagedRow(driver, 'runs', runId).message,
  };
}

function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Free text as a JSON string: plain characters only, whatever it holds. */
export function toStoredText(text: string): string {
  return JSON.stringify(text);
}

function fromStoredText(stored: string): string {
  return JSON.parse(stored) as string; // `toStoredText` made it.
}
