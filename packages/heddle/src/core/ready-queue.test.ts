import { describe, expect, test } from 'vitest';
import { dice } from './dice.testsuite.ts';
import { ReadyQueue } from './ready-queue.ts';

function handOutAll(queue: ReadyQueue): number[] {
  const handedOut: number[] = [];
  for (let id = queue.first(); id !== null; id = queue.first()) {
    handedOut.push(id);
    queue.drop(id);
  }
  return handedOut;
}

describe('the tokens that wait to be handed out', () => {
  test('[TS1] against a plain list: first in, first out, without those that went another way', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const draw = dice(seed);
      const queue = new ReadyQueue();
      let model: number[] = [];
      const drop = (id: number) => {
        queue.drop(id);
        model = model.filter((other) => other !== id);
      };
      for (let step = 1; step <= 4_000; step++) {
        const id = 1 + draw(step);
        if (draw(3) > 0) {
          drop(id);
          queue.push(id);
          model.push(id);
        }
        if (draw(5) === 0) drop(1 + draw(step));
        expect(queue.isEmpty).toBe(model.length === 0);
        // Looking changes nothing.
        if (draw(3) === 0) expect(queue.first()).toBe(model[0] ?? null);
        if (draw(2) === 0) drop(queue.first() ?? 0);
      }
      expect(queue.list()).toEqual(model);
      expect(handOutAll(queue)).toEqual(model);
    }
  });

  test('[TS1] one that waits again stands at the end, once, also if nobody looked meanwhile', () => {
    const queue = new ReadyQueue();
    for (const id of [1, 2, 3]) queue.push(id);
    queue.drop(1);
    queue.push(1);
    expect(queue.list()).toEqual([2, 3, 1]);
    expect(handOutAll(queue)).toEqual([2, 3, 1]);
  });

  test('where tasks go one at a time, one that waits again is back in its place', () => {
    const queue = new ReadyQueue();
    for (const id of [1, 2, 3]) queue.push(id);
    queue.drop(1);
    queue.drop(2);
    queue.putInOrder(2);
    queue.putInOrder(1);
    queue.putInOrder(4);
    expect(handOutAll(queue)).toEqual([1, 2, 3, 4]);
  });
});
