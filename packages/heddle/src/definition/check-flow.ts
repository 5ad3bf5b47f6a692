// Check flow: warnings about what is legal but suspicious in how tokens move. Rules DF36 to DF39.

import { labelOf } from './draft.ts';
import { findRegions } from './regions.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

interface FlowCheck {
  readonly initialNode: string | undefined;
  readonly regions: readonly number[];
  readonly reporter: Reporter;
}

export function checkFlow(wiring: Wiring, check: FlowCheck): void {
  warnOfUnreachable(wiring, check);
  warnOfUnboundedLoops(wiring, check);
  warnOfIdleLoops(wiring, check);
  for (const outgoing of wiring.outgoing) warnOfRaces(wiring, outgoing, check);
}

// DF36: a node that no way leads to.
function warnOfUnreachable(wiring: Wiring, { initialNode, reporter }: FlowCheck): void {
  const start = initialNode === undefined ? undefined : wiring.numberOf.get(initialNode);
  if (start === undefined) return;
  const reached = new Set([start]);
  for (const node of reached) for (const wire of wiring.outgoing[node] ?? []) reached.add(wire.to);
  for (const [number, node] of wiring.nodes.entries()) {
    if (reached.has(number)) continue;
    const message = `Expected a way from "${initialNode}" to node "${node.id}", but there is none`;
    reporter.warning('UNREACHABLE_NODE', reporter.origins.of(node), { message });
  }
}

// DF37: a cycle in which no transition has a loop limit: only a condition, or the node limit of the run, ends it.
function warnOfUnboundedLoops(wiring: Wiring, { reporter }: FlowCheck): void {
  const isFree = ({ transition }: Wire): boolean => !reporter.origins.wasWritten(transition, 'loop');
  const regions = findRegions(wiring.outgoing.map((wires) => wires.filter(isFree).map((wire) => wire.to)));
  const warned = new Set<number | undefined>();
  for (const wire of wiring.wires.filter(isFree)) {
    const region = regions[wire.from];
    if (region !== regions[wire.to] || warned.has(region)) continue;
    warned.add(region);
    reporter.warning('UNBOUNDED_LOOP', reporter.origins.of(wire.transition), {
      message: `Expected a "loop" limit on the cycle through ${labelOf(wire.transition)}, but no transition of it has one`,
      hint: 'Add "loop": {"maxIterations": n} to the way back.',
    });
  }
}

// DF38: a loop limit on a transition that lies on no cycle.
function warnOfIdleLoops(wiring: Wiring, { regions, reporter }: FlowCheck): void {
  for (const { from, to, transition } of wiring.wires) {
    if (transition.loop === undefined || regions[from] === regions[to]) continue;
    const message = `Expected ${labelOf(transition)} to close a cycle, since it has a "loop" limit, but no way leads back`;
    reporter.warning('NO_EFFECT', reporter.origins.of(transition, 'loop'), { message });
  }
}

// DF39: transitions of one tier that fire together without a group, into nodes that write: whoever is last wins.
function warnOfRaces(wiring: Wiring, outgoing: readonly Wire[], { reporter }: FlowCheck): void {
  const free = outgoing.filter((wire) => wire.opens === null && wiring.nodes[wire.to]?.outputMapping !== undefined);
  const tiers = new Map<string, Wire[]>();
  for (const wire of free) {
    for (const outcome of listOutcomes(wire)) {
      const key = `${wire.transition.priority ?? 1} ${outcome}`;
      const tier = tiers.get(key);
      if (tier === undefined) tiers.set(key, [wire]);
      else tier.push(wire);
    }
  }
  const warned = new Set<Wire>();
  for (const tier of tiers.values()) {
    const [first, second] = findOverlap(tier) ?? [];
    if (first === undefined || second === undefined || warned.has(second)) continue;
    warned.add(second);
    reporter.warning('EQUAL_PRIORITIES', reporter.origins.of(second.transition), {
      message: `Expected ${labelOf(first.transition)} and ${labelOf(second.transition)} to exclude each other or to share a group, but both may fire and write shared state`,
      hint: 'Give them different priorities, or one "siblingGroup".',
    });
  }
}

function listOutcomes({ transition: { on = 'success' } }: Wire): string[] {
  return on === 'any' ? ['success', 'failure'] : [on];
}

/** Two transitions that surely can fire together: one is unconditional, or both have the same condition. */
function findOverlap(tier: readonly Wire[]): [Wire, Wire] | undefined {
  const able = tier.filter(({ transition }) => transition.condition !== false);
  const always = able.find(({ transition: { condition = true } }) => condition === true);
  const other = able.find((wire) => wire !== always);
  if (always !== undefined && other !== undefined) {
    return able.indexOf(always) < able.indexOf(other) ? [always, other] : [other, always];
  }
  const byCondition = new Map<string, Wire>();
  for (const wire of able) {
    const text = JSON.stringify(wire.transition.condition ?? true);
    const earlier = byCondition.get(text);
    if (earlier !== undefined) return [earlier, wire];
    byCondition.set(text, wire);
  }
  return undefined;
}
