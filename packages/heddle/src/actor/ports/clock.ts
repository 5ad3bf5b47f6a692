// Clock: the time, and being called at a time.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets; `now` if absent. */
  elapsed?(): number;
  /** Calls back once, after as long as `at` is away now, however the clock is set meanwhile; the answer cancels it. */
  schedule(at: number, callback: () => void): () => void;
  /** Calls back once when `now()` shows `at` or later, also if the clock was set or the machine slept; so for deadlines. */
  wakeAt(at: number, callback: () => void): () => void;
  /** Calls back soon, after everything that is already due to run: what one turn of work is collected by. */
  defer(callback: () => void): void;
  /** From 0 to below 1, for the ids of runs; `Math.random` if absent. */
  random?: () => number;
}
