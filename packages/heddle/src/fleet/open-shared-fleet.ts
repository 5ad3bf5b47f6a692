// Open shared fleet: a fleet whose stores several processes can reach. This process owns some of the shards, by a lease; what is
// asked of the others is brought to their owners. Rules OW….
//
// Always true: users see one engine, whatever this process owns.

import { readMembership } from '../actor/mail/membership.ts';
import { Placement } from '../actor/mail/placement.ts';
import type { Awaitable, Calls, Leases, Store } from '../actor/ports.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import { systemClock } from '../actor/system-clock.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { checkOptions } from '../engine/check-options.ts';
import type { Engine, EngineOptions, ShardSeams, TestSeams } from '../engine/engine.ts';
import { engineOptions, LocalEngine, ownShard } from '../engine/local-engine.ts';
import { homeShard } from '../engine/peers.ts';
import { runIdMaker } from '../engine/run-id.ts';
import { Crew } from '../executor/crew.ts';
import { readAllShards } from './all-shards.ts';
import { calledShard } from './calls/called-shard.ts';
import { Exchanges } from './calls/exchanges.ts';
import { asShard, claimStores } from './claim-stores.ts';
import { Fleet } from './fleet.ts';
import { leasedShard } from './leased-shard.ts';
import { LocalShard } from './local-shard.ts';
import { Ownership } from './ownership.ts';
import { Seat } from './seat.ts';
import { type Shard, Shards } from './shards.ts';
import { catchUp, SharedChanges } from './shared.ts';

/** What a host gives whose stores several processes can reach. */
export interface SharedStores {
  /** Of each shard, to be read. */
  readonly stores: readonly [Store, ...Store[]];
  readonly leases: Leases;
  /** For the one who owns the shard; its engine closes it. */
  readonly openStore: (shard: number) => Awaitable<Store>;
  /** When all are closed: what they have in common. */
  readonly close?: () => Awaitable<void>;
  /** How the processes ask each other. */
  readonly calls: Calls;
  /** Others own the shards, and this process only asks them. */
  readonly isGuest?: boolean;
}

/** A database that several processes share, opened with an engine: `postgres(…)` of `heddle/postgres`. */
export interface SharedStore {
  readonly openShared: (how?: { readonly readOnly?: boolean; readonly newShards?: number }) => Promise<SharedStores>;
}

/** What tests put between its parts; no option of users. */
export interface SharedFleetSeams extends TestSeams {
  /** A shard that this process owns, as all hear it who ask this process: its own clients, its other shards, other processes. */
  readonly heard?: ((owned: Shard, shard: number) => Shard) | undefined;
}

export interface SharedFleet {
  readonly engine: Engine;
  /** For tests: a shard that this process owns; null if it does not. */
  readonly owned: (shard: number) => Shard | null;
}

/** The fleet has been made: every store is a member of it. */
export async function openSharedFleet(
  given: SharedStores,
  options: EngineOptions = {},
  seams: SharedFleetSeams = {},
): Promise<SharedFleet> {
  try {
    checkOptions('createEngine', options, engineOptions);
    await claimStores(given.stores, true);
  } catch (error) {
    await given.close?.();
    throw error;
  }
  const process = new FleetProcess(given, options, seams);
  try {
    return await process.open();
  } catch (error) {
    await process.close({ graceMs: 0 });
    throw error;
  }
}

const noBackup =
  'Expected a fleet of one process, but its stores are shared by several; copy them with the means of their database';

class FleetProcess {
  readonly #given: SharedStores;
  readonly #options: EngineOptions;
  /** For the engines of all shards. */
  readonly #common: Pick<ShardSeams, 'crew' | 'newId' | 'standIn'>;
  readonly #heard: NonNullable<SharedFleetSeams['heard']>;
  /** Of each shard, an engine that looks at its store; they are closed last: the actions of the process are theirs. */
  readonly #readers: readonly LocalEngine[];
  readonly #seats: readonly [Seat, ...Seat[]];
  readonly #exchanges: Exchanges;
  readonly #ownership: Ownership;
  readonly #isLooking: boolean;
  #isClosed = false;

  constructor(given: SharedStores, options: EngineOptions, { standIn, heard = (owned) => owned }: SharedFleetSeams) {
    const { clock = systemClock(), onError } = options;
    const { stores, leases, calls } = given;
    const process = runIdMaker(clock)();
    const report = (error: Error): void => onError?.(error, {});
    this.#given = given;
    this.#isLooking = options.readOnly ?? false;
    this.#options = { ...options, clock };
    this.#heard = heard;
    this.#common = { standIn, crew: new Crew(), newId: runIdMaker(clock) };
    this.#readers = stores.map((store, shard) => this.#makeReader(asShard(store, shard, stores[homeShard])));
    const shardHere = (shard: number): Shard | null => this.#seats[shard]?.here ?? null;
    this.#exchanges = new Exchanges({ calls, clock, process, shardHere, report });
    const isClosed = (): boolean => this.#isClosed;
    const seats = this.#readers.map((reader, shard) => {
      const elsewhere = calledShard({ shard, exchanges: this.#exchanges, reader });
      return new Seat({ clock, elsewhere, isClosed });
    });
    this.#seats = seats as [Seat, ...Seat[]]; // as many
    this.#ownership = new Ownership({
      leases,
      clock,
      process,
      shards: stores.length,
      open: (shard, refuseIfOver) => this.#open(shard, refuseIfOver),
      beforeLeaving: () => this.#exchanges.close(),
      report,
    });
  }

  #makeReader(store: Store): LocalEngine {
    return new LocalEngine({ store, whenFenced: null }, { ...this.#options, readOnly: true }, this.#common);
  }

  get #viewer(): LocalEngine {
    return this.#readers[homeShard] as LocalEngine; // one for each store
  }

  /** Whoever only looks has nothing to ask, and whoever is a guest owns nothing. */
  async open(): Promise<SharedFleet> {
    const { stores, isGuest } = this.#given;
    if (!this.#isLooking) this.#exchanges.open();
    if (!this.#isLooking && !isGuest) await this.#ownership.start();
    const shards = new Shards({
      all: this.#isLooking ? this.#lookers() : this.#seats,

      placement: new Placement(homeShard, stores.length),
      stores,
      viewer: this.#viewer.parts,
      refuseChange: () => {
        if (this.#isLooking) throw readOnlyError();
        if (this.#isClosed) throw closedError();
      },
      copyAll: () => Promise.reject(new HeddleError('NOT_AVAILABLE', noBackup)),
      close: (closing) => this.close(closing),
    });
    return { engine: new Fleet(shards, this.#atHome(shards)), owned: (shard) => this.#seats[shard]?.here ?? null };
  }

  #lookers(): readonly [Shard, ...Shard[]] {
    const shards: readonly Shard[] = this.#readers.map((reader) => new LocalShard(reader));
    return shards as readonly [Shard, ...Shard[]]; // one for each store
  }

  /** Which webhooks there are its owner knows: a call that cannot be taken is refused when it is received. */
  #atHome({ home: { peer } }: Shards): ConstructorParameters<typeof Fleet>[1] {
    const viewer = this.#viewer;
    return {
      validate: (definition) => viewer.validate(definition),
      snapshotKey: () => viewer.snapshotKey(),
      webhooks: { check: () => undefined, receive: (id, call) => peer.receiveWebhook(id, call) },
    };
  }

  async #open(shard: number, refuseIfOver: () => void): Promise<LocalEngine> {
    const { stores, openStore } = this.#given;
    const { store: owned, whenFenced } = await ownShard(await openStore(shard), this.#options);
    const store = asShard(owned, shard, stores[homeShard]);
    // What is changed at home from now on is brought here until it arrives.
    if (shard !== homeShard) await catchUp(stores[homeShard], store);
    const peers = {
      placement: new Placement(shard, stores.length),
      of: (to: number) => (to === shard ? local : (this.#seats[to] ?? local)).peer, // what no shard can have made is not found here
      pageRuns: readAllShards(stores).pageRuns,
      former: (await readMembership(store))?.former ?? [],
    };
    const engine = new LocalEngine({ store, whenFenced }, this.#options, { ...this.#common, peers });
    const [, ...others] = this.#seats;
    const local = new LocalShard(engine, shard === homeShard ? new SharedChanges(store, others) : null);
    try {
      await engine.recover();
    } catch (error) {
      await engine.close({ graceMs: 0 });
      throw error;
    }
    this.#seat(shard, engine, this.#heard(leasedShard(local, refuseIfOver), shard));
    return engine;
  }

  #seat(shard: number, engine: LocalEngine, owned: Shard): void {
    const seat = this.#seats[shard];
    seat?.enter(owned);
    void engine.whenClosed.then(() => seat?.leave(owned));
  }

  async #leave(graceMs: number): Promise<void> {
    if (this.#given.isGuest) await this.#exchanges.close();
    else await this.#ownership.close(graceMs);
  }

  async close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isClosed = true;
    if (!this.#isLooking) await this.#leave(graceMs);
    for (const reader of this.#readers) await reader.close({ graceMs });
    await this.#given.close?.();
  }
}
