// Pages: a list that a server hands out page by page, as a whole.

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface Paging {
  readonly after?: string;
  readonly limit: number;
}

/** At most as many in a page as a server gives. */
const pageMax = 1_000;

export async function everyItem<Item>(ask: (paging: Paging) => Promise<Page<Item>>, limit = pageMax): Promise<Item[]> {
  const all: Item[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { items, next }: Page<Item> = await ask({ limit, ...(after === undefined ? {} : { after }) });
    for (const item of items) all.push(item);
    after = next;
  }
  return all;
}
