// Occasions: what triggers fire for, in one form: an event, the end of a run, a time, somebody's word. Pure.

import type { FinishedRun } from '../actor/finished-run.ts';
import type { PublishedEvent } from '../actor/publication.ts';
import { withoutThrown } from '../base/failure.ts';
import { given } from '../base/given.ts';
import { asJson, type Json } from '../base/json.ts';
import { depthOf } from './depth.ts';
import type { Occasion } from './plan-firings.ts';

/** Where an event comes from. */
export interface Origin {
  /** Null: from outside. */
  readonly runId: string | null;
  /** How deep in a chain of triggers that run is. */
  readonly depth: number;
}

export function eventOccasion(event: PublishedEvent, { runId, depth }: Origin): Occasion {
  const { id, event: name, correlation, payload, at } = event;
  return {
    type: 'event',
    id,
    at,
    depth,
    payload,
    event: { id, name, correlation },
    info: { event: name, eventId: id, ...given({ sourceRunId: runId ?? undefined }) },
  };
}

export function finishedOccasion(run: FinishedRun, at: number): Occasion {
  const { runId, workflow, status, output, error, trigger } = run;
  const plainError = error && asJson(withoutThrown(error));
  return {
    type: 'workflow_finished',
    id: runId,
    at,
    depth: depthOf(keptDepth(trigger), output),
    payload: { runId, workflow, status, ...given({ output, error: plainError }) },
    event: { runId, workflow, status },
    info: { sourceRunId: runId },
  };
}

export function scheduleOccasion(scheduledFor: number, at: number): Occasion {
  const time = new Date(scheduledFor).toISOString();
  return {
    type: 'schedule',
    id: time,
    at,
    depth: 0,
    payload: {},
    event: { scheduledFor: time },
    info: { scheduledFor: time },
  };
}

export function manualOccasion(id: string, payload: Json, at: number): Occasion {
  return { type: 'manual', id, at, depth: 0, payload, event: {}, info: {} };
}

/** What came with a call of a webhook. */
export interface WebhookCall {
  readonly deliveryId: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
}

export function webhookOccasion({ deliveryId, method, headers, query, body }: WebhookCall, at: number): Occasion {
  return {
    type: 'webhook',
    id: deliveryId,
    at,
    depth: 0,
    payload: body,
    event: { deliveryId, method, headers, query, body },
    info: { deliveryId },
  };
}

/** How deep the engine knows a run to be. */
export function keptDepth(trigger: { readonly [key: string]: Json } | null | undefined): number {
  const depth = trigger?.['depth'];
  return typeof depth === 'number' ? depth : 0;
}
