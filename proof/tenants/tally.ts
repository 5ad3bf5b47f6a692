// Tally: what was tried, and what was found wrong.

const violationsMost = 20;

export class Tally {
  readonly violations: string[] = [];
  readonly hints: string[] = [];
  readonly #counts = new Map<string, number>([
    ['forged requests', 0],
    ['keys lost', 0],
    ['runs beside hostile tenants', 0],
  ]);
  readonly #paces: number[] = [];
  bytesMost = 0;

  violate(violation: string): void {
    this.violations.push(violation);
  }

  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
  }

  /** The pace of a tenant beside hostile ones, as a part of its pace alone. */
  pace(ratio: number): void {
    this.#paces.push(ratio);
  }

  /** More of the same would tell nothing new. */
  get isHopeless(): boolean {
    return this.violations.length >= violationsMost;
  }

  counts(): Readonly<Record<string, number>> {
    const mean = this.#paces.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, this.#paces.length);
    return {
      '% of its pace kept by a tenant beside them': Math.round(100 * mean),
      ...Object.fromEntries(this.#counts),
      'MB of memory at most': Math.round(this.bytesMost / 1_048_576),
    };
  }
}
