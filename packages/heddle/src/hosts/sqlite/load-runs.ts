// LoadRuns: everything about one run: its row, its snapshot, its journal.

import type { JournalRow, RunRow, RunStore, StoredRun } from '../../actor/ports.ts';
import { type CheckedRunColumns, runColumns } from '../sql/stored-run.ts';
import type { SqlDriver } from './driver.ts';
import { mustBeRun } from './run-columns.ts';
import { type Pause, prepareSnapshots } from './snapshots.ts';

/** SQLite's way to ask for all rows. */
const noLimit = -1;

export function prepareRuns(driver: SqlDriver, pause: Pause) {
  const readRun = prepareReadRun(driver);
  const readJournal = prepareReadJournal(driver);
  const { readSnapshot, saveSnapshot } = prepareSnapshots(driver, pause);
  const loadRun = (runId: string): StoredRun | null =>
    driver.readTogether(() => {
      const row = readRun(runId);
      if (row === null) return null;
      const snapshot = readSnapshot(runId);
      const journal = readJournal(runId, (snapshot?.seq ?? 0) + 1, noLimit);
      return { row, snapshot, journal };
    });
  return { loadRun, readRun, readJournal, saveSnapshot } satisfies Partial<RunStore>;
}

function prepareReadRun(driver: SqlDriver): (runId: string) => RunRow | null {
  const select = driver.prepare<CheckedRunColumns>(`SELECT ${runColumns} FROM runs WHERE run_id = ?`);
  return (runId) => {
    const columns = select.get(runId);
    return columns === undefined ? null : mustBeRun(driver, runId, columns);
  };
}

function prepareReadJournal(
  driver: SqlDriver,
): (runId: string, fromSeq: number, limit: number) => readonly JournalRow[] {
  const select = driver.prepare<JournalRow>(
    'SELECT seq, at, events, hash FROM journal WHERE run_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
  );
  return (runId, fromSeq, limit) =>
    select
      .all(runId, fromSeq, limit)
      .map((row) => ({ ...row, events: driver.texts.read(row.events, 'journal', runId, row.seq) }));
}
