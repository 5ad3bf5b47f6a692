import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readNow, subscribeToNow } from './now.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test('who comes after nobody looked for a while is told the time', () => {
  const leave = subscribeToNow(() => undefined);
  vi.advanceTimersByTime(5_000);
  leave();
  vi.setSystemTime(1_060_000);
  expect(readNow()).toBe(1_060_000);
});

test('it stands still within a second, and all who look hear of the next', () => {
  const heard = vi.fn();
  const leave = subscribeToNow(heard);
  const first = readNow();
  vi.setSystemTime(first + 400);
  expect(readNow()).toBe(first);
  vi.advanceTimersByTime(1_000);
  expect(heard).toHaveBeenCalledTimes(1);
  expect(readNow()).toBeGreaterThanOrEqual(first + 1_000);
  leave();
  expect(vi.getTimerCount()).toBe(0);
});
