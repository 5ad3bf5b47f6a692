// What must be true of joins over edges: I11 and I12. An edge is settled when it was taken, or when nobody is left who
// could still come to its source; that is looked up in the drawing, not in the regions that the engine counts.

import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import type { Drawing, DrawnEdgeJoin } from './drawing.ts';
import type { BranchFact, EdgeFacts } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

export function waitForEdges(facts: RunFacts, event: Extract<EventOf<'token.waiting'>, { for: 'edges' }>): void {
  const token = facts.token(event.token);
  const edges = edgesOf(facts, token.branch);
  const isOnEdge = token.via === event.edge && facts.drawing.transitions.get(event.edge)?.overEdges === true;
  if (!isOnEdge) facts.broken('I13', `Expected token ${token.id} not to come by edge ${event.edge}, but it did`);
  if (edges.taken.has(event.edge) || edges.decided.has(token.node.id))
    facts.broken('I13', `Expected edge ${event.edge} to be taken once and before its join is decided, but it was not`);
  facts.hold(token.branch, token.node.id, -1);
  facts.move(token, 'edges');
  edges.taken.set(event.edge, token);
  edges.waiting.add(token.node.id);
}

const edgesOf = (facts: RunFacts, { edges }: BranchFact): EdgeFacts =>
  edges ?? facts.broken('I6', 'Expected a workflow with joins over edges, but it has none');

/** Joins that will never run. */
export function settleEdges(facts: RunFacts, { branch: ref, regions, skipped }: EventOf<'edges.settled'>): void {
  const branch = facts.branch(ref);
  const edges = edgesOf(facts, branch);
  for (const region of regions) {
    if (edges.finished.has(region)) facts.broken('I12', `Expected region ${region} to be finished once, not twice`);
    edges.finished.add(region);
  }
  for (const node of skipped) decide(facts, edges, node);
  for (const node of skipped) {
    const join = facts.drawing.edgeJoins.get(node) as DrawnEdgeJoin; // `decide` has looked
    if (holderOf(facts.drawing, edges, join) !== null || canRun(edges, join))
      facts.broken('I12', `Expected the join at ${node} to be able to run, but it was skipped`);
  }
}

/** I11: a join over edges is decided once in a branch. */
function decide(facts: RunFacts, edges: EdgeFacts, node: string): DrawnEdgeJoin {
  const join = facts.drawing.edgeJoins.get(node);
  if (!join) facts.broken('I6', `Expected no join over edges at ${node}, but one was decided`);
  if (edges.decided.has(node)) facts.broken('I11', `Expected the join at ${node} to be decided once, but it was again`);
  edges.decided.add(node);
  edges.waiting.delete(node);
  return join;
}

export function completeEdgeJoin(facts: RunFacts, { branch: ref, node }: EventOf<'edge_join.completed'>): void {
  const branch = facts.branch(ref);
  const edges = edgesOf(facts, branch);
  const join = decide(facts, edges, node);
  const holder = holderOf(facts.drawing, edges, join);
  if (holder !== null) facts.broken('I12', `Expected the join at ${node} to wait for ${holder}, but it fired`);
  if (!canRun(edges, join)) facts.broken('I12', `Expected more edges of the join at ${node} to be taken, but it fired`);
  facts.touched.edgeContinuations.push({ branch, node });
}

function canRun({ taken }: EdgeFacts, { inbound, requiresAll }: DrawnEdgeJoin): boolean {
  const isTaken = ({ id }: { readonly id: string }): boolean => taken.has(id);
  return requiresAll ? inbound.every(isTaken) : inbound.some(isTaken);
}

/** A node from where somebody can still come along an edge of the join that was not taken; null if there is none. */
function holderOf(drawing: Drawing, edges: EdgeFacts, { node, inbound }: DrawnEdgeJoin): string | null {
  if (edges.holds.has(node)) return node; // on the way there
  for (const edge of inbound) {
    if (edges.taken.has(edge.id)) continue;
    for (const holder of edges.holds.keys()) if (drawing.reaches(holder, edge.from)) return holder;
    for (const waiting of edges.waiting) if (waiting !== node && drawing.reaches(waiting, edge.from)) return waiting;
  }
  return null;
}

/** I12: a join whose edges are all settled does not wait. */
export function checkEdgesAtRest(facts: RunFacts, branch: BranchFact): void {
  const { edges } = branch;
  if (edges === null || branch.hasEnded || branch.group?.isClosed) return;
  for (const node of edges.waiting) {
    const join = facts.drawing.edgeJoins.get(node);
    if (join && holderOf(facts.drawing, edges, join) === null)
      facts.broken('I12', `Expected the join at ${node} to be decided, as nobody can come any more, but it was not`);
  }
}
