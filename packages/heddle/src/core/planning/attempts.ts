// Attempts: a try of a task or of a sub-run has failed, and may be made again.

import type { RetryPolicy } from '../../definition/graph.ts';
import type { Token } from '../state.ts';
import { type Planning, record, runOf } from './planning.ts';
import { type FailedAttempt, retryDelayMs } from './retry.ts';

type Failed = Pick<FailedAttempt, 'failure' | 'retryable' | 'retryAfterMs'>;

/** Sets the timer of the next attempt, if there is one; answers whether. */
export function retryLater(p: Planning, token: Token, policy: RetryPolicy | null, failed: Failed): boolean {
  const { id, attempt } = token;
  const delayMs = delayOfNext(runOf(p).runId, token, policy, failed);
  if (delayMs === null) return false;
  // TS4: a retry waits as a timer and holds no place among the tasks.
  record(p, { type: 'task.attempt_failed', token: id, attempt, error: failed.failure, retryAt: p.at + delayMs });
  return true;
}

/** How long the next attempt waits; null if there is none. */
export function delayOfNext(
  runId: string,
  { id, attempt }: Token,
  policy: RetryPolicy | null,
  failed: Failed,
): number | null {
  return retryDelayMs(policy, { ...failed, attempt, seed: `${runId}/${id}/${attempt}` });
}
