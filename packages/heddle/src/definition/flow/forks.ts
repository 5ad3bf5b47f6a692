// Forks: where a token is followed by several that share their branch. What one of them writes, another may read
// although no way leads from the one to the other: only time decides.

import type { Budget } from '../budget.ts';
import type { Wire, Wiring } from '../wiring.ts';

export class Forks {
  readonly #wiring: Wiring;
  readonly #budget: Budget;
  readonly #forks: readonly (readonly Wire[])[];
  readonly #reached = new Map<number, ReadonlySet<number>>();

  constructor(wiring: Wiring, budget: Budget) {
    this.#wiring = wiring;
    this.#budget = budget;
    this.#forks = wiring.outgoing.flatMap(findForks);
  }

  /** Whether node `writer` may be done while a token that shares its branch is on its way to node `reader`. */
  mayRunBeside(writer: number, reader: number): boolean {
    return this.#forks.some((wires) => {
      const toReader = wires.filter(({ to }) => this.#reach(to).has(reader));
      return wires.some((wire) => toReader.some((other) => other !== wire) && this.#reach(wire.to).has(writer));
    });
  }

  #reach(node: number): ReadonlySet<number> {
    const known = this.#reached.get(node);
    if (known !== undefined) return known;
    const reached = new Set([node]);
    for (const each of reached) {
      if (!this.#budget.spend(1)) break;
      for (const { to } of this.#wiring.outgoing[each] ?? []) reached.add(to);
    }
    this.#reached.set(node, reached);
    return reached;
  }
}

/** By tier and outcome: transitions that may fire together, unless they are the branches of one group. */
function findForks(outgoing: readonly Wire[]): Wire[][] {
  const tiers = new Map<string, Wire[]>();
  for (const wire of outgoing) {
    const { on = 'success', priority = 1 } = wire.transition;
    for (const outcome of on === 'any' ? ['success', 'failure'] : [on]) {
      const key = `${outcome} ${priority}`;
      const tier = tiers.get(key);
      if (tier === undefined) tiers.set(key, [wire]);
      else tier.push(wire);
    }
  }
  return [...tiers.values()].filter(([first, ...others]) =>
    others.some(({ opens }) => opens === null || opens !== first?.opens),
  );
}
