// RunColumns: how a run's row lies in the table, and how it comes back.

import type { RunRow } from '../../actor/ports.ts';
import type { SqlDriver, SqlValue } from './driver.ts';
import { checkedTables, damagedRow, isIntact } from './row-check.ts';

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
export function runValues(row: RunRow): SqlValue[] {
  const quarantine = row.quarantine === null ? null : toStoredText(row.quarantine);
  return valuesOf(row, { hasWork: row.hasWork ? 1 : 0, tags: JSON.stringify(row.tags), quarantine });
}

/** What the checksum of a run's row covers, without a list in between: `join` takes three times as long. */
export function runText(row: RunRow): string {
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

/** The run that was asked for; throws if its row was changed, or another's lies in its place. */
export function mustBeRun(driver: SqlDriver, runId: string, columns: CheckedRunColumns): RunRow {
  if (columns.runId !== runId || !isIntact(driver, valuesOf(columns, columns), columns.checksum))
    throw damagedRow(driver, 'runs', runId);
  return toRunRow(columns);
}

/** For lists: a run whose row was changed shows up as one that was set aside, so that the others can be seen. */
export function listedRun(driver: SqlDriver, columns: CheckedRunColumns): RunRow {
  return isIntact(driver, valuesOf(columns, columns), columns.checksum)
    ? toRunRow(columns)
    : unreadableRun(driver, columns);
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
