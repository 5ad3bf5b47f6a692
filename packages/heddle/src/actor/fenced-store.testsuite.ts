// A store with a fence whose answers can be lost, for tests: a store in memory behind a connection.

import { memoryStore } from '../hosts/memory/store.ts';
import { SimulatedFence } from '../simulation/simulated-fence.ts';
import type { Fence, Stamp, Store } from './ports.ts';
import { StoreError } from './store-error.ts';
import { type FencedStore, isWriteName, type WriteName } from './write-queue.ts';

/** What becomes of a write: it is done, and answered or not; it never is; it is done when it arrives; it fails. */
export type Fate = 'answered' | 'lost-answer' | 'lost' | 'late' | 'failed';

export const doubt = (): StoreError => new StoreError('STORE_IN_DOUBT', 'the connection was lost');

export function fencedStore() {
  const inner = memoryStore();
  const fence = new SimulatedFence();
  const sent: Stamp[] = [];
  const late: (() => void)[] = [];
  /** Of the next writes; those without one are answered. */
  const fates: Fate[] = [];
  /** In place of what the next changes of the epoch do. */
  const raises: (() => ReturnType<Fence['raise']>)[] = [];
  const atOnce = { now: 0, most: 0 };
  const write = async (name: WriteName, args: readonly unknown[]): Promise<unknown> => {
    const stamp = args.at(-1) as Stamp; // the last that a write has
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    sent.push(stamp);
    await Promise.resolve();
    atOnce.now--;
    const fate = fates.shift() ?? 'answered';
    const perform = (): unknown => fence.write(stamp, () => Reflect.apply(inner[name], inner, args) as unknown);
    if (fate === 'failed') throw new StoreError('STORE_FAILED', 'no');
    if (fate === 'late') late.push(() => tryTo(perform));
    const answer = fate === 'answered' || fate === 'lost-answer' ? perform() : null;
    if (fate !== 'answered') throw doubt();
    return answer;
  };
  const guarded: Fence = {
    take: (owner) => fence.take(owner),
    raise: (owner) => (raises.shift() ?? (() => fence.raise(owner)))(),
  };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (isWriteName(name)) return (...args: readonly unknown[]) => write(name, args);
      if (name === 'fence') return guarded;
      if (name === 'artifacts') return fence.guard(target.artifacts);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as FencedStore; // it has a fence
  return { inner, store, fence, sent, late, fates, raises, atOnce };
}

function tryTo(work: () => unknown): void {
  try {
    work();
  } catch {
    // Nobody waits for it.
  }
}
