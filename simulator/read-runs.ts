// ReadRuns: the runs of a store as records, for oracles and checkers. Each is replayed from its journal; what a snapshot
// gives must be the same (I30).

import { loadState, replay } from '../packages/heddle/src/actor/journal.ts';
import type { JournalRow, RunPage, RunPlace, RunRow, Store } from '../packages/heddle/src/actor/ports.ts';
import type { Json, JsonObject } from '../packages/heddle/src/base/json.ts';
import { emptyState } from '../packages/heddle/src/core/apply/apply.ts';
import { encodeState } from '../packages/heddle/src/core/apply/snapshot.ts';
import type { Event } from '../packages/heddle/src/core/events.ts';
import { runEvent } from '../packages/heddle/src/core/run-event.ts';
import type { RunState } from '../packages/heddle/src/core/state.ts';
import { statusOf } from '../packages/heddle/src/core/views/status.ts';
import type { Limits } from '../packages/heddle/src/definition/limits.ts';
import { DecisionCheck } from './check-decisions.ts';
import type { RunRecord } from './workload.ts';

class ReplayError extends Error {
  override name = 'ReplayError';
}

/** Those of all stores of a world. */
export async function readAllRuns(stores: readonly Store[], how: ReadHow): Promise<RunRecord[]> {
  const all: RunRecord[] = [];
  for (const store of stores) all.push(...(await readRuns(store, how)));
  return all;
}

interface ReadHow {
  readonly hash: Store['hash'];
  readonly limits: Partial<Limits>;
}

/** The newest first, as the store lists them; those that were called off before they began are none. */
export async function readRuns(store: Store, { hash, limits }: ReadHow): Promise<RunRecord[]> {
  const records: RunRecord[] = [];
  const decisions = new DecisionCheck(store, limits);
  for await (const row of allRuns(store)) if (row.seq > 0) records.push(await readRun(store, { hash, decisions }, row));
  return records;
}

const page = 1_000;

/** Page by page, the newest first. */
export async function* allRuns(store: Store): AsyncIterable<RunRow> {
  for (let after: RunPlace | null | undefined; after !== null; ) {
    const { rows, next }: RunPage = await store.pageRuns({ limit: page, ...(after ? { after } : {}) });
    yield* rows;
    after = next;
  }
}

async function readRun(
  store: Store,
  { hash, decisions }: { readonly hash: Store['hash']; readonly decisions: DecisionCheck },
  row: RunRow,
): Promise<RunRecord> {
  const journal = await store.readJournal(row.runId, 1, Number.MAX_SAFE_INTEGER);
  const state = await replayed(store, hash, row, journal);
  const otherwise = row.quarantine === null ? await decisions.differenceIn(row, journal) : null;
  if (otherwise !== null) throw new ReplayError(otherwise);
  const { output, error = null } = JSON.parse(row.result ?? '{}') as { output?: Json; error?: JsonObject };
  return {
    runId: row.runId,
    workflow: row.workflow,
    version: row.version,
    parentRunId: row.parentRunId,
    rootRunId: row.rootRunId,
    input: (state.run?.input ?? {}) as JsonObject, // inputs of runs are objects
    status: row.status,
    output,
    error,
    state: state.root.context?.state ?? {},
    quarantine: row.quarantine,
    nextTimerAt: row.nextTimerAt,
    events: journal.flatMap((entry) =>
      (JSON.parse(entry.events) as Event[]).map((event, index) => runEvent(row.runId, entry, index, event)),
    ),
  };
}

async function replayed(
  store: Store,
  hash: Store['hash'],
  row: RunRow,
  journal: readonly JournalRow[],
): Promise<RunState> {
  // That the chain is whole was checked as it was committed.
  if (journal.at(-1)?.hash !== row.head) throw new ReplayError(`I31 ${row.runId}: the row's head is not the journal's`);
  const state = emptyState();
  replay(state, journal);
  if (statusOf(state) !== row.status && row.quarantine === null)
    throw new ReplayError(`I40 ${row.runId}: the row says ${row.status}, the journal ${statusOf(state)}`);
  const stored = await store.loadRun(row.runId);
  if (stored?.snapshot && row.quarantine === null) {
    const loaded = JSON.stringify(encodeState(loadState({ ...store, hash }, stored)));
    if (loaded !== JSON.stringify(encodeState(state)))
      throw new ReplayError(`I30 ${row.runId}: the snapshot and the rows after it give another state than the journal`);
  }
  return state;
}
