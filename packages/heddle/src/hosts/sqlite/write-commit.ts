// WriteCommit: one commit of the engine as one transaction. The hot path: about 1,000 journal rows and as many run rows
// at a time; statements are prepared once and rows written one by one (a statement for many rows was slower).

import type { Commit, RunWrite } from '../../actor/ports.ts';
import { prepareAddKey } from './definitions.ts';
import type { SqlDriver } from './driver.ts';
import { prepareRecordWrites } from './records.ts';
import { computeSum } from './row-check.ts';
import { prepareRunWrites } from './run-columns.ts';

export function prepareCommit(driver: SqlDriver): (commit: Commit) => void {
  const writeRun = prepareRunWrites(driver);
  const appendJournal = driver.prepare('INSERT INTO journal (run_id, seq, at, events, hash) VALUES (?, ?, ?, ?, ?)');
  const addMessage = driver.prepare('INSERT INTO outbox (id, recipient, message, checksum) VALUES (?, ?, ?, ?)');
  const dropMessage = driver.prepare('DELETE FROM outbox WHERE id = ?');
  const addKey = prepareAddKey(driver);
  const writeRecord = prepareRecordWrites(driver);

  const { texts } = driver;
  return (commit) =>
    driver.transaction(() => {
      const isTold = driver.writesMoves ? untold : toldBy(commit);
      for (const write of commit.runs) writeRun(write, isTold(write));
      for (const { runId, seq, at, events, hash } of commit.journal)
        appendJournal.run(runId, seq, at, texts.keep(events, 'journal', runId, seq), hash);
      for (const { id, to, message } of commit.outboxAdded)
        addMessage.run(id, to, texts.keep(message, 'outbox', id), computeSum(driver, [id, to, message]));
      for (const id of commit.outboxDone) {
        dropMessage.run(id);
        texts.drop('outbox', id);
      }
      for (const row of commit.keys) addKey(row);
      for (const write of commit.records) writeRecord(write);
    });
}

const untold = (): boolean => false;

/** Whether the journal rows of a commit say of a run what its own row does. */
function toldBy({ journal }: Commit): (write: RunWrite) => boolean {
  const newest = new Map(journal.map((row) => [row.runId, row]));
  return ({ row: { runId, seq, head, updatedAt } }) => {
    const told = newest.get(runId);
    return told?.seq === seq && told.hash === head && told.at === updatedAt;
  };
}

/** Whether a commit is stored whole, as all of them are or are not: by the first of its rows that no other commit can have. */
export function prepareIsStored(driver: SqlDriver): (commit: Commit) => boolean {
  const row = driver.prepare('SELECT 1 FROM journal WHERE run_id = ? AND seq = ? AND hash = ?');
  const run = driver.prepare('SELECT 1 FROM runs WHERE run_id = ?');
  const message = driver.prepare('SELECT 1 FROM outbox WHERE id = ?');
  return ({ journal: [first], runs, outboxAdded: [added] }) => {
    if (first) return row.get(first.runId, first.seq, first.hash) !== undefined;
    const made = runs.find(({ isNew }) => isNew);
    if (made) return run.get(made.row.runId) !== undefined;
    return added !== undefined && message.get(added.id) !== undefined; // all else can be written again
  };
}
