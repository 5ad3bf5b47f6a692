// Feed watch: who waits for the next commit of shards that others own; all are asked about together.

interface Waiting {
  readonly shard: number;
  readonly end: number;
  readonly wake: () => void;
}

export class FeedWatch {
  readonly #waiting = new Set<Waiting>();
  #closed: Error | null = null;

  get followed(): readonly number[] {
    return [...new Set(Array.from(this.#waiting, ({ shard }) => shard))];
  }

  /** When the shard has commits behind this place, or the signal is aborted. */
  past(shard: number, end: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.#waiting.delete(one);
        signal?.removeEventListener('abort', wake);
        if (this.#closed) reject(this.#closed);
        else resolve();
      };
      const one: Waiting = { shard, end, wake };
      this.#waiting.add(one);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  hear(shards: readonly number[], ends: readonly number[]): void {
    const newest = new Map(shards.map((shard, index) => [shard, ends[index] ?? 0]));
    for (const { shard, end, wake } of this.#waiting) if ((newest.get(shard) ?? 0) > end) wake();
  }

  close(error: Error): void {
    this.#closed = error;
    for (const { wake } of this.#waiting) wake();
  }
}
