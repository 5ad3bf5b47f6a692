// Rows and commits for tests of stores: each one ordinary but for what the test says.

import { expect } from 'vitest';
import type { Commit, JournalWrite, RunRow } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';

export function makeRun(runId: string, changes: Partial<RunRow> = {}): RunRow {
  return {
    runId,
    workflow: 'score-papers',
    version: 1,
    status: 'running',
    seq: 1,
    head: 'head-1',
    nextTimerAt: null,
    hasWork: true,
    createdAt: 1_760_000_000_000,
    updatedAt: 1_760_000_000_000,
    endedAt: null,
    parentRunId: null,
    rootRunId: runId,
    tags: {},
    result: null,
    quarantine: null,
    ...changes,
  };
}

export function makeJournalRow(runId: string, seq: number, events = `[{"type":"noted","n":${seq}}]`): JournalWrite {
  return { runId, seq, at: 1_760_000_000_000 + seq, events, hash: `hash-${seq}` };
}

export function makeCommit(parts: Partial<Commit>): Commit {
  return { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [], ...parts };
}

/** Runs the action and answers with the StoreError it must end with. */
export async function refusalOf(action: () => unknown): Promise<StoreError> {
  try {
    await action();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError; // Just expected.
  }
  throw new Error('Expected a StoreError, but nothing was thrown');
}
