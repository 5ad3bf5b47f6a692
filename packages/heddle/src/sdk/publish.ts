// Publish: what callers and actions say of an event, checked before it is kept.

import type { Publication } from '../actor/event-hub.ts';
import type { PublishOptions } from '../actor/publication.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Limits } from '../definition/limits.ts';
import { eventName, isName } from '../definition/names.ts';
import { refuseTexts, refuseUnknown } from './check-options.ts';
import { kindOf } from './kind-of.ts';
import { takeJson } from './take-json.ts';

/** What is published where a caller gives no payload. */
const noPayload = {};

/** EW11: an event has a printable name, JSON within the limits, and a time to live of at most `eventTtlMsMax`; else nothing is published. */
export function checkedPublication(
  limits: Limits,
  [event, payload = noPayload, options = {}]: readonly [
    name: unknown,
    payload?: unknown,
    options?: PublishOptions | undefined,
  ],
): Publication {
  refuseUnknown('publish', options, ['id', 'correlation', 'ttlMs']);
  refuseTexts(['id', 'correlation'].flatMap((name) => textOf(name, options)));
  return {
    ...options,
    ttlMs: checkedTtl(options.ttlMs, limits),
    event: checkedName(event),
    payload: takeJson(payload, { limits, what: 'payload', code: 'PAYLOAD_INVALID' }),
  };
}

/** An empty correlation is none. */
function textOf(name: string, options: PublishOptions): [string, unknown][] {
  const text = options[name as keyof PublishOptions];
  return text === undefined || (name === 'correlation' && text === '') ? [] : [[name, text]];
}

function checkedName(event: unknown): string {
  if (typeof event === 'string' && isName(eventName, event)) return event;
  const found = typeof event === 'string' ? JSON.stringify(event.slice(0, 60)) : kindOf(event);
  throw new HeddleError(
    'EVENT_INVALID',
    `Expected the name of an event (1 to 200 printable characters), but found ${found}`,
  );
}

const dayMs = 86_400_000;

function checkedTtl(ttlMs: number | undefined, { eventTtlMsMax }: Limits): number {
  if (ttlMs === undefined) return Math.min(dayMs, eventTtlMsMax);
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= eventTtlMsMax) return ttlMs;
  const message = `Expected ttlMs to be a whole number from 1 to ${eventTtlMsMax} (limit eventTtlMsMax), but found ${String(ttlMs)}`;
  throw new HeddleError('OPTION_INVALID', message, { limit: 'eventTtlMsMax' });
}
