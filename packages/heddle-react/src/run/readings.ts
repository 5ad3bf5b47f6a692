// Readings: the newest one of a source, and those who listen for the next.
//
// Always true: however fast things happen, listeners are told at most once in `tellEveryMs`, and of the last change always.

import type { RunReading } from './run-source.ts';

const tellEveryMs = 60;

export class Readings {
  readonly #listeners = new Set<() => void>();
  readonly #feed: { readonly open: () => void; readonly close: () => void };
  #current: RunReading;
  /** Makes the next reading of the current one, when it is time to tell. */
  #pending: ((current: RunReading) => RunReading) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(first: RunReading, feed: { readonly open: () => void; readonly close: () => void }) {
    this.#current = first;
    this.#feed = feed;
  }

  readonly read = (): RunReading => this.#current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#feed.open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#feed.close();
    };
  };

  /** At once: somebody waits for it. */
  change(next: (current: RunReading) => RunReading): void {
    this.#settle();
    this.#current = next(this.#current);
    for (const listener of this.#listeners) listener();
  }

  /** Soon: more of the same may come. `next` is made once for all that came meanwhile. */
  changeSoon(next: (current: RunReading) => RunReading): void {
    this.#pending = next;
    this.#timer ??= setTimeout(() => this.change((current) => current), tellEveryMs);
  }

  #settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending) this.#current = this.#pending(this.#current);
    this.#pending = null;
  }
}
