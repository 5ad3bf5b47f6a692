// Writes: what was written in a branch, by target, in the order of writing. A target without a value: what was there is
// removed.
//
// Always true: no target lies below a later one.

import type { Json } from '../base/json.ts';
import type { Write } from './events.ts';

export class Writes {
  readonly #values = new Map<string, Json | undefined>();
  /** Of every target so far, all that lies above it; some may be gone. */
  readonly #above = new Set<string>();

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
    if (this.#above.has(target)) {
      for (const key of this.#values.keys()) if (key.startsWith(`${target}.`)) this.#values.delete(key);
    }
    this.#values.delete(target);
    this.#values.set(target, value);
    for (let dot = target.lastIndexOf('.'); dot > 0; dot = target.lastIndexOf('.', dot - 1))
      this.#above.add(target.slice(0, dot));
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
