// Branch graph: what the tokens of one branch can come to, by the drawing alone. Rules EJ6, EJ9, EJ10 and EJ12.

import { type DrawnLoop, findLoops, type Link } from './edge-loops.ts';
import type { FanOutEnds } from './fan-out-ends.ts';
import type { BranchGraph, BranchJoin, BranchLoop, BranchOrigin, EdgeJoin, Region, Transition } from './graph.ts';
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
  const ranks = [...ways.places.keys()].map((place) => drawing.wiring.numberOf.get(place) ?? -1);
  const layout = arrange(ways, (place) => ranks[place] ?? -1);
  const regionOf = new Map([...ways.places].map(([place, number]) => [place, layout.regionOf(number)]));
  const joins = findJoins(drawing.joins.values(), { ...layout, group: origin.group, places: ways.places });
  const loops = layout.loops.map((loop) => makeLoop(loop, layout, joins));
  return { regionOf, regions: makeRegions(ways.places, { ...layout, joins, loops }), joins, loops };
}

/** Nodes and fan-outs, numbered, and what each leads to. */
interface Ways {
  readonly places: ReadonlyMap<string, number>;
  readonly links: readonly Link[];
}

// EJ6: what cannot be reached from where the branch begins is not part of it.
function findWays({ wiring, joins, ends }: Drawing, { starts, group }: BranchOrigin): Ways {
  const places = new Map<string, number>();
  const links: Link[] = [];
  const numberOf = (place: string): number => {
    const number = places.get(place) ?? places.size;
    places.set(place, number);
    return number;
  };
  for (const start of starts) numberOf(start);
  for (const [place, from] of places) {
    for (const end of ends.of(place) ?? []) links.push({ from, to: numberOf(end), loop: null });
    for (const wire of wiring.outgoing[wiring.numberOf.get(place) ?? -1] ?? []) {
      const loop = wire.transition.loop === undefined ? null : edgeId(joins, wire);
      for (const to of follow(wire, group, ends)) links.push({ from, to: numberOf(to), loop });
    }
  }
  return { places, links };
}

/** The id of a transition that is joined over edges. */
function edgeId(joins: Drawing['joins'], wire: Wire): string | null {
  const join = joins.get(wire.transition.to);
  return join?.inbound[join.wires.indexOf(wire)]?.id ?? null;
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

/** How the regions lie: those of places, and one for each loop, which lives as long as the loop may go on. */
interface Layout {
  readonly loops: readonly DrawnLoop[];
  /** Ids of the transitions that lead back. */
  readonly back: ReadonlySet<string>;
  readonly regionCount: number;
  readonly regionOf: (place: number) => number;
  readonly regionOfLoop: (loop: DrawnLoop) => number;
  /** From region to region. */
  readonly ways: readonly (readonly [from: number, to: number])[];
  /** Where a way begins: at a place, or at the outermost of the loops that it leaves. */
  readonly sourceOf: (from: number, to: number) => number;
}

/** What leads out of a loop does so as long as the loop may go round again. */
function arrange({ places, links }: Ways, rankOf: (place: number) => number): Layout {
  const numbers = [...places.values()];
  const loops = findLoops(numbers, links, rankOf);
  const itemOf = new Map(loops.map((loop, index) => [loop, numbers.length + index]));
  const innermost = new Map(loops.flatMap((loop) => loop.body.map((place) => [place, loop] as const)));
  const sourceOf = (from: number, to: number): number => {
    let source = from;
    for (let loop = innermost.get(from) ?? null; loop && !isWithin(innermost.get(to), loop); loop = loop.outer)
      source = itemOf.get(loop) ?? source;
    return source;
  };
  const back = new Set(loops.flatMap((loop) => [...loop.back]));
  const forward = links.filter(({ loop }) => loop === null || !back.has(loop));
  const ways = forward.map(({ from, to }) => [sourceOf(from, to), to] as const);
  const inward = [
    ...numbers.flatMap((place) => enclosing(place, innermost.get(place), itemOf)),
    ...loops.flatMap((loop) => enclosing(itemOf.get(loop) ?? 0, loop.outer, itemOf)),
  ];
  const next: number[][] = Array.from({ length: numbers.length + loops.length }, () => []);
  for (const [from, to] of [...ways, ...inward]) next[from]?.push(to);
  const regions = findRegions(next);
  const regionOf = (item: number): number => regions[item] ?? 0;
  return {
    loops,
    back,
    regionCount: regions.reduce((most, region) => Math.max(most, region), -1) + 1,
    regionOf,
    regionOfLoop: (loop) => regionOf(itemOf.get(loop) ?? 0),
    ways: [...ways, ...inward].map(([from, to]) => [regionOf(from), regionOf(to)]),
    sourceOf: (from, to) => regionOf(sourceOf(from, to)),
  };
}

function isWithin(inner: DrawnLoop | undefined, outer: DrawnLoop): boolean {
  for (let loop = inner ?? null; loop; loop = loop.outer) if (loop === outer) return true;
  return false;
}

function enclosing(
  item: number,
  loop: DrawnLoop | null | undefined,
  itemOf: ReadonlyMap<DrawnLoop, number>,
): (readonly [number, number])[] {
  return loop ? [[item, itemOf.get(loop) ?? item]] : [];
}

function findJoins(
  joins: Iterable<DrawnEdgeJoin>,
  { group, places, regionOf, sourceOf, back }: Layout & { group: string | null; places: Ways['places'] },
): BranchJoin[] {
  const reached = [...joins].filter(({ node }) => places.has(node));
  return reached.map(({ node, require, inbound, wires }, index) => {
    const place = places.get(node) ?? 0;
    const entries = inbound.filter(({ id }) => !back.has(id));
    const isTakable = ({ id, from }: Transition, edge: number): boolean =>
      !back.has(id) && places.has(from) && staysInBranch(wires[edge] as Wire, group); // there is one for each edge
    const sources = new Map(
      inbound.filter(isTakable).map(({ id, from }) => [id, sourceOf(places.get(from) ?? 0, place)]),
    );
    const own = inbound.map(({ id }) => id).filter((id) => back.has(id));
    return { node, require, inbound: entries, index, region: regionOf(place), sources, back: own };
  });
}

function makeLoop(
  loop: DrawnLoop,
  { regionOf, regionOfLoop, loops }: Layout,
  joins: readonly BranchJoin[],
): BranchLoop {
  const inner = loops.filter((other) => other !== loop && isWithin(other, loop));
  const regions = new Set([...loop.body.map(regionOf), ...inner.map(regionOfLoop)]);
  const header = joins.find(({ region }) => region === regionOf(loop.header)) as BranchJoin; // ways back lead to it
  return {
    region: regionOfLoop(loop),
    header,
    regions: [...regions],
    joins: joins.filter((join) => join !== header && regions.has(join.region)),
    innerBack: inner.flatMap(({ back }) => [...back]),
  };
}

interface DraftRegion extends Region {
  readonly members: string[];
  readonly next: number[];
  readonly previous: number[];
  join: BranchJoin | null;
  loop: BranchLoop | null;
  readonly edges: { readonly id: string; readonly join: BranchJoin }[];
}

function makeRegions(
  places: Ways['places'],
  { regionCount, regionOf, ways, joins, loops }: Omit<Layout, 'loops'> & Pick<BranchGraph, 'joins' | 'loops'>,
): Region[] {
  const regions = Array.from(
    { length: regionCount },
    (_, number): DraftRegion => ({ number, members: [], next: [], previous: [], join: null, loop: null, edges: [] }),
  );
  const at = (number: number) => regions[number] as DraftRegion; // all numbers are below the count
  for (const [place, number] of places) at(regionOf(number)).members.push(place);
  const links = new Set(ways.filter(([from, to]) => from !== to).map(([from, to]) => from * regionCount + to));
  for (const link of links) {
    const [from, to] = [Math.floor(link / regionCount), link % regionCount];
    at(from).next.push(to);
    at(to).previous.push(from);
  }
  for (const loop of loops) at(loop.region).loop = loop;
  for (const join of joins) {
    at(join.region).join = join;
    for (const [id, source] of join.sources) at(source).edges.push({ id, join });
  }
  return regions;
}
