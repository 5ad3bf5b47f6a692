// Visible writes: whether anything that may have been written before a read can be what it finds.
//
// A branch sees what was written in it and in the branches around it (rule CX1): so a write counts if a way leads from
// it to the read on which the branch of the write is never left.

import type { Budget } from '../budget.ts';
import type { Context, Contexts } from './contexts.ts';
import type { Flow, Write } from './flow.ts';
import type { WrittenValues } from './written-values.ts';

type Path = readonly (string | number)[];

interface Parts {
  readonly values: WrittenValues;
  readonly contexts: Contexts;
  readonly budget: Budget;
}

export class VisibleWrites {
  readonly #flow: Flow;
  readonly #parts: Parts;
  /** By context and path: the depth of the branch of a write that can be seen when the node begins. */
  readonly #seen = new Map<Context, Map<string, number>>();

  constructor(flow: Flow, parts: Parts) {
    this.#flow = flow;
    this.#parts = parts;
  }

  /** Whether a read at a node may find something; true also where that cannot be told. */
  isVisible(node: number, { path, ownCount }: { path: Path; ownCount: number }): boolean {
    const { contexts, budget } = this.#parts;
    let isReached = false;
    if (this.#provides((this.#flow.exits.get(node) ?? []).slice(0, ownCount), path)) return true;
    for (const context of contexts.at(node)) {
      isReached = true;
      if (this.#walkBack(context, path)) return true;
    }
    return !isReached || !contexts.isComplete || budget.isSpent;
  }

  /** The same at the end of a run, outside every branch. */
  isVisibleAtEnd(path: Path): boolean {
    const { contexts, values } = this.#parts;
    const { exits, entries, keepsUnjoined } = this.#flow;
    if (!contexts.isComplete) return true;
    return [...exits, ...entries].some(([node, writes]) => {
      const isKept = keepsUnjoined || [...contexts.at(node)].some(({ nest }) => nest === null);
      return isKept && writes.some((write) => values.provides(write, path));
    });
  }

  #writes(byNode: ReadonlyMap<number, readonly Write[]>, { context, path }: { context: Context; path: Path }): boolean {
    return this.#provides(byNode.get(context.node) ?? [], path);
  }

  #provides(writes: readonly Write[], path: Path): boolean {
    const { values, budget } = this.#parts;
    return !budget.spend(writes.length) || writes.some((write) => values.provides(write, path));
  }

  /** Goes back from the beginning of a node, along ways on which the deepest branches stay open first. */
  #walkBack(start: Context, path: Path): boolean {
    const name = JSON.stringify(path);
    const walk = new BackwardWalk();
    let found = this.#lookAtEntry(start, { path, open: Infinity });
    walk.arrive(start, Infinity);
    for (let step = walk.next(); step !== null && found === null; step = walk.next()) {
      if (!this.#parts.budget.spend(1)) return true;
      const { context, open } = step;
      const isOpen = depthOf(context) <= open;
      const known = this.#seen.get(context)?.get(name);
      if (isOpen && this.#writes(this.#flow.exits, { context, path })) found = depthOf(context);
      else if (known !== undefined && known <= open) found = known;
      else found = this.#lookAtEntry(context, { path, open });
      if (found === null) walk.arrive(context, open);
    }
    if (found !== null) this.#remember(start, { name, depth: found });
    return found !== null;
  }

  #lookAtEntry(context: Context, { path, open }: { path: Path; open: number }): number | null {
    const depth = depthOf(context);
    return depth <= open && this.#writes(this.#flow.entries, { context, path }) ? depth : null;
  }

  #remember(context: Context, { name, depth }: { name: string; depth: number }): void {
    const known = this.#seen.get(context) ?? new Map<string, number>();
    this.#seen.set(context, known.set(name, depth));
  }
}

const depthOf = ({ nest }: Context): number => nest?.depth ?? 0;

interface Step {
  readonly context: Context;
  /** The depth of the outermost branch between here and the read. */
  readonly open: number;
}

/** Contexts still to be looked at, those behind deeper branches first: the first visit to one is the best. */
class BackwardWalk {
  readonly #best = new Map<Context, number>();
  readonly #buckets: Context[][] = [];

  arrive(context: Context, open: number): void {
    const depth = Math.min(open, depthOf(context));
    for (const { context: from } of context.from) {
      if ((this.#best.get(from) ?? -1) >= depth) continue;
      this.#best.set(from, depth);
      (this.#buckets[depth] ??= []).push(from);
    }
  }

  next(): Step | null {
    for (let open = this.#buckets.length - 1; open >= 0; open -= 1) {
      const bucket = this.#buckets[open] ?? [];
      for (let context = bucket.pop(); context !== undefined; context = bucket.pop()) {
        if (this.#best.get(context) === open) return { context, open };
      }
    }
    return null;
  }
}
