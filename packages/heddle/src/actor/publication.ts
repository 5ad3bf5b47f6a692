// Publication: the words of publishing an event, from whoever publishes to whoever keeps, hands over and fires.

import type { Json } from '../base/json.ts';

export interface PublishOptions {
  /** Publishing again under the same id is publishing once. */
  readonly id?: string;
  /** Which of the waits for this name it is for: those with the same text. */
  readonly correlation?: string;
  /** How long it is kept for waits that begin later. Default: a day. */
  readonly ttlMs?: number;
}

/** What publishing an event came to. */
export interface Published {
  readonly eventId: string;
  /** False: an event with this id was published before, and nothing happened now. */
  readonly applied: boolean;
  /** How many waits it has ended. Those that begin while it is kept get it later. */
  readonly delivered: number;
  readonly fired: readonly Fired[];
  readonly skipped: readonly Skipped[];
}

/** A trigger that started a run. */
export interface Fired {
  readonly trigger: string;
  readonly workflow: string;
  readonly runId: string;
}

/** A trigger that was meant and started nothing. */
export interface Skipped {
  readonly trigger: string;
  readonly workflow: string;
  readonly code: SkipCode;
  /** For people. */
  readonly reason: string;
}

export type SkipCode =
  /** Its filter does not hold. */
  | 'FILTER_FALSE'
  /** Its filter gave neither true nor false, or reads what is missing. */
  | 'FILTER_FAILED'
  /** Its input mapping failed, or made too much. */
  | 'INPUT_FAILED'
  /** The chain of workflows that start each other has become too long. */
  | 'TOO_DEEP'
  /** Another trigger has started the workflow for the same event. */
  | 'ALREADY_FIRED'
  /** It is switched off. */
  | 'SWITCHED_OFF'
  /** The workflow is not there, or does not take the input. */
  | 'START_REFUSED'
  /** The store failed; the run is started when it works again. */
  | 'START_DELAYED';

/** An event as it is kept until it expires. */
export interface PublishedEvent {
  readonly id: string;
  readonly event: string;
  /** Empty: none. */
  readonly correlation: string;
  readonly payload: Json;
  readonly at: number;
  readonly expiresAt: number;
}
