// Audit: anyone can check what the store says. Every run's journal is replayed and its hash chain verified; the state
// that comes out must be the state that is stored. Rule AU1.

import { loadState, replay, verifyChain } from '../actor/journal.ts';
import type { JournalRow, RunRow, Store } from '../actor/ports.ts';
import { emptyState } from '../core/apply/apply.ts';
import { encodeState } from '../core/apply/snapshot.ts';
import { statusOf } from '../core/views/status.ts';

export interface AuditProblem {
  readonly runId: string;
  readonly message: string;
}

export interface Audit {
  readonly runs: number;
  readonly rows: number;
  readonly problems: readonly AuditProblem[];
}

const page = 500;

export async function auditStore(store: Store): Promise<Audit> {
  const problems: AuditProblem[] = [];
  let runs = 0;
  let rows = 0;
  for (let after: string | undefined; ; ) {
    const found = await store.listRuns({ limit: page, ...(after === undefined ? {} : { after }) });
    for (const row of found) {
      runs++;
      rows += row.seq;
      const message = await auditRun(store, row);
      if (message !== null) problems.push({ runId: row.runId, message });
    }
    after = found.at(-1)?.runId;
    if (after === undefined) return { runs, rows, problems };
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
    return error instanceof Error ? error.message : String(error);
  }
}
