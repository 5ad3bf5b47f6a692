// What the tests with a slow and failing store share: seeded dice, the store, and an engine that is opened again on it.

import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { StoreError } from '../../packages/heddle/src/actor/store-error.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

export type Draw = (below: number) => number;

export function dice(seed: number): Draw {
  let state = seed * 7919 + 13;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % below;
  };
}

const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve));
export const macrotasks = async (count: number) => {
  for (let i = 0; i < count; i++) await macrotask();
};

/** Every call takes a few turns of the event loop, and `faults.perMille` of a thousand fail. */
export function faulty(store: Store, draw: Draw, faults: { perMille: number }): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key === 'hash') return (value as Store['hash']).bind(target);
      return async (...args: unknown[]) => {
        await macrotasks(draw(3));
        if (key !== 'close' && draw(1000) < faults.perMille)
          throw new StoreError('STORE_FAILED', `a fault in ${String(key)}`);
        const result: unknown = await Reflect.apply(value, target, args);
        await macrotasks(draw(3));
        return result;
      };
    },
  });
}

/** Whoever asks while the store fails may hear of it; what counts is how the runs end. */
export const quietly = (promise: Promise<unknown>) => void promise.catch(() => undefined);

export function answerOne(t: TestEngine, draw: Draw): void {
  const open = t.script.open('work');
  const call = open[draw(Math.max(1, open.length))];
  if (draw(5) === 0) call?.fail(new Error('no'));
  else call?.complete({ v: 1 });
}

export async function openAgain(t: TestEngine, options: object): Promise<TestEngine> {
  await t.engine.close({ graceMs: 0 });
  for (;;) {
    try {
      return await createTestEngine({ ...options, clock: t.clock });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
