// CheckCommit: whether a commit fits what is stored, asked before anything of it is applied; with that, all of it is
// stored or nothing.

import type { Commit, KeyRow, RunRow } from './ports.ts';
import { StoreError } from './store-error.ts';

/** What the check needs to know of the store. */
export interface Contents {
  hasRun(runId: string): boolean;
  /** Of the newest journal row; 0 if there is none. */
  lastSeq(runId: string): number;
  hasMessage(id: string): boolean;
  hasKey(row: KeyRow): boolean;
}

export function checkCommit(commit: Commit, contents: Contents): void {
  checkRuns(commit, contents);
  checkJournal(commit, contents);
  const messages = commit.outboxAdded.map(({ id }) => id);
  refuseRepeated('message', messages, (id) => contents.hasMessage(id));
  const keys = new Map(commit.keys.map((row) => [keyName(row), row]));
  if (keys.size < commit.keys.length) throw conflict('different keys, but one comes twice');
  for (const [name, row] of keys) if (contents.hasKey(row)) throw conflict(`key ${name} to be new, but it is stored`);
  checkRecords(commit);
}

/** One text for both parts, such that two pairs never share one. */
export function keyName({ scope, key }: Pick<KeyRow, 'scope' | 'key'>): string {
  return JSON.stringify([scope, key]);
}

function checkRuns({ runs }: Commit, contents: Contents): void {
  const born = new Set<string>();
  for (const { row, isNew } of runs) {
    const isStored = born.has(row.runId) || contents.hasRun(row.runId);
    if (isNew && isStored) throw conflict(`run ${row.runId} to be new, but it is stored`);
    if (!isNew && !isStored) throw conflict(`run ${row.runId} to be stored, but it is not`);
    checkNumbers(row);
    born.add(row.runId);
  }
}

function checkNumbers(row: RunRow): void {
  const { version, seq, nextTimerAt, createdAt, updatedAt, endedAt } = row;
  const areWhole = [version, seq, nextTimerAt ?? 0, createdAt, updatedAt, endedAt ?? 0].every(Number.isSafeInteger);
  if (!areWhole) throw conflict(`whole numbers in the row of run ${row.runId}, but found ${JSON.stringify(row)}`);
}

function checkJournal({ journal }: Commit, contents: Contents): void {
  const lastSeqs = new Map<string, number>();
  for (const { runId, seq, at } of journal) {
    const lastSeq = lastSeqs.get(runId) ?? contents.lastSeq(runId);
    if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(at))
      throw conflict(`whole numbers in the journal of run ${runId}, but found seq ${seq} at ${at}`);
    if (seq <= lastSeq) throw conflict(`row ${seq} of run ${runId} to be new, but the journal is at ${lastSeq}`);
    lastSeqs.set(runId, seq);
  }
}

function checkRecords({ records }: Commit): void {
  for (const { kind, key, value, dueAt } of records)
    if (value !== null && dueAt !== null && !Number.isSafeInteger(dueAt))
      throw conflict(`a whole number for when ${kind} ${key} is due, but found ${dueAt}`);
}

function refuseRepeated(what: string, ids: readonly string[], isStored: (id: string) => boolean): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id) || isStored(id)) throw conflict(`${what} ${id} to be new, but it is stored`);
    seen.add(id);
  }
}

function conflict(expectation: string): StoreError {
  return new StoreError(
    'STORE_CONFLICT',
    `Expected ${expectation}. Nothing of this write was stored; please report it as a bug.`,
  );
}
