// Ends: how a run ended, as the last of its events says it.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';

const ends: ReadonlyMap<RunEvent['type'], string> = new Map([
  ['workflow.completed', 'completed'],
  ['workflow.failed', 'failed'],
  ['workflow.cancelled', 'cancelled'],
  ['workflow.timed_out', 'timed_out'],
  ['workflow.exhausted', 'exhausted'],
]);

/** Null: it goes on. */
export const endToldBy = ({ type }: RunEvent): string | null => ends.get(type) ?? null;
