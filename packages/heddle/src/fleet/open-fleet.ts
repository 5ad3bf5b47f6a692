// Open fleet: the shards of a fleet in one process: each store is claimed, given what it missed, and gets an engine.
//
// Always true: every shard is loaded before one of them resumes; one that cannot be opened keeps no other from it, but for the
// first (SH14); whatever fails, no store stays open.

import { readMembership } from '../actor/mail/membership.ts';
import { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import { asError } from '../actor/store-error.ts';
import { systemClock } from '../actor/system-clock.ts';
import type { OwnedStore } from '../actor/write-queue.ts';
import { checkOptions, refuseStore } from '../engine/check-options.ts';
import type { Engine, EngineOptions, ShardSeams, TestSeams } from '../engine/engine.ts';
import { engineOptions, LocalEngine, ownShard } from '../engine/local-engine.ts';
import { homeShard, type ShardPeer, type ShardPeers } from '../engine/peers.ts';
import { runIdMaker } from '../engine/run-id.ts';
import { Crew } from '../executor/crew.ts';
import { absentShard, absentStore } from './absent-shard.ts';
import { readAllShards } from './all-shards.ts';
import { asShard, claimStores, type Place } from './claim-stores.ts';
import { Fleet } from './fleet.ts';
import { LocalShard } from './local-shard.ts';
import { OneMoment } from './one-moment.ts';
import { type Shard, Shards } from './shards.ts';
import { catchUp, SharedChanges } from './shared.ts';

/** What tests put between its parts; no option of users. */
export interface FleetSeams extends TestSeams {
  /** What brings calls of one shard to another. */
  readonly wire?: ((peer: ShardPeer, way: { readonly from: number; readonly to: number }) => ShardPeer) | undefined;
}

/** Opens a fleet on stores of its own, in their order; an error in the place of one says why it is not there. */
export async function openFleet(
  places: readonly Place[],
  options: EngineOptions = {},
  seams: FleetSeams = {},
): Promise<Engine> {
  for (const place of places) if (!(place instanceof Error)) refuseStore(place);
  checkOptions('createEngine', options, engineOptions);
  const opening = new Opening(options, seams);
  try {
    return await opening.open(places);
  } catch (error) {
    await opening.undo(places);
    throw error;
  }
}

type Stores = readonly [home: Store, ...others: Store[]];

class Opening {
  readonly #options: EngineOptions;
  readonly #seams: FleetSeams;
  /** For the engines of all shards. */
  readonly #common: Pick<ShardSeams, 'crew' | 'newId' | 'standIn'>;
  readonly #owned: (OwnedStore | Error)[] = [];
  readonly #engines = new Map<number, LocalEngine>();
  readonly #shards: Shard[] = [];
  readonly #moment = new OneMoment();

  constructor(options: EngineOptions, { standIn, ...seams }: FleetSeams) {
    this.#options = options;
    this.#seams = seams;
    this.#common = { standIn, crew: new Crew(), newId: runIdMaker(options.clock ?? systemClock()) };
  }

  async open(places: readonly Place[]): Promise<Engine> {
    const { readOnly = false } = this.#options;
    for (const place of places) this.#owned.push(place instanceof Error ? place : await ownShard(place, this.#options));
    const stores = this.#owned.map((owned) => (owned instanceof Error ? owned : owned.store));
    const claimed = await claimStores(stores, readOnly);
    const seen = claimed.map((place, shard) =>
      place instanceof Error ? absentStore(place) : asShard(place, shard, claimed[0]),
    ) as unknown as Stores; // as many
    for (const [shard, place] of claimed.entries()) {
      if (place instanceof Error) this.#leaveOut(shard, place);
      else await this.#orLeaveOut(shard, () => this.#makeShard(shard, seen));
    }
    for (const [shard, engine] of this.#engines) if (!readOnly) await this.#orLeaveOut(shard, () => engine.load());
    for (const [shard, engine] of this.#engines) if (!readOnly) await this.#orLeaveOut(shard, () => engine.resume());
    return this.#asOne(seen);
  }

  async #makeShard(shard: number, stores: Stores): Promise<void> {
    const { whenFenced } = this.#owned[shard] as OwnedStore; // a store is there
    const store = stores[shard] as Store; // there are as many
    if (shard !== homeShard && !this.#options.readOnly) await catchUp(stores[homeShard], store);
    const former = (await readMembership(store))?.former ?? [];
    const seams = { ...this.#common, peers: { ...this.#peersOf(shard, stores), former } };
    const engine = new LocalEngine({ store, whenFenced }, this.#options, seams);
    this.#engines.set(shard, engine);
    this.#shards[shard] = new LocalShard(engine);
  }

  #peersOf(own: number, stores: Stores): ShardPeers {
    const { wire = (peer: ShardPeer) => peer } = this.#seams;
    return {
      placement: new Placement(own, stores.length),
      of: (to) => {
        const { peer } = (this.#shards[to] ?? this.#shards[own]) as Shard; // what no shard can have made is not found here
        const way = { from: own, to };
        return to === own ? peer : wire(this.#moment.between(peer, way), way);
      },
      pageRuns: readAllShards(stores).pageRuns,
    };
  }

  #asOne(stores: Stores): Engine {
    const home = this.#engines.get(homeShard) as LocalEngine; // without it nothing is opened
    const { of } = this.#peersOf(homeShard, stores);
    const others = this.#shards.slice(1).map(({ absence }, index) => ({ absence, peer: of(index + 1) }));
    this.#shards[homeShard] = new LocalShard(home, new SharedChanges(stores[homeShard], others));
    const shards = new Shards({
      all: this.#shards as [Shard, ...Shard[]], // home is the first
      placement: new Placement(homeShard, stores.length),
      stores,
      viewer: home.parts,
      refuseChange: () => home.parts.host.inbox.refuseChange(),
      copyAll: (copies) => this.#moment.copy(copies),
      close: async (options) => void (await Promise.all(this.#shards.map((shard) => shard.close(options)))),
    });
    return new Fleet(shards, home);
  }

  /** SH14: without the first there is no fleet; any other may be missing. */
  async #orLeaveOut(shard: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (shard === homeShard) throw error;
      await this.#closeShard(shard);
      this.#leaveOut(shard, asError(error));
    }
  }

  #leaveOut(shard: number, error: Error): void {
    this.#shards[shard] = absentShard(error);
    this.#options.onError?.(error, {});
  }

  /** A store that fails as it is closed keeps nobody from the others. */
  async #closeShard(shard: number): Promise<void> {
    const engine = this.#engines.get(shard);
    const owned = this.#owned[shard];
    this.#engines.delete(shard);
    try {
      if (engine) await engine.close({ graceMs: 0 });
      else if (owned && !(owned instanceof Error)) await owned.store.close();
    } catch (error) {
      this.#options.onError?.(asError(error), {});
    }
  }

  async undo(places: readonly Place[]): Promise<void> {
    for (const [shard, place] of places.entries()) {
      if (this.#owned[shard]) await this.#closeShard(shard);
      else if (!(place instanceof Error)) await place.close();
    }
  }
}
