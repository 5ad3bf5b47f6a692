// The system's clock, on whatever runtime this is.

import type { Clock } from '../actor/ports.ts';

interface Timers {
  setTimeout(callback: () => void, ms: number): { unref?: () => void };
  clearTimeout(timer: unknown): void;
  setImmediate?(callback: () => void): unknown;
}

/** Timers hold at most 2^31 - 1 ms; a longer wait is made of several. */
const longestMs = 2_147_483_647;

export function systemClock(): Clock {
  // Every runtime has these; none of their types is in all of our compilations.
  const timers = globalThis as unknown as Timers;
  return {
    now: () => Date.now(),
    schedule: (at, callback) => schedule(timers, at, callback),
    defer: timers.setImmediate
      ? (callback) => void timers.setImmediate?.(callback)
      : (callback) => void timers.setTimeout(callback, 0),
  };
}

function schedule(timers: Timers, at: number, callback: () => void): () => void {
  let timer: unknown;
  const arm = (): void => {
    const ms = at - Date.now();
    timer = timers.setTimeout(ms > longestMs ? arm : callback, Math.max(0, Math.min(ms, longestMs)));
  };
  arm();
  return () => timers.clearTimeout(timer);
}
