// Check edge joins: what a join over edges asks of the graph around it. Rules DF33 to DF35.

import { labelOf } from './draft.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

export function checkEdgeJoins(
  wiring: Wiring,
  { regions, reporter }: { regions: readonly number[]; reporter: Reporter },
): void {
  for (const [number, inbound] of wiring.inbound.entries()) {
    const first = inbound.find((wire) => wire.overEdges);
    if (first === undefined) continue;
    checkAgreement(inbound, { first, reporter });
    checkFanOuts(inbound, reporter);
    checkCycle(wiring, { number, first, regions, reporter });
  }
}

// DF33: at one node all inbound transitions are joined over edges, alike, or none.
function checkAgreement(inbound: readonly Wire[], { first, reporter }: { first: Wire; reporter: Reporter }): void {
  for (const wire of inbound) {
    const { synchronization } = wire.transition;
    const pointer = reporter.origins.of(wire.transition, 'synchronization');
    if (!wire.overEdges) {
      const place = synchronization === undefined ? reporter.origins.of(wire.transition) : pointer;
      const message = `Expected all transitions into node "${wire.transition.to}" to be joined over edges, but ${labelOf(wire.transition)} is not`;
      reporter.error('EDGE_JOIN_MIXED', place, { message });
    } else if (requireOf(wire) !== requireOf(first)) {
      const ends = `${labelOf(first.transition)} and ${labelOf(wire.transition)}`;
      const message = `Expected ${ends} to agree on the join at node "${wire.transition.to}", but their "require" differs`;
      reporter.error('JOIN_DISAGREES', pointer, { message });
    }
  }
}

function requireOf({ transition: { synchronization } }: Wire): 'some' | 'all' {
  return (
    (synchronization !== undefined && 'require' in synchronization ? synchronization.require : undefined) ?? 'some'
  );
}

// DF34: no `foreach` and no `spawnCount` leads straight into an edge join.
function checkFanOuts(inbound: readonly Wire[], reporter: Reporter): void {
  for (const { transition, overEdges } of inbound) {
    const field = transition.foreach === undefined ? 'spawnCount' : 'foreach';
    if (!overEdges || transition[field] === undefined || transition[field] === 1) continue;
    const message = `Expected one token on each transition into the edge join at node "${transition.to}", but ${labelOf(transition)} has "${field}"`;
    const hint = 'Put a node between them.';
    reporter.error('FAN_OUT_INTO_EDGE_JOIN', reporter.origins.of(transition, field), { message, hint });
  }
}

interface CycleCheck {
  readonly number: number;
  readonly first: Wire;
  readonly regions: readonly number[];
  readonly reporter: Reporter;
}

// DF35: an edge join lies on no cycle.
function checkCycle(wiring: Wiring, { number, first, regions, reporter }: CycleCheck): void {
  const outgoing = wiring.outgoing[number] ?? [];
  if (!outgoing.some((wire) => regions[wire.to] === regions[number])) return;
  const message = `Expected the edge join at node "${first.transition.to}" to lie on no cycle, but a way leads from it back to it`;
  const hint = 'Move the body of the loop into a sub-workflow, so that the loop is one node.';
  reporter.error('EDGE_JOIN_ON_CYCLE', reporter.origins.of(first.transition, 'synchronization'), { message, hint });
}
