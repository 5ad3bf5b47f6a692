// Histogram: how many durations were at most so long. Plain numbers: one more costs a short search.

/** In seconds: from what a loopback request takes to what people take. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600] as const;

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
