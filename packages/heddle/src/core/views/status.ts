// Status: what a run is doing, derived from its state. Rule VW1. Nothing stores a status that could differ.

import { hasWork, isSuspended } from '../run-class.ts';
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

/** How a run can end. */
export const terminalStatuses = ['completed', 'failed', 'cancelled', 'timed_out', 'exhausted'] as const;

export type TerminalStatus = (typeof terminalStatuses)[number];

/** The events that describe them. */
export const terminalEvents: ReadonlySet<string> = new Set(terminalStatuses.map((status) => `workflow.${status}`));

// VW1: terminal facts first; then paused; a run whose credits are not granted yet is submitted; runnable work is
// running; what only people or outside events can wake is suspended; what wakes by itself is waiting.
export function statusOf(state: RunState): RunStatus {
  if (state.outcome !== null) return state.outcome;
  if (!state.run) return 'submitted';
  if (state.paused) return 'paused';
  if (state.credits.awaited) return 'submitted';
  if (hasWork(state)) return 'running';
  return isSuspended(state) ? 'suspended' : 'waiting';
}

export function isTerminal(status: string): boolean {
  return terminalStatuses.some((terminal) => terminal === status);
}
