// Contexts: at which nodes a run can be inside which branches, and what led there. Rule DF66 is decided on it: what a
// branch writes is seen in it and in the branches inside it, never beside or behind it.
//
// Always true: a pair of (node, branches around it) is one context; walks are bounded by the budget and by a depth, and
// where one of them ends a walk early the whole is not complete, and nothing may be concluded from what is not there.

import type { Budget } from '../budget.ts';
import type { SiblingJoin, Wire, Wiring } from '../wiring.ts';

/** The branch that a token is in, as far as its kind goes; null outside every group. Equal ones are one object. */
export interface Nest {
  readonly group: string;
  /** Where it was opened. */
  readonly node: number;
  /** A slice of a batch, which no join leads out of. */
  readonly isSlice: boolean;
  readonly itemVar: string | null;
  /** The list that its item is from. */
  readonly collection: string | null;
  readonly outer: Nest | null;
  readonly depth: number;
  readonly inner: Map<string, Nest>;
}

export interface Context {
  readonly node: number;
  readonly nest: Nest | null;
  /** Where tokens here came from, and by which transition. */
  readonly from: { readonly context: Context; readonly wire: Wire }[];
}

const nestsMax = 12;

export class Contexts {
  readonly #wiring: Wiring;
  readonly #budget: Budget;
  readonly #byNode = new Map<number, Map<Nest | null, Context>>();
  readonly #roots = new Map<string, Nest>();
  #isComplete = true;

  constructor(wiring: Wiring, { start, budget }: { start: number; budget: Budget }) {
    this.#wiring = wiring;
    this.#budget = budget;
    const queue = [this.#enter(start, null).context];
    // From what is not complete nothing can be concluded: fan-outs on a cycle would multiply up to the budget for nothing.
    for (let next = queue.pop(); next !== undefined && this.isComplete; next = queue.pop()) this.#leave(next, queue);
  }

  /** False: there may be more contexts, and more ways into them. */
  get isComplete(): boolean {
    return this.#isComplete && !this.#budget.isSpent;
  }

  /** All contexts of a node; none if no way leads to it. */
  at(node: number): Iterable<Context> {
    return this.#byNode.get(node)?.values() ?? [];
  }

  #leave(context: Context, queue: Context[]): void {
    for (const wire of this.#wiring.outgoing[context.node] ?? []) {
      if (!this.#budget.spend(1)) return;
      const nest = this.#take(wire, context.nest);
      if (nest === undefined) continue;
      const { context: next, isNew } = this.#enter(wire.to, nest);
      next.from.push({ context, wire });
      if (isNew) queue.push(next);
    }
  }

  /** The branch that a token is in behind a transition; undefined if that is too deep to follow. */
  #take(wire: Wire, nest: Nest | null): Nest | null | undefined {
    const isSlice = wire.transition.on === 'slice';
    const opens = wire.opens ?? (isSlice ? wire.transition.from : null);
    const inside = opens === null ? nest : this.#open(wire, { nest, group: opens, isSlice });
    return inside === undefined || wire.join === null ? inside : joinAt(wire.join, inside);
  }

  #open(
    { from: node, transition: { foreach } }: Wire,
    { nest: outer, group, isSlice }: { nest: Nest | null; group: string; isSlice: boolean },
  ): Nest | undefined {
    const itemVar = foreach?.itemVar ?? null;
    const collection = foreach?.collection ?? null;
    const siblings = outer?.inner ?? this.#roots;
    const key = JSON.stringify([node, group, isSlice, itemVar, collection]);
    const known = siblings.get(key);
    if (known !== undefined) return known;
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > nestsMax) {
      this.#isComplete = false;
      return undefined;
    }
    const made: Nest = { group, node, isSlice, itemVar, collection, outer, depth, inner: new Map() };
    siblings.set(key, made);
    return made;
  }

  #enter(node: number, nest: Nest | null): { context: Context; isNew: boolean } {
    const contexts = this.#byNode.get(node) ?? new Map<Nest | null, Context>();
    this.#byNode.set(node, contexts);
    const known = contexts.get(nest);
    if (known !== undefined) return { context: known, isNew: false };
    const context: Context = { node, nest, from: [] };
    contexts.set(nest, context);
    return { context, isNew: true };
  }
}

/** As rules SY1, SY3 and BA5 say: by name the nearest, else the innermost; who is in none passes through. */
function joinAt({ group }: SiblingJoin, nest: Nest | null): Nest | null {
  for (let at = nest; at !== null && !at.isSlice; at = at.outer) {
    if (group === null || at.group === group) return at.outer;
  }
  return nest;
}
