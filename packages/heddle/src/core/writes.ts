// Writes: what was written in a branch, by target, in the order of writing. A target without a value: what was there is
// removed.
//
// Always true: no target lies below a later one.

import type { Json } from '../base/json.ts';
import type { Write } from './events.ts';

/** Most branches write a target or two, and there may be 100,000 of them: no set for so few. */
const fewMax = 8;

export class Writes {
  readonly #values = new Map<string, Json | undefined>();
  /** Of every target so far, all that lies above it; some may be gone. Null while there are few, which are looked through. */
  #above: Set<string> | null = null;

  static of(writes: Iterable<Write>): Writes {
    const made = new Writes();
    for (const [target, value] of writes) made.set(target, value);
    return made;
  }

  get size(): number {
    return this.#values.size;
  }

  /** A write replaces what was written below it before. */
  set(target: string, value: Json | undefined): void {
    if (this.#values.size > 0) {
      if (this.#above?.has(target) ?? true) this.#dropBelow(target);
      this.#values.delete(target);
    }
    this.#values.set(target, value);
    if (this.#above) addAbove(this.#above, target);
    else if (this.#values.size > fewMax) {
      this.#above = new Set();
      for (const key of this.#values.keys()) addAbove(this.#above, key);
    }
  }

  #dropBelow(target: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(`${target}.`)) this.#values.delete(key);
  }

  targets(): string[] {
    return [...this.#values.keys()];
  }

  /** As events and snapshots have them. */
  list(): Write[] {
    return [...this.#values].map(([target, value]) => (value === undefined ? [target] : [target, value]));
  }

  [Symbol.iterator](): IterableIterator<[string, Json | undefined]> {
    return this.#values[Symbol.iterator]();
  }
}

function addAbove(above: Set<string>, target: string): void {
  for (let dot = target.lastIndexOf('.'); dot > 0; dot = target.lastIndexOf('.', dot - 1))
    above.add(target.slice(0, dot));
}
