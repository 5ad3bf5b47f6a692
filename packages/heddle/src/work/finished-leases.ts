// Finished leases: those whose result was taken, so that a worker that asks again hears so. In memory, the newest only.

/** So many are remembered at least, and at most twice as many: 10,000 take about 2 MB. */
const rememberedMin = 10_000;

export class FinishedLeases {
  #newer = new Set<string>();
  #older = new Set<string>();

  has(text: string): boolean {
    return this.#newer.has(text) || this.#older.has(text);
  }

  add(text: string): void {
    this.#newer.add(text);
    if (this.#newer.size < rememberedMin) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
