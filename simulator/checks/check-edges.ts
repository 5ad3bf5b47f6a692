// What must be true of joins over edges: I11 and I12. An edge is settled when it was taken, or when nobody is left who
// could still come to its source; that is looked for in the drawing, anew every time, and not in what the engine counts.

import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import type { Drawing, DrawnEdgeJoin, DrawnTransition } from './drawing.ts';
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
export function settleEdges(facts: RunFacts, { branch: ref, skipped }: EventOf<'edges.settled'>): void {
  const branch = facts.branch(ref);
  const edges = edgesOf(facts, branch);
  for (const node of skipped) decide(facts, edges, node);
  for (const node of skipped) {
    const join = facts.drawing.edgeJoins.get(node) as DrawnEdgeJoin; // `decide` has looked
    if (verdictOf(facts.drawing, branch, edges, join) !== 'skipped')
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
  const verdict = verdictOf(facts.drawing, branch, edges, decide(facts, edges, node));
  if (verdict !== 'runs') facts.broken('I12', `Expected the join at ${node} to be ${verdict}, but it fired`);
  facts.touched.edgeContinuations.push({ branch, node });
}

/** What must become of a join now: it waits, runs, or will never run. */
function verdictOf(
  drawing: Drawing,
  branch: BranchFact,
  edges: EdgeFacts,
  { node, inbound, requiresAll }: DrawnEdgeJoin,
): 'open' | 'runs' | 'skipped' {
  if (edges.holds.has(node)) return 'open'; // somebody is on the way there
  const running = nodesToRun(drawing, branch, edges);
  const missing = inbound.filter(({ id }) => !edges.taken.has(id));
  const lost = missing.filter((edge) => !running.has(edge.from) || !staysIn(branch, edge));
  if (requiresAll && lost.length > 0) return 'skipped';
  if (lost.length < missing.length) return 'open';
  return missing.length < inbound.length ? 'runs' : 'skipped';
}

/** The nodes that may still run in the branch: nothing gets past a join that is decided. */
function nodesToRun(drawing: Drawing, branch: BranchFact, edges: EdgeFacts): ReadonlySet<string> {
  const running = new Set(edges.holds.keys());
  for (const { node, name } of edges.fans) for (const end of drawing.endsOf(node, name)) running.add(end);
  const mayRun = (node: string): boolean => {
    const { inbound, requiresAll } = drawing.edgeJoins.get(node) as DrawnEdgeJoin; // an edge leads there
    const comes = (edge: DrawnTransition): boolean =>
      edges.taken.has(edge.id) || (running.has(edge.from) && staysIn(branch, edge));
    return !edges.decided.has(node) && (requiresAll ? inbound.every(comes) : inbound.some(comes));
  };
  for (const node of edges.waiting) if (mayRun(node)) running.add(node);
  for (const node of running)
    for (const way of drawing.leaving(node)) {
      if (way.opens !== null) for (const end of drawing.endsOf(node, way.opens)) running.add(end);
      else if (staysIn(branch, way) && (!way.overEdges || mayRun(way.to))) running.add(way.to);
    }
  return running;
}

/** Whether who takes the way is still in the branch: it opens no group, and leads to no join of the branch's own. */
function staysIn({ group }: BranchFact, { on, opens, join }: DrawnTransition): boolean {
  const own = group === null || group.batch !== null ? null : group.name;
  return opens === null && on !== 'slice' && (join === null || own === null || (join.group ?? own) !== own);
}

/** I12: a join whose edges are all settled does not wait. */
export function checkEdgesAtRest(facts: RunFacts, branch: BranchFact): void {
  const { edges } = branch;
  if (edges === null || branch.hasEnded || branch.group?.isClosed) return;
  for (const node of edges.waiting) {
    const join = facts.drawing.edgeJoins.get(node);
    if (join && verdictOf(facts.drawing, branch, edges, join) !== 'open')
      facts.broken('I12', `Expected the join at ${node} to be decided, as nobody can come any more, but it was not`);
  }
}
