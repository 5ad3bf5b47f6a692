// Status: what a run is doing, derived from its state. Rule VW1. Nothing stores a status that could differ.

import type { RunState } from '../state.ts';

export const runStatuses = [
  'submitted',
  'running',
  'waiting',
  'suspended',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
  'exhausted',
] as const;

export type RunStatus = (typeof runStatuses)[number];

// VW1: terminal facts first; then paused; runnable work is running; what wakes by itself is waiting.
export function statusOf(state: RunState): RunStatus {
  if (state.outcome !== null) return state.outcome;
  if (!state.run) return 'submitted';
  if (state.paused) return 'paused';
  return hasWork(state) ? 'running' : 'waiting';
}

/** Whether tasks are handed out or wait to be. */
export function hasWork(state: RunState): boolean {
  return state.dispatched > 0 || state.ready.hasAny((id) => state.tokens.get(id)?.status === 'ready');
}

const terminalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'timed_out', 'exhausted']);

export function isTerminal(status: string): boolean {
  return terminalStatuses.has(status);
}
