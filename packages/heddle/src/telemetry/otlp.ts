// OTLP: spans as the JSON of the OpenTelemetry protocol (`POST /v1/traces`). Pure.
//
// Always true: ids are hex, enumerations are numbers, and whole numbers of 64 bits are texts, as OTLP/JSON has it.

import { given } from '../base/given.ts';
import type { Attributes, Span, SpanEvent } from './span.ts';

const scopeName = 'heddle';
const kindInternal = 1;
const statusUnset = 0;
const statusError = 2;

export function writeOtlp(spans: readonly Span[], resource: Attributes): object {
  const scopeSpans = [{ scope: { name: scopeName }, spans: spans.map(writtenSpan) }];
  return { resourceSpans: [{ resource: { attributes: writtenAttributes(resource) }, scopeSpans }] };
}

function writtenSpan(span: Span): object {
  const { traceId, spanId, parentSpanId, name, startAt, endAt, attributes, events, eventsLeftOut, links, error } = span;
  return {
    traceId,
    spanId,
    ...given({ parentSpanId: parentSpanId ?? undefined }),
    name,
    kind: kindInternal,
    startTimeUnixNano: nanoseconds(startAt),
    endTimeUnixNano: nanoseconds(endAt),
    attributes: writtenAttributes(attributes),
    ...given({
      events: events.length === 0 ? undefined : events.map(writtenEvent),
      droppedEventsCount: eventsLeftOut || undefined,
      links: links.length === 0 ? undefined : links,
    }),
    status: error === null ? { code: statusUnset } : { code: statusError, message: error },
  };
}

function writtenEvent({ at, name, attributes }: SpanEvent): object {
  return { timeUnixNano: nanoseconds(at), name, attributes: writtenAttributes(attributes) };
}

function writtenAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: writtenValue(value) }));
}

function writtenValue(value: Attributes[string]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Too large for a number of JavaScript: six more digits. */
const nanoseconds = (ms: number): string => (ms <= 0 ? '0' : `${Math.trunc(ms)}000000`);
