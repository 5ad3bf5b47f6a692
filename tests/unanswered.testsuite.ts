// Unanswered: what a host that answers later was asked, and has not answered yet: virtual time stands still meanwhile.

export class Unanswered {
  readonly #calls = new Set<Promise<unknown>>();

  /** Null if there is nothing. */
  readonly wait = (): Promise<unknown> | null => (this.#calls.size === 0 ? null : Promise.all(this.#calls));

  /** The same store, or part of one, whose calls are counted. */
  watch<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === 'object' && value !== null) return this.watch(value);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => this.#count(Reflect.apply(value, target, args) as unknown);
      },
    });
  }

  #count(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    const call: Promise<unknown> = answer.then(
      () => this.#calls.delete(call),
      () => this.#calls.delete(call),
    );
    this.#calls.add(call);
    return answer;
  }
}
