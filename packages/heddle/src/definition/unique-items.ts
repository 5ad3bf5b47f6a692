// Unique items: the check behind `uniqueItems`, in linear time.

import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';

/** A refinement as the validator takes it. */
export const uniqueItemsCheck = [
  {
    check: (value: Json): boolean => !Array.isArray(value) || findRepeated(value) === -1,
    error: (value: Json): string => `item ${findRepeated(value as readonly Json[])} repeats an earlier one`,
  },
];

function findRepeated(items: readonly Json[]): number {
  const seen = new Set<string>();
  return items.findIndex((item) => seen.size === seen.add(stableStringify(item)).size);
}
