// Edge joins: nodes that wait for their inbound edges, not for siblings. Rules EJ….

import type { BranchGraph, BranchLoop, EdgeGraph, EdgeJoin, Transition } from '../../definition/graph.ts';
import { refOf, spawnOf } from '../apply/branches.ts';
import type { IterationCounts, TokenId } from '../events.ts';
import type { Branch, Token } from '../state.ts';
import { countArrival, decideJoins, listProgress, restartLoop } from './edge-liveness.ts';
import { noteEdges } from './explain.ts';
import { lineage, noFailures } from './fan-out.ts';
import { nodeOf, noteUnsettled, type Planning, record } from './planning.ts';
import { createTokens } from './tokens.ts';

/** A token has come along an edge of an edge join. */
export function arriveOnEdge(p: Planning, token: Token, { id: edge }: Transition): void {
  const { branch, node } = token;
  // EJ1: a second token on an edge, or one that comes after the join, ends there without effect.
  if (branch.edges?.taken.has(edge) || (branch.edges?.done.has(node) && !leadsBack(p, branch, edge))) {
    record(p, { type: 'token.completed', token: token.id });
    p.steps.push({ type: 'leave', branch });
    return;
  }
  record(p, { type: 'token.waiting', token: token.id, for: 'edges', edge });
  if (branch.liveness) countArrival(branch.liveness, node, edge);
  noteUnsettled(p, branch);
}

/** Somebody has arrived on an edge of the branch or left a node of it: decides the edge joins that this decides. */
export function settleEdges(p: Planning, edges: EdgeGraph, branch: Branch): void {
  const decided = decideJoins(branch, () => graphOf(p, edges, branch));
  if (p.decisions) noteEdges(p, branch, decided);
  const { skipped, running, again } = decided;
  const ref = refOf(branch);
  // EJ4: a node that does not run is dead, and so are the edges that lead on from it: one event for all of them.
  if (skipped.length > 0) {
    record(p, { type: 'edges.settled', branch: ref, skipped: skipped.map(({ node }) => node) });
    for (const join of skipped) endWaiting(p, branch, join);
    p.steps.push({ type: 'leave', branch });
  }
  for (const join of running) {
    const waiting = waitingAt(branch, join);
    // Where loops go back to edge joins, those who meet may have counted different ones.
    const hasLoops = (branch.liveness?.graph.loops.length ?? 0) > 0;
    const iterations = highestCounts(p, hasLoops ? waiting : waiting.slice(0, 1));
    record(p, { type: 'edge_join.completed', branch: ref, node: join.node });
    endWaiting(p, branch, join);
    createTokens(p, { node: join.node, branch: ref, ...lineage(iterations, noFailures) });
  }
  for (const loop of again) goRound(p, branch, loop);
}

// EJ13: the header of a loop that goes round again runs once more, and the edge joins in the loop begin anew.
function goRound(p: Planning, branch: Branch, loop: BranchLoop): void {
  const [ref, { node }] = [refOf(branch), loop.header];
  const tokens = loop.header.back.flatMap((edge) => branch.edges?.taken.get(edge) ?? []);
  const counts = highestCounts(p, tokens);
  const iterations = without(counts, loop.innerBack);
  const progress = listProgress(branch, loop);
  record(p, { type: 'edge_join.completed', branch: ref, node, again: progress });
  record(p, { type: 'tokens.completed', tokens });
  if (branch.liveness) restartLoop(branch.liveness, loop, progress.joins.length);
  createTokens(p, { node, branch: ref, ...lineage(iterations, noFailures) });
  noteUnsettled(p, branch);
}

/** The loops inside begin anew. */
function without(counts: IterationCounts | null, inner: readonly string[]): IterationCounts | null {
  const left = Object.entries(counts ?? {}).filter(([loop]) => !inner.includes(loop));
  return left.length === 0 ? null : Object.fromEntries(left);
}

/** Those that came by different ways back have each counted their own. */
function highestCounts({ state }: Planning, tokens: readonly TokenId[]): IterationCounts | null {
  const all = tokens.map((token) => state.tokens.get(token)?.iterations ?? null);
  if (all.length === 1) return all[0] ?? null;
  const highest: Record<string, number> = {};
  for (const counts of all)
    for (const [loop, count] of Object.entries(counts ?? {})) highest[loop] = Math.max(count, highest[loop] ?? 0);
  return Object.keys(highest).length === 0 ? null : highest;
}

function leadsBack(p: Planning, branch: Branch, edge: string): boolean {
  const { edges } = p.graph;
  return edges !== null && graphOf(p, edges, branch).loops.some(({ header }) => header.back.includes(edge));
}

// EJ5: each branch has edge joins of its own: the branch of the token that arrives.
function graphOf(p: Planning, edges: EdgeGraph, { group, index }: Branch): BranchGraph {
  if (!group) return edges.graphOf({ starts: p.graph.initialNodes.map(({ id }) => id), group: null });
  // A slice begins at several nodes (rule BA10), and no join outside takes its tokens (rule BA5).
  if (group.batch !== null) {
    return edges.graphOf({ starts: nodeOf(p, group.node).onSlice.map(({ to }) => to), group: null });
  }
  return edges.graphOf({ starts: [spawnOf(group, index).node], group: group.name });
}

const waitingAt = (branch: Branch, join: EdgeJoin): number[] =>
  join.inbound.flatMap((edge) => branch.edges?.taken.get(edge.id) ?? []);

function endWaiting(p: Planning, branch: Branch, join: EdgeJoin): void {
  const tokens = waitingAt(branch, join);
  if (tokens.length > 0) record(p, { type: 'tokens.completed', tokens });
}
