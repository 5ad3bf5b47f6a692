// Pages: a list that an engine hands out page by page, as one; and one page of a list, with where the next begins.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Wanted } from './carrier.ts';
import type { Page, Paging } from './parts.ts';

/** One after the other: the next page is asked for when this one has been taken. */
export async function* eachItem<Item>(
  ask: (paging: Paging) => Promise<Page<Item>>,
  { after, limit = Number.POSITIVE_INFINITY }: Wanted,
  perRequest: number,
): AsyncGenerator<Item> {
  for (let from = after, left = limit; left > 0; ) {
    const page = { limit: Math.min(left, perRequest), ...given({ after: from }) };
    const { items, next }: Page<Item> = await ask(page);
    yield* items;
    if (next === null) return;
    from = next;
    left -= items.length;
  }
}

export async function everyItem<Item>(
  ask: (paging: Paging) => Promise<Page<Item>>,
  wanted: Wanted,
  perRequest: number,
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of eachItem(ask, wanted, perRequest)) all.push(item);
  return all;
}

/** Of a list, where nobody says how many. */
export const itemsPerPage = 100;

/** Of what is asked for one more than is shown: there is a next page if that one is there. */
export async function askedPage<Item>(
  { after, limit = itemsPerPage }: Paging,
  ask: (paging: { readonly after?: string; readonly limit: number }) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): Promise<Page<Item>> {
  const found = await ask({ limit: limit + 1, ...given({ after }) });
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

export function invalidCursor(): HeddleError {
  return new HeddleError('CURSOR_INVALID', 'Expected `after` to be the `next` of a page, but it is not', {
    pointer: '/after',
    hint: 'Begin again without `after`.',
  });
}
