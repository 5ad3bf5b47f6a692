// Outcome: what the executor reports of an attempt that failed. Every such outcome is made here.

import type { Task, TaskOutcome } from '../actor/ports.ts';
import type { Failure } from '../base/failure.ts';
import { printable } from '../base/printable.ts';
import type { Limits } from '../definition/limits.ts';
import type { ResolvedAction } from './compile-action.ts';
import { describeThrow, shortenMessage } from './describe-throw.ts';
import type { Complaint } from './schema-check.ts';

export type Failed = Extract<TaskOutcome, { type: 'failed' }>;

export function failedBy(
  failure: Failure,
  { action, retryable }: { action: ResolvedAction | null; retryable: boolean },
): Failed {
  const retry = action?.type === 'ready' ? action.retry : null;
  return { type: 'failed', failure, retryable, retryAfterMs: null, retry };
}

export function timedOut(
  { nodeId, action: name }: Pick<Task, 'nodeId' | 'action'>,
  timeoutMs: number,
  action: ResolvedAction,
): Failed {
  const message = `Expected action "${name}" of node "${nodeId}" to end within ${timeoutMs} ms, but it did not`;
  return failedBy({ code: 'TASK_TIMEOUT', message }, { action, retryable: true });
}

export function failedByThrow(
  error: unknown,
  { action, now, limits }: { action: ResolvedAction; now: number; limits: Limits },
): Failed {
  const { failure, retryable, retryAfterMs } = describeThrow(error, { now, limits });
  return { ...failedBy(failure, { action, retryable }), retryAfterMs };
}

/** The same input fails again, and an action that returns the wrong thing has done its work: neither is tried again. */
export function failedByComplaints(
  complaints: readonly Complaint[],
  { action, name, side }: { action: ResolvedAction; name: string; side: 'input' | 'output' },
): Failed {
  const [first] = complaints;
  // A JSON Schema's message names the place itself.
  const isNamed = first === undefined || first.pointer === '' || first.message.includes(first.pointer);
  const where = isNamed ? '' : `at ${first.pointer}: `;
  const rest = complaints.length > 1 ? ` (and ${complaints.length - 1} more)` : '';
  const failure: Failure = {
    code: side === 'input' ? 'ACTION_INPUT_INVALID' : 'ACTION_OUTPUT_INVALID',
    message: printable(
      shortenMessage(
        `Expected the ${side} of action "${name}" to fit its schema, but ${where}${first?.message ?? ''}${rest}`,
      ),
    ),
    details: complaints.map(({ pointer, message }) => ({ pointer, message: shortenMessage(message) })),
  };
  return failedBy(failure, { action, retryable: false });
}
