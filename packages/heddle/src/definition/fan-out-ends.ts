// Fan-out ends: the nodes at which the branch that fanned out can resume, which are the joins over the group. Rule EJ9.
//
// Always true: no end is missed. The drawing may show more of them than any run has: a join without a name counts also
// where it can only join a group further in, and once the analysis has taken `stepsMax` steps every join counts.

import { Budget } from './budget.ts';
import type { Wire, Wiring } from './wiring.ts';

/** Names the fan-out of a group at a node. Neither has a line break in it (see `names.ts`). */
export function fanOutKey(node: string, group: string): string {
  return `${group}\n${node}`;
}

/** Enough for 2,000 fan-outs with 500 transitions behind each; takes 20 ms. */
const stepsMax = 1_000_000;

/** A fan-out that leads to every join. */
const anywhere = fanOutKey('', '');

export class FanOutEnds {
  readonly #wiring: Wiring;
  readonly #budget = new Budget(stepsMax);
  readonly #ends = new Map<string, readonly string[]>();

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
    const joined = wiring.wires.flatMap(({ join, transition }) => (join === null ? [] : [transition.to]));
    this.#ends.set(anywhere, [...new Set(joined)]);
  }

  /** The key of the fan-out that a transition is part of. */
  keyOf({ from, transition }: Wire, group: string): string {
    const key = fanOutKey(transition.from, group);
    if (!this.#ends.has(key)) this.#ends.set(key, this.#find(from, group) ?? [anywhere]);
    return key;
  }

  /** What a fan-out leads to. Undefined for what is not the key of one. */
  of(key: string): readonly string[] | undefined {
    return this.#ends.get(key);
  }

  // EJ9: a fan-out leads to the joins over its group that its branches can come to.
  #find(node: number, group: string): string[] | null {
    const queue = (this.#wiring.outgoing[node] ?? []).filter(({ opens }) => opens === group);
    const ends = new Set<string>();
    const seen = new Set<number>();
    for (let wire = queue.pop(); wire !== undefined; wire = queue.pop()) {
      if (!this.#budget.spend(1)) return null;
      const { join, to, transition } = wire;
      if (transition.on === 'slice') continue; // nobody arrives from inside a slice (rule BA5)
      if (join !== null && (join.group ?? group) === group) ends.add(transition.to);
      if (seen.has(to)) continue;
      seen.add(to);
      queue.push(...(this.#wiring.outgoing[to] ?? []));
    }
    return [...ends];
  }
}
