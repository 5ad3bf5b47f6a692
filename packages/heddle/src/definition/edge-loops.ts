// Edge loops: the loops of a branch that go back to an edge join. Such a loop begins at its header, the edge join that ways
// back lead to; what lies on a common cycle with it is its body.
//
// Always true: loops are nested or apart. Without their ways back, what is left has no cycle through an edge join (checked
// in `check-edge-joins.ts`).

import { groupBy } from '../base/group-by.ts';
import { findRegions } from './regions.ts';

export interface Link {
  readonly from: number;
  readonly to: number;
  /** The id of a loop transition into an edge join: it leads back if both ends lie on a common cycle. */
  readonly loop: string | null;
}

export interface DrawnLoop {
  readonly header: number;
  /** The header is among them. */
  readonly body: readonly number[];
  /** Ids of the transitions that lead back to the header. */
  readonly back: ReadonlySet<string>;
  /** The loop that it is nested in. */
  readonly outer: DrawnLoop | null;
}

interface Part {
  readonly nodes: readonly number[];
  readonly links: readonly Link[];
  readonly outer: DrawnLoop | null;
}

// EJ12: a loop transition into an edge join leads back within a cycle. Outer loops come before inner ones; `rankOf` tells
// which of two nodes its author names first.
export function findLoops(
  nodes: readonly number[],
  links: readonly Link[],
  rankOf: (node: number) => number,
): DrawnLoop[] {
  const loops: DrawnLoop[] = [];
  if (links.every(({ loop }) => loop === null)) return loops;
  const parts: Part[] = [{ nodes, links, outer: null }];
  for (const part of parts) {
    for (const cycle of findCycles(part)) {
      const header = findHeader(cycle, rankOf);
      if (header === undefined) continue;
      const isBack = ({ to, loop }: Link): boolean => to === header && loop !== null;
      const back = new Set(cycle.links.filter(isBack).map(({ loop }) => loop ?? ''));
      const loop = { header, body: cycle.nodes, back, outer: part.outer };
      loops.push(loop);
      parts.push({ nodes: cycle.nodes, links: cycle.links.filter((link) => !isBack(link)), outer: loop });
    }
  }
  return loops;
}

type Cycle = Omit<Part, 'outer'>;

/** The parts in which every node leads to every other, with the links inside. */
function findCycles({ nodes, links }: Part): Cycle[] {
  const regionOf = numberRegions(nodes, links);
  const inside = links.filter(({ from, to }) => regionOf.get(from) === regionOf.get(to));
  const members = groupBy(nodes, (node) => regionOf.get(node));
  const cycles = groupBy(inside, ({ from }) => regionOf.get(from));
  return [...cycles].map(([region, own]) => ({ nodes: members.get(region) ?? [], links: own }));
}

/** Of the nodes that a way leads back to, one that no way forward from another leads to; of several, the first named. */
function findHeader({ nodes, links }: Cycle, rankOf: (node: number) => number): number | undefined {
  const headers = [...new Set(links.filter(({ loop }) => loop !== null).map(({ to }) => to))];
  if (headers.length < 2) return headers[0];
  const forward = links.filter(({ loop }) => loop === null);
  const regionOf = numberRegions(nodes, forward);
  const next = groupBy(forward, ({ from }) => from);
  const behind = new Set<number>();
  const isFirst = (header: number): boolean => {
    if (behind.has(header)) return false;
    const reached = [header];
    for (const node of reached) {
      for (const { to } of next.get(node) ?? []) {
        if (!behind.has(to)) reached.push(to);
        behind.add(to);
      }
    }
    return true;
  };
  // A way leads to a lower number, so that whoever leads to another comes before it.
  const firsts = headers.toSorted((a, b) => (regionOf.get(b) ?? 0) - (regionOf.get(a) ?? 0)).filter(isFirst);
  return firsts.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}

function numberRegions(nodes: readonly number[], links: readonly Link[]): Map<number, number> {
  const placeOf = new Map(nodes.map((node, place) => [node, place]));
  const next: number[][] = nodes.map(() => []);
  for (const { from, to } of links) next[placeOf.get(from) ?? -1]?.push(placeOf.get(to) ?? -1);
  const regions = findRegions(next);
  return new Map(nodes.map((node, place) => [node, regions[place] ?? 0]));
}
