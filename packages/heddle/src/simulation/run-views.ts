// Run views: what can be seen of each run as of its newest commit, from the journal alone.

import { replay } from '../actor/journal.ts';
import type { Commit, RunRow } from '../actor/ports.ts';
import { emptyState } from '../core/apply/apply.ts';
import type { RunState } from '../core/state.ts';
import type { TaskCall } from './client.ts';
import type { RunView } from './invariant.ts';

export class RunViews {
  readonly #states = new Map<string, RunState>();
  readonly #rows = new Map<string, RunRow>();

  add({ runs, journal }: Commit): void {
    for (const { row } of runs) this.#rows.set(row.runId, row);
    for (const row of journal) {
      const state = this.#states.get(row.runId) ?? emptyState();
      this.#states.set(row.runId, state);
      replay(state, [row]);
    }
  }

  get rootStatus(): string | null {
    return [...this.#rows.values()].find(({ parentRunId }) => parentRunId === null)?.status ?? null;
  }

  viewOf(runId: string, calls: readonly TaskCall[]): RunView | null {
    const [state, row] = [this.#states.get(runId), this.#rows.get(runId)];
    if (!state || !row) return null;
    return {
      input: state.run?.input ?? {},
      state: state.root.context?.state ?? {},
      output: state.output ?? state.root.context?.output ?? {},
      status: row.status,
      calls: countByAction(calls.filter((call) => call.runId === runId)),
    };
  }

  /** SM7: who has not ended, and which of their nodes wait for what. */
  describeWaits(reason: string): string {
    const left = [...this.#rows.values()].filter(({ endedAt }) => endedAt === null);
    const waits = left.map(({ runId, workflow, status }) => {
      const tokens = [...(this.#states.get(runId)?.tokens.values() ?? [])];
      const nodes = tokens.map((token) => `${token.node} is ${token.status.replaceAll('_', ' ')}`);
      return `${workflow} is ${status}: ${[...new Set(nodes)].join(', ')}`;
    });
    return waits.length === 0 ? reason : waits.join('; ');
  }
}

function countByAction(calls: readonly TaskCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { action } of calls) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}
