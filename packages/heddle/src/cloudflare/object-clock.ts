// Object clock: time in a Durable Object. What is due soon is called by a timer of the runtime; what is due later, by the object's
// alarm, for an object with a timer stays in memory until it fires.
//
// Always true: what was to be called later is forgotten with the object; whoever wakes it finds in the rows what is due.

import type { Clock } from '../actor/ports.ts';
import { systemClock } from '../actor/system-clock.ts';

/** An object leaves memory when nothing was asked of it for about ten seconds. */
const soonMs = 10_000;

interface Later {
  readonly at: number;
  readonly callback: () => void;
}

export class ObjectClock implements Clock {
  readonly #system = systemClock();
  readonly #later = new Set<Later>();
  readonly #wakeAt: (at: number) => void;

  /** `wakeAt` sets the object's alarm, if it is not set for an earlier time. */
  constructor(wakeAt: (at: number) => void) {
    this.#wakeAt = wakeAt;
  }

  now(): number {
    return this.#system.now();
  }

  elapsed(): number {
    return performance.now();
  }

  defer(callback: () => void): void {
    this.#system.defer(callback);
  }

  schedule(at: number, callback: () => void): () => void {
    return this.#isSoon(at) ? this.#system.schedule(at, callback) : this.#callLater(at, callback);
  }

  wakeAt(at: number, callback: () => void): () => void {
    return this.#isSoon(at) ? this.#system.wakeAt(at, callback) : this.#callLater(at, callback);
  }

  // DO5: what is due later is the alarm's.
  #isSoon(at: number): boolean {
    return at - this.now() <= soonMs;
  }

  #callLater(at: number, callback: () => void): () => void {
    const later = { at, callback };
    this.#later.add(later);
    this.#wakeAt(at);
    return () => this.#later.delete(later);
  }

  /** The alarm has rung. */
  ring(): void {
    const now = this.now();
    for (const later of this.#later) {
      if (later.at > now) continue;
      this.#later.delete(later);
      later.callback();
    }
    for (const { at } of this.#later) this.#wakeAt(at);
  }
}
