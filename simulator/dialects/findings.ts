// Findings: what an oracle sees that should not be. It looks on after the first one; only the first few are told, for
// the others often follow from it.

const toldMax = 3;

export class Findings {
  readonly #found: string[] = [];

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  add(finding: string): void {
    if (this.#found.length < toldMax) this.#found.push(finding);
  }

  /** Adds what is wrong unless the claim holds. */
  expect(holds: boolean, finding: () => string): void {
    if (!holds) this.add(finding());
  }

  /** Null if there are none. */
  tell(): string | null {
    return this.isEmpty ? null : this.#found.join('\n');
  }
}
