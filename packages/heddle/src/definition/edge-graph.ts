// Edge graph: what edge joins need to know of the graph. Made only where a transition has `over: edges`.
//
// Always true: every cycle through an edge join goes back by a loop transition (checked in `check-edge-joins.ts`).

import { type DrawnEdgeJoin, makeBranchGraph } from './branch-graph.ts';
import { FanOutEnds } from './fan-out-ends.ts';
import type { BranchGraph, EdgeGraph, Transition } from './graph.ts';
import type { Wiring } from './wiring.ts';

export function makeEdgeGraph(wiring: Wiring, transitions: readonly Transition[]): EdgeGraph | null {
  if (!wiring.wires.some((wire) => wire.overEdges)) return null;
  const joins = findEdgeJoins(wiring, transitions);
  const ends = new FanOutEnds(wiring);
  // One for each way a branch can begin: the start, the transitions that open groups, the batches.
  const known = new Map<string, BranchGraph>();
  return {
    joins,
    graphOf: (origin) => {
      const key = JSON.stringify([origin.group, ...origin.starts]);
      const found = known.get(key) ?? makeBranchGraph({ wiring, joins, ends }, origin);
      known.set(key, found);
      return found;
    },
  };
}

function findEdgeJoins(wiring: Wiring, transitions: readonly Transition[]): Map<string, DrawnEdgeJoin> {
  const joins = new Map<string, DrawnEdgeJoin>();
  for (const [index, wire] of wiring.wires.entries()) {
    const { synchronization, to: node } = wire.transition;
    const compiled = transitions[index];
    if (synchronization === undefined || !('over' in synchronization) || compiled === undefined) continue;
    const { require = 'some' } = synchronization;
    const join = joins.get(node) ?? { node, require, inbound: [], wires: [] };
    joins.set(node, join);
    join.inbound.push(compiled);
    join.wires.push(wire);
  }
  return joins;
}
