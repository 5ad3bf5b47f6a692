// Simulated store: what one process sees of the world's store. It fails and dawdles as the faults say, and it is where
// the process dies.
//
// Always true: a call of a process that has ended changes nothing and is never answered; a zombie is refused. A write
// that is reported as failed did not happen.

import type { Commit, Store } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import type { Faults } from './faults.ts';
import type { Life, Schedule } from './schedule.ts';

export interface StoreWorld {
  readonly store: Store;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly hash: (text: string) => string;
  /** Until when it does not answer. */
  readonly outage: { until: number };
  /** The process of this life dies. */
  readonly crash: (life: ProcessLife) => void;
  /** After every commit that has happened. */
  readonly onCommit: (commit: Commit) => void;
}

/** A process that was replaced, and does not know. */
export interface ProcessLife extends Life {
  isZombie: boolean;
  isOpen: boolean;
}

const outageMs = 10_000;

const writes: ReadonlySet<keyof Store> = new Set([
  'commit',
  'saveSnapshot',
  'saveDefinition',
  'deleteRuns',
  'deleteRemains',
  'deleteKeys',
]);

/** One for each who waits: who waits for a promise that lives is kept by it. */
const never = (): Promise<never> => new Promise(() => undefined);

export function simulatedStore(life: ProcessLife, world: StoreWorld): Store {
  const { store, schedule, faults, outage } = world;

  // SM2: a process that has died changes nothing and hears nothing; one that was replaced is refused.
  const call = (name: keyof Store, args: readonly unknown[]): unknown => {
    if (life.isZombie) throw new StoreError('STORE_LOCKED', `${name}: another process has this store`);
    if (life.hasEnded) return never();
    const isWrite = writes.has(name);
    if (diesBefore(isWrite)) return end();
    // SM3: what fails, fails before it happens.
    if (isDown()) throw new StoreError('STORE_FAILED', `${name}: the store is down`);
    if (isWrite && faults.strikes('commit-fails')) throw new StoreError('STORE_FULL', `${name}: the disk is full`);
    if (faults.strikes('store-fails')) throw new StoreError('STORE_FAILED', `${name}: the store failed`);
    // All members of a store are functions.
    const answer: unknown = Reflect.apply(store[name] as (...all: readonly unknown[]) => unknown, store, args);
    if (name === 'commit') world.onCommit(args[0] as Commit); // what `commit` takes
    if (isWrite && faults.strikes('crash-after-commit')) return end();
    return answer;
  };

  const isDown = (): boolean => {
    if (faults.strikes('store-down')) outage.until = schedule.now + outageMs;
    return faults.has('store-down') && schedule.now < outage.until;
  };

  const diesBefore = (isWrite: boolean): boolean =>
    (isWrite && faults.strikes('crash-before-commit')) || (!life.isOpen && faults.strikes('crash-in-recovery'));

  const end = (): Promise<never> => {
    world.crash(life);
    return never();
  };

  const answerLate = (name: keyof Store, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      schedule.soon(life, () => {
        try {
          const answer = call(name, args);
          schedule.soon(life, () => resolve(answer));
        } catch (error) {
          reject(error);
        }
      });
    });

  return new Proxy(store, {
    get(target, key: keyof Store) {
      if (key === 'hash') return world.hash;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => (faults.strikes('slow-store') ? answerLate(key, args) : call(key, args));
    },
  });
}

/** A 32-bit sum and the length: enough to see a change, and a fraction of the price of SHA-256 on texts of this length. */
export function quickHash(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return `${(sum >>> 0).toString(36)}-${text.length}`;
}
