// Task steps: parts of a task's work that are remembered, so that no later attempt does them again. Rules EX28, EX29.

import type { Failure } from '../../base/failure.ts';
import { type Limits, limitOrigin } from '../../definition/limits.ts';
import { bytesOfStep } from '../apply/tokens.ts';
import type { Reply, StepResult } from '../commands.ts';
import type { RememberedStep } from '../events.ts';
import type { Token } from '../state.ts';
import { spendValue } from './allowance.ts';
import { type Planning, record } from './planning.ts';
import { findHandOut } from './tasks.ts';
import { isAnswered } from './tokens.ts';

// EX28: only the newest hand-out of a task records a step, also while the run is paused; the first record stays.
export function acceptStep(p: Planning, { token: id, dispatch, step, result }: StepResult): Reply {
  const token = findHandOut(p, { token: id, dispatch });
  if ('reason' in token) return token;
  if (isAnswered(p.state, id)) return { applied: false, reason: 'answered while paused' };
  if (token.steps?.finished.has(step)) return { applied: true };
  const remembered = { step, ...(result === undefined ? {} : { result }) };
  const refusal = refuseStep(p, token, remembered);
  if (refusal) return { applied: false, reason: refusal.message, refusal };
  spendValue(p, result);
  record(p, { type: 'step.completed', token: id, attempt: token.attempt, ...remembered });
  return { applied: true };
}

// EX29: the steps of one task are bounded, in number and in bytes.
function refuseStep(p: Planning, { steps, node }: Token, remembered: RememberedStep): Failure | null {
  const { stepsPerTaskMax, stepBytesPerTaskMax } = p.graph.limits;
  const { step } = remembered;
  const exceed = (limit: keyof Limits, wanted: string, found: string): Failure => ({
    code: 'LIMIT_EXCEEDED',
    message: `Expected ${wanted} by the limit ${limit}, but ${found}; ${limitOrigin(limit, p.graph)}`,
    limit,
  });
  if ((steps?.finished.size ?? 0) >= stepsPerTaskMax)
    return exceed(
      'stepsPerTaskMax',
      `at most ${stepsPerTaskMax} steps of a task`,
      `step "${step}" of node ${node} is one more`,
    );
  const bytes = (steps?.bytes ?? 0) + bytesOfStep(remembered);
  if (bytes <= stepBytesPerTaskMax) return null;
  return exceed(
    'stepBytesPerTaskMax',
    `the results of a task's steps to have at most ${stepBytesPerTaskMax} bytes together`,
    `with step "${step}" of node ${node} they have ${bytes}`,
  );
}
