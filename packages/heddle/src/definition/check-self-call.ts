// Check self call: a workflow that always calls itself never ends. Rule DF61.

import type { NodeDefinition, WorkflowCall } from './definition.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

interface CheckContext {
  readonly start: number;
  readonly definition: { readonly id?: string; readonly version?: number };
  /** Where a node says which workflow it calls. */
  readonly pointerOf: (node: number) => string;
  readonly reporter: Reporter;
}

// DF61: a workflow whose every way leads to a call of itself nests until a failure or a limit ends it.
export function checkSelfCalls(wiring: Wiring, { start, definition, pointerOf, reporter }: CheckContext): void {
  const calls = new Set([...wiring.nodes.keys()].filter((number) => isCallOf(definition, wiring.nodes[number])));
  if (calls.size === 0 || !leadThere(wiring, calls).has(start)) return;
  const first = nearestOf(calls, { wiring, start });
  reporter.warning('CALLS_ITSELF', pointerOf(first), {
    message: `Expected a way on which workflow "${definition.id}" does not call itself, but every way leads to node "${wiring.nodes[first]?.id}", which does: runs nest up to the limit nestingMax and fail`,
    hint: 'Give the way to the call a condition, and another way an end.',
  });
}

function isCallOf({ id, version }: CheckContext['definition'], node: NodeDefinition | undefined): boolean {
  const call: WorkflowCall | undefined = typeof node?.workflow === 'string' ? { id: node.workflow } : node?.workflow;
  return call !== undefined && call.id === id && (call.version === undefined || call.version === version);
}

/** The first that a way leads to. */
function nearestOf(calls: ReadonlySet<number>, { wiring, start }: { wiring: Wiring; start: number }): number {
  const reached = new Set([start]);
  for (const node of reached) {
    if (calls.has(node)) return node;
    for (const { to } of wiring.outgoing[node] ?? []) reached.add(to);
  }
  return start;
}

/** All nodes from which every way that a success can take leads to one of `targets`. */
function leadThere(wiring: Wiring, targets: ReadonlySet<number>): ReadonlySet<number> {
  const bound = new Set(targets);
  for (const node of bound) {
    for (const { from } of wiring.inbound[node] ?? []) if (isBound(wiring, { node: from, bound })) bound.add(from);
  }
  return bound;
}

/** Up to the first tier that surely fires, whatever fires leads there. */
function isBound(wiring: Wiring, { node, bound }: { node: number; bound: ReadonlySet<number> }): boolean {
  if (handlesFailure(wiring, node)) return false;
  for (const tier of groupByPriority(wiring.outgoing[node] ?? [])) {
    const leads = ({ to }: Wire): boolean => bound.has(to);
    if (tier.some((wire) => isSure(wire) && leads(wire))) return true;
    if (tier.some(isSure) || !tier.every(leads)) return false;
  }
  return false;
}

const handlesFailure = ({ outgoing }: Wiring, node: number): boolean =>
  (outgoing[node] ?? []).some(({ transition: { on } }) => on === 'failure' || on === 'any');

const isSure = ({ transition: { condition = true, loop, foreach, synchronization } }: Wire): boolean =>
  condition === true && loop === undefined && foreach === undefined && synchronization === undefined;

/** Of a success, the lowest priority first. */
function groupByPriority(outgoing: readonly Wire[]): readonly (readonly Wire[])[] {
  const tiers = new Map<number, Wire[]>();
  for (const wire of outgoing) {
    if (wire.transition.on === 'slice') continue;
    const priority = wire.transition.priority ?? 1;
    tiers.set(priority, [...(tiers.get(priority) ?? []), wire]);
  }
  return [...tiers].toSorted(([left], [right]) => left - right).map(([, wires]) => wires);
}
