// Task script: what the worker of a simulated world answers at a node, attempt for attempt, and how often the definition
// lets it try.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Answer } from '../workload.ts';

export interface Task {
  readonly id: string;
  /** Attempts that fail before the first that does not. */
  readonly failures: number;
  readonly code: string;
  readonly isRetryable: boolean;
  /** Takes far too long, at its first attempt. */
  readonly isSlow: boolean;
  readonly retry: Retry | null;
  readonly timeoutMs: number | null;
}

export interface Retry {
  readonly maxAttempts: number;
  readonly backoff?: 'none' | 'linear' | 'exponential';
  readonly initialDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly jitter?: number;
  readonly retryableErrors?: readonly string[];
}

// ------------------------------------------------------------------------------------------------------------ drawing

/** `canRetry`: the dialect's nodes have a retry policy and a timeout. `troubled`: one in so many tasks is. */
export function drawTask(
  dice: Dice,
  id: string,
  { canRetry, troubled }: { readonly canRetry: boolean; readonly troubled: number },
): Task {
  const isTroubled = dice.chance(1, troubled);
  const retry = canRetry && isTroubled && dice.chance(2, 3) ? drawRetry(dice) : null;
  const isSlow = isTroubled && canRetry && dice.chance(1, 6);
  return {
    id,
    failures: isTroubled ? dice.pick([0, 1, 1, 2, 99]) : 0,
    code: dice.chance(1, 4) ? 'BROKEN' : 'FLAKY',
    isRetryable: !dice.chance(1, 6),
    isSlow,
    retry,
    timeoutMs: isSlow || (canRetry && dice.chance(1, 8)) ? 5_000 : null,
  };
}

function drawRetry(dice: Dice): Retry {
  return {
    maxAttempts: dice.between(2, 4),
    ...(dice.chance(1, 2) ? { initialDelayMs: dice.pick([0, 100, 2_000]) } : {}),
    ...(dice.chance(1, 2) ? { backoff: dice.pick(['none', 'linear', 'exponential']) } : {}),
    ...(dice.chance(1, 4) ? { maxDelayMs: dice.pick([3_000, 150]) } : {}),
    ...(dice.chance(1, 4) ? { jitter: 0.5 } : {}),
    ...(dice.chance(1, 4) ? { retryableErrors: dice.pick([['FLAKY', 'TASK_TIMEOUT'], ['FLAKY'], ['BROKEN']]) } : {}),
  };
}

/** As a definition has them. */
export const settingsOf = ({ retry, timeoutMs }: Task): Record<string, Json> => ({
  ...(retry === null ? {} : { retry: { ...retry } }),
  ...(timeoutMs === null ? {} : { timeoutMs }),
});

// ---------------------------------------------------------------------------------------------------------- answering

/** What a failing attempt says of itself. */
export const messageOf = ({ id }: Task, attempt: number): string => `${id} fails at attempt ${attempt}`;

/** `output`: what it comes to if it does not fail. */
export function answerTask(task: Task, attempt: number, output: () => unknown): Answer {
  const delayMs = task.isSlow && attempt === 1 ? 60_000 : 1 + ((attempt * 7 + task.id.length * 13) % 40);
  if (attempt > task.failures) return { type: 'complete', output: output(), delayMs };
  const { code, isRetryable: retryable } = task;
  return { type: 'fail', code, message: messageOf(task, attempt), retryable, delayMs };
}
