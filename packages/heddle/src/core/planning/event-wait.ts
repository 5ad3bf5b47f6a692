// Waits for events: a node waits until an event of its name and key is published. Rules EW1 to EW4.

import type { Failure } from '../../base/failure.ts';
import type { EventsSince } from '../../definition/definition.ts';
import type { EventWork } from '../../definition/graph.ts';
import { eventWaitKey } from '../notes.ts';
import type { Token } from '../state.ts';
import { describeCause, evaluate } from './mapping.ts';
import { nodeOf, type Planning, record, request, runOf } from './planning.ts';

export function awaitEvent(p: Planning, token: Token, work: EventWork, fail: (failure: Failure) => void): void {
  const correlation = evaluateCorrelation(p, token, work);
  if (typeof correlation !== 'string') return fail(correlation);
  const { event, timeoutMs } = work;
  record(p, {
    type: 'event.awaited',
    token: token.id,
    event,
    correlation,
    ...(timeoutMs === null ? {} : { deadline: p.at + timeoutMs }),
  });
  listenForEvent(p, token);
}

/** The wait is noted beside the run, so that a published event finds it. */
export function listenForEvent(p: Planning, token: Token): void {
  const { event, since, once } = eventWorkOf(p, token);
  const correlation = token.correlationId ?? '';
  const terms = { token: token.id, from: countsFrom(p, token, since), ...(once ? { once } : {}) };
  const note = { runId: runOf(p).runId, ...terms };
  request(p, { type: 'note', kind: 'event-wait', key: eventWaitKey(event, correlation, note), value: note });
  // EW2: an event that came before the wait, and is still kept, ends it.
  request(p, { type: 'listen', event, correlation, ...terms });
}

// EW13: events count from the start of the run, from the beginning of the wait, or whenever they were published.
function countsFrom(p: Planning, token: Token, since: EventsSince): number {
  switch (since) {
    case 'start':
      return runOf(p).eventsFrom ?? p.state.startedAt;
    case 'wait':
      return token.since;
    case 'any':
      return 0;
  }
}

export function eventWorkOf(p: Planning, token: Token): EventWork {
  return nodeOf(p, token.node).work as EventWork; // only tokens at such nodes wait for events
}

// EW1: the correlation is a text, or a number or truth value as text; without one the event must have none.
function evaluateCorrelation(p: Planning, token: Token, { event, correlation }: EventWork): string | Failure {
  if (correlation === null) return '';
  const evaluated = evaluate(p, token, correlation);
  const value = 'failure' in evaluated ? undefined : evaluated.value;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return {
    code: 'CORRELATION_INVALID',
    message: `Expected a text or a number from ${correlation.source} to wait for event ${event} at node ${token.node}, but ${describeCause(evaluated)}`,
    nodeId: token.node,
  };
}

/** Nobody waits any more. */
export function forgetEventWait(p: Planning, token: Token): void {
  const { event } = eventWorkOf(p, token);
  const key = eventWaitKey(event, token.correlationId ?? '', { runId: runOf(p).runId, token: token.id });
  request(p, { type: 'note', kind: 'event-wait', key, value: null });
}
