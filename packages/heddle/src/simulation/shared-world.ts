// Shared world: what is added to a world whose shards several processes share: leases, the ways between the processes, and the
// fleet that was made before the first of them opens.

import { writeMembership } from '../actor/mail/membership.ts';
import type { Leases, Store } from '../actor/ports.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { openSharedFleet, type SharedFleet } from '../fleet/open-shared-fleet.ts';
import { MemoryCalls } from '../hosts/memory/calls.ts';
import { type MemoryLeases, memoryLeases } from '../hosts/memory/leases.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { overheardShard } from './overheard-shard.ts';
import type { Schedule } from './schedule.ts';
import { simulatedCalls } from './simulated-calls.ts';
import { simulatedLeases } from './simulated-leases.ts';
import type { ProcessLife } from './simulated-store.ts';
import type { WorldProcess } from './world-process.ts';

export interface LeasedAnswer {
  readonly shard: number;
  /** By the clock of the leases. */
  readonly at: number;
  /** When the lease of the process ends that says so. */
  readonly until: number;
  /** Whether the shard is given to it, or was, and is given to nobody else. */
  readonly isOwner: boolean;
}

interface Surroundings {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly stores: readonly Store[];
}

interface Opening {
  readonly stores: readonly Store[];
  readonly storeOf: (shard: number) => Store;
  readonly options: EngineOptions;
}

export class SharedWorld {
  readonly #world: Surroundings;
  readonly #processes: readonly WorldProcess[];
  readonly #onAnswer: (answer: LeasedAnswer) => void;
  readonly #leases: MemoryLeases;
  readonly #calls: MemoryCalls;
  readonly #fleets = new WeakMap<ProcessLife, SharedFleet>();
  /** By the clock of the leases. */
  readonly #ends = new WeakMap<ProcessLife, number>();
  /** By shard: to whom it was given last; what it has answered may leave it until another is given it. */
  readonly #owners = new Map<number, ProcessLife>();

  constructor(
    world: Surroundings,
    processes: readonly WorldProcess[],
    onAnswer: (answer: LeasedAnswer) => void = () => undefined,
  ) {
    this.#world = world;
    this.#processes = processes;
    this.#onAnswer = onAnswer;
    const now = (): number => world.schedule.now;
    this.#leases = memoryLeases(world.stores.length, now);
    this.#calls = new MemoryCalls({
      leases: this.#leases,
      now,
      feedEnd: (shard) => (world.stores[shard] as Store).feedEnd(), // one of them
    });
  }

  async makeFleet(): Promise<void> {
    const { stores } = this.#world;
    for (const [shard, store] of stores.entries())
      await writeMembership(store, { fleet: 'simulated', shard, shards: stores.length });
  }

  async start(life: ProcessLife, { stores, storeOf, options }: Opening): Promise<Engine> {
    const { schedule, faults, dice } = this.#world;
    const fleet = await openSharedFleet(
      {
        stores: stores as readonly [Store, ...Store[]], // there are several
        leases: simulatedLeases(life, { leases: this.#noting(life), schedule, faults, dice }),
        openStore: storeOf,
        calls: simulatedCalls(life, { calls: this.#calls, schedule, faults, dice }),
      },
      options,
      { heard: (owned, shard) => overheardShard(owned, () => this.#tellAnswer(shard, life)) },
    );
    this.#fleets.set(life, fleet);
    return fleet.engine;
  }

  /** Processes that own a shard, as they believe. */
  ownersOf(shard: number): number {
    return this.#processes.filter(({ current }) => current && this.#fleets.get(current.life)?.owned(shard)).length;
  }

  #noting(life: ProcessLife): Leases {
    const { schedule } = this.#world;
    return {
      ...this.#leases,
      claim: async (process, shard) => {
        const isGiven = await this.#leases.claim(process, shard);
        if (isGiven) this.#owners.set(shard, life);
        return isGiven;
      },
      renew: (process, forMs) => {
        this.#ends.set(life, schedule.now + forMs);
        return this.#leases.renew(process, forMs);
      },
    };
  }

  #tellAnswer(shard: number, life: ProcessLife): void {
    const at = this.#world.schedule.now;
    const isOwner = this.#owners.get(shard) === life;
    this.#onAnswer({ shard, at, until: this.#ends.get(life) ?? 0, isOwner });
  }
}
