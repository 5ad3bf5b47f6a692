// FindDamage: looks at everything that the file holds, for an audit: whether SQLite's own structure is sound, whether
// indexes and tables agree, whether every row matches its checksum, whether the tags are those of their runs. Journals
// and snapshots have hashes of their own, which the audit checks.
//
// Always true: it reads and changes nothing, and looks at one moment, whoever writes beside it.

import type { Damage } from '../../actor/ports.ts';
import { keysIn } from '../../base/keys-in.ts';
import { checkedTables, rowFinding } from '../sql/checked-tables.ts';
import { readTags, toStoredText } from '../sql/stored-run.ts';
import type { SqlDriver } from './driver.ts';
import { isIntact, readRows } from './row-check.ts';

/** What SQLite finds, at most: the first tell enough. */
const findingsMax = 10;

export function prepareFindDamage(driver: SqlDriver): () => readonly Damage[] {
  return () =>
    driver.readTogether(() => [
      ...findBrokenStructure(driver),
      ...findStaleEntries(driver),
      ...findChangedRows(driver),
      ...findWrongTags(driver),
    ]);
}

function findBrokenStructure(driver: SqlDriver): Damage[] {
  return driver.findFaults(findingsMax).map((finding) => ({
    runId: null,
    message: `Expected ${driver.file} to be sound, but SQLite says '${finding}'`,
  }));
}

/** Indexes that hold some rows only. */
const partialIndexes = {
  roots_by_status: { table: 'runs', holds: 'parent_run_id IS NULL' },
  roots_by_workflow_and_status: { table: 'runs', holds: 'parent_run_id IS NULL' },
  sub_runs_by_status: { table: 'runs', holds: 'parent_run_id IS NOT NULL' },
  sub_runs_by_workflow_and_status: { table: 'runs', holds: 'parent_run_id IS NOT NULL' },
  runs_by_parent: { table: 'runs', holds: 'parent_run_id IS NOT NULL' },
  runs_by_root: { table: 'runs', holds: 'parent_run_id IS NOT NULL' },
  runs_in_quarantine: { table: 'runs', holds: 'quarantine IS NOT NULL' },
  runs_by_timer: { table: 'runs', holds: 'next_timer_at IS NOT NULL' },
  runs_with_work: { table: 'runs', holds: 'has_work = 1' },
  records_by_due_time: { table: 'records', holds: 'due_at IS NOT NULL' },
};

/** SQLite finds whatever such an index lacks, and (3.53) does not count what it has too much, as it does for others. */
function* findStaleEntries(driver: SqlDriver): Iterable<Damage> {
  const count = (which: string): number =>
    driver.prepare<{ count: number }>(`SELECT count(*) AS count FROM ${which}`).get()?.count ?? 0;
  for (const [index, { table, holds }] of Object.entries(partialIndexes)) {
    const expected = count(`${table} WHERE +${holds}`); // The plus keeps SQLite from using the index.
    const found = count(`${table} INDEXED BY ${index} WHERE ${holds}`);
    if (found !== expected)
      yield {
        runId: null,
        message: `Expected ${expected} rows in its index ${index}, but ${driver.file} has ${found}`,
      };
  }
}

function* findChangedRows(driver: SqlDriver): Iterable<Damage> {
  for (const table of keysIn(checkedTables)) {
    for (const { values, key, sum } of readRows(driver, table)) {
      if (isIntact(driver, values, sum)) continue;
      const message = `Expected ${driver.file} to be as it was written, but ${rowFinding(table, key.join(' '))}`;
      yield { runId: table === 'runs' ? String(key[0]) : null, message };
    }
  }
}

/** Tags lie in their run's row, which has a checksum, and again in a table of their own, by which runs are found. */
function* findWrongTags(driver: SqlDriver): Iterable<Damage> {
  const find = driver.prepare<object>(
    'SELECT 1 FROM tags WHERE key = ? AND value = ? AND created_at = ? AND run_id = ?',
  );
  const count = driver.prepare<{ count: number }>('SELECT count(*) AS count FROM tags');
  let expected = 0;
  for (const { row, values, sum } of readRows(driver, 'runs')) {
    if (!isIntact(driver, values, sum)) continue;
    const { run_id: runId = null, created_at: createdAt = null, tags } = row;
    for (const [key, value] of Object.entries(readTags(String(tags)))) {
      expected += 1;
      if (find.get(toStoredText(key), toStoredText(value), createdAt, runId) === undefined)
        yield { runId: String(runId), message: `Expected run ${runId} to be found by its tag ${key}, but it is not` };
    }
  }
  const found = count.get()?.count;
  if (found !== expected)
    yield { runId: null, message: `Expected ${expected} rows in its table tags, but ${driver.file} has ${found}` };
}
