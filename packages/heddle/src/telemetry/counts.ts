// Counts: what meters add up: counters for each workflow or action, and how long things took. Plain numbers: one more costs a
// lookup and a short search.

/** MT2: so many names have figures of their own; those of the rest are under `other`. */
const namesMax = 200;
const rest = 'other';

/** One set of counters for each name, for so many names; all others share one. */
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

/** In seconds: from what a loopback request takes to what people take. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600] as const;

/** How many durations were at most so long. */
export class Histogram {
  /** Those between the bound before and this one; the last are longer than all bounds. */
  readonly #counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  #sumMs = 0;
  #count = 0;

  observe(ms: number): void {
    const seconds = ms / 1_000;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sumMs += ms;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  get sumSeconds(): number {
    return this.#sumMs / 1_000;
  }

  /** How many are at most so long, ascending; the last is all of them. */
  buckets(): readonly (readonly [bound: string, count: number])[] {
    let total = 0;
    return this.#counts.map((count, at) => {
      total += count;
      return [at < bounds.length ? String(bounds[at]) : '+Inf', total] as const;
    });
  }
}
