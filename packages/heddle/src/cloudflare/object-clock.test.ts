// What is called by a timer, and what is left to the object's alarm.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ObjectClock } from './object-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const alarms: number[] = [];
  const called: string[] = [];
  const clock = new ObjectClock((at) => void alarms.push(at));
  return { alarms, called, clock, call: (name: string) => () => void called.push(name) };
}

test('[DO5] what is due within ten seconds is called by a timer, and no alarm is set', async () => {
  const { clock, alarms, called, call } = open();
  clock.schedule(clock.now() + 9_000, call('scheduled'));
  clock.wakeAt(clock.now() + 10_000, call('woken'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([called, alarms]).toEqual([['scheduled', 'woken'], []]);
});

test('[DO5] what is due later has no timer: the alarm calls it, once, and is set again for what is left', () => {
  const { clock, alarms, called, call } = open();
  const cancel = clock.schedule(1_060_000, call('cancelled'));
  clock.schedule(1_060_000, call('first'));
  clock.wakeAt(1_090_000, call('second'));
  expect([vi.getTimerCount(), alarms]).toEqual([0, [1_060_000, 1_060_000, 1_090_000]]);
  cancel();
  vi.setSystemTime(1_050_000);
  clock.ring(); // too early
  expect([called, alarms.splice(0)]).toEqual([[], [1_060_000, 1_060_000, 1_090_000, 1_060_000, 1_090_000]]);
  vi.setSystemTime(1_060_000);
  clock.ring();
  clock.ring();
  expect([called, alarms]).toEqual([['first'], [1_090_000, 1_090_000]]);
});
