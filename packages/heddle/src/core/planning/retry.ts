// Retry: whether and when a failed attempt is made again. Rules RY…. Pure arithmetic.

import type { Failure } from '../../base/failure.ts';
import { shortHash } from '../../base/hash.ts';
import type { RetryPolicy } from '../../definition/graph.ts';

export interface FailedAttempt {
  readonly attempt: number;
  readonly failure: Failure;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** What the chance in the delay is drawn from: the same for the same attempt, however often it is planned. */
  readonly seed: string;
}

/** The delay before the next attempt; null if there is none. */
export function retryDelayMs(policy: RetryPolicy | null, failed: FailedAttempt): number | null {
  // RY1: no policy, one attempt.
  if (!policy || failed.attempt >= policy.maxAttempts) return null;
  // RY2: some errors are not worth another try.
  if (!failed.retryable) return null;
  if (policy.retryableErrors && !policy.retryableErrors.includes(failed.failure.code)) return null;
  // RY3: an action may ask for more time than its policy gives.
  return Math.max(backoffMs(policy, failed), failed.retryAfterMs ?? 0);
}

/** RY4: none, linear or exponential, up to the longest delay, less a share that is left to chance. */
function backoffMs(policy: RetryPolicy, { attempt, seed }: FailedAttempt): number {
  const { initialDelayMs, maxDelayMs, jitter, backoff } = policy;
  const delay = Math.min(initialDelayMs * growth(backoff, attempt), maxDelayMs);
  return Math.round(delay * (1 - jitter * chance(seed)));
}

/** How many times the first delay; always finite: no delay times infinity is no number. */
function growth(backoff: RetryPolicy['backoff'], attempt: number): number {
  switch (backoff) {
    case 'none':
      return 1;
    case 'linear':
      return attempt;
    case 'exponential':
      return 2 ** Math.min(attempt - 1, doublingsMax);
  }
}

const doublingsMax = 100;

/** A number from 0 to 1 that the text decides. */
function chance(seed: string): number {
  const hash = shortHash(seed);
  let number = 0;
  for (let i = 0; i < 6; i++) number = (number * 31 + hash.charCodeAt(i)) % 10_007;
  return number / 10_007;
}
