// The end of a wait for an event: the event comes, or it takes too long. Rules EW3 and EW4.

import type { EventArrival, Reply } from '../commands.ts';
import { receivedBefore } from '../notes.ts';
import type { Token } from '../state.ts';
import { eventWorkOf, forgetEventWait } from './event-wait.ts';
import { holdCommand } from './lifecycle.ts';
import { failNode, finishNode } from './nodes.ts';
import { isHolding, nodeOf, type Planning, record, request, runOf } from './planning.ts';

export function acceptEvent(p: Planning, arrival: EventArrival & { readonly at: number }): Reply {
  const token = p.state.tokens.get(arrival.token);
  const work = token && nodeOf(p, token.node).work;
  const waits =
    token?.status === 'waiting_for_event' &&
    work?.type === 'event' &&
    work.event === arrival.event &&
    token.correlationId === arrival.correlation;
  if (!waits) return { applied: false, reason: 'token does not wait for that event' };
  // EW3: an event ends the waits that were there when it came; a loop which waits again waits for the next one.
  const received = p.state.received.get(arrival.eventId);
  if (received && token.id > received.lastToken) return { applied: false, reason: receivedBefore };
  // EW14: the event that fired the trigger of a run counts as received by it.
  if (runOf(p).trigger?.['eventId'] === arrival.eventId) return { applied: false, reason: receivedBefore };
  // EW12: a paused run keeps one event for each wait, however often it is offered some.
  if (p.state.heldAnswers.has(token.id)) return { applied: false, reason: 'an event is kept for this wait already' };
  const { keptAs, ...event } = arrival;
  const { eventId, payload, expiresAt } = event;
  // EW15: a wait with `once` uses the event up, in the commit that takes it, also into a paused run.
  if (work.once && keptAs !== undefined) request(p, { type: 'note', kind: 'event', key: keptAs, value: null });
  if (isHolding(p)) return holdCommand(p, event);
  forgetEventWait(p, token);
  record(p, { type: 'event.received', token: token.id, eventId, payload, expiresAt });
  finishNode(p, token, payload, []);
  return { applied: true };
}

// EW4: a wait that takes too long fails its node.
export function timeOutEvent(p: Planning, token: Token): void {
  const { event, timeoutMs } = eventWorkOf(p, token);
  forgetEventWait(p, token);
  failNode(p, token, {
    code: 'EVENT_TIMED_OUT',
    message: `Expected event ${event} for node ${token.node} within ${timeoutMs} ms, but it did not come`,
  });
}
