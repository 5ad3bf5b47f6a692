// Live events: what is not in the journal (how far tasks are), among what is. It has no id: a reader that comes back has
// missed it, and sees the next.
//
// Always true: of each task only the newest is kept for a reader that has no room, and of no more than so many tasks.

import type { TaskProgress } from '../actor/observers.ts';
import type { SentEvent } from './event-stream.ts';

type Subscribe = (listener: (progress: TaskProgress) => void) => () => void;

const tasksMax = 1_000;

export class LiveEvents implements AsyncIterator<SentEvent> {
  readonly #source: AsyncIterator<SentEvent>;
  readonly #unsubscribe: () => void;
  readonly #progress = new Map<string, TaskProgress>();
  /** The source was asked, and what it says has not come or was not taken. */
  #isAsked = false;
  #taken: IteratorResult<SentEvent> | Error | null = null;
  #wake: (() => void) | null = null;

  constructor(source: AsyncIterator<SentEvent>, subscribe: Subscribe) {
    this.#source = source;
    this.#unsubscribe = subscribe((progress) => this.#hear(progress));
  }

  async next(): Promise<IteratorResult<SentEvent>> {
    for (;;) {
      const event = this.#takeOne();
      if (event !== null) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (!this.#isAsked) void this.#ask();
      });
    }
  }

  async return(): Promise<IteratorResult<SentEvent>> {
    this.#unsubscribe();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  // SE7: what the journal has comes first; how far a task is follows when there is nothing else to tell.
  #takeOne(): IteratorResult<SentEvent> | null {
    const taken = this.#taken;
    if (taken !== null) {
      this.#taken = null;
      this.#isAsked = false;
      if (taken instanceof Error) throw taken;
      if (taken.done === true) this.#unsubscribe();
      return taken;
    }
    for (const [key, progress] of this.#progress) {
      this.#progress.delete(key);
      return { done: false, value: { name: 'progress', data: progress } };
    }
    return null;
  }

  async #ask(): Promise<void> {
    this.#isAsked = true;
    try {
      this.#taken = await this.#source.next();
    } catch (error) {
      this.#taken = error instanceof Error ? error : new Error(String(error));
    }
    this.#wake?.();
  }

  #hear(progress: TaskProgress): void {
    const key = `${progress.runId}/${progress.tokenId}`;
    this.#progress.delete(key);
    if (this.#progress.size < tasksMax) this.#progress.set(key, progress);
    this.#wake?.();
  }
}
