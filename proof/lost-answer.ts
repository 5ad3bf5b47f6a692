// LostAnswer: makes of a store one with a fence whose connection breaks once: a write is done, and its answer is lost.

import type { Fence, Stamp, Store } from '../packages/heddle/src/actor/ports.ts';
import { StoreError } from '../packages/heddle/src/actor/store-error.ts';
import { isWriteName } from '../packages/heddle/src/actor/write-queue.ts';
import { SimulatedFence } from '../packages/heddle/src/simulation/simulated-fence.ts';

export class LostAnswer {
  /** How many writes there were since it began to count. */
  writes = 0;
  readonly #at: number;
  readonly #fence = new SimulatedFence();
  #isCounting = false;

  /** `at`: which write it is, counted from 1; null: none, and the writes are counted. */
  constructor(at: number | null) {
    this.#at = at ?? 0;
  }

  count(): void {
    this.#isCounting = true;
  }

  on(store: Store): Store {
    const fence: Fence = { take: (owner) => this.#fence.take(owner), raise: (owner) => this.#fence.raise(owner) };
    return new Proxy(
      { ...store, fence, artifacts: this.#fence.guard(store.artifacts) },
      {
        get: (target, name: keyof Store) => {
          const value: unknown = Reflect.get(target, name, target);
          if (!isWriteName(name) || typeof value !== 'function') return value;
          return (...args: readonly unknown[]) =>
            this.#write(() => Reflect.apply(value, target, args) as unknown, args);
        },
      },
    );
  }

  async #write(write: () => unknown, args: readonly unknown[]): Promise<unknown> {
    const stamp = args.at(-1) as Stamp; // the last that a write has
    const answer = await this.#fence.write(stamp, write);
    if (this.#isCounting && ++this.writes === this.#at)
      throw new StoreError('STORE_IN_DOUBT', 'the connection was lost');
    return answer;
  }
}
