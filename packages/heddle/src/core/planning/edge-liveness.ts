// Edge liveness: what of its graph a branch may still run, and so which edges are dead and which edge joins are decided.
//
// A region is alive while somebody holds a place in it or a live region leads to it. An edge join is alive until it is
// decided and its own token has left. Regions have no cycle among them, so each dies once, and a branch costs as much
// as its graph has edges, in all. Nothing here is recorded: `Liveness` follows from the holds and from what was decided.
//
// Always true: a look finds all that follows from the state, whether it is the first since the run was loaded or not.

import type { BranchGraph, BranchJoin, Region } from '../../definition/graph.ts';
import type { Branch, Liveness } from '../state.ts';

export interface Decided {
  /** Those that will never run, and those that run now. What leads to others comes first. */
  readonly skipped: readonly BranchJoin[];
  readonly running: readonly BranchJoin[];
}

/** The joins that are decided by now and were not at the last look. `graphOf` is asked for the graph of a new branch. */
export function decideJoins(branch: Branch, graphOf: () => BranchGraph): Decided {
  const known = branch.liveness;
  const liveness = known ?? beginLiveness(branch, graphOf());
  const { graph, freed } = liveness;
  branch.liveness = liveness;
  const todo = known ? freed.flatMap((place) => graph.regionOf.get(place) ?? []) : [...graph.regions.keys()];
  freed.length = 0;
  if (liveness.undecided === 0) return none;
  const look: Look = { branch, liveness, skipped: new Set(), running: new Set() };
  for (let region = todo.pop(); region !== undefined; region = todo.pop()) {
    // Regions are numbered from 0.
    if (dies(look, graph.regions[region] as Region)) todo.push(...(graph.regions[region]?.next ?? []));
  }
  liveness.undecided -= look.skipped.size + look.running.size;
  return { skipped: inOrder(look.skipped), running: inOrder(look.running) };
}

const none: Decided = { skipped: [], running: [] };

/** The same order whatever was found first: a way leads to a lower number. */
const inOrder = (joins: ReadonlySet<BranchJoin>): BranchJoin[] => [...joins].toSorted((a, b) => b.region - a.region);

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
    undecided: joins.filter(({ node }) => !edges?.done.has(node)).length,
    freed: [],
  };
}

/** An edge was taken. One that was dead from the start is that by which the branch began. */
export function countArrival({ graph, open, dead }: Liveness, node: string, edge: string): void {
  const { join } = graph.regions[graph.regionOf.get(node) as number] as Region; // the token came there
  const { index, sources } = join as BranchJoin; // it came by an edge
  const counted = sources.has(edge) ? open : dead;
  counted[index] = (counted[index] ?? 0) - 1;
}

interface Look {
  readonly branch: Branch;
  readonly liveness: Liveness;
  readonly skipped: Set<BranchJoin>;
  readonly running: Set<BranchJoin>;
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

function isAlive(look: Look, { members, join, previous }: Region): boolean {
  const { holds } = look.branch;
  if (members.some((place) => (holds?.get(place) ?? 0) > 0)) return true;
  // EJ7: what still comes to a join that is decided ends there, so that nothing is alive for its sake.
  if (join) return !decide(look, join);
  return previous.some((region) => look.liveness.live[region] === 1);
}

/** Answers whether the join is over: it will not run, or it has run and its token has left. */
function decide({ branch, liveness, skipped, running }: Look, join: BranchJoin): boolean {
  if (branch.edges?.done.has(join.node) || skipped.has(join)) return true;
  if (running.has(join)) return false; // its token is not there yet
  const [open, dead] = [liveness.open[join.index] ?? 0, liveness.dead[join.index] ?? 0];
  // EJ8: where all edges are required, one that is dead is enough.
  if (join.require === 'all' ? dead > 0 : open === 0 && dead === join.inbound.length) {
    skipped.add(join);
    return true;
  }
  // EJ3: with every edge settled, the node runs once if enough were taken, or else never.
  if (open === 0) running.add(join);
  return false;
}
