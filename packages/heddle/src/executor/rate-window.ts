// Rate window: how often an action may start. Remembers the starts of the last `perMs` milliseconds.
//
// Always true: no window of `perMs` milliseconds, wherever it begins, holds more than `limit` starts (a window holds
// its beginning, not its end). A wall clock that is set back costs at most one window of waiting, never hours.

export interface Rate {
  readonly limit: number;
  readonly perMs: number;
}

export class RateWindow {
  readonly #limit: number;
  readonly #perMs: number;
  /** Times of starts, ascending; those before `#head` have left the window. */
  #starts: number[] = [];
  #head = 0;
  #latest = -Infinity;
  /** What the wall clock was set back by, in all. */
  #setBackMs = 0;

  constructor({ limit, perMs }: Rate) {
    this.#limit = limit;
    this.#perMs = perMs;
  }

  isOpen(now: number): boolean {
    this.#forget(this.#steady(now));
    return this.#starts.length - this.#head < this.#limit;
  }

  /** Notes a start; only while the window is open. */
  record(now: number): void {
    this.#starts.push(this.#steady(now));
  }

  /** When a closed window opens, in the clock's own time. */
  opensAt(now: number): number {
    this.#steady(now);
    return (this.#starts[this.#head] ?? -Infinity) + this.#perMs - this.#setBackMs;
  }

  #steady(now: number): number {
    const steady = now + this.#setBackMs;
    if (steady >= this.#latest) {
      this.#latest = steady;
      return steady;
    }
    this.#setBackMs += this.#latest - steady;
    return this.#latest;
  }

  #forget(now: number): void {
    const starts = this.#starts;
    // Below its length there is one.
    while (this.#head < starts.length && (starts[this.#head] as number) + this.#perMs <= now) this.#head += 1;
    if (this.#head === 0 || this.#head * 2 < starts.length) return;
    this.#starts = starts.slice(this.#head);
    this.#head = 0;
  }
}
