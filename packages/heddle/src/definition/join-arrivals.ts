// Join arrivals: how many branches of a group can come to a join, at most. Rule DF87.

import { findReads } from '../expression/reads.ts';
import { Budget } from './budget.ts';
import type { TransitionDefinition } from './definition.ts';
import { JoinFinder, type Opening } from './home-join.ts';
import type { Limits } from './limits.ts';
import type { SiblingJoin, Wiring } from './wiring.ts';

/** Of the steps that a definition may take to trace. */
const budgetShare = 0.1;

export class JoinArrivals {
  readonly #finder: JoinFinder;

  constructor(wiring: Wiring, { branchDepthMax: depthMax, definitionAnalysisMax }: Limits) {
    this.#finder = new JoinFinder(wiring, { depthMax, budget: new Budget(definitionAnalysisMax * budgetShare) });
  }

  // DF87: only branches whose ways lead to the join count, and of transitions for different outcomes one kind.
  countMost({ wires, ...opening }: Opening, join: SiblingJoin): number {
    const counts = wires.map((wire) => ({
      on: wire.transition.on ?? 'success',
      count: this.#leadsTo(join, { ...opening, wires: [wire] }) ? branchesOf(wire.transition) : 0,
    }));
    const after = (outcome: string): number =>
      counts.reduce((sum, { on, count }) => sum + (on === outcome || on === 'any' ? count : 0), 0);
    return Math.max(after('success'), after('failure'));
  }

  /** True also where that cannot be told. */
  #leadsTo({ id }: SiblingJoin, opening: Opening): boolean {
    const { joins, isExact } = this.#finder.trace(opening);
    return !isExact || this.#finder.budget.isSpent || joins.some((join) => join.id === id);
  }
}

/** Of a list that is written out its items. */
function branchesOf({ condition, foreach, spawnCount = 1 }: TransitionDefinition): number {
  if (condition === false) return 0;
  if (foreach === undefined) return spawnCount;
  const { form } = findReads(foreach.collection);
  return form.type === 'list' ? form.items.length : Infinity;
}
