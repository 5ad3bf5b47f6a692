// Named counts: one set of counters for each workflow or action, for so many names; all others share one.

/** MT2: so many names have figures of their own; those of the rest are under `other`. */
const namesMax = 200;
const rest = 'other';

export class NamedCounts<Counts> {
  readonly #make: () => Counts;
  readonly #byName = new Map<string, Counts>();

  constructor(make: () => Counts) {
    this.#make = make;
  }

  of(name: string): Counts {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const bounded = this.#byName.size < namesMax ? name : rest;
    const counts = this.#byName.get(bounded) ?? this.#make();
    this.#byName.set(bounded, counts);
    return counts;
  }

  entries(): IterableIterator<[string, Counts]> {
    return this.#byName.entries();
  }
}
