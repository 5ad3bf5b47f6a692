// Places: where in a definition something is, and a copy of it with that changed. Definitions are never altered.

import type { Json, JsonObject } from 'heddle';

/** Keys and indices, from the outside in. */
export type Place = readonly (string | number)[];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** A value in a word, for labels. */
export const wordOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter((one) => isObject(one)) : [];

export function readAt(value: Json | undefined, place: Place): Json | undefined {
  let found = value;
  for (const key of place) {
    if (isList(found)) found = found[Number(key)];
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** `undefined` removes the member, and objects that are empty without it. What is on the way and missing becomes an object. */
export function writeAt(root: Json | undefined, place: Place, value: Json | undefined): Json | undefined {
  const [key, ...rest] = place;
  if (key === undefined) return value;
  if (isList(root)) {
    const index = Number(key);
    const written = writeAt(root[index], rest, value);
    return written === undefined
      ? root.filter((_, at) => at !== index)
      : Array.from({ length: Math.max(root.length, index + 1) }, (_, at) =>
          at === index ? written : (root[at] ?? {}),
        );
  }
  const object = isObject(root) ? root : {};
  const written = writeAt(object[key], rest, value);
  if (written !== undefined) return { ...object, [key]: written };
  const { [key]: _, ...others } = object;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** RFC 6901. */
export function readPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
