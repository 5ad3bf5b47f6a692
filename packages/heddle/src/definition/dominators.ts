// Dominators: what every way to a place in the graph passes. Places are nodes and transitions; of each, the nearest
// place that no way from the start goes round (Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm").

import type { Budget } from './budget.ts';
import type { Wire, Wiring } from './wiring.ts';

/** A node by its number, a transition by its place in the list, counted on from the nodes. */
type Place = number;

export class Dominators {
  readonly #wiring: Wiring;
  readonly #placeOf: ReadonlyMap<Wire, Place>;
  /** The turn in which a place was numbered: every way leads to some higher one; -1 if none leads to it. */
  readonly #turn: number[];
  readonly #order: Place[];
  readonly #above: Place[];
  readonly isComplete: boolean;

  constructor(wiring: Wiring, { start, budget }: { start: number; budget: Budget }) {
    this.#wiring = wiring;
    const count = wiring.nodes.length;
    this.#placeOf = new Map(wiring.wires.map((wire, index) => [wire, count + index]));
    this.#order = this.#number(start);
    this.#turn = Array.from({ length: count + wiring.wires.length }, () => -1);
    for (const [turn, place] of this.#order.entries()) this.#turn[place] = turn;
    this.#above = this.#turn.map(() => -1);
    this.#above[start] = start;
    this.isComplete = this.#settle(start, budget);
  }

  /** Nodes that a way leads to, each after one that leads to it. */
  get reachedNodes(): readonly number[] {
    return this.#order.filter((place) => place < this.#wiring.nodes.length);
  }

  isReached(node: number): boolean {
    return (this.#turn[node] ?? -1) >= 0;
  }

  /** Whether a transition leads back to a node that it comes from, in the order in which nodes were reached. */
  leadsBack({ from, to }: Wire): boolean {
    return (this.#turn[to] ?? -1) <= (this.#turn[from] ?? -1);
  }

  /** The two transitions of one node by which all ways to these two part; null if they do not part at one node. */
  partingOf(left: Wire, right: Wire): readonly [Wire, Wire] | null {
    let [a, b] = [this.#placeOf.get(left) ?? -1, this.#placeOf.get(right) ?? -1];
    let [belowA, belowB] = [-1, -1];
    while (a !== b) {
      if ((this.#turn[a] ?? -1) > (this.#turn[b] ?? -1)) [belowA, a] = [a, this.#above[a] ?? -1];
      else [belowB, b] = [b, this.#above[b] ?? -1];
    }
    const [one, other] = [this.#wireAt(belowA), this.#wireAt(belowB)];
    return one === undefined || other === undefined ? null : [one, other];
  }

  #wireAt(place: Place): Wire | undefined {
    return this.#wiring.wires[place - this.#wiring.nodes.length];
  }

  /** Reverse postorder, with a stack of its own: no recursion over what an author wrote. */
  #number(start: number): Place[] {
    const order: Place[] = [];
    const seen = new Set<Place>([start]);
    const trail: { place: Place; next: number }[] = [{ place: start, next: 0 }];
    for (let step = trail.at(-1); step !== undefined; step = trail.at(-1)) {
      const target = this.#nextOf(step.place)[step.next];
      step.next += 1;
      if (target === undefined) {
        order.push(step.place);
        trail.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        trail.push({ place: target, next: 0 });
      }
    }
    return order.toReversed();
  }

  #nextOf(place: Place): readonly Place[] {
    const wire = this.#wireAt(place);
    if (wire !== undefined) return [wire.to];
    return (this.#wiring.outgoing[place] ?? []).map((each) => this.#placeOf.get(each) ?? -1);
  }

  #settle(start: number, budget: Budget): boolean {
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      for (const place of this.#order) {
        if (place === start) continue;
        if (!budget.spend(1 + this.#beforeOf(place).length)) return false;
        const above = this.#meetAll(this.#beforeOf(place));
        if (above === this.#above[place]) continue;
        this.#above[place] = above;
        isChanged = true;
      }
    }
    return true;
  }

  #beforeOf(place: Place): readonly Place[] {
    const wire = this.#wireAt(place);
    if (wire !== undefined) return [wire.from];
    return (this.#wiring.inbound[place] ?? []).map((each) => this.#placeOf.get(each) ?? -1);
  }

  #meetAll(places: readonly Place[]): Place {
    let met = -1;
    for (const place of places) {
      if ((this.#above[place] ?? -1) === -1) continue; // no way leads there, or none was looked at yet
      met = met === -1 ? place : this.#meet(met, place);
    }
    return met;
  }

  #meet(left: Place, right: Place): Place {
    let [a, b] = [left, right];
    while (a !== b) {
      if ((this.#turn[a] ?? -1) > (this.#turn[b] ?? -1)) a = this.#above[a] ?? -1;
      else b = this.#above[b] ?? -1;
    }
    return a;
  }
}
