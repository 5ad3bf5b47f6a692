// DeleteRuns: removes runs from the file, in small transactions: first their rows, so that nobody finds half a run, then
// what they left.
//
// Always true: the newest position of the journal is still there afterwards, by a row of no run if need be.

import type { RunDeletion } from '../../actor/ports.ts';
import { type CheckedRunColumns, readTags, runColumns, toStoredText } from '../sql/stored-run.ts';
import type { SqlDriver } from './driver.ts';
import { noRun } from './feed.ts';
import { prepareRecordWrites } from './records.ts';

export function prepareDeleteRuns(driver: SqlDriver) {
  const writeRecord = prepareRecordWrites(driver);
  const read = driver.prepare<CheckedRunColumns>(`SELECT ${runColumns} FROM runs WHERE run_id = ?`);
  const dropRun = driver.prepare('DELETE FROM runs WHERE run_id = ?');
  const dropTag = driver.prepare('DELETE FROM tags WHERE key = ? AND value = ? AND created_at = ? AND run_id = ?');
  const dropKeys = driver.prepare('DELETE FROM keys WHERE run_id = ?');
  const deleteRun = (runId: string): void => {
    const found = read.get(runId);
    if (found === undefined) return;
    for (const [key, value] of Object.entries(readTags(found.tags)))
      dropTag.run(toStoredText(key), toStoredText(value), found.createdAt, runId);
    dropRun.run(runId);
    driver.texts.drop('result', runId);
  };
  return {
    deleteRuns: ({ runIds, records }) =>
      driver.transaction(() => {
        for (const runId of runIds) deleteRun(runId);
        for (const write of records) writeRecord(write);
      }),
    deleteKeys: (runId) => driver.transaction(() => void dropKeys.run(runId)),
    ...prepareDeleteRemains(driver),
  } satisfies RunDeletion;
}

function prepareDeleteRemains(driver: SqlDriver) {
  const dropSnapshot = driver.prepare('DELETE FROM snapshots WHERE run_id = ?');
  const find = driver.prepare<{ position: number }>(
    'SELECT position FROM journal WHERE run_id = ? ORDER BY seq LIMIT ?',
  );
  const dropRow = driver.prepare('DELETE FROM journal WHERE position = ?');
  const newest = driver.prepare<{ position: number }>(
    'SELECT position FROM journal WHERE position > 0 ORDER BY position DESC LIMIT 1',
  );
  const mark = driver.prepare(
    "INSERT INTO journal (position, run_id, seq, at, events, hash) VALUES (?, ?, ?, 0, '[]', '')",
  );
  const dropMarks = driver.prepare('DELETE FROM journal WHERE run_id = ? AND seq < ?');
  return {
    deleteRemains: (runId, limit) =>
      driver.transaction(() => {
        dropSnapshot.run(runId);
        const end = newest.get()?.position ?? 0;
        const found = find.all(runId, limit);
        for (const { position } of found) dropRow.run(position);
        // FD5: the newest position stays taken.
        if (found.some(({ position }) => position === end)) mark.run(end, noRun, end);
        dropMarks.run(noRun, end);
        if (found.length === limit) return false;
        driver.texts.dropAll('journal', runId);
        return true;
      }),
  } satisfies Partial<RunDeletion>;
}
