// Publish: what callers and actions say of an event, checked before it is kept.

import type { Publication } from '../actor/event-hub.ts';
import type { PublishOptions } from '../actor/publication.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shown } from '../base/refuse-options.ts';
import type { Limits } from '../definition/limits.ts';
import { eventName, isName } from '../definition/names.ts';
import { takeJson } from '../operations/check-value.ts';
import { checkOptions } from './check-options.ts';

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
  checkOptions('publish', withCorrelation(options), { id: 'text', correlation: 'text', ttlMs: 'other' });
  return {
    ...options,
    ttlMs: checkedTtl(options.ttlMs, limits),
    event: checkedName(event),
    payload: takeJson(payload, { limits, what: 'payload', code: 'PAYLOAD_INVALID' }),
  };
}

/** An empty correlation is none. */
function withCorrelation(options: PublishOptions): PublishOptions {
  if (options?.correlation !== '') return options;
  const { correlation: _, ...others } = options;
  return others;
}

function checkedName(event: unknown): string {
  if (typeof event === 'string' && isName(eventName, event)) return event;
  throw new HeddleError(
    'EVENT_INVALID',
    `Expected the name of an event (1 to 200 printable characters), but found ${shown(event)}`,
  );
}

const dayMs = 86_400_000;

function checkedTtl(ttlMs: number | undefined, { eventTtlMsMax }: Limits): number {
  if (ttlMs === undefined) return Math.min(dayMs, eventTtlMsMax);
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= eventTtlMsMax) return ttlMs;
  const message = `Expected ttlMs to be a whole number from 1 to ${eventTtlMsMax} (limit eventTtlMsMax), but found ${shown(ttlMs)}`;
  throw new HeddleError('OPTION_INVALID', message, { limit: 'eventTtlMsMax' });
}
