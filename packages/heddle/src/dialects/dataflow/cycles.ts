// Dataflow cycles: a dataflow graph goes in no circle, so that it has an order in which every node comes after those that
// it takes from.

import { findRegions } from '../../definition/regions.ts';
import type { Reporter } from '../../definition/reporter.ts';
import type { DataflowDraft, EdgeDraft } from './draft.ts';
import { nodeIdsOf } from './normal.ts';

interface NumberedGraph {
  /** Numbers of the nodes that each node leads to. */
  readonly outgoing: readonly (readonly number[])[];
  /** Nodes on a common cycle share a region. */
  readonly regions: readonly number[];
}

// DA21: a graph that goes in circles is refused; the message names the nodes of the circle in order.
export function reportCycles(draft: DataflowDraft, reporter: Reporter): void {
  const cycles = findCycles(draft);
  if (cycles.length === 0) return;
  const edges = new Map(draft.edges.map((edge) => [keyOf([edge.source, edge.target]), edge]));
  for (const cycle of cycles) {
    const first = edges.get(keyOf(cycle));
    reporter.error('CYCLE', first === undefined ? '/edges' : reporter.origins.of(first), {
      message: `Expected edges that do not go in circles, but these do: ${nameAll(cycle)}`,
    });
  }
}

const keyOf = ([source, target]: readonly string[]): string => JSON.stringify([source, target]);

/** One of each region that has any, as the ids of its nodes. */
function findCycles(draft: DataflowDraft): string[][] {
  const ids = nodeIdsOf(draft);
  const graph = numberNodes(ids, draft.edges);
  const found = new Map<number, string[]>();
  for (const [number, region] of graph.regions.entries()) {
    const cycle = found.has(region) ? null : findCycle(number, graph);
    if (cycle !== null)
      found.set(
        region,
        cycle.map((member) => ids[member] ?? ''),
      );
  }
  return [...found.values()];
}

function numberNodes(ids: readonly string[], edges: readonly EdgeDraft[]): NumberedGraph {
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const outgoing: number[][] = ids.map(() => []);
  for (const { source, target } of edges) outgoing[numbers.get(source) ?? 0]?.push(numbers.get(target) ?? 0);
  return { outgoing, regions: findRegions(outgoing) };
}

/** A shortest way from a node back to itself, both ends included. */
function findCycle(start: number, { outgoing, regions }: NumberedGraph): number[] | null {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const here of queue) {
    for (const next of outgoing[here] ?? []) {
      if (next === start) return trace(start, here, cameFrom);
      if (regions[next] !== regions[start] || cameFrom.has(next)) continue;
      cameFrom.set(next, here);
      queue.push(next);
    }
  }
  return null;
}

function trace(start: number, end: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way = [start];
  for (let here: number | undefined = end; here !== undefined && here !== start; here = cameFrom.get(here))
    way.push(here);
  return [...way, start].toReversed();
}

/** Longer ones are cut: they are for people. */
const shownNodesMax = 50;

function nameAll(cycle: readonly string[]): string {
  const names = cycle.map((id) => JSON.stringify(id));
  const left = names.length - shownNodesMax;
  const shown = left <= 1 ? names : [...names.slice(0, shownNodesMax - 1), `${left} more`, names.at(-1)];
  return shown.join(' -> ');
}
