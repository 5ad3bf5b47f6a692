// Open shared fleet: a fleet whose stores several processes can reach. This process owns some of the shards, by a lease; what is
// asked of the others is brought to their owners. Rules OW….
//
// Always true: users see one engine, whatever this process owns.

import { readMembership } from '../actor/mail/membership.ts';
import { Placement } from '../actor/mail/placement.ts';
import type { Awaitable, Calls, Clock, Leases, Store } from '../actor/ports.ts';
import { closedError } from '../actor/refusals.ts';
import { systemClock } from '../actor/system-clock.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { invalidOption } from '../base/refuse-options.ts';
import { checkOptions } from '../engine/check-options.ts';
import type { Engine, EngineOptions, ShardSeams, TestSeams } from '../engine/engine.ts';
import { engineOptions, LocalEngine, ownShard } from '../engine/local-engine.ts';
import { homeShard } from '../engine/peers.ts';
import { runIdMaker } from '../engine/run-id.ts';
import { Crew } from '../executor/crew.ts';
import { readAllShards } from './all-shards.ts';
import { webhooksAt } from './asked-shard.ts';
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
}

/** What tests put between its parts; no option of users. */
export interface SharedFleetSeams extends TestSeams {
  /** A shard that this process owns, as all hear it who ask this process: its own clients, its other shards, other processes. */
  readonly heard?: ((owned: Shard, shard: number) => Shard) | undefined;
  /** What leases and calls go by, where the clock of the runs is not that of their host. */
  readonly fleetClock?: Clock | undefined;
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
    refuseReadOnly(options);
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

/** Whoever takes part owns shards. */
function refuseReadOnly({ readOnly = false }: EngineOptions): void {
  if (readOnly) throw invalidOption('readOnly', 'false for a store that several processes share', true);
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
  /** Of the shards that this process owns. */
  readonly #engines = new Set<LocalEngine>();
  readonly #seats: readonly [Seat, ...Seat[]];
  readonly #exchanges: Exchanges;
  readonly #ownership: Ownership;
  #isClosed = false;

  constructor(given: SharedStores, options: EngineOptions, seams: SharedFleetSeams) {
    const { clock = systemClock(), onError } = options;
    const { standIn, heard = (owned) => owned, fleetClock = clock } = seams;
    const { stores, leases, calls } = given;
    const process = runIdMaker(clock)();
    const report = (error: Error): void => onError?.(error, {});
    this.#given = given;
    this.#options = { ...options, clock };
    this.#heard = heard;
    this.#common = { standIn, crew: new Crew(), newId: runIdMaker(clock) };
    this.#readers = stores.map((store, shard) => this.#makeReader(asShard(store, shard, stores[homeShard])));
    const shardHere = (shard: number): Shard | null => this.#seats[shard]?.here ?? null;
    this.#exchanges = new Exchanges({ calls, clock: fleetClock, process, shardHere, report });
    const isClosed = (): boolean => this.#isClosed;
    const seats = this.#readers.map((reader, shard) => {
      const elsewhere = calledShard({ shard, exchanges: this.#exchanges, reader });
      return new Seat({ clock: fleetClock, elsewhere, isClosed });
    });
    this.#seats = seats as [Seat, ...Seat[]]; // as many
    this.#ownership = new Ownership({
      leases,
      clock: fleetClock,
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

  async open(): Promise<SharedFleet> {
    this.#exchanges.open();
    await this.#ownership.start();
    const { stores } = this.#given;
    const shards = new Shards({
      all: this.#seats,
      placement: new Placement(homeShard, stores.length),
      stores,
      viewer: this.#viewer.parts,
      refuseChange: () => {
        if (this.#isClosed) throw closedError();
      },
      copyAll: () => Promise.reject(new HeddleError('NOT_AVAILABLE', noBackup)),
      close: (closing) => this.close(closing),
    });
    const [home] = this.#seats;
    const viewer = this.#viewer;
    // What workers announce every shard is told; what only looks is not.
    const validate = (definition: unknown) => ([...this.#engines][0] ?? viewer).validate(definition);
    const snapshotKey = () => viewer.snapshotKey();
    const engine = new Fleet(shards, { validate, snapshotKey, webhooks: webhooksAt(home) });
    return { engine, owned: (shard) => this.#seats[shard]?.here ?? null };
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
    this.#engines.add(engine);
    void engine.whenClosed.then(() => {
      seat?.leave(owned);
      this.#engines.delete(engine);
    });
  }

  async close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isClosed = true;
    await this.#ownership.close(graceMs);
    for (const reader of this.#readers) await reader.close({ graceMs });
    await this.#given.close?.();
  }
}
