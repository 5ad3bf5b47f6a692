// What the tests of triggers share: triggers made ready to fire, and occasions.

import { defaultLimits } from '../definition/limits.ts';
import { compileTrigger } from './compile-trigger.ts';
import { eventOccasion } from './occasions.ts';
import { parseTrigger } from './parse-trigger.ts';
import type { Occasion } from './plan-firings.ts';
import type { Trigger } from './trigger.ts';

/** 2030-01-01T00:00:00Z, as virtual clocks have it. */
export const newYear = Date.parse('2030-01-01T00:00:00Z');

/** One that was created at new year. */
export function trigger(source: object): Trigger {
  const { definition, enabled, problems } = parseTrigger(source, { limits: defaultLimits });
  if (!definition) throw new Error(JSON.stringify(problems));
  const stored = {
    definition,
    enabled: enabled ?? true,
    createdAt: newYear,
    since: newYear,
    lastRunId: null,
    queued: [],
  };
  return compileTrigger(stored, defaultLimits);
}

/** One for events called `paid`. */
export const onPaid = (id: string, workflow: string, more: object = {}): Trigger =>
  trigger({ id, type: 'event', event: 'paid', workflow, ...more });

export function paid(payload: Occasion['payload'], depth = 0): Occasion {
  const event = { id: 'e1', event: 'paid', correlation: 'o1', payload, at: newYear, expiresAt: newYear + 1 };
  return eventOccasion(event, { runId: depth === 0 ? null : 'r1', depth });
}
