// Path: a place in a JSON value, as a list of keys. Reads look at own properties only; writes copy the objects on
// the way and share the rest, so that whoever holds the old value keeps it unchanged.

import type { Json, JsonObject } from './json.ts';

export type Path = readonly string[];

/** Keys that could reach a prototype: refused in every path that is written. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path; `undefined` if anything on the way is missing. Keys of lists are their indices. */
export function readPath(value: Json | undefined, path: Path): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

/** `root` with `value` at `path`. What is on the way and no object becomes one. An empty path replaces the root. */
export function writePath(root: Json | undefined, path: Path, value: Json): Json {
  const trail: { copy: Record<string, Json>; key: string }[] = [];
  let here: Json | undefined = root;
  for (const key of path) {
    const copy: Record<string, Json> = isJsonObject(here) ? { ...here } : {};
    trail.push({ copy, key });
    here = Object.hasOwn(copy, key) ? copy[key] : undefined;
  }
  let written = value;
  for (const { copy, key } of trail.toReversed()) {
    copy[key] = written;
    written = copy;
  }
  return written;
}
