// Audit: anyone can check what the store says. Every run's journal is replayed and its hash chain verified; the state
// that comes out must be the state that is stored; everything else must be as it was written. Rules AU1, AU2 and TC11.

import { loadState, replay, verifyChain } from '../actor/journal.ts';
import type { Damage, JournalRow, RunPage, RunPlace, RunRow, Store } from '../actor/ports.ts';
import { isOlder } from '../actor/run-filter.ts';
import { droppedKey, rowsFrom, runIdIn, seqIn, traceKind } from '../actor/trace-log.ts';
import { emptyState } from '../core/apply/apply.ts';
import { encodeState } from '../core/apply/snapshot.ts';
import { statusOf } from '../core/views/status.ts';
import type { Audit, AuditProblem } from '../operations/server.ts';
import { deletionKind } from './delete-run.ts';

const page = 500;

export async function auditStore(store: Store): Promise<Audit> {
  const problems = [...(await findDamage(store))];
  const told = new Set(problems.map(({ runId }) => runId)); // A run whose row is damaged cannot be loaded either.
  let runs = 0;
  let rows = 0;
  for (let after: RunPlace | null | undefined; after !== null; ) {
    const found: RunPage = await store.pageRuns({ limit: page, ...(after ? { after } : {}) });
    for (const row of found.rows) {
      runs++;
      rows += row.seq;
      const message = told.has(row.runId) ? null : await auditRun(store, row);
      if (message !== null && !(await isGone(store, row.runId))) problems.push({ runId: row.runId, message });
    }
    // In a damaged store the pages of a list may begin again, without an end.
    const isAstray = found.next && after && !isOlder(found.next, after);
    if (isAstray) problems.push(outOfOrder(found.next));
    after = isAstray ? null : found.next;
  }
  return { runs, rows, problems: [...problems, ...(await auditTraces(store))] };
}

/** A run that was deleted while it was looked at is not damaged. */
async function isGone(store: Store, runId: string): Promise<boolean> {
  try {
    return (await store.readRun(runId)) === null;
  } catch {
    return false; // Whatever is wrong with its row, it is there.
  }
}

const outOfOrder = ({ runId }: RunPlace): AuditProblem => ({
  runId,
  message:
    'Expected runs in the order of their age, but this one is not at its place; those after it were not looked at',
});

/** AU2: all that is no journal is as it was written. A store that cannot even be looked at is told of like any other. */
async function findDamage(store: Store): Promise<readonly Damage[]> {
  try {
    return await store.findDamage();
  } catch (error) {
    return [{ runId: null, message: messageOf(error) }];
  }
}

/** AU1: the whole journal replays, its chain is intact, and it gives the stored state, by snapshot or without. */
async function auditRun(store: Store, listed: RunRow): Promise<string | null> {
  if (listed.seq === 0) return null;
  try {
    // Read at one instant: whoever writes meanwhile adds rows, which are none of this look's business.
    const stored = await store.loadRun(listed.runId);
    if (!stored) return 'Expected a run that is listed to be stored, but it is not';
    const { row } = stored;
    const loaded = JSON.stringify(encodeState(loadState(store, stored)));
    const journal: JournalRow[] = [];
    while (journal.length < row.seq) {
      const more = await store.readJournal(row.runId, journal.length + 1, Math.min(page, row.seq - journal.length));
      if (more.length === 0) break;
      journal.push(...more);
    }
    const head = verifyChain(store.hash, { seq: 0, head: '' }, journal);
    if (head !== row.head || journal.length !== row.seq)
      return `Expected the journal to end with row ${row.seq}, but it ends with row ${journal.length}`;
    const state = emptyState();
    replay(state, journal);
    if (statusOf(state) !== row.status)
      return `Expected status ${row.status} from the journal, but it gives ${statusOf(state)}`;
    return loaded === JSON.stringify(encodeState(state))
      ? null
      : 'Expected the journal to replay to the stored state, but it does not';
  } catch (error) {
    return messageOf(error);
  }
}

/** TC11: a trace belongs to a run that is there, and explains rows that its journal has. */
async function auditTraces(store: Store): Promise<readonly AuditProblem[]> {
  const problems: AuditProblem[] = [];
  try {
    for (let after = ''; ; ) {
      const [first] = await store.listRecords(traceKind, { after, limit: 1 });
      if (first === undefined) return problems;
      const runId = runIdIn(first);
      const message = await auditTrace(store, runId);
      if (message !== null) problems.push({ runId, message });
      const last = droppedKey(runId); // of those that a run can have
      after = last > first.key ? last : first.key; // damaged, it may be no run's
    }
  } catch (error) {
    return [...problems, { runId: null, message: messageOf(error) }];
  }
}

/** Whoever writes or deletes meanwhile does no harm. */
async function auditTrace(store: Store, runId: string): Promise<string | null> {
  const run = await store.readRun(runId);
  const [behind] = await store.listRecords(traceKind, { ...rowsFrom(runId, (run?.seq ?? 0) + 1), limit: 1 });
  if (behind === undefined) return null;
  const now = await store.readRun(runId);
  if (now !== null && (behind.key === droppedKey(runId) || seqIn(behind) <= now.seq)) return null;
  if (now !== null) return `Expected a trace of at most ${now.seq} rows, but it has row ${seqIn(behind)}`;
  const isBeingRemoved = (await store.readRecord(deletionKind, runId)) !== null;
  return isBeingRemoved ? null : 'Expected a trace to belong to a run, but there is no such run';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
