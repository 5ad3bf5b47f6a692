import { describe, expect, test } from 'vitest';
import { ReadyQueue } from './ready-queue.ts';

/** Numbers that look random and are the same every time. */
function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ; ) yield (n = (n * 1_103_515_245 + 12_345) % 2_147_483_648);
}

describe('the tokens that wait to be handed out', () => {
  test('[TS1] against a plain list: first in, first out, without those that went another way', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const random = numbers(seed);
      const draw = (below: number) => random.next().value % below;
      const queue = new ReadyQueue();
      const model: number[] = [];
      const gone = new Set<number>();
      const isReady = (id: number) => !gone.has(id);
      for (let id = 1; id <= 2_500; id++) {
        if (draw(3) > 0) {
          queue.push(id);
          model.push(id);
        }
        if (draw(5) === 0) gone.add(1 + draw(id));
        if (draw(2) === 0) {
          while (model.length > 0 && !isReady(model[0] ?? 0)) model.shift();
          expect(queue.hasAny(isReady)).toBe(model.length > 0);
          expect(queue.take(isReady)).toBe(model.shift() ?? null);
        }
      }
      expect(queue.list(isReady)).toEqual(model.filter(isReady));
      for (const id of model.filter(isReady)) expect(queue.take(isReady)).toBe(id);
      expect(queue.take(isReady)).toBeNull();
    }
  });

  test('[TS1] one that waits again stands at the end, once', () => {
    const queue = new ReadyQueue();
    for (const id of [1, 2, 1]) queue.push(id);
    expect(queue.list(() => true)).toEqual([1, 2]);
    expect(queue.take(() => true)).toBe(1);
    expect(queue.take((id) => id !== 1)).toBe(2);
    expect(queue.take((id) => id !== 1)).toBeNull();
  });
});
