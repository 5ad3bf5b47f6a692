// What must be true of joins over edges: I11 and I12. An edge is settled when it was taken, or when nobody is left who
// could still come to its source; that is looked for in the drawing, anew every time, and not in what the engine counts.

import type { PlainLoop } from '../../packages/heddle/src/core/edge-loops.testsuite.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import type { Drawing, DrawnEdgeJoin, DrawnTransition } from './drawing.ts';
import type { BranchFact, EdgeFacts } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

export function waitForEdges(facts: RunFacts, event: Extract<EventOf<'token.waiting'>, { for: 'edges' }>): void {
  const token = facts.token(event.token);
  const edges = edgesOf(facts, token.branch);
  const isOnEdge = token.via === event.edge && facts.drawing.transitions.get(event.edge)?.overEdges === true;
  if (!isOnEdge) facts.broken('I13', `Expected token ${token.id} not to come by edge ${event.edge}, but it did`);
  const isBack = loopsOf(facts.drawing, token.branch).some(({ back }) => back.has(event.edge));
  if (edges.taken.has(event.edge) || (edges.decided.has(token.node.id) && !isBack))
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

export function completeEdgeJoin(facts: RunFacts, { branch: ref, node, again }: EventOf<'edge_join.completed'>): void {
  const branch = facts.branch(ref);
  const edges = edgesOf(facts, branch);
  if (again) return goRound(facts, branch, node, again);
  const verdict = verdictOf(facts.drawing, branch, edges, decide(facts, edges, node));
  if (verdict !== 'runs') facts.broken('I12', `Expected the join at ${node} to be ${verdict}, but it fired`);
  facts.touched.edgeContinuations.push({ branch, node });
}

/** I12: a loop goes round again when nothing of it can run any more and a way back was taken; all of it begins anew. */
function goRound(
  facts: RunFacts,
  branch: BranchFact,
  node: string,
  again: NonNullable<EventOf<'edge_join.completed'>['again']>,
): void {
  const edges = edgesOf(facts, branch);
  const loop = loopsOf(facts.drawing, branch).find(({ header }) => header === node);
  if (!loop || !isOver(facts.drawing, branch, edges, loop) || !wantsAnother(edges, loop))
    facts.broken('I12', `Expected the loop of ${node} not to go round again, but it did`);
  const isWithin = (edge: string): boolean => {
    const to = facts.drawing.transitions.get(edge)?.to ?? '';
    return loop.back.has(edge) || (to !== node && loop.body.has(to));
  };
  const taken = [...edges.taken.keys()].filter(isWithin);
  const decided = [...edges.decided].filter((join) => join !== node && loop.body.has(join));
  if (!isSameSet(taken, again.edges) || !isSameSet(decided, again.joins))
    facts.broken('I12', `Expected all edges and joins in the loop of ${node} to begin anew, but some did not`);
  for (const edge of taken) edges.taken.delete(edge);
  for (const join of decided) edges.decided.delete(join);
  edges.decided.add(node);
  edges.waiting.delete(node);
  facts.touched.edgeContinuations.push({ branch, node });
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));

function loopsOf(drawing: Drawing, branch: BranchFact): readonly PlainLoop[] {
  const { group } = branch;
  const own = group === null || group.batch !== null ? null : group.name;
  return drawing.loopsIn(own, (way) => staysIn(branch, way));
}

function isOver(drawing: Drawing, branch: BranchFact, edges: EdgeFacts, { body }: PlainLoop): boolean {
  const running = nodesToRun(drawing, branch, edges);
  return ![...body].some((node) => running.has(node));
}

const wantsAnother = ({ taken }: EdgeFacts, { back }: PlainLoop): boolean => [...back].some((edge) => taken.has(edge));

/** What must become of a join now: it waits, runs, or will never run. */
function verdictOf(
  drawing: Drawing,
  branch: BranchFact,
  edges: EdgeFacts,
  { node, inbound, requiresAll }: DrawnEdgeJoin,
): 'open' | 'runs' | 'skipped' {
  if (edges.holds.has(node)) return 'open'; // somebody is on the way there
  const loops = loopsOf(drawing, branch);
  const running = nodesToRun(drawing, branch, edges);
  const entries = inbound.filter(({ id }) => !loops.some(({ back }) => back.has(id)));
  if (entries.length === 0) return 'open'; // it begins, or is led back to
  const missing = entries.filter(({ id }) => !edges.taken.has(id));
  const lost = missing.filter((edge) => !mayCome(edges, loops, running, edge) || !staysIn(branch, edge));
  const isWanted = loops.some((loop) => loop.header === node && wantsAnother(edges, loop));
  if (requiresAll && lost.length > 0) return isWanted ? 'open' : 'skipped';
  if (lost.length < missing.length) return 'open';
  return missing.length < entries.length ? 'runs' : isWanted ? 'open' : 'skipped';
}

/** Whether somebody may take a way: who can run at its source, or comes there when a loop goes round again that it leaves. */
function mayCome(
  edges: EdgeFacts,
  loops: readonly PlainLoop[],
  running: ReadonlySet<string>,
  { from, to }: DrawnTransition,
): boolean {
  const goesOn = (loop: PlainLoop): boolean =>
    [...loop.body].some((node) => running.has(node)) || wantsAnother(edges, loop);
  return running.has(from) || loops.some((loop) => loop.body.has(from) && !loop.body.has(to) && goesOn(loop));
}

/** The nodes that may still run in the branch, in this round of each loop: nothing gets past a join that is decided. */
function nodesToRun(drawing: Drawing, branch: BranchFact, edges: EdgeFacts): ReadonlySet<string> {
  const loops = loopsOf(drawing, branch);
  const isBack = ({ id }: DrawnTransition): boolean => loops.some(({ back }) => back.has(id));
  const running = new Set(edges.holds.keys());
  for (const { node, name } of edges.fans) for (const end of drawing.endsOf(node, name)) running.add(end);
  const mayRun = (node: string): boolean => {
    const { inbound, requiresAll } = drawing.edgeJoins.get(node) as DrawnEdgeJoin; // an edge leads there
    const entries = inbound.filter((edge) => !isBack(edge));
    const comes = (edge: DrawnTransition): boolean =>
      edges.taken.has(edge.id) || (mayCome(edges, loops, running, edge) && staysIn(branch, edge));
    if (edges.decided.has(node) || entries.length === 0) return false;
    return requiresAll ? entries.every(comes) : entries.some(comes);
  };
  for (let size = -1; size !== running.size; ) {
    size = running.size;
    for (const node of edges.waiting) if (mayRun(node)) running.add(node);
    for (const way of drawing.transitions.values()) {
      if (isBack(way) || (loops.length === 0 && !running.has(way.from))) continue;
      const ends = way.opens === null ? [way.to] : drawing.endsOf(way.from, way.opens);
      if (way.opens === null && (!staysIn(branch, way) || (way.overEdges && !mayRun(way.to)))) continue;
      for (const to of ends) if (mayCome(edges, loops, running, { ...way, to })) running.add(to);
    }
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
    if (join && !edges.decided.has(node) && verdictOf(facts.drawing, branch, edges, join) !== 'open')
      facts.broken('I12', `Expected the join at ${node} to be decided, as nobody can come any more, but it was not`);
  }
  for (const loop of loopsOf(facts.drawing, branch)) {
    if (wantsAnother(edges, loop) && isOver(facts.drawing, branch, edges, loop))
      facts.broken('I12', `Expected the loop of ${loop.header} to go round again, but it did not`);
  }
}
