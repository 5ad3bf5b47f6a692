// Shards: the engines of a fleet as the fleet sees them, and which of them something belongs to.
//
// Always true: a shard is asked questions that are data, wherever it is: in this process, in a thread, in another process. What
// is only read is read from the stores, all of which this process can reach.

import type { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import type { Limits } from '../definition/limits.ts';
import type { Parts } from '../engine/assemble.ts';
import type { Engine } from '../engine/engine.ts';
import type { ShardPeer } from '../engine/peers.ts';
import type { Carrier } from '../operations/carrier.ts';
import type { OperationName } from '../operations/operations.ts';
import { type Reads, readAllShards } from './all-shards.ts';
import type { Routes } from './route.ts';

/** One of them. */
export interface Shard
  extends Pick<Engine, 'perform' | 'newestEvent' | 'watchProgress' | 'backup' | 'pendingDeliveries' | 'spanCounts'>,
    Pick<Engine, 'isIdle' | 'whenIdle' | 'close'>,
    Pick<Carrier, 'read' | 'waitForEnd'> {
  /** What it does for the others. */
  readonly peer: ShardPeer;
  /** At home. */
  readonly receiveWebhook: Engine['webhooks']['receive'];
  /** Why nothing can be asked of it; null if it is there. */
  readonly absence: Error | null;
}

export interface ShardsOptions {
  readonly all: readonly [Shard, ...Shard[]];
  readonly placement: Placement;
  /** Of each, to be read. */
  readonly stores: readonly [Store, ...Store[]];
  /** The parts of an engine that looks at the first store. */
  readonly viewer: Parts;
  /** Throws if nothing may be changed. */
  readonly refuseChange: () => void;
  /** What lies beyond `all`, in a fleet whose shards nobody can list. */
  readonly beyond?: Beyond;
  /** Makes the copies of a backup, one of each shard. */
  readonly copyAll: (copies: readonly (() => Promise<void>)[]) => Promise<void>;
  readonly close: (options: { readonly graceMs?: number }) => Promise<void>;
}

/** Every root run has a shard of its own. */
export interface Beyond {
  readonly home: Shard;
  readonly of: (shard: number) => Shard;
  /** For a new run. */
  readonly anyOne: () => Shard;
  /** Operations that are done otherwise than where all shards are known. */
  readonly routes: Routes;
  /** Throws if it would have to ask all of them. */
  readonly refuse: (name: OperationName) => void;
}

export class Shards {
  /** Those that are known. */
  readonly all: readonly Shard[];
  readonly home: Shard;
  readonly placement: Placement;
  /** The store of home, but for what all are read for. */
  readonly store: Store;
  readonly homeStore: Store;
  readonly viewer: Parts;
  readonly limits: Limits;
  readonly refuseChange: ShardsOptions['refuseChange'];
  readonly copyAll: ShardsOptions['copyAll'];
  readonly close: ShardsOptions['close'];
  readonly beyond: Beyond | null;
  #next = 0;

  constructor({ all, placement, stores, viewer, refuseChange, beyond, copyAll, close }: ShardsOptions) {
    this.all = all;
    this.beyond = beyond ?? null;
    this.home = beyond?.home ?? all[0];
    this.placement = placement;
    this.store = storeOfAll(stores);
    this.homeStore = stores[0];
    this.viewer = viewer;
    this.limits = viewer.host.limits;
    this.refuseChange = refuseChange;
    this.copyAll = copyAll;
    this.close = close;
  }

  /** Those that can be asked. */
  get present(): readonly Shard[] {
    return this.all.filter(({ absence }) => absence === null);
  }

  /** What no shard can have made is looked for at home, and not found. */
  ofId(id: string): Shard {
    return this.of(this.placement.ofId(id));
  }

  of(shard: number): Shard {
    return this.beyond?.of(shard) ?? this.all[shard] ?? this.home;
  }

  /** For what may be anywhere: one after the other. */
  anyOne(): Shard {
    if (this.beyond) return this.beyond.anyOne();
    const { present } = this;
    this.#next = (this.#next + 1) % present.length;
    return present[this.#next] ?? this.home;
  }
}

function storeOfAll(stores: readonly [Store, ...Store[]]): Store {
  const reads: Readonly<Partial<Record<PropertyKey, unknown>>> = readAllShards(stores) satisfies Reads;
  return new Proxy(stores[0], { get: (target, name) => reads[name] ?? (Reflect.get(target, name) as unknown) });
}
