// Each in its shard: what one request asks for of several things, each asked of the shard that it belongs to.
//
// Always true: each has its own answer, in the order of the request; a shard that cannot be reached keeps nothing from the
// others (SH14).

import { groupBy } from '../base/group-by.ts';
import type { Shard } from './shards.ts';

interface Asked<Item, Answer> {
  /** Of one shard; one answer for each. */
  readonly ask: (shard: Shard, some: readonly Item[]) => Promise<readonly Answer[]>;
  /** Of a shard that is not there: nothing was done. */
  readonly refuse: (item: Item, absence: Error) => Answer;
}

export async function eachInItsShard<Item, Answer>(
  items: readonly Item[],
  shardOf: (item: Item) => Shard,
  { ask, refuse }: Asked<Item, Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const placed = groupBy(items.entries(), ([, item]) => shardOf(item));
  await Promise.all(
    [...placed].map(async ([shard, entries]) => {
      const some = entries.map(([, item]) => item);
      const { absence } = shard;
      const found = absence === null ? await ask(shard, some) : some.map((item) => refuse(item, absence));
      for (const [at, [index]] of entries.entries()) answers[index] = found[at] as Answer; // one for each
    }),
  );
  return answers;
}
