// Run class: whether a run has work, or what can wake it, derived from its counters. Nothing stores it.

import type { RunState } from './state.ts';

/**
 * Whether tasks are handed out or wait to be, or branches wait to begin. Where tasks go one at a time, a wait holds those
 * that are ready.
 */
export function hasWork(state: RunState): boolean {
  if (state.dispatched > 0 || hasSpawnable(state) || isCatchingUp(state)) return true;
  if (state.run?.oneAtATime && isHeldUp(state)) return false;
  return !state.ready.isEmpty;
}

/** It was resumed, and commands that came while it was paused have not had their turn. */
export function isCatchingUp({ paused, held }: RunState): boolean {
  return !paused && held.length > 0;
}

/** What comes now waits behind what came before. */
export function holdsCommands({ paused, held }: RunState): boolean {
  return paused || held.length > 0;
}

/** Whether branches wait to begin. */
export function hasSpawnable({ spawnable }: RunState): boolean {
  return spawnable !== null && spawnable.size > 0;
}

/** Where tasks go one at a time: a wait, a retry, missing credits or a missing action holds those behind it. */
export function isHeldUp({ timed, waitingForCredits, waitingForActions }: RunState): boolean {
  return timed + waitingForCredits + waitingForActions > 0;
}

/** Whether an engine that starts must look at it: it has tasks, or some whose action nobody had. */
export function isToWake(state: RunState): boolean {
  return hasWork(state) || state.waitingForActions > 0;
}

/** It has started and waits for the time at which it begins: nothing of it has been decided yet. */
export function isDelayed({ run, outcome, lastToken, credits }: RunState): boolean {
  return run?.startAt !== undefined && outcome === null && lastToken === 0 && !credits.awaited;
}

/** Only people or outside events can wake it: it has no work, no timer, and nothing that continues by itself. */
export function isSuspended(state: RunState): boolean {
  const goesOn =
    state.timed > 0 ||
    state.waitingForChildren > state.childrenSuspended ||
    state.waitingForCredits > 0 ||
    state.waitingForActions > 0 ||
    state.credits.awaited;
  return !goesOn && state.waitingForOthers + state.childrenSuspended > 0 && !hasWork(state);
}
