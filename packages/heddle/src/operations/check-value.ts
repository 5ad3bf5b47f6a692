// Check value: whether a value of a caller's is what a schema says, and what is wrong with it otherwise; and what a schema
// leaves open, taken as JSON of our own. Rule KY3.
//
// Always true: all that is wrong is told, up to a number; a member that is undefined is as good as absent; nothing is
// altered, and nobody's getters are called twice for one check.

import { copyToJson } from '../base/check-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { isPlainObject, type Json } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import type { Problem } from '../base/problem.ts';
import { shorten, shown } from '../base/refuse-options.ts';
import type { Limits } from '../definition/limits.ts';
import { type AnyMember, type AnySchema, type Bound, type Kind, type ObjectKind, textLengthMax } from './schema.ts';

const problemsMax = 20;

/** A problem, and the limit that was exceeded, where that is it. */
export interface Fault extends Problem {
  readonly limit?: keyof Limits;
  /** The code of the error, where it has one of its own. */
  readonly refusal?: string;
}

/** What is wrong with a value; nothing if it fits. */
export function checkValue(schema: AnySchema, value: unknown, limits: Limits): readonly Fault[] {
  const check: Check = { limits, problems: [] };
  visit(check, schema.kind, value, top);
  return check.problems;
}

interface Check {
  readonly limits: Limits;
  readonly problems: Fault[];
}

/** Whoever made so many mistakes has enough to look at; the rest costs nobody time. */
const isFull = ({ problems }: Check): boolean => problems.length >= problemsMax;

/** Where a value is: for programs as a JSON pointer, for people by its name. */
interface Place {
  readonly pointer: string;
  readonly name: string;
  /** See `AnySchema`; of the nearest schema around it that has one. */
  readonly code?: string | undefined;
}

const top: Place = { pointer: '', name: 'the request' };

function visit(check: Check, kind: Kind, value: unknown, place: Place): void {
  if (isFull(check)) return;
  switch (kind.type) {
    case 'json':
      return;
    case 'object':
      return visitObject(check, kind, value, place);
    case 'map':
      return visitMap(check, kind, value, place);
    case 'list':
      return visitList(check, kind, value, place);
    case 'either':
      return visitEither(check, kind, value, place);
    case 'text':
    case 'whole':
    case 'number':
    case 'flag':
    case 'choice':
    case 'null':
      if (!fits(check, kind, value)) refuseScalar(check, kind, value, place);
  }
}

function refuseScalar(check: Check, kind: Scalar, value: unknown, place: Place): void {
  const isAbove = kind.type === 'whole' && typeof kind.max === 'string' && Number(value) > check.limits[kind.max];
  refuse(check, place, expectationOf(check, kind), foundFor(kind, value), isAbove ? kind.max : undefined);
}

type Scalar = Exclude<Kind, { readonly type: 'object' | 'map' | 'list' | 'either' | 'json' }>;

/** Whether one look tells that a value is of its kind; what holds others is looked into. */
function fits({ limits }: Check, kind: Kind, value: unknown): boolean {
  switch (kind.type) {
    case 'json':
      return true;
    case 'text':
      return (
        typeof value === 'string' &&
        value.length >= kind.min &&
        value.length <= boundOf(kind.max, limits) &&
        (kind.pattern === undefined || kind.pattern.test(value))
      );
    case 'whole':
      return (
        typeof value === 'number' &&
        Number.isSafeInteger(value) &&
        value >= kind.min &&
        value <= boundOf(kind.max, limits)
      );
    case 'number':
      return Number.isFinite(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return kind.of.some((one) => one === value);
    case 'null':
      return value === null;
    case 'object':
    case 'map':
    case 'list':
    case 'either':
      return false;
  }
}

const boundOf = (bound: Bound, limits: Limits): number => (typeof bound === 'number' ? bound : limits[bound]);

/** An object has the members that are known, each of its kind, and no others. */
function visitObject(check: Check, kind: ObjectKind, value: unknown, place: Place): void {
  if (!isPlainObject(value)) return refuse(check, place, 'an object', shown(value));
  const given = value as Readonly<Record<string, unknown>>; // it is an object
  const names = Object.keys(given);
  let found = 0;
  for (const name of names) {
    if (isFull(check)) return;
    const member = kind.members.get(name);
    const inside = given[name];
    if (member === undefined) {
      if (!kind.isOpen && inside !== undefined) refuseUnknown(check, kind, name, memberOf(place, name));
    } else if (inside !== undefined) {
      if (!member.isOptional) found++;
      // Most are scalars, and right: no place is made for them.
      if (!fits(check, member.schema.kind, inside))
        visit(check, member.schema.kind, inside, memberOf(place, name, member.schema));
    }
  }
  if (found < kind.required) refuseMissing(check, kind.members, given, place);
  if (kind.oneOf) refuseBothAndNeither(check, kind.oneOf, given, place);
}

function refuseBothAndNeither(check: Check, oneOf: readonly string[], given: object, place: Place): void {
  const found = oneOf.filter((name) => Object.hasOwn(given, name));
  if (found.length === 1) return;
  refuse(check, place, `an object with one of ${oneOf.join(' and ')}`, found.length === 0 ? 'neither' : 'both');
}

/** HT17: a member that nobody knows is refused, with the known one that it was probably meant to be. */
function refuseUnknown(check: Check, { members }: ObjectKind, unknown: string, { pointer, name, code }: Place): void {
  const known = [...members.keys()];
  const hint = nearestHint(unknown, known);
  const others = known.length === 0 ? 'nothing is known here' : `known are ${known.join(', ')}`;
  const message = `Expected a known name, but found ${shorten(name)}${hint === undefined ? `; ${others}` : ''}`;
  const fault = { severity: 'error', code: 'UNKNOWN_FIELD', pointer, message, ...(hint ? { hint } : {}) } as const;
  check.problems.unshift(withRefusal(fault, code));
}

function refuseMissing(
  check: Check,
  members: ReadonlyMap<string, AnyMember>,
  given: Readonly<Record<string, unknown>>,
  { pointer, name, code }: Place,
): void {
  for (const [missing, { isOptional, schema }] of members) {
    if (isOptional || given[missing] !== undefined) continue;
    const message = `Expected ${name} to have ${missing}, but it is missing`;
    const fault = { severity: 'error', code: 'MISSING_FIELD', pointer, message } as const;
    check.problems.push(withRefusal(fault, schema.code ?? code));
  }
}

/** Keys of the caller's own are texts like any other. */
function visitMap(check: Check, kind: Extract<Kind, { type: 'map' }>, value: unknown, place: Place): void {
  if (!isPlainObject(value)) return refuse(check, place, 'an object', shown(value));
  for (const [key, inside] of Object.entries(value)) {
    if (isFull(check)) return;
    if (key === '' || key.length > textLengthMax || key === '__proto__')
      refuse(
        check,
        place,
        `an object with names of 1 to ${textLengthMax} characters, none of them __proto__`,
        shown(key),
      );
    else visit(check, kind.of.kind, inside, memberOf(place, key, kind.of));
  }
}

function visitList(check: Check, kind: Extract<Kind, { type: 'list' }>, value: unknown, place: Place): void {
  if (!Array.isArray(value)) return refuse(check, place, 'a list', shown(value));
  const { min } = kind;
  const max = boundOf(kind.max, check.limits);
  if (value.length < min || value.length > max) {
    const limit = typeof kind.max === 'string' && value.length > max ? kind.max : undefined;
    return refuse(check, place, `a list of ${min} to ${max}`, `${value.length}`, limit);
  }
  for (const [index, item] of value.entries())
    visit(check, kind.of.kind, item, {
      pointer: `${place.pointer}/${index}`,
      name: `${place.name}[${index}]`,
      code: kind.of.code ?? place.code,
    });
}

function visitEither(check: Check, kind: Extract<Kind, { type: 'either' }>, value: unknown, place: Place): void {
  for (const one of kind.of) {
    const attempt: Check = { limits: check.limits, problems: [] };
    visit(attempt, one.kind, value, place);
    if (attempt.problems.length === 0) return;
  }
  refuse(check, place, kind.of.map((one) => expectationOf(check, one.kind)).join(', or '), shown(value));
}

function expectationOf({ limits }: Check, kind: Kind): string {
  switch (kind.type) {
    case 'text': {
      const max = boundOf(kind.max, limits);
      const length = Number.isFinite(max) ? ` of ${kind.min} to ${max} characters` : '';
      return `a text${length}${kind.pattern === undefined ? '' : ` like ${kind.pattern.source}`}`;
    }
    case 'whole': {
      const max = boundOf(kind.max, limits);
      const upTo = max === Number.MAX_SAFE_INTEGER ? 'on' : `to ${max}`;
      return kind.min === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number from ${kind.min} ${upTo}`;
    }
    case 'flag':
      return 'true or false';
    case 'choice':
      return `one of ${kind.of.join(', ')}`;
    case 'number':
      return 'a number';
    case 'null':
      return 'null';
    case 'list':
      return 'a list';
    case 'json':
      return 'any JSON';
    case 'map':
    case 'object':
    case 'either':
      return 'an object';
  }
}

/** Of a text that is too long nobody wants to see the text. */
const foundFor = (kind: Scalar, value: unknown): string =>
  kind.type === 'text' && typeof value === 'string' && kind.pattern === undefined && value !== ''
    ? `${value.length} characters`
    : shown(value);

function refuse(check: Check, { pointer, name, code }: Place, expected: string, found: string, limit?: Bound): void {
  const by = typeof limit === 'string' ? ` by the limit ${limit}` : '';
  const message = `Expected ${shorten(name)} to be ${expected}${by}, but found ${found}`;
  const fault = withRefusal({ severity: 'error', code: 'WRONG_VALUE', pointer, message }, code);
  check.problems.push(typeof limit === 'string' ? { ...fault, limit } : fault);
}

const withRefusal = (fault: Fault, refusal: string | undefined): Fault =>
  refusal === undefined ? fault : { ...fault, refusal };

function memberOf({ pointer, name, code }: Place, member: string, schema?: AnySchema): Place {
  const escaped = member.replaceAll('~', '~0').replaceAll('/', '~1');
  const place = { pointer: `${pointer}/${escaped}`, name: pointer === '' ? member : `${name}.${member}` };
  return { ...place, code: schema?.code ?? code };
}

interface TakeOptions {
  readonly limits: Limits;
  /** What it is, for people: `input`. */
  readonly what: string;
  /** What is thrown if it is no JSON. */
  readonly code: string;
  /** The limit on its size. Default: `payloadBytesMax`. */
  readonly bytesLimit?: 'payloadBytesMax' | 'definitionBytesMax';
}

/** KY3: what is handed in (an input, an answer, the payload of an event) is JSON within the limits, or nothing starts. */
export function takeJson(value: unknown, options: TakeOptions): Json {
  const { limits, what, code, bytesLimit = 'payloadBytesMax' } = options;
  const bounds = { bytesMax: limits[bytesLimit], depthMax: limits.jsonDepthMax, limitName: bytesLimit };
  const checked = copyToJson(value, bounds); // whoever handed it in may change theirs
  if (checked.ok) return checked.value;
  const limit = checked.code === 'TOO_LARGE' ? bytesLimit : checked.code === 'TOO_DEEP' ? 'jsonDepthMax' : undefined;
  throw new HeddleError(limit === undefined ? code : 'LIMIT_EXCEEDED', `In the ${what}: ${checked.message}`, {
    pointer: checked.pointer,
    ...(limit ? { limit } : {}),
  });
}
