// Simulated elsewhere: the shards of a fleet at their owners, as one process of several reaches them: whichever process owns a
// shard by then, over a wire that loses, doubles and delays calls.
//
// Always true: what no owner was asked is refused with `SHARD_ELSEWHERE`; what reaches a process that dies is in doubt.

import { askPeer, peerLike } from '../fleet/peer-like.ts';
import { shardElsewhere } from '../fleet/seat.ts';
import type { Shard } from '../fleet/shards.ts';
import type { ItemOf, ReadOptions, StreamName } from '../operations/carrier.ts';
import type { RequestOf } from '../operations/operations.ts';
import { simulatedFault } from './simulated-fault.ts';
import type { ProcessLife } from './simulated-store.ts';
import { Wire, type WireWorld } from './simulated-wire.ts';
import { died } from './world-process.ts';

/** A process that owns a shard. */
export interface Owner {
  readonly life: ProcessLife;
  readonly death: Promise<typeof died>;
  /** Null if it owns it no more. */
  readonly shard: () => Shard | null;
}

export interface ElsewhereWorld extends WireWorld {
  /** Null if no other process can be reached that does. */
  readonly ownerOf: (shard: number, asking: ProcessLife) => Owner | null;
}

type Ask<Answer> = (owner: Shard) => Promise<Answer>;

export function simulatedElsewhere(asking: ProcessLife, world: ElsewhereWorld): (shard: number) => Shard {
  const way = new Way(asking, world);
  return (shard) => {
    const ask = <Answer>(question: Ask<Answer>): Promise<Answer> => way.ask(shard, question, false);
    return {
      peer: peerBy((question) => way.ask(shard, question, true)),
      absence: null,
      perform: (name, request, call) => ask((owner) => owner.perform(name, request, call)),
      read: (name, request, options) => way.read(shard, name, request, options),
      waitForEnd: (runId, signal) => ask((owner) => owner.waitForEnd(runId, signal)),
      newestEvent: () => ask((owner) => owner.newestEvent()),
      pendingDeliveries: () => ask((owner) => owner.pendingDeliveries()),
      backup: (path) => ask((owner) => owner.backup(path)),
      watchProgress: () => () => undefined,
      spanCounts: null,
      isIdle: true,
      whenIdle: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  };
}

const peerBy = (ask: <Answer>(question: Ask<Answer>) => Promise<Answer>): Shard['peer'] =>
  peerLike(
    (name) =>
      (...args) =>
        ask(({ peer }) => askPeer(peer, name, args)),
  );

class Way {
  readonly #asking: ProcessLife;
  readonly #world: ElsewhereWorld;
  readonly #wire: Wire;
  /** By where it goes. */
  readonly #coming = new WeakMap<ProcessLife, (() => void)[]>();

  constructor(asking: ProcessLife, world: ElsewhereWorld) {
    this.#asking = asking;
    this.#world = world;
    this.#wire = new Wire(asking, world);
  }

  ask<Answer>(shard: number, question: Ask<Answer>, isForPeer: boolean): Promise<Answer> {
    return this.#wire.bring(() => this.#askOwner(shard, question), isForPeer);
  }

  async #askOwner<Answer>(shard: number, question: Ask<Answer>): Promise<Answer> {
    const owner = this.#mustReach(shard);
    const answered = this.#arrive(owner.life).then(() => {
      const there = owner.shard();
      if (there === null) throw shardElsewhere(shard);
      return question(there);
    });
    const answer = await Promise.race([answered, owner.death]);
    if (answer === died) throw simulatedFault('STORE_IN_DOUBT', `The owner of shard ${shard} has died meanwhile`);
    await this.#arrive(this.#asking);
    return answer;
  }

  async *read<Name extends StreamName>(
    shard: number,
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    const owner = this.#mustReach(shard);
    const there = owner.shard();
    if (there === null) throw shardElsewhere(shard);
    const items = there.read(name, request, options);
    try {
      for (;;) {
        const next = await Promise.race([items.next(), owner.death]);
        if (next === died || this.#asking.isZombie) throw shardElsewhere(shard); // its next owner tells the rest
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      void items.return?.();
    }
  }

  /** One that was cut off reaches nobody. */
  #mustReach(shard: number): Owner {
    const owner = this.#asking.isZombie ? null : this.#world.ownerOf(shard, this.#asking);
    if (owner === null) throw shardElsewhere(shard);
    return owner;
  }

  /** In the order of sending. A process that stands still hears what has come when it continues. */
  #arrive(life: ProcessLife): Promise<void> {
    const coming = this.#coming.get(life) ?? [];
    this.#coming.set(life, coming);
    return new Promise((resolve) => {
      coming.push(resolve);
      this.#world.schedule.soon(life, () => coming.shift()?.());
    });
  }
}
