import { describe, expect, test } from 'vitest';
import type { RetryPolicy } from '../../definition/graph.ts';
import { flow, Trial, task } from './planning.testsuite.ts';
import { retryDelayMs } from './retry.ts';

const policy: RetryPolicy = {
  maxAttempts: 5,
  backoff: 'none',
  initialDelayMs: 100,
  maxDelayMs: 350,
  jitter: 0,
  retryableErrors: null,
};
const failed = {
  attempt: 1,
  failure: { code: 'X', message: 'x' },
  retryable: true,
  retryAfterMs: null,
  seed: 'run/1/1',
};

describe('whether there is another attempt', () => {
  test('[RY1] no policy, one attempt; with one, as many in all as it says', () => {
    expect(retryDelayMs(null, failed)).toBeNull();
    expect([1, 4, 5, 6].map((attempt) => retryDelayMs(policy, { ...failed, attempt }))).toEqual([100, 100, null, null]);
  });

  test('[RY1] the policy of the node counts before that of its action', () => {
    const retry = { ...policy, initialDelayMs: 7 };
    const own = new Trial(flow([task('a', { retry: { maxAttempts: 2, initialDelayMs: 3 } })]));
    own.fail(1, 'X', { retry });
    expect(own.of('task.attempt_failed')).toMatchObject([{ retryAt: 1_003 }]);
    const action = new Trial(flow([task('a')]));
    action.fail(1, 'X', { retry });
    expect(action.of('task.attempt_failed')).toMatchObject([{ retryAt: 1_007 }]);
  });

  test('[RY2] an error that the action calls final, or that the policy does not name, is not tried again', () => {
    expect(retryDelayMs(policy, { ...failed, retryable: false })).toBeNull();
    expect(retryDelayMs({ ...policy, retryableErrors: ['Y'] }, failed)).toBeNull();
    expect(retryDelayMs({ ...policy, retryableErrors: ['Y', 'X'] }, failed)).toBe(100);
  });
});

describe('how long it waits', () => {
  const delays = (changes: Partial<RetryPolicy>) =>
    [1, 2, 3, 4].map((attempt) => retryDelayMs({ ...policy, ...changes }, { ...failed, attempt }));

  test('[RY3] an action may ask for more time than its policy gives, never for less', () => {
    expect(retryDelayMs(policy, { ...failed, retryAfterMs: 900 })).toBe(900);
    expect(retryDelayMs(policy, { ...failed, retryAfterMs: 9 })).toBe(100);
  });

  test('[RY4] none, linear or exponential, up to the longest delay', () => {
    expect(delays({})).toEqual([100, 100, 100, 100]);
    expect(delays({ backoff: 'linear' })).toEqual([100, 200, 300, 350]);
    expect(delays({ backoff: 'exponential' })).toEqual([100, 200, 350, 350]);
  });

  test('[RY4] without a delay there is none, however many attempts were made', () => {
    const patient = { ...policy, maxAttempts: 1_000_000, initialDelayMs: 0, backoff: 'exponential' } as const;
    expect([2, 1_025, 999_999].map((attempt) => retryDelayMs(patient, { ...failed, attempt }))).toEqual([0, 0, 0]);
  });

  test('[RY4] jitter takes up to its share away, and the same attempt always gets the same', () => {
    const seeds = Array.from({ length: 200 }, (_, i) => `run/${i}/1`);
    const drawn = seeds.map((seed) => retryDelayMs({ ...policy, jitter: 0.5 }, { ...failed, seed }) ?? 0);
    expect(drawn).toEqual(seeds.map((seed) => retryDelayMs({ ...policy, jitter: 0.5 }, { ...failed, seed }) ?? 0));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(100);
    expect(new Set(drawn).size).toBeGreaterThan(20);
  });
});
