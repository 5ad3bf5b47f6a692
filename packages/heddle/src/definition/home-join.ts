// Home join: which joins can bring together a group that is opened somewhere, found by walking from its opening
// transitions and keeping track of the groups opened since. Rule DF40.
//
// Always true: the walk visits a pair of (node, groups opened since) once; groups inside groups are followed to the
// depth that a run may reach. In a graph without cycles it is exact.

import type { Budget } from './budget.ts';
import type { SiblingJoin, Wire, Wiring } from './wiring.ts';

/** All transitions of one tier of one node that open one group: the birthplace of its instances. */
export interface Opening {
  readonly node: number;
  readonly group: string;
  readonly wires: readonly Wire[];
}

export interface JoinedOpening {
  readonly opening: Opening;
  /** The joins over its group that its branches can reach. */
  readonly joins: readonly SiblingJoin[];
}

/** Where the branches of an opening lead. */
export interface Trace extends Pick<JoinedOpening, 'joins'> {
  /** Nodes that they visit before the join: those in the branch itself, and all, groups opened inside included. */
  readonly direct: ReadonlySet<number>;
  readonly inside: ReadonlySet<number>;
  /** False where a group is opened inside itself, round a cycle: there may be more joins. */
  readonly isExact: boolean;
}

function findOpenings(wiring: Wiring): Opening[] {
  const openings = new Map<string, { node: number; group: string; wires: Wire[] }>();
  for (const wire of wiring.wires) {
    if (wire.opens === null) continue;
    const key = JSON.stringify([wire.from, wire.transition.priority ?? 1, wire.opens]);
    const opening = openings.get(key);
    if (opening === undefined) openings.set(key, { node: wire.from, group: wire.opens, wires: [wire] });
    else opening.wires.push(wire);
  }
  return [...openings.values()];
}

/** Groups opened since, innermost first; null for none. Interned: equal stacks are one object. */
interface Stack {
  readonly number: number;
  readonly group: string;
  /** Where it was opened. */
  readonly node: number;
  readonly outer: Stack | null;
  readonly depth: number;
  readonly inner: Map<string, Stack>;
}

/** Finds the joins of openings; keeps what several of them need. */
export class JoinFinder {
  readonly wiring: Wiring;
  readonly openings: readonly Opening[];
  readonly depthMax: number;
  readonly budget: Budget;
  readonly #reached = new Map<string, ReadonlySet<number>>();

  constructor(wiring: Wiring, { depthMax, budget }: { depthMax: number; budget: Budget }) {
    this.wiring = wiring;
    this.openings = findOpenings(wiring);
    this.depthMax = depthMax;
    this.budget = budget;
  }

  /** The joins over the group of `opening` that its branches can reach, in order of the walk, and the nodes on the way. */
  trace(opening: Opening): Trace {
    return new Walk(this, opening).run();
  }

  /** Whether a token at `node` may be in an instance of `group`: some opening of it leads there. */
  mayEnclose(group: string, node: number): boolean {
    const reached = this.#reached.get(group) ?? this.#reach(group);
    this.#reached.set(group, reached);
    return reached.has(node);
  }

  #reach(group: string): ReadonlySet<number> {
    const reached = new Set<number>();
    const queue = this.openings.filter((opening) => opening.group === group).flatMap(({ wires }) => [...wires]);
    for (let wire = queue.pop(); wire !== undefined && this.budget.spend(1); wire = queue.pop()) {
      if (reached.has(wire.to)) continue;
      reached.add(wire.to);
      for (const next of this.wiring.outgoing[wire.to] ?? []) queue.push(next);
    }
    return reached;
  }
}

class Walk {
  readonly #finder: JoinFinder;
  readonly #opening: Opening;
  readonly #found = new Map<string, SiblingJoin>();
  readonly #seen = new Map<number, Set<number>>();
  readonly #queue: { node: number; stack: Stack | null }[] = [];
  readonly #roots = new Map<string, Stack>();
  #stacks = 0;
  #isExact = true;

  constructor(finder: JoinFinder, opening: Opening) {
    this.#finder = finder;
    this.#opening = opening;
  }

  run(): Trace {
    this.#walk();
    const inside = new Set(this.#seen.keys());
    const direct = new Set([...inside].filter((node) => this.#seen.get(node)?.has(0)));
    return { joins: [...this.#found.values()], direct, inside, isExact: this.#isExact };
  }

  #walk(): void {
    for (const wire of this.#opening.wires) this.#arrive(wire, null);
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      for (const wire of this.#finder.wiring.outgoing[next.node] ?? []) {
        if (wire.transition.on === 'slice') continue; // no branch of ours leaves a slice (rule BA5)
        if (!this.#finder.budget.spend(1)) return;
        this.#take(wire, next.stack);
      }
    }
  }

  #take(wire: Wire, stack: Stack | null): void {
    if (wire.opens === null || (stack?.depth ?? 0) < this.#finder.depthMax) this.#arrive(wire, this.#push(stack, wire));
  }

  #arrive(wire: Wire, stack: Stack | null): void {
    if (wire.join === null) this.#enter(wire.to, stack);
    else this.#joinAt(wire.join, stack);
  }

  // DF40: a join over the group itself is a candidate and ends the walk there; one over a group opened since closes
  // that; one over a group around ours leaves it.
  #joinAt(join: SiblingJoin, stack: Stack | null): void {
    if (join.group === null) {
      if (stack === null) this.#found.set(join.id, join);
      else this.#enter(join.node, stack.outer);
      return;
    }
    for (let at = stack; at !== null; at = at.outer) {
      if (at.group === join.group) return this.#enter(join.node, at.outer);
    }
    if (join.group === this.#opening.group) this.#found.set(join.id, join);
    else if (!this.#finder.mayEnclose(join.group, this.#opening.node)) this.#enter(join.node, stack);
  }

  #enter(node: number, stack: Stack | null): void {
    const number = stack?.number ?? 0;
    const seen = this.#seen.get(node) ?? new Set();
    if (seen.has(number)) return;
    this.#seen.set(node, seen.add(number));
    this.#queue.push({ node, stack });
  }

  /** A group that is opened at the same node inside itself counts once: a way round then adds nothing new. */
  #push(outer: Stack | null, { from: node, opens: group }: Wire): Stack | null {
    if (group === null) return outer;
    for (let at = outer; at !== null; at = at.outer) {
      if (at.group !== group || at.node !== node) continue;
      this.#isExact = false;
      return at;
    }
    const siblings = outer?.inner ?? this.#roots;
    const key = `${node} ${group}`;
    const known = siblings.get(key);
    if (known !== undefined) return known;
    this.#stacks += 1;
    const depth = (outer?.depth ?? 0) + 1;
    const made: Stack = { number: this.#stacks, group, node, outer, depth, inner: new Map() };
    siblings.set(key, made);
    return made;
  }
}
