// A fleet that several processes share, for tests: stores in memory with a fence each, leases and calls by one clock, and processes
// that can be cut off.

import { writeMembership } from '../actor/mail/membership.ts';
import type { Calls, Clock, Leases, Said, Stamp, Store } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import { isWriteName } from '../actor/write-queue.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { MemoryCalls } from '../hosts/memory/calls.ts';
import { memoryLeases } from '../hosts/memory/leases.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { SimulatedFence } from '../simulation/simulated-fence.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { openSharedFleet, type SharedFleet } from './open-shared-fleet.ts';

/** What is wrong with a process. */
interface Trouble {
  /** It reaches nothing any more, but for the stores, and does not know. */
  isCut: boolean;
  /** How long what the leases answer to a renewal is on its way. */
  renewalLateMs: number;
  /** By how much its clock was set. */
  skewMs: number;
  /** Nobody tells it that there is something to hear. */
  isUntold: boolean;
  /** What its exchanges do not come to: they fail, or their answers are lost. */
  exchanges: 'asked' | 'fail' | 'lost';
}

export interface TestProcess extends SharedFleet {
  readonly trouble: Trouble;
  readonly errors: Error[];
  /** The numbers of the shards that it owns. */
  readonly shards: () => readonly number[];
}

export async function sharedFleet(shards: number) {
  const clock = new VirtualClock();
  const stores = Array.from({ length: shards }, () => memoryStore());
  for (const [shard, store] of stores.entries()) await writeMembership(store, { fleet: 'f', shard, shards });
  const fences = stores.map(() => new SimulatedFence());
  const leases = memoryLeases(shards, () => clock.now());
  const calls = new MemoryCalls({
    leases,
    now: () => clock.now(),
    feedEnd: (shard) => (stores[shard] as Store).feedEnd(),
  });
  const exchanged: Said[] = [];
  const processes: TestProcess[] = [];

  const open = async (options: EngineOptions = {}, isTold = true): Promise<TestProcess> => {
    const errors: Error[] = [];
    const trouble: Trouble = {
      isCut: false,
      renewalLateMs: 0,
      skewMs: 0,
      isUntold: false,
      exchanges: 'asked',
    };
    const onError = (error: Error): void => void errors.push(error);
    const seen = callsSeenFrom(trouble, calls, (said) => exchanged.push(said));
    const fleet = await openSharedFleet(
      {
        stores: stores as [Store, ...Store[]],
        leases: seenFrom(trouble, leases, clock),
        openStore: (shard) => fenced(stores[shard] as Store, fences[shard] as SimulatedFence),
        calls: isTold ? seen : untold(seen),
      },
      { missingActions: 'fail', onError, ...options, clock: clockOf(trouble, clock) },
    );
    const process = {
      ...fleet,
      trouble,
      errors,
      shards: () => stores.flatMap((_, shard) => (fleet.owned(shard) ? [shard] : [])),
    };
    processes.push(process);
    return process;
  };

  /** Lets time pass, and everything happen meanwhile. */
  const advance = async (ms: number): Promise<void> => {
    for (const until = clock.now() + ms; clock.now() < until; ) {
      const next = Math.min(until, clock.nextAt ?? until);
      await clock.advanceTo(Math.max(next, clock.now()));
      for (let quiet = 0; quiet < 6; quiet++) await new Promise<void>((resolve) => clock.defer(resolve));
    }
  };
  /** What a promise comes to while time passes. */
  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const [settled] = await Promise.allSettled([work, advance(ms)]);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  };
  const close = async (): Promise<void> => {
    for (const { engine } of processes) await within(60_000, engine.close({ graceMs: 0 }));
  };
  return { clock, stores, fences, calls, exchanged, open, advance, within, close };
}

function seenFrom(trouble: Trouble, leases: Leases, clock: VirtualClock): Leases {
  const check = (): void => {
    if (trouble.isCut) throw new StoreError('STORE_FAILED', 'the connection was lost');
  };
  return {
    async renew(process, forMs) {
      check();
      const standing = await leases.renew(process, forMs);
      const { renewalLateMs } = trouble;
      if (renewalLateMs > 0) await new Promise<void>((resolve) => clock.schedule(clock.now() + renewalLateMs, resolve));
      return standing;
    },
    claim: (process, shard) => (check(), leases.claim(process, shard)),
    release: (process, shard) => (check(), leases.release(process, shard)),
    leave: (process) => (check(), leases.leave(process)),
  };
}

function callsSeenFrom(trouble: Trouble, calls: MemoryCalls, onExchange: (said: Said) => void): Calls {
  const check = (): void => {
    if (trouble.isCut || trouble.exchanges === 'fail') throw new StoreError('STORE_FAILED', 'the connection was lost');
  };
  return {
    join: (process, number) => (check(), calls.join(process, number)),
    leave: (process) => (check(), calls.leave(process)),
    async exchange(said) {
      check();
      onExchange(said);
      const heard = await calls.exchange(said);
      if (trouble.exchanges === 'lost') throw new StoreError('STORE_IN_DOUBT', 'the answer was lost');
      return heard;
    },
    listen(process, onNews) {
      const listening = calls.listen(process, () => {
        if (!trouble.isUntold) onNews();
      });
      return { isTold: true, stop: listening.stop };
    },
  };
}

/** A host whose store tells nobody. */
const untold = (calls: Calls): Calls => ({
  join: (process, number) => calls.join(process, number),
  exchange: (said) => calls.exchange(said),
  leave: (process) => calls.leave(process),
});

/** One that somebody sets. */
function clockOf(trouble: Trouble, clock: VirtualClock): Clock {
  const schedule = (at: number, callback: () => void): (() => void) => clock.schedule(at - trouble.skewMs, callback);
  return {
    now: () => clock.now() + trouble.skewMs,
    elapsed: () => clock.now(),
    schedule,
    wakeAt: schedule,
    defer: (callback) => clock.defer(callback),
  };
}

/** A handle of its owner. */
function fenced(store: Store, fence: SimulatedFence): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'fence')
        return { take: (owner: string) => fence.take(owner), raise: (owner: string) => fence.raise(owner) };
      if (name === 'artifacts') return fence.guard(target.artifacts);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = (...args: readonly unknown[]): unknown => Reflect.apply(value, target, args);
      return isWriteName(name)
        ? async (...args: readonly unknown[]) => fence.write(args.at(-1) as Stamp, () => call(...args))
        : call;
    },
  });
}

export type SharedTestFleet = Awaited<ReturnType<typeof sharedFleet>>;
