// Span: one stretch of work as tracing tools know it; and the ids of those of a run.

import { sha256Hex } from '../base/hash.ts';
import type { TokenId } from '../core/events.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly eventsLeftOut: number;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** What went wrong, by its code; null if nothing did. */
  readonly error: string | null;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanEvent {
  readonly at: number;
  readonly name: string;
  readonly attributes: Attributes;
}

const traceIdLength = 32;
const spanIdLength = 16;

/** OT1: a trace is a root run with all runs below it; its id is made of the root's. */
export const makeTraceId = (rootRunId: string): string => sha256Hex(rootRunId).slice(0, traceIdLength);

// OT2: ids are made of the run and the token and nothing else: whoever makes a span again makes the same one.
export const runSpanId = (runId: string): string => sha256Hex(`run ${runId}`).slice(0, spanIdLength);

export const tokenSpanId = (runId: string, token: TokenId): string =>
  sha256Hex(`token ${runId}/${token}`).slice(0, spanIdLength);
