// Branch graph: what the tokens of one branch can come to, by the drawing alone. Rules EJ6, EJ9 and EJ10.

import type { FanOutEnds } from './fan-out-ends.ts';
import type { BranchGraph, BranchJoin, BranchOrigin, EdgeJoin, Region, Transition } from './graph.ts';
import { findRegions } from './regions.ts';
import type { Wire, Wiring } from './wiring.ts';

export interface DrawnEdgeJoin extends EdgeJoin {
  readonly inbound: Transition[];
  /** The same, as drawn. */
  readonly wires: Wire[];
}

interface Drawing {
  readonly wiring: Wiring;
  readonly joins: ReadonlyMap<string, DrawnEdgeJoin>;
  readonly ends: FanOutEnds;
}

export function makeBranchGraph(drawing: Drawing, origin: BranchOrigin): BranchGraph {
  const ways = findWays(drawing, origin);
  const numberOf = new Map([...ways.keys()].map((place, number) => [place, number]));
  const found = findRegions([...ways.values()].map((next) => next.map((place) => numberOf.get(place) ?? 0)));
  const regionOf = new Map([...ways.keys()].map((place, number) => [place, found[number] ?? 0]));
  const joins = findJoins(drawing.joins.values(), { group: origin.group, regionOf });
  return { regionOf, regions: makeRegions(ways, regionOf, joins), joins };
}

/** Nodes and fan-outs, each with what it leads to. */
type Ways = ReadonlyMap<string, readonly string[]>;

// EJ6: what cannot be reached from where the branch begins is not part of it.
function findWays({ wiring, ends }: Drawing, { starts, group }: BranchOrigin): Ways {
  const ways = new Map<string, readonly string[]>();
  const reached = new Set(starts);
  for (const place of reached) {
    const wires = wiring.outgoing[wiring.numberOf.get(place) ?? -1] ?? [];
    const next = ends.of(place) ?? wires.flatMap((wire) => follow(wire, group, ends));
    ways.set(place, next);
    for (const to of next) reached.add(to);
  }
  return ways;
}

function follow(wire: Wire, group: string | null, ends: FanOutEnds): string[] {
  if (wire.opens !== null) return [ends.keyOf(wire, wire.opens)];
  return staysInBranch(wire, group) ? [wire.transition.to] : [];
}

// EJ10: a transition leads out of the branch if it opens a group, hands out slices, or leads to the join of the
// branch's own group. A join over another group is passed.
function staysInBranch({ opens, join, transition }: Wire, group: string | null): boolean {
  if (opens !== null || transition.on === 'slice') return false;
  return join === null || group === null || (join.group ?? group) !== group;
}

function findJoins(
  joins: Iterable<DrawnEdgeJoin>,
  { group, regionOf }: { group: string | null; regionOf: ReadonlyMap<string, number> },
): BranchJoin[] {
  const reached = [...joins].filter(({ node }) => regionOf.has(node));
  return reached.map(({ node, require, inbound, wires }, index) => {
    // There is one for each inbound edge.
    const taken = inbound.filter(({ from }, edge) => regionOf.has(from) && staysInBranch(wires[edge] as Wire, group));
    const sources = new Map(taken.map(({ id, from }) => [id, regionOf.get(from) ?? 0]));
    return { node, require, inbound, index, region: regionOf.get(node) ?? 0, sources };
  });
}

interface DraftRegion extends Region {
  readonly members: string[];
  readonly next: number[];
  readonly previous: number[];
  join: BranchJoin | null;
  readonly edges: { readonly id: string; readonly join: BranchJoin }[];
}

function makeRegions(ways: Ways, regionOf: ReadonlyMap<string, number>, joins: readonly BranchJoin[]): Region[] {
  const regions: DraftRegion[] = [];
  for (const [place, number] of regionOf) {
    regions[number] ??= { number, members: [], next: [], previous: [], join: null, edges: [] };
    regions[number].members.push(place);
  }
  const at = (number: number | undefined) => regions[number ?? -1] as DraftRegion; // numbers of regions are those of `regionOf`
  for (const { number, members, next } of regions) {
    const links = new Set(members.flatMap((place) => (ways.get(place) ?? []).map((to) => regionOf.get(to) ?? 0)));
    links.delete(number);
    for (const to of links) {
      next.push(to);
      at(to).previous.push(number);
    }
  }
  for (const join of joins) {
    at(join.region).join = join;
    for (const [id, source] of join.sources) at(source).edges.push({ id, join });
  }
  return regions;
}
