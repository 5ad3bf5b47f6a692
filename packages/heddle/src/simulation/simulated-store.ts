// Simulated store: what one process sees of the world's store. It fails and dawdles as the faults say, and it is where
// the process dies.
//
// Always true: a call of a process that has ended changes nothing and is never answered. A write that is reported as failed
// did not happen; one that is in doubt has happened, happens later, or never does. A zombie is refused: by the fence, where
// there is one, once another process has taken it.

import type { Commit, Fence, Stamp, Store, StoredRun } from '../actor/ports.ts';
import { loadEach, type ReadRun } from '../actor/read-ahead.ts';
import { isWriteName, type WriteName } from '../actor/write-queue.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { type Life, type Schedule, worldLife } from './schedule.ts';
import { simulatedFault } from './simulated-fault.ts';
import type { SimulatedFence } from './simulated-fence.ts';

export interface StoreWorld {
  readonly store: Store;
  /** How many of them the process opens. */
  readonly shards: number;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly hash: (text: string) => string;
  /** Null: one process alone can reach the store. */
  readonly fence: SimulatedFence | null;
  /** Until when it does not answer. */
  readonly outage: { until: number };
  /** The process of this life dies. */
  readonly crash: (life: ProcessLife) => void;
  /** After every commit that has happened, with what it carried where there is a fence. */
  readonly onCommit: (commit: Commit, stamp: Stamp | null) => void;
}

/** A process that was replaced, and does not know. */
export interface ProcessLife extends Life {
  isZombie: boolean;
  isOpen: boolean;
}

const outageMs = 10_000;

/** One for each who waits: who waits for a promise that lives is kept by it. */
const never = (): Promise<never> => new Promise(() => undefined);

export function simulatedStore(life: ProcessLife, world: StoreWorld): Store {
  const calls = new Calls(life, world);
  const { fence } = world;
  return new Proxy(world.store, {
    get(target, key: keyof Store) {
      if (key === 'hash') return world.hash;
      if (key === 'fence') return fence === null ? undefined : calls.fenceOf(fence);
      if (key === 'artifacts') return fence?.guard(target.artifacts) ?? target.artifacts;
      if (key === 'loadRuns') return fence === null ? undefined : calls.loadRuns;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => calls.ask(key, args);
    },
  });
}

class Calls {
  readonly #life: ProcessLife;
  readonly #world: StoreWorld;
  /** While it is on its way. */
  #lastWrite: Promise<void> | null = null;

  constructor(life: ProcessLife, world: StoreWorld) {
    this.#life = life;
    this.#world = world;
  }

  // SM2: a process that has died changes nothing and hears nothing; one that was replaced is refused.
  #call(name: keyof Store, args: readonly unknown[]): unknown {
    if (this.#life.isZombie && this.#world.fence === null)
      throw simulatedFault('STORE_LOCKED', `${name}: another process has this store`);
    if (this.#life.hasEnded) return never();
    if (this.#diesBefore(isWriteName(name))) return this.#end();
    this.#refuseByFault(name);
    return isWriteName(name) ? this.#write(name, args) : this.#perform(name, args);
  }

  ask(name: keyof Store, args: readonly unknown[]): unknown {
    const { faults, shards } = this.#world;
    const isLate = faults.strikes('slow-store');
    const perform = (): unknown => (isLate ? this.#answerLate(name, args) : this.#call(name, args));
    // Writes take effect in the order of asking; an engine that stands alone is not hurt by another order either.
    return isWriteName(name) && shards > 1 ? this.#inTurn(perform, isLate) : perform();
  }

  #inTurn(perform: () => unknown, isLate: boolean): unknown {
    if (this.#lastWrite === null && !isLate) return perform();
    const answer = (this.#lastWrite ?? Promise.resolve()).then(perform);
    const isOver = (): void => {
      if (this.#lastWrite === last) this.#lastWrite = null;
    };
    const last: Promise<void> = answer.then(isOver, isOver);
    this.#lastWrite = last;
    return answer;
  }

  #answerLate(name: keyof Store, args: readonly unknown[]): Promise<unknown> {
    const { schedule } = this.#world;
    return new Promise((resolve, reject) => {
      schedule.soon(this.#life, () => {
        try {
          const answer = this.#call(name, args);
          schedule.soon(this.#life, () => resolve(answer));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** A store that several processes can reach is asked for many runs at a time. */
  readonly loadRuns = async (runIds: readonly string[]): Promise<readonly ReadRun[]> => {
    const { faults, schedule } = this.#world;
    if (faults.strikes('slow-store')) await new Promise<void>((resolve) => schedule.soon(this.#life, resolve));
    return loadEach((runId) => this.#call('loadRun', [runId]) as StoredRun | null, runIds); // what it answers with
  };

  fenceOf(fence: SimulatedFence): Fence {
    const told = <T>(name: keyof Fence, change: () => T): T | Promise<never> => {
      if (this.#life.hasEnded) return never();
      this.#refuseByFault(name);
      const tenure = change();
      if (this.#world.faults.strikes('lost-answer')) throw inDoubt(name);
      return tenure;
    };
    return {
      take: (owner) => told('take', () => fence.take(owner)),
      raise: (owner) => told('raise', () => fence.raise(owner)),
    };
  }

  #write(name: WriteName, args: readonly unknown[]): unknown {
    const { fence, faults } = this.#world;
    if (fence === null) return this.#survive(this.#perform(name, args));
    const stamp = stampOf(args);
    const perform = (): unknown => fence.write(stamp, () => this.#perform(name, args));
    if (faults.strikes('late-write')) return this.#later(name, () => fence.admits(stamp) && perform());
    const answer = this.#survive(perform());
    if (faults.strikes('lost-answer')) throw inDoubt(name);
    return answer;
  }

  /** After a write. */
  #survive(answer: unknown): unknown {
    const { faults, dice, shards } = this.#world;
    return dice.draw(shards) === 0 && faults.strikes('crash-after-commit') ? this.#end() : answer;
  }

  #perform(name: keyof Store, args: readonly unknown[]): unknown {
    const { store } = this.#world;
    // All members of a store are functions.
    const answer: unknown = Reflect.apply(store[name] as (...all: readonly unknown[]) => unknown, store, args);
    if (name === 'commit') this.#world.onCommit(args[0] as Commit, stampOf(args)); // what `commit` takes
    return answer;
  }

  // SM10: bytes that arrive when nobody waits for them any more, whoever has died meanwhile; or never.
  #later(name: WriteName, perform: () => unknown): never {
    const { dice, schedule } = this.#world;
    const delayMs = dice.pick([0, 10, 1_000, null]);
    if (delayMs !== null) schedule.at(schedule.now + delayMs, worldLife, () => void perform());
    throw inDoubt(name);
  }

  // SM3: what fails, fails before it happens.
  #refuseByFault(name: string): void {
    const { faults } = this.#world;
    if (this.#isDown) throw simulatedFault('STORE_FAILED', `${name}: the store is down`);
    if (isWriteName(name) && faults.strikes('commit-fails'))
      throw simulatedFault('STORE_FULL', `${name}: the disk is full`);
    if (faults.strikes('store-fails')) throw simulatedFault('STORE_FAILED', `${name}: the store failed`);
  }

  get #isDown(): boolean {
    const { schedule, faults, outage } = this.#world;
    if (faults.strikes('store-down')) outage.until = schedule.now + outageMs;
    return faults.has('store-down') && schedule.now < outage.until;
  }

  #diesBefore(isWrite: boolean): boolean {
    const { faults, dice, shards } = this.#world;
    // A fleet asks its stores more often, and is to live about as long as an engine of one.
    if (dice.draw(shards) > 0) return false;
    if (isWrite && faults.strikes('crash-before-commit')) return true;
    return !this.#life.isOpen && faults.strikes('crash-in-recovery');
  }

  #end(): Promise<never> {
    this.#world.crash(this.#life);
    return never();
  }
}

/** The last that a write is given, where there is a fence. */
function stampOf(args: readonly unknown[]): Stamp | null {
  const last = args.at(-1);
  return typeof last === 'object' && last !== null && 'epoch' in last ? (last as Stamp) : null; // no other has one
}

const inDoubt = (name: string): Error =>
  simulatedFault('STORE_IN_DOUBT', `${name}: the connection was lost, and nobody knows whether it was done`);

/** A 32-bit sum and the length: enough to see a change, and a fraction of the price of SHA-256 on texts of this length. */
export function quickHash(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return `${(sum >>> 0).toString(36)}-${text.length}`;
}
