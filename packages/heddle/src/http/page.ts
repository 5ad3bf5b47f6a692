// Page: one page of what is there, and where the next begins.

import type { Page, Paging } from '../operations/parts.ts';
import { RequestError } from './problem-document.ts';

export const itemsPerPage = 100;

/** Of what is asked for one more than is shown: there is a next page if that one is there. */
export async function askedPage<Item>(
  { after, limit = itemsPerPage }: Paging,
  ask: (paging: { readonly after?: string; readonly limit: number }) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): Promise<Page<Item>> {
  const found = await ask({ limit: limit + 1, ...(after === undefined ? {} : { after }) });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? keyOf(last) : null };
}

/** Of a list that is there as a whole. */
export function slicedPage<Item>(
  all: readonly Item[],
  { after, limit = itemsPerPage }: Paging,
  keyOf: (item: Item) => string,
): Page<Item> {
  const from = after === undefined ? 0 : all.findIndex((item) => keyOf(item) === after) + 1;
  // HT7: a cursor that no page has given is refused.
  if (after !== undefined && from === 0) throw invalidCursor();
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  return { items, next: from + limit < all.length && last !== undefined ? keyOf(last) : null };
}

export function invalidCursor(): RequestError {
  return new RequestError(400, 'CURSOR_INVALID', 'Expected `after` to be the `next` of a page, but it is not', {
    pointer: '/after',
    hint: 'Begin again without `after`.',
  });
}
