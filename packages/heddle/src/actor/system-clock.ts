// The system's clock, on whatever runtime this is.

import type { Clock } from './ports.ts';

interface Timers {
  setTimeout(callback: () => void, ms: number): { unref?: () => void };
  clearTimeout(timer: unknown): void;
  setImmediate?(callback: () => void): unknown;
}

/** Timers hold at most 2^31 - 1 ms; a longer wait is made of several. */
const longestMs = 2_147_483_647;
/** How often the clock is looked at while a deadline is armed. */
const lookMs = 2_000;

export function systemClock(): Clock {
  // Every runtime has these; none of their types is in all of our compilations.
  const timers = globalThis as unknown as Timers;
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    // TM8: what is left until `at` is measured by a clock that nobody sets.
    schedule: (at, callback) => {
      const due = performance.now() + at - Date.now();
      return armInSteps(timers, { leftMs: () => due - performance.now(), stepMs: longestMs }, callback);
    },
    // TM7: a deadline is compared with the clock every few seconds, for timers stand still while a machine sleeps, and
    // do not learn that the clock was set.
    wakeAt: (at, callback) => armInSteps(timers, { leftMs: () => at - Date.now(), stepMs: lookMs }, callback),
    defer: timers.setImmediate
      ? (callback) => void timers.setImmediate?.(callback)
      : (callback) => void timers.setTimeout(callback, 0),
  };
}

interface Wait {
  readonly leftMs: () => number;
  /** The longest that one timer takes; then what is left is asked again. */
  readonly stepMs: number;
}

function armInSteps(timers: Timers, { leftMs, stepMs }: Wait, callback: () => void): () => void {
  let timer: unknown;
  const arm = (ms: number): void => {
    timer = timers.setTimeout(look, Math.max(0, Math.min(ms, stepMs)));
  };
  const look = (): void => {
    const ms = leftMs();
    if (ms < 1) callback();
    else arm(ms);
  };
  arm(leftMs());
  return () => timers.clearTimeout(timer);
}
