// Pages: a list that a server hands out page by page, as one.

import type { Page, Paging } from '../operations/parts.ts';

export interface Wanted {
  /** Only those behind this one. */
  readonly after?: string;
  /** All of them, if absent. */
  readonly limit?: number;
  /** At most as many as a server gives. */
  readonly perRequest?: number;
}

const perRequestMax = 1_000;

/** One after the other: the next page is asked for when this one has been taken. */
export async function* eachItem<Item>(
  ask: (paging: Paging) => Promise<Page<Item>>,
  { after, limit = Number.POSITIVE_INFINITY, perRequest = perRequestMax }: Wanted = {},
): AsyncGenerator<Item> {
  for (let from = after, left = limit; left > 0; ) {
    const page = { limit: Math.min(left, perRequest), ...(from === undefined ? {} : { after: from }) };
    const { items, next }: Page<Item> = await ask(page);
    yield* items;
    if (next === null) return;
    from = next;
    left -= items.length;
  }
}

export async function everyItem<Item>(
  ask: (paging: Paging) => Promise<Page<Item>>,
  wanted: Wanted = {},
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of eachItem(ask, wanted)) all.push(item);
  return all;
}
