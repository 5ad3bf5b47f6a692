// Check self call: a workflow that always calls itself never ends. Rule DF61.

import type { NodeDefinition, WorkflowCall } from './definition.ts';
import type { Draft } from './draft.ts';
import type { Reporter } from './reporter.ts';
import type { Wire, Wiring } from './wiring.ts';

/** A call of the workflow by itself. */
interface SelfCall {
  readonly node: number;
  readonly pointer: string;
}

interface Surroundings {
  readonly start: number;
  readonly draft: Draft;
  readonly reporter: Reporter;
}

// DF61: a workflow whose every way leads to a call of itself nests until a failure or a limit ends it.
export function checkSelfCalls(wiring: Wiring, { start, draft, reporter }: Surroundings): void {
  const calls = wiring.nodes.flatMap((node, number) => callOf(node, { number, draft, reporter }));
  if (calls.length === 0) return;
  const bound = leadThere(wiring, new Set(calls.map(({ node }) => node)));
  const first = calls.find(({ node }) => bound.has(node));
  if (!bound.has(start) || first === undefined) return;
  reporter.warning('CALLS_ITSELF', first.pointer, {
    message: `Expected a way on which workflow "${draft.id}" does not call itself, but every way leads to node "${wiring.nodes[first.node]?.id}", which does: runs nest up to the limit nestingMax and fail`,
    hint: 'Give the way to the call a condition, and another way an end.',
  });
}

function callOf(
  node: NodeDefinition,
  { number, draft, reporter }: { number: number; draft: Draft; reporter: Reporter },
): SelfCall[] {
  const call: WorkflowCall | undefined = typeof node.workflow === 'string' ? { id: node.workflow } : node.workflow;
  if (call === undefined || call.id !== draft.id) return [];
  if (call.version !== undefined && call.version !== draft.version) return [];
  return [{ node: number, pointer: reporter.origins.of(node, 'workflow') }];
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
  for (const tier of tiersOf(wiring.outgoing[node] ?? [])) {
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
function tiersOf(outgoing: readonly Wire[]): readonly (readonly Wire[])[] {
  const tiers = new Map<number, Wire[]>();
  for (const wire of outgoing) {
    if (wire.transition.on === 'slice') continue;
    const priority = wire.transition.priority ?? 1;
    tiers.set(priority, [...(tiers.get(priority) ?? []), wire]);
  }
  return [...tiers].toSorted(([left], [right]) => left - right).map(([, wires]) => wires);
}
