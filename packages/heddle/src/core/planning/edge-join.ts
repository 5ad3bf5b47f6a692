// Edge joins: nodes that wait for their inbound edges, not for siblings. Rules EJ….
//
// An edge is settled when it was taken, or when nothing can reach its source any more. To know the latter, each branch
// counts who holds which node; a region (nodes on a common cycle) is finished when nobody holds it and all regions
// that lead to it are finished. Regions have no cycle among them, so each is finished once.

import type { EdgeGraph, EdgeJoin, Transition } from '../../definition/graph.ts';
import { refOf, spawnOf } from '../apply/branches.ts';
import type { Branch, Token } from '../state.ts';
import { lineage, noFailures } from './fan-out.ts';
import { nodeOf, type Planning, record } from './planning.ts';
import { createTokens } from './tokens.ts';

/** A token has come along an edge of an edge join. */
export function arriveOnEdge(p: Planning, edges: EdgeGraph, token: Token, transition: Transition): void {
  const { branch, node } = token;
  // EJ1: a second token on an edge, or one that comes after the join, ends there without effect.
  if (branch.edges?.taken.has(transition.id) || branch.edges?.done.has(node)) {
    record(p, { type: 'token.completed', token: token.id });
    p.steps.push({ type: 'leave', branch, node });
    return;
  }
  record(p, { type: 'token.waiting', token: token.id, for: 'edges', edge: transition.id });
  const search = newSearch(p, edges, branch);
  decide(search, edges.joins.get(node));
  settle(p, search);
  if (search.skipped.length > 0) p.steps.push({ type: 'leave', branch, node });
}

/** Finds what can no longer run now that a token has left `node` of `branch`, and decides the edge joins behind it. */
export function finishRegions(p: Planning, edges: EdgeGraph, branch: Branch, node: string): void {
  const search = newSearch(p, edges, branch);
  // Of a branch in which nothing lives this is the last look, whoever else has left it within this command.
  const isLast = branch.group !== null && branch.live === 0;
  const todo = isLast ? [...search.reachable] : [edges.regionOf.get(node) as number];
  for (let region = todo.pop(); region !== undefined; region = todo.pop()) {
    if (isFinished(search, region)) continue;
    if (decide(search, undecidedJoin(search, region)) && canFinish(search, region)) {
      search.finished.add(region);
      todo.push(...(edges.next[region] ?? []));
    }
  }
  settle(p, search);
}

/** What one look at a branch has found, before it is recorded. */
interface Search {
  readonly edges: EdgeGraph;
  readonly branch: Branch;
  readonly reachable: ReadonlySet<number>;
  readonly finished: Set<number>;
  readonly skipped: EdgeJoin[];
  readonly running: EdgeJoin[];
}

// EJ5: each branch has edge joins of its own: the branch of the token that arrives.
function newSearch(p: Planning, edges: EdgeGraph, branch: Branch): Search {
  return { edges, branch, reachable: reachableIn(p, edges, branch), finished: new Set(), skipped: [], running: [] };
}

/** From where a branch began; a slice may begin at several nodes (rule BA10). */
function reachableIn(p: Planning, edges: EdgeGraph, { group, index }: Branch): ReadonlySet<number> {
  if (!group) return edges.reachableFrom(p.graph.initialNode.id);
  const { onSlice } = nodeOf(p, group.node);
  if (group.batch === null || onSlice.length === 1) return edges.reachableFrom(spawnOf(group, index).node);
  return new Set(onSlice.flatMap(({ to }) => [...edges.reachableFrom(to)]));
}

/** EJ6: what cannot be reached from where the branch began was never alive. */
function isFinished({ branch, finished, reachable }: Search, region: number): boolean {
  return finished.has(region) || !reachable.has(region) || (branch.edges?.finished.has(region) ?? false);
}

function canFinish(search: Search, region: number): boolean {
  const { edges, branch } = search;
  const isHeld = edges.nodesOf[region]?.some((node) => (branch.holds?.get(node) ?? 0) > 0);
  return !isHeld && (edges.previous[region] ?? []).every((before) => isFinished(search, before));
}

/** An edge join lies on no cycle: it is alone in its region. */
function undecidedJoin({ edges, branch, skipped }: Search, region: number): EdgeJoin | undefined {
  const join = edges.joins.get(edges.nodesOf[region]?.[0] ?? '');
  return join && (branch.edges?.done.has(join.node) || skipped.includes(join)) ? undefined : join;
}

/** EJ2: an edge is settled when it is taken, or its source can no longer run. */
function isSettled(search: Search, edge: Transition): boolean {
  if (search.branch.edges?.taken.has(edge.id)) return true;
  return isFinished(search, search.edges.regionOf.get(edge.from) as number);
}

/**
 * Whether all edges of a join are settled. What is settled stays so: each look goes on from where the last one stopped,
 * so that a join of n edges costs n looks in all (a run with 8,000 edges: 0.7 s, with a full look at each arrival 2.1 s).
 */
function areSettled(search: Search, { node, inbound }: EdgeJoin): boolean {
  const cursors = cursorsOf.get(search.branch) ?? new Map<string, number>();
  cursorsOf.set(search.branch, cursors);
  let next = cursors.get(node) ?? 0;
  for (let edge = inbound[next]; edge && isSettled(search, edge); edge = inbound[next]) next++;
  cursors.set(node, next);
  return next === inbound.length;
}

/** Only a memory of earlier looks: without it the answers are the same. */
const cursorsOf = new WeakMap<Branch, Map<string, number>>();

/** EJ3: with every edge settled, the node runs once if enough were taken, or else never. Answers whether it is over. */
function decide(search: Search, join: EdgeJoin | undefined): boolean {
  if (!join) return true;
  // Who is on the way there has taken its edge, but has not arrived: its arrival decides.
  if ((search.branch.holds?.get(join.node) ?? 0) > 0) return false;
  if (search.running.includes(join) || !areSettled(search, join)) return false;
  const taken = join.inbound.filter((edge) => search.branch.edges?.taken.has(edge.id)).length;
  const runs = join.require === 'all' ? taken === join.inbound.length : taken > 0;
  (runs ? search.running : search.skipped).push(join);
  return !runs;
}

// EJ4: a node that does not run is dead, and so are the edges that lead on from it: one event for all of them.
function settle(p: Planning, { branch, finished, skipped, running }: Search): void {
  const ref = refOf(branch);
  if (finished.size + skipped.length > 0) {
    record(p, { type: 'edges.settled', branch: ref, regions: [...finished], skipped: skipped.map(({ node }) => node) });
  }
  for (const join of skipped) endWaiting(p, branch, join);
  for (const join of running) {
    const waiting = waitingAt(branch, join);
    const first = p.state.tokens.get(waiting[0] as number);
    record(p, { type: 'edge_join.completed', branch: ref, node: join.node });
    endWaiting(p, branch, join);
    createTokens(p, { node: join.node, branch: ref, ...lineage(first?.iterations ?? null, noFailures) });
  }
}

const waitingAt = (branch: Branch, join: EdgeJoin): number[] =>
  join.inbound.flatMap((edge) => branch.edges?.taken.get(edge.id) ?? []);

function endWaiting(p: Planning, branch: Branch, join: EdgeJoin): void {
  const tokens = waitingAt(branch, join);
  if (tokens.length > 0) record(p, { type: 'tokens.completed', tokens });
}
