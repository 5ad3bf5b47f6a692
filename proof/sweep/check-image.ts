// CheckImage: what a death has left, before anybody recovers from it: whole journals, and rows that say what follows
// from them. A row that says less is a run that nobody wakes.

import { loadState } from '../../packages/heddle/src/actor/journal.ts';
import type { Store, StoredRun } from '../../packages/heddle/src/actor/ports.ts';
import { nextTimerAt } from '../../packages/heddle/src/core/planning/timers.ts';
import { hasWork } from '../../packages/heddle/src/core/run-class.ts';
import { auditStore } from '../../packages/heddle/src/engine/audit.ts';

export async function findImageFaults(store: Store): Promise<string[]> {
  const { problems } = await auditStore(store);
  const faults = problems.map(({ runId, message }) => `audit of run ${runId} right after the crash: ${message}`);
  if (faults.length > 0) return faults;
  for (const { runId, seq } of (await store.pageRuns({ limit: 1_000 })).rows) {
    const stored = seq > 0 ? await store.loadRun(runId) : null;
    if (stored) faults.push(...findRowFaults(store, stored));
  }
  return faults;
}

function findRowFaults(store: Store, stored: StoredRun): string[] {
  const { row } = stored;
  const state = loadState(store, stored);
  const expected = { hasWork: state.outcome === null && hasWork(state), nextTimerAt: nextTimerAt(state) };
  const found = { hasWork: row.hasWork, nextTimerAt: row.nextTimerAt };
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  return [
    `row of run ${row.runId} right after the crash: expected ${JSON.stringify(expected)}, but found ${JSON.stringify(found)}`,
  ];
}
