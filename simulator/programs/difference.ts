// Difference: the oracle says otherwise than the journal.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export class Difference extends Error {
  override name = 'Difference';
}

export function must(holds: boolean, expectation: () => string): asserts holds {
  if (!holds) throw new Difference(expectation());
}

/** The event, if it is one of these. */
export function take<T extends RunEvent['type']>(event: RunEvent, ...types: readonly T[]): EventOf<T> {
  must((types as readonly string[]).includes(event.type), () => `Expected ${types.join(' or ')}, but ${tell(event)}`);
  return event as EventOf<T>; // by what was just found
}

const tell = ({ id, type }: RunEvent): string => `event ${id} is ${type}`;

export function mustBe(found: unknown, expected: unknown, what: string): void {
  must(isSame(found, expected), () => `Expected ${what} to be ${show(expected)}, but it is ${show(found)}`);
}

export const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 400);

/** Equal as JSON, whatever the order of keys. A key without a value is none. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSame(item, right[index]));
  }
  return hasSameKeys(left as Members, right as Members) && hasSameKeys(right as Members, left as Members);
}

type Members = Readonly<Record<string, unknown>>;

function hasSameKeys(left: Members, right: Members): boolean {
  for (const key in left) if (!isSame(left[key], right[key])) return false;
  return true;
}

/** What stands under a key; nothing in what is no object. */
export function member(value: Json | undefined, key: string): Json | undefined {
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key];
}

export function isObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
