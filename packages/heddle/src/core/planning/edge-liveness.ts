// Edge liveness: what of its graph a branch may still run, and so which edges are dead and which edge joins are decided.
//
// A region is alive while somebody holds a place in it or a live region leads to it. An edge join is alive until it is
// decided and its own token has left. Regions have no cycle among them, so each dies once, and a branch costs as much
// as its graph has edges, in all. Nothing here is recorded: `Liveness` follows from the holds and from what was decided.
//
// Always true: a look finds all that follows from the state, whether it is the first since the run was loaded or not.

import type { BranchGraph, BranchJoin, BranchLoop, Region } from '../../definition/graph.ts';
import type { Branch, Liveness } from '../state.ts';

export interface Decided {
  /** Those that will never run, and those that run now. What leads to others comes first. */
  readonly skipped: readonly BranchJoin[];
  readonly running: readonly BranchJoin[];
  /** Loops that go round again. */
  readonly again: readonly BranchLoop[];
}

/** The joins that are decided by now and were not at the last look. `graphOf` is asked for the graph of a new branch. */
export function decideJoins(branch: Branch, graphOf: () => BranchGraph): Decided {
  branch.liveness ??= beginLiveness(branch, graphOf());
  const { graph, toLookAt } = branch.liveness;
  if (branch.liveness.undecided === 0 && graph.loops.length === 0) toLookAt.length = 0;
  if (toLookAt.length === 0) return none; // as at the last look
  const look: Look = { branch, liveness: branch.liveness, skipped: null, running: null, again: null };
  for (let region = toLookAt.pop(); region !== undefined; region = toLookAt.pop()) {
    const one = graph.regions[region] as Region; // they are numbered from 0
    if (dies(look, one)) for (const next of one.next) toLookAt.push(next);
  }
  if (look.skipped === null && look.running === null && look.again === null) return none;
  look.liveness.undecided -= (look.skipped?.size ?? 0) + (look.running?.size ?? 0);
  return { skipped: inOrder(look.skipped), running: inOrder(look.running), again: [...(look.again ?? [])] };
}

const none: Decided = { skipped: [], running: [], again: [] };

/** The same order whatever was found first: a way leads to a lower number. */
const inOrder = (joins: ReadonlySet<BranchJoin> | null): readonly BranchJoin[] =>
  joins === null ? [] : [...joins].toSorted((a, b) => b.region - a.region);

/** As if nothing had ended yet. */
function beginLiveness({ edges }: Branch, graph: BranchGraph): Liveness {
  const { regions, joins } = graph;
  const untaken = joins.map(({ inbound }) => inbound.filter(({ id }) => !edges?.taken.has(id)));
  const open = joins.map(({ sources }, join) => (untaken[join] ?? []).filter(({ id }) => sources.has(id)).length);
  return {
    graph,
    live: new Uint8Array(regions.length).fill(1),
    open: Int32Array.from(open),
    dead: Int32Array.from(untaken, ({ length }, join) => length - (open[join] ?? 0)),
    undecided: joins.filter(({ node, inbound }) => inbound.length > 0 && !edges?.done.has(node)).length,
    toLookAt: [...regions.keys()],
  };
}

/** An edge was taken. One that was dead from the start is that by which the branch began. */
export function countArrival({ graph, open, dead }: Liveness, node: string, edge: string): void {
  const { join } = graph.regions[graph.regionOf.get(node) as number] as Region; // the token came there
  const { index, sources, back } = join as BranchJoin; // it came by an edge
  if (back.includes(edge)) return;
  const counted = sources.has(edge) ? open : dead;
  counted[index] = (counted[index] ?? 0) - 1;
}

interface Look {
  readonly branch: Branch;
  readonly liveness: Liveness;
  /** What was found; null as long as that is nothing, as it is at most looks. */
  skipped: Set<BranchJoin> | null;
  running: Set<BranchJoin> | null;
  again: Set<BranchLoop> | null;
}

/** Looks at a region once more; answers whether it has died of what was found. */
function dies(look: Look, region: Region): boolean {
  const { liveness, branch } = look;
  const { live, open, dead } = liveness;
  if (live[region.number] === 0 || isAlive(look, region)) return false;
  live[region.number] = 0;
  // EJ2: an edge that was not taken is dead once its source can no longer run.
  for (const { id, join } of region.edges) {
    if (branch.edges?.taken.has(id)) continue;
    open[join.index] = (open[join.index] ?? 0) - 1;
    dead[join.index] = (dead[join.index] ?? 0) + 1;
  }
  return true;
}

function isAlive(look: Look, { members, join, loop, previous }: Region): boolean {
  const { holds } = look.branch;
  for (const place of members) if ((holds?.get(place) ?? 0) > 0) return true;
  // EJ7: what still comes to a join that is decided ends there, so that nothing is alive for its sake.
  if (join) return !decide(look, join);
  return previous.some((region) => look.liveness.live[region] === 1) || (loop !== null && goesOn(look, loop));
}

/** When nothing of a loop lives any more, it goes round again if a way back was taken, or else it is over. */
function goesOn(look: Look, loop: BranchLoop): boolean {
  if (!isTakenBack(look.branch, loop.header)) return false;
  look.again ??= new Set();
  look.again.add(loop);
  return true;
}

const isTakenBack = ({ edges }: Branch, { back }: BranchJoin): boolean => back.some((edge) => edges?.taken.has(edge));

/** What begins anew in a loop that goes round again. */
export function listProgress(
  { edges }: Branch,
  { joins, header, innerBack }: BranchLoop,
): { edges: string[]; joins: string[] } {
  const inbound = joins.flatMap((join) => join.inbound.map(({ id }) => id));
  return {
    edges: [...header.back, ...innerBack, ...inbound].filter((edge) => edges?.taken.has(edge)),
    joins: joins.map(({ node }) => node).filter((node) => edges?.done.has(node)),
  };
}

/** A loop goes round again, and the branch has forgotten what it had decided in it. */
export function restartLoop(liveness: Liveness, { regions, joins }: BranchLoop, forgotten: number): void {
  const { live, open, dead } = liveness;
  for (const region of regions) live[region] = 1;
  for (const { index, inbound, sources } of joins) {
    const takable = inbound.filter(({ id }) => live[sources.get(id) ?? -1] === 1).length;
    open[index] = takable;
    dead[index] = inbound.length - takable;
  }
  liveness.undecided += forgotten;
  liveness.toLookAt.push(...regions);
}

/** Answers whether the join is over: it will not run, or it has run and its token has left. */
function decide(look: Look, join: BranchJoin): boolean {
  const { branch, liveness } = look;
  // A branch can begin at a node that only ways back lead to.
  if (branch.edges?.done.has(join.node) || look.skipped?.has(join) || join.inbound.length === 0) return true;
  if (look.running?.has(join)) return false; // its token is not there yet
  const [open, dead] = [liveness.open[join.index] ?? 0, liveness.dead[join.index] ?? 0];
  // EJ8: where all edges are required, one that is dead is enough.
  if (join.require === 'all' ? dead > 0 : open === 0 && dead === join.inbound.length) {
    if (isTakenBack(branch, join)) return true;
    look.skipped ??= new Set();
    look.skipped.add(join);
    return true;
  }
  // EJ3: with every edge settled, the node runs once if enough were taken, or else never.
  if (open === 0) {
    look.running ??= new Set();
    look.running.add(join);
  }
  return false;
}
