// Now: the current time of a page, once a second.
//
// Always true: one timer serves all who look, and none runs while nobody does; who comes then is told the time, not when
// somebody looked last.

import { useSyncExternalStore } from 'react';

const tickMs = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

export function subscribeToNow(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** The same within a second, as React wants it. */
export function readNow(): number {
  const time = Date.now();
  if (Math.abs(time - now) >= tickMs) now = time;
  return now;
}

export const useNow = (): number => useSyncExternalStore(subscribeToNow, readNow);
