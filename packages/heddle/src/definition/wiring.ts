// Wiring: which node leads where, by number, for the checks and analyses that walk the graph. Made from a draft or
// from a finished definition; transitions whose ends are not both known are left out.

import type { NodeDefinition, SynchronizationDefinition, TransitionDefinition } from './definition.ts';
import { escapePointerKey } from './origins.ts';

export interface Wiring {
  readonly nodes: readonly NodeDefinition[];
  /** Position of a node in `nodes`, by id. */
  readonly numberOf: ReadonlyMap<string, number>;
  readonly wires: readonly Wire[];
  /** By node number, in definition order. */
  readonly outgoing: readonly (readonly Wire[])[];
  readonly inbound: readonly (readonly Wire[])[];
}

export interface Wire {
  readonly from: number;
  readonly to: number;
  readonly transition: TransitionDefinition;
  /** The group that it opens, if it opens one. */
  readonly opens: string | null;
  readonly join: SiblingJoin | null;
  readonly overEdges: boolean;
}

export interface SiblingJoin {
  readonly id: string;
  readonly node: number;
  readonly group: string | null;
}

export function wire(nodes: readonly NodeDefinition[], transitions: readonly TransitionDefinition[]): Wiring {
  const numberOf = new Map<string, number>();
  const known = nodes.filter(({ id }) => {
    if (numberOf.has(id)) return false;
    numberOf.set(id, numberOf.size);
    return true;
  });
  const outgoing: Wire[][] = known.map(() => []);
  const inbound: Wire[][] = known.map(() => []);
  const wires: Wire[] = [];
  for (const transition of transitions) {
    const [from, to] = [numberOf.get(transition.from), numberOf.get(transition.to)];
    if (from === undefined || to === undefined) continue;
    const made = makeWire(transition, { from, to });
    wires.push(made);
    outgoing[from]?.push(made);
    inbound[to]?.push(made);
  }
  return { nodes: known, numberOf, wires, outgoing, inbound };
}

function makeWire(transition: TransitionDefinition, { from, to }: { from: number; to: number }): Wire {
  const { synchronization } = transition;
  const overEdges = synchronization !== undefined && 'over' in synchronization;
  const join = synchronization === undefined || overEdges ? null : makeJoin(transition.to, to, synchronization);
  return { from, to, transition, opens: groupOpenedBy(transition), join, overEdges };
}

function makeJoin(nodeId: string, node: number, synchronization: SynchronizationDefinition): SiblingJoin {
  const group = ('siblingGroup' in synchronization ? synchronization.siblingGroup : undefined) ?? null;
  const id = escapePointerKey(nodeId);
  return { id: group === null ? id : `${id}/${escapePointerKey(group)}`, node, group };
}

/** A named group, or the implicit one of a `foreach` or a `spawnCount` above 1, named after the node. */
export function groupOpenedBy(transition: TransitionDefinition): string | null {
  if (transition.siblingGroup !== undefined) return transition.siblingGroup;
  return transition.foreach !== undefined || (transition.spawnCount ?? 1) > 1 ? transition.from : null;
}
