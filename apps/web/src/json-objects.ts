// JSON objects: reading members of what may be anything.

import type { Json, JsonObject } from 'heddle';

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The object that it is; an empty one for everything else. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** A text that says something. */
export function textAt(value: Json | undefined, name: string): string | undefined {
  const found = objectOf(value)[name];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: Json | undefined, name: string): number | undefined {
  const found = objectOf(value)[name];
  return typeof found === 'number' ? found : undefined;
}
