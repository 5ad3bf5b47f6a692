// Workflows: what the killed engine has to do: a little of everything that an engine must not lose. What each run comes
// to depends on its input and on the client's answers alone, however often it was interrupted.
//
// Always true: the number of a run decides its input, and how it ends.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { WorkflowDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import type { NewTrigger } from '../../packages/heddle/src/operations/triggers.ts';
import { bulk, file, heavy, look, price } from './data-workflows.ts';
import { check, order, ship, thank } from './order-workflows.ts';
import { ask, claim, hurry, parcel, talk } from './waiting-workflows.ts';

/** Sub-workflows before those that call them. */
export const definitions: readonly WorkflowDefinition[] = [
  check,
  order,
  ask,
  talk,
  hurry,
  claim,
  bulk,
  heavy,
  look,
  file,
  price,
  parcel,
  ship,
  thank,
];

export const triggers: readonly NewTrigger[] = [
  { id: 'ship-when-paid', type: 'event', event: 'paid', workflow: 'ship', input: { order: 'event.payload.order' } },
  {
    id: 'thank-when-shipped',
    type: 'workflow_finished',
    source: 'ship',
    workflow: 'thank',
    input: { order: 'event.payload.output.order' },
  },
];

/** What the client starts. */
export type Started = 'order' | 'talk' | 'claim' | 'hurry' | 'bulk' | 'heavy' | 'file' | 'price' | 'parcel';

/** These end without a person or an event. */
export const needNobody: readonly Started[] = ['order', 'bulk', 'heavy', 'file', 'price'];

/** Some are flaky, some break and are mended, some break for good. */
export function inputOf(number: number): JsonObject {
  const items = Array.from({ length: 1 + (number % 4) }, (_, index) => `${number}-${index}`);
  const broken: Json = number % 7 === 3 ? 'twice' : number % 5 === 2;
  return { number, items, failures: number % 3, broken, ticket: `ticket-${number}`, queue: queueOf(number) };
}

/** Several runs wait in each. */
const queueOf = (number: number): string => `queue-${number % 3}`;

/** The key of the run's start, and the other way round. */
export const keyOf = (number: number): string => `run-${number}`;
export const numberOfKey = (key: string): number => Number(key.slice('run-'.length));

/** What a run waits for: one of its own, or one of as many as there are runs in its queue. */
export function eventFor(
  workflow: string,
  number: number,
): { readonly name: string; readonly id: string; readonly correlation: string; readonly payload: JsonObject } | null {
  const id = `${workflow}-${number}`;
  const ticket = `ticket-${number}`;
  if (workflow === 'talk') return { name: 'ticket', id, correlation: ticket, payload: wordOf(number, 'ticket') };
  if (workflow === 'claim') return { name: 'turn', id, correlation: queueOf(number), payload: { number } };
  return null;
}

/** What the client answers to a prompt, and tells with an event, of a run. */
export const wordOf = (number: number, where: string): JsonObject => ({ word: `${where} of ${number}` });
