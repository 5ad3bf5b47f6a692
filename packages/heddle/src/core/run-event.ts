// RunEvent: an event of a journal as users see it, with its place, and back to what the journal keeps.
//
// Always true: `journaled` gives back what `runEvent` was made of.

import type { Event } from './events.ts';

/** An event as users see it. */
export type RunEvent = Event & {
  readonly runId: string;
  /** Row and place in the journal, as `row.index`. */
  readonly id: string;
  readonly seq: number;
  readonly at: number;
};

export function runEvent(
  runId: string,
  row: { readonly seq: number; readonly at: number },
  index: number,
  event: Event,
): RunEvent {
  return { ...event, runId, id: `${row.seq}.${index}`, seq: row.seq, at: row.at };
}

/** Events that have a time of their own, which is that of their commit. */
const timed: Readonly<Record<Extract<Event, { at?: unknown }>['type'], true>> = {
  'workflow.started': true,
  'workflow.completed': true,
  'workflow.failed': true,
  'workflow.cancelled': true,
  'workflow.timed_out': true,
  'workflow.exhausted': true,
  'workflow.suspended': true,
  'workflow.resumed': true,
  'workflow.paused': true,
  'workflow.unpaused': true,
  'input.requested': true,
};

/** As the journal has it: without what `runEvent` has added. */
export function journaled({ runId, id: _, seq: __, at, ...rest }: RunEvent): Event {
  const event = rest as unknown as Event; // without what a reader was given beside it
  if (event.type === 'workflow.started') return { ...event, runId, at };
  return Object.hasOwn(timed, event.type) ? ({ ...event, at } as Event) : event; // which has a time of its own
}
