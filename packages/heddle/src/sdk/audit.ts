// Audit: anyone can check what the store says. Every run's journal is replayed and its hash chain verified; the state
// that comes out must be the state that is stored; everything else must be as it was written. Rules AU1 and AU2.

import { loadState, replay, verifyChain } from '../actor/journal.ts';
import type { Damage, JournalRow, RunRow, Store } from '../actor/ports.ts';
import { emptyState } from '../core/apply/apply.ts';
import { encodeState } from '../core/apply/snapshot.ts';
import { statusOf } from '../core/views/status.ts';

export type AuditProblem = Damage;

export interface Audit {
  readonly runs: number;
  readonly rows: number;
  readonly problems: readonly AuditProblem[];
}

const page = 500;

export async function auditStore(store: Store): Promise<Audit> {
  const problems = [...(await findDamage(store))];
  const told = new Set(problems.map(({ runId }) => runId)); // A run whose row is damaged cannot be loaded either.
  let runs = 0;
  let rows = 0;
  for (let last: RunRow | undefined; ; ) {
    const found = await pageAfter(store, last);
    const [first] = found;
    if (first && last && !isOlder(first, last)) problems.push(outOfOrder(first));
    if (!first || (last && !isOlder(first, last))) return { runs, rows, problems };
    for (const row of found) {
      runs++;
      rows += row.seq;
      const message = told.has(row.runId) ? null : await auditRun(store, row);
      if (message !== null && !(await isGone(store, row.runId))) problems.push({ runId: row.runId, message });
    }
    last = found.at(-1);
  }
}

/** Behind the run that was last; by its place, if it was deleted meanwhile. */
async function pageAfter(store: Store, last: RunRow | undefined): Promise<readonly RunRow[]> {
  const found = await store.listRuns({ limit: page, ...(last === undefined ? {} : { after: last.runId }) });
  if (found.length > 0 || !last || !(await isGone(store, last.runId))) return found;
  return (await store.pageRuns({ limit: page, after: last })).rows;
}

/** A run that was deleted while it was looked at is not damaged. */
async function isGone(store: Store, runId: string): Promise<boolean> {
  try {
    return (await store.readRun(runId)) === null;
  } catch {
    return false; // Whatever is wrong with its row, it is there.
  }
}

/** In a damaged store the pages of a list may begin again, without an end. */
const isOlder = (one: RunRow, other: RunRow): boolean =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.runId < other.runId);

const outOfOrder = ({ runId }: RunRow): AuditProblem => ({
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
