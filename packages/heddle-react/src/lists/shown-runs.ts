// Shown runs: how a list changes while runs arrive and end. Pure.
//
// Always true: while somebody works with the rows, none moves or leaves; what they show is still up to date.

import type { RunSummary } from 'heddle';

export interface ShownRuns {
  readonly rows: readonly RunSummary[];
  /** Runs that are there and not shown yet. */
  readonly news: number;
}

/** `isHeld`: somebody has a row selected or focused. */
export function shownRuns(
  last: readonly RunSummary[] | null,
  fresh: readonly RunSummary[],
  isHeld: boolean,
): ShownRuns {
  if (last === null || last.length === 0 || !isHeld) return { rows: fresh, news: 0 };
  const byId = new Map(fresh.map((run) => [run.runId, run]));
  const known = new Set(last.map(({ runId }) => runId));
  const newest = last[0];
  const isNew = ({ runId, createdAt }: RunSummary): boolean =>
    !known.has(runId) && newest !== undefined && createdAt >= newest.createdAt;
  return { rows: last.map((run) => byId.get(run.runId) ?? run), news: fresh.filter(isNew).length };
}

/** How long a run has taken, up to now for one that has not ended. */
export const elapsedMs = ({ createdAt, endedAt }: RunSummary, now: number): number =>
  Math.max(0, (endedAt ?? now) - createdAt);
