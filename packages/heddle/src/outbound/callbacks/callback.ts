// Callback: a URL that is notified of what happens to runs; and the state of each delivery.

import type { TerminalStatus } from '../../core/views/status.ts';

export const callbackEvents = [
  'run.started',
  'run.suspended',
  'run.resumed',
  'run.ended',
  'prompt.opened',
  'prompt.answered',
] as const;

/** Of runs that nobody called (sub-runs do not count), and of prompts of any run. */
export type CallbackEvent = (typeof callbackEvents)[number];

export interface CallbackDefinition {
  readonly id: string;
  readonly url: string;
  readonly on: readonly CallbackEvent[];
  /** Only of runs of this workflow. */
  readonly workflow?: string;
  /** Only of runs that ended so; for `run.ended` alone. */
  readonly statuses?: readonly TerminalStatus[];
  /** The name of the secret that deliveries are signed with. */
  readonly secret: string;
}

/** As it lies in the store. */
export interface StoredCallback extends CallbackDefinition {
  readonly enabled: boolean;
  /** Why the engine itself has switched it off. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  /** It is told of what was committed after this place in the feed. */
  readonly from: number;
}

export type CallbackInfo = Omit<StoredCallback, 'from'>;

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One event, told or to be told to one callback. */
export interface DeliveryInfo {
  readonly id: string;
  readonly callback: string;
  readonly event: CallbackEvent;
  readonly runId: string;
  readonly workflow: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: number;
  /** When it is tried next; null if it is not. */
  readonly nextAt: number | null;
  readonly lastAttemptAt: number | null;
  /** What the last attempt came to: a status of HTTP, or why there was none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/** As it lies in the store. */
export interface StoredDelivery extends DeliveryInfo {
  /** What is sent, the same at every attempt. */
  readonly body: string;
}

export const callbackKind = 'callback';

/** One kind for each callback: its deliveries come due without looking at those of the others. */
export const deliveryKind = (callbackId: string): string => `callback-delivery/${callbackId}`;

/** `<callback>:<place>`; places sort in the order of commits. */
export const deliveryId = (callbackId: string, place: string): string => `${callbackId}:${place}`;

export function splitDeliveryId(id: string): { readonly callback: string; readonly place: string } {
  const at = id.lastIndexOf(':');
  return { callback: id.slice(0, Math.max(0, at)), place: id.slice(at + 1) };
}

export function infoOfCallback({ from: _, ...info }: StoredCallback): CallbackInfo {
  return info;
}

export function infoOfDelivery({ body: _, ...info }: StoredDelivery): DeliveryInfo {
  return info;
}
