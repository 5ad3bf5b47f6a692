// Value: what flows through an evaluation. JSON, an optional (`state.?a`), or a fault that stops it.
//
// Faults are returned, never thrown, so that `&&`, `||`, `all` and `exists` can pass over one where the other side
// decides. Always true: lists and objects made here hold JSON only, never an optional and never a fault.

import { isJsonArray, type Json, type JsonObject } from '../base/json.ts';

/** The result of an optional access: a value that may be absent. */
export class Optional {
  readonly content: Json | undefined;
  constructor(content: Json | undefined) {
    this.content = content;
  }
}

export class Fault {
  readonly type: 'missing' | 'error' | 'cost';
  readonly message: string;
  constructor(type: Fault['type'], message: string) {
    this.type = type;
    this.message = message;
  }
}

export type Value = Json | Optional;
export type Outcome = Value | Fault;

export const absent = new Optional(undefined);

/** Nothing may pass over this one: it ends the evaluation. */
export const costFault = new Fault('cost', 'its steps are used up');

export function failed(message: string): Fault {
  return new Fault('error', message);
}

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object' | 'optional';

export function kindOf(value: Value): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return 'list';
  return value instanceof Optional ? 'optional' : 'object';
}

const kindPhrases: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  string: 'a text',
  list: 'a list',
  object: 'an object',
  optional: 'an optional (add .orValue(…))',
};

/** For messages: `a number`, `an object` … */
export function describe(value: Value): string {
  return kindPhrases[kindOf(value)];
}

export function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is JsonObject {
  return kindOf(value) === 'object';
}

/** A number as JSON can hold it: finite, and never minus zero. */
export function finite(value: number, what: string): number | Fault {
  return Number.isFinite(value) ? value + 0 : failed(`Expected ${what} to give a number, but found ${String(value)}`);
}

/** An object is read by texts; a number stands for its decimal text, as in JSON keys. */
export function keyText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The own member of an object or list; `undefined` where there is none. Never reaches a prototype. */
export function ownMember(value: Json, key: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonArray(value)) return typeof key === 'number' ? value[key] : undefined;
  const name = String(key);
  return Object.hasOwn(value, name) && name !== '__proto__' ? value[name] : undefined;
}
