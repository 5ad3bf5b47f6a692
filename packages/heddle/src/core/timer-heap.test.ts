import { describe, expect, test } from 'vitest';
import { type Timer, TimerHeap } from './timer-heap.ts';

function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ; ) yield (n = (n * 1_103_515_245 + 12_345) % 2_147_483_648);
}

const ranks = { run: 0, start: 1, join: 2, token: 3 };
const idOf = (timer: Timer) => (timer.type === 'token' ? timer.token : timer.type === 'join' ? timer.group : 0);
const compare = (a: Timer, b: Timer) => a.at - b.at || ranks[a.type] - ranks[b.type] || idOf(a) - idOf(b);

describe('the deadlines of a run', () => {
  test('[TM6] against a sorted list: by time, then the run, joins and tokens, then by id, whatever came first', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = numbers(seed);
      const draw = (below: number) => Math.floor(random.next().value / 65_536) % below;
      const heap = new TimerHeap();
      const model: Timer[] = [];
      for (let step = 0; step < 300; step++) {
        const at = draw(20);
        const timer: Timer = [
          { type: 'run', at } as const,
          { type: 'join', at, group: draw(9) } as const,
          { type: 'token', at, token: draw(50) } as const,
        ][draw(3)] as Timer;
        heap.push(timer);
        model.push(timer);
        model.sort(compare);
        if (draw(3) > 0) continue;
        expect(heap.peek(() => true)).toEqual(model[0]);
        heap.pop();
        model.shift();
      }
      expect(heap.size).toBe(model.length);
      for (const timer of model) {
        expect(heap.peek(() => true)).toEqual(timer);
        heap.pop();
      }
      expect(heap.peek(() => true)).toBeNull();
    }
  });

  test('[TM6] an entry that is no longer set is passed over, and forgotten when there are too many', () => {
    const heap = new TimerHeap();
    for (let token = 0; token < 10; token++) heap.push({ type: 'token', at: 10 - token, token });
    const isEven = (timer: Timer) => timer.type === 'token' && timer.token % 2 === 0;
    heap.compact((timer) => timer.type !== 'token' || timer.token < 6);
    expect(heap.size).toBe(6);
    expect(heap.peek(isEven)).toEqual({ type: 'token', at: 6, token: 4 });
    heap.pop();
    expect(heap.peek(isEven)).toEqual({ type: 'token', at: 8, token: 2 });
  });
});
