// Continuation: the one token with which a group continues when its join has acted or failed. Rule SY11.

import type { Failure } from '../../base/failure.ts';
import type { Join, Transition } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { IterationCounts, TokenId } from '../events.ts';
import type { Group, Token } from '../state.ts';
import { failuresAfter, lineage } from './fan-out.ts';
import { arrivedBy, type Planning } from './planning.ts';
import { countIteration } from './routing.ts';
import { createTokens } from './tokens.ts';

/** The tokens that wait at the join, in the order of their branches. */
export function listArrivals({ branches }: Group): TokenId[] {
  const arrivals: TokenId[] = [];
  for (const branch of branches) if (branch && branch.arrival !== null) arrivals.push(branch.arrival);
  return arrivals;
}

/** The counts of the fan-out token; a loop whose way back is the join itself is counted once for all that took it. */
export function countArrivals(p: Planning, group: Group): IterationCounts | null {
  const taken = new Set<Transition>();
  for (const id of listArrivals(group)) {
    // Tokens that have arrived live until the group closes.
    const transition = arrivedBy(p, p.state.tokens.get(id) as Token);
    // What opened the group was counted when it was opened.
    if (transition?.loop && !group.spawns.some(({ via }) => via === transition.id)) taken.add(transition);
  }
  return [...taken].reduce(countIteration, group.iterations);
}

/** SY11: one continuation, in the branch that fanned out. */
export function continueAfter(
  p: Planning,
  group: Group,
  { node }: Join,
  iterations: IterationCounts | null,
  failure: Failure | null = null,
): void {
  const branch = refOf(group.parent);
  // FL7: behind a join the path knows again what whoever fanned out knew.
  const failures = failuresAfter(null, group.spawns[0] ?? {});
  createTokens(p, { node, from: group.token, branch, ...lineage(iterations, failures) }, failure);
  p.steps.push({ type: 'leave', branch: group.parent });
}
