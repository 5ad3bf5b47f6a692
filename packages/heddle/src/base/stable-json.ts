// Stable JSON text: equal values give equal texts, whatever the order of their keys. For content hashes and
// fingerprints. The depth of the value must be bounded (see `check-json.ts`).

import { isJsonArray, type Json } from './json.ts';

export function stableStringify(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(stableStringify).join(',')}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${stableStringify(value[key] as Json)}`); // its own key
  return `{${members.join(',')}}`;
}
