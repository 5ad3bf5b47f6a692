// LoadRuns: everything about one run: its row, its snapshot, its journal.

import type { JournalRow, RunRow, Snapshot, Store, StoredRun } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';
import { type CheckedRunColumns, mustBeRun, runColumns } from './run-columns.ts';

/** SQLite's way to ask for all rows. */
const noLimit = -1;

export function prepareRuns(driver: SqlDriver) {
  const readRun = prepareReadRun(driver);
  const readJournal = prepareReadJournal(driver);
  const { readSnapshot, saveSnapshot } = prepareSnapshots(driver);
  const loadRun = (runId: string): StoredRun | null =>
    driver.readTogether(() => {
      const row = readRun(runId);
      if (row === null) return null;
      const snapshot = readSnapshot(runId);
      const journal = readJournal(runId, (snapshot?.seq ?? 0) + 1, noLimit);
      return { row, snapshot, journal };
    });
  return { loadRun, readRun, readJournal, saveSnapshot } satisfies Partial<Store>;
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
  return (runId, fromSeq, limit) => select.all(runId, fromSeq, limit).map((row) => ({ ...row }));
}

function prepareSnapshots(driver: SqlDriver) {
  const select = driver.prepare<{ seq: number; body: string }>(
    'SELECT seq, body FROM snapshots WHERE run_id = ? ORDER BY chunk',
  );
  const remove = driver.prepare('DELETE FROM snapshots WHERE run_id = ?');
  const insert = driver.prepare('INSERT INTO snapshots (run_id, chunk, seq, body) VALUES (?, ?, ?, ?)');

  const readSnapshot = (runId: string): Snapshot | null => {
    const rows = select.all(runId);
    const [first] = rows;
    return first === undefined ? null : { runId, seq: first.seq, chunks: rows.map(({ body }) => body) };
  };
  const saveSnapshot = ({ runId, seq, chunks }: Snapshot): void =>
    driver.transaction(() => {
      remove.run(runId);
      for (const [chunk, body] of chunks.entries()) insert.run(runId, chunk, seq, body);
    });
  return { readSnapshot, saveSnapshot };
}
