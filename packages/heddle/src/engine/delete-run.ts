// Deletion of runs that have ended, with all that is theirs. Rules KP….
//
// Always true: a run is there or not: its row goes first, in one transaction with a record of what is left to remove, so
// that whatever ends the process, the next one goes on. Every step is small.

import { gateOf } from '../actor/artifact-gate.ts';
import { disclaimArtifacts, removeUnclaimed } from '../actor/artifacts.ts';
import type { JournalRow, RunPage, RunPlace, RunRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { removeTrace } from '../actor/trace-log.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Event } from '../core/events.ts';
import { makeCorrelationId } from '../core/planning/input.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';

/** What is left of a run whose row is gone; by its id. */
export const deletionKind = 'deletion';

const rowsPerStep = 500;
const runsPerStep = 100;
const pagesPerStep = 500;
const tracesPerStep = 100;
const dayMs = 86_400_000;
/** Idempotency keys are kept so long, although their runs are gone. */
const keysKeptMs = 7 * dayMs;

interface Remains {
  readonly createdAt: number;
}

export async function deleteRun(host: Host, runId: string): Promise<void> {
  await host.turns.take('deletion', async () => {
    const row = await mustReadRun(host.store, runId);
    const refusal = await deleteTree(host, row);
    if (refusal) throw refusal;
    await removeRemains(host);
  });
}

/** KP1: a root goes with all its sub-runs, and only when every one of them has ended. Answers with why it does not. */
export async function deleteTree(host: Host, root: RunRow): Promise<HeddleError | null> {
  const { runId, rootRunId, parentRunId } = root;
  if (parentRunId !== null)
    return refused('RUN_NOT_ROOT', `a run without a caller, but ${runId} belongs to ${rootRunId}; delete that one`);
  const below: RunPlace[] = [];
  for await (const row of treeOf(host, root)) {
    const { status, quarantine, createdAt } = row;
    if (!isTerminal(status) || quarantine !== null) {
      const found = quarantine === null ? status : 'in quarantine';
      return refused('RUN_NOT_ENDED', `run ${runId} and all below it to have ended, but ${row.runId} is ${found}`);
    }
    if (row !== root) below.push({ runId: row.runId, createdAt }); // without what they came to: there may be many
  }
  // From below: whatever ends this, the root is found again.
  const places = [...below, root];
  for (let from = 0; from < places.length; from += runsPerStep)
    await deleteRows(host, places.slice(from, from + runsPerStep));
  return null;
}

async function* treeOf({ store }: Host, root: RunRow): AsyncGenerator<RunRow> {
  yield root;
  for (let after: RunPlace | null | undefined; after !== null; ) {
    const query = { rootRunId: root.runId, limit: 1_000, ...(after ? { after } : {}) };
    const { rows, next }: RunPage = await store.pageRuns(query);
    yield* rows;
    after = next;
  }
}

/** KP5: the rows go, and what is left to remove is noted, in one transaction. */
async function deleteRows({ store, clock }: Host, rows: readonly RunPlace[]): Promise<void> {
  const records = rows.map(({ runId, createdAt }) => {
    const value: Remains = { createdAt };
    return { kind: deletionKind, key: runId, value: JSON.stringify(value), dueAt: clock.now() };
  });
  const runIds = rows.map(({ runId }) => runId);
  // What is put for them is stored before, and goes with them, or finds them gone.
  await gateOf(store.artifacts).whileDeleting(runIds, () => store.deleteRuns({ runIds, records }));
}

/** Journals, prompts, artifacts and keys of runs that are gone; then the space is given back. */
export async function removeRemains(host: Host, isClosed: () => boolean = () => false): Promise<void> {
  const { store, clock } = host;
  while (!isClosed()) {
    const due = await store.dueRecords(deletionKind, clock.now(), runsPerStep);
    for (const record of due) if (!isClosed()) await removeRemainsOf(host, record.key, valueOf(record) as Remains); // as it was written here
    if (due.length < runsPerStep) break;
  }
  for (let isMore = true; isMore && !isClosed(); ) {
    isMore = (await store.upkeep?.shrink(pagesPerStep)) ?? false;
    await pause(host);
  }
}

async function removeRemainsOf(host: Host, runId: string, { createdAt }: Remains): Promise<void> {
  const { store, clock } = host;
  const at = clock.now();
  while (!(await disclaimArtifacts(store, runId, at))) await pause(host);
  while (!(await removeTrace(store, runId, tracesPerStep))) await pause(host);
  for (let isDone = false; !isDone; ) {
    await removePrompts(host, runId, await store.readJournal(runId, 1, rowsPerStep));
    isDone = await store.deleteRemains(runId, rowsPerStep);
    await pause(host);
  }
  // Before its record is put off: whatever ends the process until then, the next one comes here again.
  while (!(await removeUnclaimed(store, at, runsPerStep))) await pause(host);
  // KP4: a key outlives its run, until it is seven days old: who starts again with it is not given a second run.
  const keysEndAt = createdAt + keysKeptMs;
  if (at >= keysEndAt) await store.deleteKeys(runId);
  const value = at >= keysEndAt ? null : JSON.stringify({ createdAt });
  await store.commit(sideCommit({ records: [{ kind: deletionKind, key: runId, value, dueAt: keysEndAt }] }));
}

/** The notes of its prompts are found by what its journal tells of them. */
async function removePrompts({ store }: Host, runId: string, rows: readonly JournalRow[]): Promise<void> {
  const ids = new Set(rows.flatMap(({ events }) => eventsOf(events)).flatMap((event) => promptsOf(runId, event)));
  if (ids.size === 0) return;
  const records = [...ids].map((key) => ({ kind: 'prompt', key, value: null, dueAt: null }));
  await store.commit(sideCommit({ records }));
}

function promptsOf(runId: string, event: Event): string[] {
  if (!event.type.startsWith('input.') || !('token' in event)) return [];
  return [makeCorrelationId(runId, event.token), ...('correlationId' in event ? [event.correlationId] : [])];
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text);
  } catch {
    return []; // It was damaged, and goes.
  }
}

/** Others have their turn. */
const pause = ({ clock }: Host): Promise<void> => new Promise((resolve) => clock.defer(resolve));

function refused(code: string, expectation: string): HeddleError {
  return new HeddleError(code, `Expected ${expectation}`);
}
