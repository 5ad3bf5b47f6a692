// Read events: the events of one row of a journal, whose text a run wrote and its hash protects.

import type { Event } from './events.ts';

export function readEvents(text: string): readonly Event[] {
  return JSON.parse(text) as readonly Event[]; // a run wrote them
}
