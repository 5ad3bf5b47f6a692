// Overheard shard: a shard that a process owns, with somebody who notices whatever is said of it, to whomever: to clients of the
// process, to its other shards, to other processes.

import { isMoving } from '../actor/refusals.ts';
import { isFenced } from '../actor/store-error.ts';
import { askPeer, peerLike } from '../fleet/peer-like.ts';
import type { Shard } from '../fleet/shards.ts';
import type { ItemOf, ReadOptions, StreamName } from '../operations/carrier.ts';
import type { RequestOf } from '../operations/operations.ts';

/** `onAnswer`: an answer, a refusal or an event leaves it. */
export function overheardShard(owned: Shard, onAnswer: () => void): Shard {
  /** That it is no owner any more a process may say whenever it knows. */
  const hear = async <Answer>(answering: Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await answering;
      onAnswer();
      return answer;
    } catch (error) {
      if (!isFenced(error) && !isMoving(error)) onAnswer();
      throw error;
    }
  };
  async function* read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    for await (const item of owned.read(name, request, options)) {
      onAnswer();
      yield item;
    }
  }
  const peer = peerLike(
    (name) =>
      (...args) =>
        hear(askPeer(owned.peer, name, args)),
  );
  const heard: Partial<Shard> = {
    peer,
    read,
    perform: (name, request, call) => hear(owned.perform(name, request, call)),
    waitForEnd: (runId, signal) => hear(owned.waitForEnd(runId, signal)),
    receiveWebhook: (id, call) => hear(owned.receiveWebhook(id, call)),
    newestEvent: () => hear(owned.newestEvent()),
    pendingDeliveries: () => hear(owned.pendingDeliveries()),
  };
  return Object.assign(Object.create(owned) as Shard, heard); // all else is as it is there
}
