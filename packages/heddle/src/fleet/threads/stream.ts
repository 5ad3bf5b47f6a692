// Stream: what a shard reads for another thread, item by item. The reader asks for more when it has used what it has; the shard
// reads ahead meanwhile, so far and no further.

import { asError } from '../../actor/store-error.ts';
import type { Line } from './line.ts';

/** Read ahead of whoever reads, in the shard. */
const aheadMax = 64;

interface Portion<Item = unknown> {
  readonly items: readonly Item[];
  readonly isOver: boolean;
}

/** In the thread of the shard: what is being read. */
export class Streams {
  readonly #open = new Map<number, ReadAhead>();

  /** The next items, of a stream that begins if it has not. */
  async next(id: number, begin: (signal: AbortSignal) => AsyncIterableIterator<unknown>): Promise<Portion> {
    const known = this.#open.get(id);
    const stream = known ?? new ReadAhead(begin);
    if (!known) this.#open.set(id, stream);
    return stream.next();
  }

  /** Its reader is told no more than what there is. */
  stop(id: number): void {
    this.#open.get(id)?.stop();
  }

  end(id: number): void {
    this.stop(id);
    this.#open.delete(id);
  }
}

class ReadAhead {
  readonly #stopping = new AbortController();
  #items: unknown[] = [];
  #isOver = false;
  #fault: Error | null = null;
  #wakeReader: () => void = () => undefined;
  #wakeSource: () => void = () => undefined;

  constructor(begin: (signal: AbortSignal) => AsyncIterableIterator<unknown>) {
    void this.#fill(begin);
  }

  async #fill(begin: (signal: AbortSignal) => AsyncIterableIterator<unknown>): Promise<void> {
    try {
      for await (const item of begin(this.#stopping.signal)) {
        this.#items.push(item);
        this.#wakeReader();
        if (this.#items.length >= aheadMax) await this.#room();
        if (this.#stopping.signal.aborted) break;
      }
    } catch (error) {
      this.#fault = asError(error);
    }
    this.#isOver = true;
    this.#wakeReader();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeSource = resolve;
    });
  }

  async next(): Promise<Portion> {
    while (this.#items.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    if (this.#items.length === 0 && this.#fault) throw this.#fault;
    const items = this.#items;
    this.#items = [];
    this.#wakeSource();
    return { items, isOver: this.#isOver && this.#fault === null };
  }

  stop(): void {
    this.#stopping.abort();
    this.#wakeSource();
  }
}

let newest = 0;

/** In the other thread: the items, as the shard reads them. */
export async function* readFar<Item>(
  line: Line,
  what: readonly unknown[],
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Item> {
  if (signal?.aborted) return;
  newest += 1;
  const id = newest;
  const stop = (): void => line.tell('stopStream', id);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { items, isOver } = await line.ask<Portion<Item>>('nextItems', [id, ...what]);
      yield* items;
      if (isOver) return;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    line.tell('endStream', id);
  }
}
