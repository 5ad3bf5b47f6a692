import { describe, expect, it } from 'vitest';
import { VirtualClock, virtualStart } from './virtual-clock.ts';

describe('virtual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = new VirtualClock();
    expect(clock.now()).toBe(virtualStart);
    await clock.settle();
    expect(clock.now()).toBe(virtualStart);
    await clock.advance(5);
    expect(clock.now()).toBe(virtualStart + 5);
    expect(new VirtualClock(7).now()).toBe(7);
  });

  it('fires in order of time, then of scheduling, each at its time', async () => {
    const clock = new VirtualClock(0);
    const fired: [string, number][] = [];
    const set = (at: number, name: string) => clock.schedule(at, () => fired.push([name, clock.now()]));
    set(20, 'c');
    set(10, 'a');
    set(10, 'b');
    set(-5, 'past');
    set(31, 'later');
    await clock.advanceTo(30);
    expect(fired).toEqual([
      ['past', 0],
      ['a', 10],
      ['b', 10],
      ['c', 20],
    ]);
    expect([clock.now(), clock.nextAt]).toEqual([30, 31]);
  });

  it('fires what is scheduled on the way, after the work that a callback set off', async () => {
    const clock = new VirtualClock(0);
    const fired: string[] = [];
    clock.schedule(10, () => {
      clock.schedule(12, () => fired.push('second'));
      clock.defer(() => fired.push('deferred'));
      void Promise.resolve().then(() => fired.push('microtask'));
    });
    clock.schedule(11, () => fired.push('first'));
    await clock.advance(20);
    expect(fired).toEqual(['microtask', 'deferred', 'first', 'second']);
  });

  it('does not fire what was cancelled', async () => {
    const clock = new VirtualClock(0);
    const cancel = clock.schedule(1, () => expect.unreachable());
    clock.schedule(1, () => cancel());
    cancel();
    cancel();
    await clock.advance(5);
    expect(clock.nextAt).toBeNull();
  });
});
