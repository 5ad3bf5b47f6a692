// WriteRuns: a run's row, new or changed. What a run is born with (workflow, version, age, lineage, tags) never changes.
//
// Always true: a changed row was there before; a new one was not; the checksum covers the whole row as the engine knows
// it, so that a column that was changed on the disk since is found although it is not written again.

import type { RunRow, RunWrite } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver } from './driver.ts';
import { checkedTables, computeSum } from './row-check.ts';
import { runText, runValues, toStoredText } from './run-columns.ts';

export function prepareRunWrites(driver: SqlDriver): (write: RunWrite) => void {
  const insert = prepareInsert(driver);
  const update = prepareUpdate(driver);
  return ({ row, isNew, before }) => {
    if (isNew) insert(row);
    else update(row, before);
  };
}

function prepareInsert(driver: SqlDriver): (row: RunRow) => void {
  const { columns } = checkedTables.runs;
  const insertRun = driver.prepare(
    `INSERT INTO runs (${columns.join(', ')}, checksum) VALUES (${columns.map(() => '?').join(', ')}, ?)`,
  );
  const insertTag = driver.prepare('INSERT INTO tags (key, value, created_at, run_id) VALUES (?, ?, ?, ?)');
  return (row) => {
    const values = runValues(row);
    insertRun.run(...values, computeSum(driver, values));
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
    const { runId, status, seq, head, nextTimerAt, updatedAt, endedAt, result } = row;
    const hasWork = row.hasWork ? 1 : 0;
    const quarantine = row.quarantine === null ? null : toStoredText(row.quarantine);
    // biome-ignore format: in the order of the columns above
    return updateRun.run(status, seq, head, nextTimerAt, hasWork, updatedAt, endedAt, result, quarantine, sum, runId);
  };
  return (row, before) => {
    const { runId, seq, head, updatedAt } = row;
    const sum = driver.checksum(runText(row));
    const changed = isMove(row, before) ? moveAlong.run(seq, head, updatedAt, sum, runId) : writeWhole(row, sum);
    if (changed === 0)
      throw new StoreError('STORE_CONFLICT', `Expected run ${runId} to be stored, but it is not. Please report a bug.`);
  };
}

/** Whether only its place in the journal has changed. */
function isMove(row: RunRow, before: RunRow | undefined): boolean {
  return (
    row.status === before?.status &&
    row.hasWork === before.hasWork &&
    row.nextTimerAt === before.nextTimerAt &&
    row.endedAt === before.endedAt &&
    row.result === before.result &&
    row.quarantine === before.quarantine
  );
}
