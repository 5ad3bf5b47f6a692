// Leased shard: what a process says of a shard that it owns by a lease leaves it only while the lease lasts. Rule OW3.
//
// What is put together with what other shards say may reach its client later, as over a slow wire: it was true when it was said,
// and it was asked for by then.

import type { ItemOf, ReadOptions, StreamName } from '../operations/carrier.ts';
import type { RequestOf } from '../operations/operations.ts';
import type { LocalShard } from './local-shard.ts';
import { askPeer, peerLike } from './peer-like.ts';
import type { Shard } from './shards.ts';

/** `refuseIfOver` throws once the lease is over. */
export function leasedShard(shard: LocalShard, refuseIfOver: () => void): Shard {
  /** OW3: a refusal is an answer, too. */
  const within = async <T>(answer: () => Promise<T>): Promise<T> => {
    refuseIfOver();
    try {
      return await answer();
    } finally {
      refuseIfOver();
    }
  };
  const peer = peerLike(
    (name) =>
      (...args) =>
        within(() => askPeer(shard.peer, name, args)),
  );
  async function* read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    refuseIfOver();
    for await (const item of shard.read(name, request, options)) {
      refuseIfOver();
      yield item;
    }
    // It may have ended because the engine was closed: whoever reads continues at the next owner.
    if (shard.absence) throw shard.absence;
  }
  return {
    peer,
    read,
    perform: (name, request, call) => within(() => shard.perform(name, request, call)),
    waitForEnd: (runId, signal) => within(() => shard.waitForEnd(runId, signal)),
    receiveWebhook: (id, call) => within(() => shard.receiveWebhook(id, call)),
    newestEvent: () => within(() => shard.newestEvent()),
    pendingDeliveries: () => within(() => shard.pendingDeliveries()),
    backup: (path) => within(() => shard.backup(path)),
    watchProgress: shard.watchProgress,
    whenIdle: () => shard.whenIdle(),
    close: (options) => shard.close(options),
    get absence() {
      return shard.absence;
    },
    get spanCounts() {
      return shard.spanCounts;
    },
    get isIdle() {
      return shard.isIdle;
    },
  };
}
