import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './system-clock.ts';

const hour = 3_600_000;

describe('the clock of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function armed(way: 'schedule' | 'wakeAt', ms: number) {
    const clock = systemClock();
    const rung = vi.fn();
    const cancel = clock[way](clock.now() + ms, rung);
    return { rung, cancel };
  }

  test.each(['schedule', 'wakeAt'] as const)('%s rings once, at its time', (way) => {
    const { rung } = armed(way, hour);
    vi.advanceTimersByTime(hour - 1);
    expect(rung).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1);
    expect(rung).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what is longer than a timer can hold is waited for', () => {
    const { rung } = armed('schedule', 1_000 * hour);
    vi.advanceTimersByTime(1_000 * hour - 1);
    expect(rung).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1);
    expect(rung).toHaveBeenCalledTimes(1);
  });

  test.each(['schedule', 'wakeAt'] as const)('%s: what was cancelled never rings, and leaves no timer', (way) => {
    const { rung, cancel } = armed(way, hour);
    vi.advanceTimersByTime(hour / 2);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(hour);
    expect(rung).toHaveBeenCalledTimes(0);
  });

  test('[TM7] a deadline rings within seconds after the clock was set past it, or the machine slept', () => {
    const { rung } = armed('wakeAt', hour);
    vi.setSystemTime(Date.now() + 2 * hour);
    vi.advanceTimersByTime(2_000);
    expect(rung).toHaveBeenCalledTimes(1);
  });

  test('[TM7] a deadline does not ring before its time after the clock was set back', () => {
    const { rung } = armed('wakeAt', 1_000);
    vi.setSystemTime(Date.now() - hour);
    vi.advanceTimersByTime(hour);
    expect(rung).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1_000);
    expect(rung).toHaveBeenCalledTimes(1);
  });

  test.each([hour, -hour])('[TM8] a duration is not moved by setting the clock by %i ms', (shift) => {
    const { rung } = armed('schedule', 10_000);
    vi.setSystemTime(Date.now() + shift);
    vi.advanceTimersByTime(9_999);
    expect(rung).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1);
    expect(rung).toHaveBeenCalledTimes(1);
  });
});
