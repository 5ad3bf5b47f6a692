// Stable JSON text: equal values give equal texts, whatever the order of their keys. For content hashes and
// fingerprints. The depth of the value must be bounded (see `check-json.ts`).

import type { Json, JsonObject } from './json.ts';

export function stableStringify(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(stableStringify).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${stableStringify(object[key] as Json)}`);
  return `{${members.join(',')}}`;
}
