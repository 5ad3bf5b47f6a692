// Check edge joins: what a join over edges asks of the graph around it. Rules DF33 to DF35.

import { labelOf } from './draft.ts';
import { findRegions } from './regions.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

export function checkEdgeJoins(
  wiring: Wiring,
  { regions, reporter }: { regions: readonly number[]; reporter: Reporter },
): void {
  let forward: readonly number[] | null = null;
  for (const [number, inbound] of wiring.inbound.entries()) {
    const first = inbound.find((wire) => wire.overEdges);
    if (first === undefined) continue;
    checkAgreement(inbound, { first, reporter });
    checkFanOuts(inbound, reporter);
    if (!isOnCycle(wiring, number, regions)) continue;
    forward ??= findRegions(
      wiring.outgoing.map((wires) => wires.filter((wire) => !leadsBack(wire, regions)).map(({ to }) => to)),
    );
    checkCycle(wiring, { number, first, regions, forward, reporter });
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
  /** Without what leads back. */
  readonly forward: readonly number[];
  readonly reporter: Reporter;
}

/** A loop transition within a cycle, into an edge join. */
function leadsBack({ overEdges, transition, from, to }: Wire, regions: readonly number[]): boolean {
  return overEdges && transition.loop !== undefined && regions[from] === regions[to];
}

function isOnCycle(wiring: Wiring, number: number, regions: readonly number[]): boolean {
  return wiring.outgoing[number]?.some((wire) => regions[wire.to] === regions[number]) ?? false;
}

// DF35: every cycle through an edge join goes back to an edge join by a transition with `loop`.
function checkCycle(wiring: Wiring, { number, first, regions, forward, reporter }: CycleCheck): void {
  const outgoing = wiring.outgoing[number] ?? [];
  const inCycle = (wire: Wire): boolean => forward[wire.to] === forward[number] && !leadsBack(wire, regions);
  if (!outgoing.some(inCycle)) return;
  const message = `Expected every cycle through the edge join at node "${first.transition.to}" to go back by a transition with "loop" that is joined over edges, but one does not`;
  const hint = 'Give "loop" and "maxIterations" to the transition that leads back, and join it over edges.';
  reporter.error('EDGE_JOIN_ON_CYCLE', reporter.origins.of(first.transition, 'synchronization'), { message, hint });
}
