// Edge graph: what edge joins need to know of the graph. Made only where a transition has `over: edges`.
//
// Always true: regions have no cycle among them; an edge join lies on no cycle (checked in `check-edge-joins.ts`).

import type { EdgeGraph, EdgeJoin, Transition } from './graph.ts';
import { findRegions } from './regions.ts';
import type { Wiring } from './wiring.ts';

export function makeEdgeGraph(wiring: Wiring, transitions: readonly Transition[]): EdgeGraph | null {
  if (!wiring.wires.some((wire) => wire.overEdges)) return null;
  const regions = findRegions(wiring.outgoing.map((wires) => wires.map((wire) => wire.to)));
  const next = linkRegions(wiring, regions, 'forward');
  const regionOf = new Map(wiring.nodes.map((node, number) => [node.id, regions[number] ?? 0]));
  const nodesByRegion = groupNodes(regionOf);
  return {
    regionOf,
    nodesOf: next.map((_, region) => nodesByRegion.get(region) ?? []),
    next,
    previous: linkRegions(wiring, regions, 'backward'),
    joins: findEdgeJoins(wiring, transitions),
    reachableFrom: makeReach(next, regionOf),
  };
}

function groupNodes(regionOf: ReadonlyMap<string, number>): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const [node, region] of regionOf) {
    const group = groups.get(region);
    if (group === undefined) groups.set(region, [node]);
    else group.push(node);
  }
  return groups;
}

function linkRegions(wiring: Wiring, regions: readonly number[], direction: 'forward' | 'backward'): number[][] {
  const count = regions.reduce((highest, region) => Math.max(highest, region + 1), 0);
  const links = Array.from({ length: count }, () => new Set<number>());
  for (const wire of wiring.wires) {
    const ends = [regions[wire.from] ?? 0, regions[wire.to] ?? 0];
    const [from = 0, to = 0] = direction === 'forward' ? ends : ends.toReversed();
    if (from !== to) links[from]?.add(to);
  }
  return links.map((set) => [...set].toSorted((left, right) => left - right));
}

function findEdgeJoins(wiring: Wiring, transitions: readonly Transition[]): Map<string, EdgeJoin> {
  const joins = new Map<string, EdgeJoin & { inbound: Transition[] }>();
  for (const [index, { transition }] of wiring.wires.entries()) {
    const { synchronization } = transition;
    const compiled = transitions[index];
    if (synchronization === undefined || !('over' in synchronization) || compiled === undefined) continue;
    const join = joins.get(transition.to);
    if (join !== undefined) join.inbound.push(compiled);
    else
      joins.set(transition.to, {
        node: transition.to,
        require: synchronization.require ?? 'some',
        inbound: [compiled],
      });
  }
  return joins;
}

function makeReach(
  next: readonly (readonly number[])[],
  regionOf: ReadonlyMap<string, number>,
): (nodeId: string) => ReadonlySet<number> {
  const known = new Map<number, ReadonlySet<number>>();
  return (nodeId) => {
    const start = regionOf.get(nodeId) ?? 0;
    const found = known.get(start) ?? findReach(next, start);
    known.set(start, found);
    return found;
  };
}

function findReach(next: readonly (readonly number[])[], start: number): ReadonlySet<number> {
  const reached = new Set([start]);
  for (const region of reached) for (const target of next[region] ?? []) reached.add(target);
  return reached;
}
