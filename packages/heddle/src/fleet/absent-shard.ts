// Absent shard: one that this process cannot reach: its file is missing, damaged or another's. What needs it is refused with the
// reason; the others go on. Rule SH14.

import type { Store } from '../actor/ports.ts';
import { peerLike } from './peer-like.ts';
import type { Shard } from './shards.ts';

export function absentShard(absence: Error): Shard {
  const refuse = (): Promise<never> => Promise.reject(absence);
  const peer = peerLike(() => refuse);
  return {
    absence,
    peer,
    perform: refuse,
    read: () => refused(absence),
    waitForEnd: refuse,
    receiveWebhook: refuse,
    newestEvent: refuse,
    watchProgress: () => () => undefined,
    backup: refuse,
    pendingDeliveries: refuse,
    spanCounts: null,
    isIdle: true,
    whenIdle: () => Promise.resolve(),
    close: () => Promise.resolve(),
  } satisfies Record<keyof Shard, unknown>;
}

/** For what is read of all shards. */
export function absentStore(absence: Error): Store {
  const refuse = (): Promise<never> => Promise.reject(absence);
  const others: Readonly<Record<PropertyKey, unknown>> = { upkeep: undefined, close: () => undefined };
  return new Proxy({}, { get: (_, name) => (name in others ? others[name] : refuse) }) as Store; // whatever it is asked
}

// eslint-disable-next-line require-yield -- it has nothing to give
async function* refused(absence: Error): AsyncIterableIterator<never> {
  throw absence;
}
