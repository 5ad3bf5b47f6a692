// Polls: calls that wait for tasks, by the actions that they ask for, in the order in which they came.

export interface Poll {
  readonly actions: readonly string[];
}

export class Polls<P extends Poll> {
  readonly #byAction = new Map<string, Set<P>>();
  readonly #all = new Set<P>();

  get size(): number {
    return this.#all.size;
  }

  add(poll: P): void {
    this.#all.add(poll);
    for (const action of poll.actions) {
      const polls = this.#byAction.get(action) ?? new Set();
      this.#byAction.set(action, polls.add(poll));
    }
  }

  /** Whether it still waited. */
  remove(poll: P): boolean {
    if (!this.#all.delete(poll)) return false;
    for (const action of poll.actions) {
      const polls = this.#byAction.get(action);
      polls?.delete(poll);
      if (polls?.size === 0) this.#byAction.delete(action);
    }
    return true;
  }

  waitFor(action: string): boolean {
    return this.#byAction.has(action);
  }

  /** Those that ask for an action; they may be removed on the way. */
  of(action: string): Iterable<P> {
    return this.#byAction.get(action) ?? [];
  }

  all(): readonly P[] {
    return [...this.#all];
  }
}
