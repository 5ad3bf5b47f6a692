// Given: what callers of the API hand in, on its way into requests. What a request may hold, the table of operations says;
// here is what would not reach it: options that are no object, and those that stay on this side.

import type { Json } from '../base/json.ts';
import { invalidOption, refuseUnknown } from '../base/refuse-options.ts';
import type { ReadOptions } from '../operations/carrier.ts';
import { itemsPerPage } from '../operations/pages.ts';

/** What is read from a stream, and how. */
export function checkReading(options: ReadOptions): ReadOptions {
  refuseUnknown('reading', options, ['after', 'follow', 'signal']);
  const { follow } = options;
  if (follow !== undefined && typeof follow !== 'boolean') throw invalidOption('follow', 'true or false', follow);
  return options;
}

/** Of a list that is handed out a page at a time. */
export const onePage = { limit: itemsPerPage } as const;

/** Whatever it is: whoever takes the request makes JSON of it, or refuses it. */
export const toJson = (value: unknown): Json => value as Json; // or it is refused there
