// Attempts: a try of a task or of a sub-run has failed, and may be made again.

import type { RetryPolicy } from '../../definition/graph.ts';
import type { Token } from '../state.ts';
import { type Planning, record, runOf } from './planning.ts';
import { type FailedAttempt, retryDelayMs } from './retry.ts';

/** Sets the timer of the next attempt, if there is one; answers whether. */
export function retryLater(
  p: Planning,
  token: Token,
  policy: RetryPolicy | null,
  failed: Pick<FailedAttempt, 'failure' | 'retryable' | 'retryAfterMs'>,
): boolean {
  const { id, attempt } = token;
  const delayMs = retryDelayMs(policy, { ...failed, attempt, seed: `${runOf(p).runId}/${id}/${attempt}` });
  if (delayMs === null) return false;
  // TS4: a retry waits as a timer and holds no place among the tasks.
  record(p, { type: 'task.attempt_failed', token: id, attempt, error: failed.failure, retryAt: p.at + delayMs });
  return true;
}
