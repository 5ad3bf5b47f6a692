// Loop resets: which loop counts begin anew when a loop transition is taken. Rule DF41.
//
// The natural loop of a loop transition from n to h: h, n, and what can reach n without passing through h, as far as
// it lies on a common cycle with both.

import { groupBy } from '../base/group-by.ts';
import type { Budget } from './budget.ts';
import { findRegions } from './regions.ts';
import type { Wire, Wiring } from './wiring.ts';

// DF41: taking a loop transition resets the loop transitions whose both ends lie in its natural loop and whose own
// natural loop is strictly smaller: the inner ones, never itself nor one that shares its loop.
export function findLoopResets(wiring: Wiring, budget: Budget): Map<Wire, Wire[]> {
  const loops = wiring.wires.filter((wire) => wire.transition.loop !== undefined);
  const regions = loops.length === 0 ? [] : findRegions(wiring.outgoing.map((wires) => wires.map((wire) => wire.to)));
  const bodies = new Map(loops.map((loop) => [loop, findNaturalLoop(wiring, loop, { regions, budget })]));
  const byRegion = groupBy(loops, ({ from }) => regions[from]);
  return new Map(
    loops.map((loop): [Wire, Wire[]] => {
      // Where a loop goes back to an edge join, its next round begins the loops inside it anew (EJ13).
      if (loop.overEdges && regions[loop.from] === regions[loop.to]) return [loop, []];
      const body = bodies.get(loop) ?? new Set();
      const others = byRegion.get(regions[loop.from]) ?? [];
      if (!budget.spend(others.length)) return [loop, []];
      return [
        loop,
        others.filter((other) => {
          const isInside = body.has(other.from) && body.has(other.to);
          return isInside && (bodies.get(other)?.size ?? 0) < body.size;
        }),
      ];
    }),
  );
}

function findNaturalLoop(
  wiring: Wiring,
  loop: Wire,
  { regions, budget }: { regions: readonly number[]; budget: Budget },
): Set<number> {
  const body = new Set([loop.to, loop.from]);
  if (regions[loop.from] !== regions[loop.to]) return body;
  const queue = loop.from === loop.to ? [] : [loop.from];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const wire of wiring.inbound[node] ?? []) {
      if (!budget.spend(1)) return body;
      if (body.has(wire.from) || regions[wire.from] !== regions[loop.to]) continue;
      body.add(wire.from);
      queue.push(wire.from);
    }
  }
  return body;
}
