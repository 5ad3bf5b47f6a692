// Without prototypes: a copy of a value in which no object inherits anything, for validators that ask `in`.

import type { Json, JsonObject } from '../base/json.ts';

/** The depth of the value must be bounded (see `check-json.ts`); parts wait in a queue all the same. */
export function withoutPrototypes(value: Json): Json {
  const holder: Record<string, Json> = {};
  const queue: { value: Json; put: (copy: Json) => void }[] = [{ value, put: (copy) => (holder['copy'] = copy) }];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next.value !== 'object' || next.value === null) {
      next.put(next.value);
      continue;
    }
    const copy: Record<string, Json> | Json[] = Array.isArray(next.value) ? [] : Object.create(null);
    next.put(copy);
    for (const [key, part] of Object.entries(next.value as JsonObject)) {
      queue.push({ value: part, put: (made) => ((copy as Record<string, Json>)[key] = made) });
    }
  }
  return holder['copy'] ?? null;
}
