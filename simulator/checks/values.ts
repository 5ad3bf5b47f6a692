// Values: how values are written, read, compared and merged, worked out once more from the rules (MG…, MP3), so that
// what the journal says of them can be checked.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { MergeStrategy } from '../../packages/heddle/src/definition/definition.ts';

/** A value at a target such as `state.score`; without a value, what was there is removed. */
export type Writing = readonly [target: string, value: Json] | readonly [target: string];

/** What was written in a branch, by target; undefined for what was removed. No target lies below a later one. */
export type Overlay = Map<string, Json | undefined>;

/** A write takes the place of what was written there and below before. */
export function writeOver(overlay: Overlay, writes: Iterable<Writing>): void {
  for (const [target, value] of writes) {
    for (const known of overlay.keys()) if (known === target || known.startsWith(`${target}.`)) overlay.delete(known);
    overlay.set(target, value);
  }
}

export interface Context {
  readonly state: JsonObject;
  readonly output: JsonObject;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Dots stand between keys; inside a key a dot is `\u0001d`, and `\u0001` itself `\u0001s`. */
export function keysOf(target: string): readonly string[] {
  const keys = target.split('.');
  return target.includes('\u0001')
    ? keys.map((key) => key.replaceAll('\u0001d', '.').replaceAll('\u0001s', '\u0001'))
    : keys;
}

export function readAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as JsonObject)[key];
  }
  return here;
}

/** A copy with a value at a path, or without what was there. What is on the way and no object becomes one. */
export function writeAt(value: Json | undefined, path: readonly string[], written: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return written ?? null;
  const members: Record<string, Json> = isObject(value) ? { ...value } : {};
  const there = Object.hasOwn(members, key) ? members[key] : undefined;
  if (rest.length > 0) define(members, key, writeAt(there, rest, written));
  else if (written === undefined) delete members[key];
  else define(members, key, written);
  return members;
}

/** Plain assignment would take `__proto__` for something else. */
function define(members: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(members, key, { value, enumerable: true, configurable: true });
  else members[key] = value;
}

/** Removing what is not there makes nothing. */
const isThere = (value: Json, path: readonly string[]): boolean => {
  let here: Json | undefined = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return false;
    here = here[key];
  }
  return true;
};

export function writeAll(value: Json, changes: Iterable<readonly [readonly string[], Json | undefined]>): Json {
  let changed = value;
  for (const [path, written] of changes)
    if (written !== undefined || isThere(changed, path)) changed = writeAt(changed, path, written);
  return changed;
}

export function writeContext(context: Context, writes: Iterable<readonly [string, (Json | undefined)?]>): Context {
  let { state, output } = context;
  for (const [target, value] of writes) {
    const [section, ...path] = keysOf(target);
    if (section === 'output')
      output = writeAll(output, [[path, value]]) as JsonObject; // targets lie below a section
    else state = writeAll(state, [[path, value]]) as JsonObject;
  }
  return { state, output };
}

export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item: Json, index) => isEqual(item, other[index] as Json));
  }
  const [mine, theirs] = [one as JsonObject, other as JsonObject];
  const keys = Object.keys(mine);
  if (keys.length !== Object.keys(theirs).length) return false;
  return keys.every((key) => Object.hasOwn(theirs, key) && isEqual(mine[key], theirs[key]));
}

/** The same values at the same targets, in any order: none of them lies below another. */
export function isSame(found: readonly Writing[], expected: readonly Writing[]): boolean {
  return found.length === expected.length && isEqual(Object.fromEntries(found), Object.fromEntries(expected));
}

export interface Contribution {
  readonly index: number;
  readonly value: Json;
}

/** MG1 to MG6, of contributions in the order of their index. */
export function merge(strategy: MergeStrategy, given: readonly Contribution[]): Json {
  const values = given.map(({ value }) => value);
  switch (strategy) {
    case 'append':
    case 'collect':
      return values;
    case 'concat':
      return values.flat();
    case 'merge_object': {
      const members = values.flatMap((value) => (isObject(value) ? Object.entries(value) : []));
      return Object.fromEntries(members);
    }
    case 'keyed_by_branch':
      return Object.fromEntries(given.map(({ index, value }) => [index, value]));
    case 'last_wins':
      return values.at(-1) ?? null;
    case 'output_merge':
      return values.length === 0 ? {} : values.reduce(mergeOutputs);
  }
}

/** MG15: what the target holds, with what the branches give behind it. */
export function extend(strategy: MergeStrategy, before: Json, given: readonly Contribution[]): Json {
  const value = merge(strategy, given);
  switch (strategy) {
    case 'append':
    case 'collect':
    case 'concat':
      return [...listOf(before), ...listOf(value)];
    case 'merge_object':
    case 'keyed_by_branch':
      return { ...(isObject(before) ? before : {}), ...(value as JsonObject) };
    case 'last_wins':
      return value;
    case 'output_merge':
      return [before, ...given.map((one) => one.value)].reduce(mergeOutputs);
  }
}

/** MG6, two at a time: objects by key, and everything else into one flat list. */
function mergeOutputs(before: Json, next: Json): Json {
  if (!isObject(before) || !isObject(next)) return [...listOf(before), ...listOf(next)];
  const merged: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(next))
    define(merged, key, Object.hasOwn(before, key) ? mergeOutputs(before[key] as Json, value) : value);
  return merged;
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [value]);

/** MG12: what laying an object over another changes, leaf by leaf. */
export function layOver(path: readonly string[], below: Json | undefined, above: Json): [readonly string[], Json][] {
  if (!isObject(above) || !isObject(below)) return [[path, above]];
  return Object.entries(above).flatMap(([key, value]) =>
    layOver([...path, key], Object.hasOwn(below, key) ? below[key] : undefined, value),
  );
}
