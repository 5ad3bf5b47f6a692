// Edges view: how often each way of a drawing was taken, in any dialect, folded from the tokens of its run.
//
// Always true: every way is there once, in the order of the definition; one that was never taken has a count of 0.

import type { Graph } from '../../definition/graph.ts';
import type { TimedEvent } from './tokens.ts';

export interface EdgeView {
  /** The author's, or `from->to`. */
  readonly edgeId: string;
  readonly from: string;
  readonly to: string;
  /** How often it was taken: once for each round of a loop, each branch, each item. */
  readonly taken: number;
  /** When it was last taken, in milliseconds since 1970. */
  readonly lastTakenAt: number | null;
}

/** VW13: how often the ways of a graph were taken, without those that nobody drew. */
export function edgesOf(events: readonly TimedEvent[], { transitions, policy }: Graph): EdgeView[] {
  const made = new Set(policy.madeNodes);
  const taken = new Map<string, { count: number; lastAt: number }>();
  for (const { event, at } of events) {
    if (event.type !== 'token.created' || event.via === undefined) continue;
    const count = (taken.get(event.via)?.count ?? 0) + (event.count ?? 1);
    taken.set(event.via, { count, lastAt: at });
  }
  return transitions
    .filter(({ isProbe, from, to }) => !isProbe && from !== policy.hiddenNode && !made.has(to))
    .map(({ id, from, to }) => {
      const { count = 0, lastAt = null } = taken.get(id) ?? {};
      return { edgeId: id, from, to, taken: count, lastTakenAt: lastAt };
    });
}
