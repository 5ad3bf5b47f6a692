// Fleet feed: the events of all shards as one stream: of each shard in the order of its commits, among shards by time where
// both are there. Rule SH7.
//
// Always true: whoever goes on after an id gets every event of every shard behind it once.

import { firstSignal } from '../actor/first-signal.ts';
import { given } from '../base/given.ts';
import type { ReadOptions } from '../operations/carrier.ts';
import type { FeedEvent } from '../operations/events.ts';
import { readPlaces, writePlaces } from './feed-places.ts';

export interface FeedSource {
  readonly read: (options: ReadOptions) => AsyncIterableIterator<FeedEvent>;
}

interface Reader {
  readonly shard: number;
  readonly events: AsyncIterableIterator<FeedEvent>;
  /** The next event, once it is there. */
  coming: Promise<void> | null;
  head: FeedEvent | null;
  isOver: boolean;
}

export async function* readFleetFeed(
  sources: readonly FeedSource[],
  { after, signal, follow }: ReadOptions,
): AsyncIterableIterator<FeedEvent> {
  const end = new AbortController(); // a reader that waits for news ends by nothing else
  const until = firstSignal([signal, end.signal]);
  const options = { signal: until.signal, ...given({ follow }) };
  const places: (string | null)[] = [...readPlaces(after, sources.length)];
  const readers = sources.map((source, shard): Reader => {
    const place = places[shard] ?? undefined;
    const events = source.read({ ...options, ...(place === undefined ? {} : { after: place }) });
    return { shard, events, coming: null, head: null, isOver: false };
  });
  try {
    for (;;) {
      const next = await nextOf(readers, follow !== false);
      if (next === null) return;
      const { shard, head } = next;
      next.head = null;
      if (head === null) continue;
      places[shard] = head.feedId;
      yield { ...head, feedId: writePlaces(places) };
    }
  } finally {
    end.abort();
    until.end();
    await Promise.all(readers.map(async ({ events }) => events.return?.()));
  }
}

/** SH7: of each shard in its order. The reader whose event is next; null when all are over, or one of those that are followed. */
async function nextOf(readers: readonly Reader[], isFollowing: boolean): Promise<Reader | null> {
  for (const reader of readers) if (reader.head === null && !reader.isOver) reader.coming ??= advance(reader);
  // Where all that there is is read, every shard is asked before the oldest is taken; else whatever comes first.
  if (!isFollowing) await Promise.all(readers.flatMap(({ coming }) => coming ?? []));
  else if (!readers.some(({ head }) => head !== null))
    await Promise.race(readers.flatMap(({ coming }) => coming ?? []));
  const ready = readers.filter(({ head }) => head !== null);
  if (ready.length === 0) return isFollowing && !readers.some(({ isOver }) => isOver) ? (readers[0] ?? null) : null;
  return ready.reduce((first, other) => ((other.head?.at ?? 0) < (first.head?.at ?? 0) ? other : first));
}

async function advance(reader: Reader): Promise<void> {
  const { done, value } = await reader.events.next();
  reader.coming = null;
  if (done === true) reader.isOver = true;
  else reader.head = value;
}
