// Task verdict: whether the journal of one task can have come about by its script and its policy, and how it ended. A
// failure that no script asked for (the world made the worker slow, or lost it) is an input like any other; whether it was
// tried again is not. Rules RY1, RY2, RY4, TS2, TS5, TS6.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Findings } from './findings.ts';
import type { EventOf, Visit } from './journal.ts';
import { messageOf, type Retry, type Task } from './task-script.ts';
import { isBag, isSame, show } from './values.ts';

/** What the journal says of a task, once it has been found possible. */
export type Verdict =
  | { readonly type: 'completed'; readonly output: Json; readonly attempt: number }
  | { readonly type: 'failed'; readonly error: EventOf<'task.failed'>['error']; readonly attempt: number }
  | { readonly type: 'open' };

/** What a task must have been given, and what it then puts out. */
export interface Deal {
  readonly input: Json;
  readonly output: Json;
}

/** Goes through the hand-outs and outcomes of a task. */
export function judgeTask(task: Task, visit: Visit, deal: Deal, findings: Findings): Verdict {
  const progress: Progress = { task, visit, ...deal, findings, attempt: 1, dispatch: 0, isOut: false, notBefore: 0 };
  for (const deed of visit.deeds) {
    if (deed.type === 'task.dispatched') handOut(progress, deed);
    else if (deed.type === 'tasks.lost') progress.isOut = false;
    else if (deed.type === 'task.attempt_failed') failAttempt(progress, deed);
    else if (deed.type === 'timer.fired') progress.attempt++;
    else if (deed.type === 'task.completed') return complete(progress, deed);
    else if (deed.type === 'task.failed') return fail(progress, deed);
  }
  return { type: 'open' };
}

interface Progress {
  readonly task: Task;
  readonly visit: Visit;
  readonly input: Json;
  readonly output: Json;
  readonly findings: Findings;
  attempt: number;
  dispatch: number;
  isOut: boolean;
  notBefore: number;
}

const labelOf = ({ visit: { node, token } }: Progress): string => `node ${node} (token ${token})`;

function handOut(progress: Progress, deed: EventOf<'task.dispatched'>): void {
  const { findings, attempt, input } = progress;
  const isFirst = progress.dispatch === 0;
  progress.dispatch++;
  findings.expect(!progress.isOut && deed.attempt === attempt && deed.dispatch === progress.dispatch, () => {
    return `Expected attempt ${attempt} and dispatch ${progress.dispatch} of ${labelOf(progress)}, but found ${show(deed)}`;
  });
  findings.expect(deed.at >= progress.notBefore, () => {
    return `Expected ${labelOf(progress)} to be tried again from ${progress.notBefore} on, but it was at ${deed.at}`;
  });
  findings.expect(isFirst ? isSame(deed.input, input) : deed.input === undefined, () => {
    const expected = isFirst ? show(input) : 'what it was given first';
    return `Expected ${labelOf(progress)} to be given ${expected}, but it was given ${show(deed.input)}`;
  });
  progress.isOut = true;
}

function complete(progress: Progress, deed: EventOf<'task.completed'>): Verdict {
  const { task, findings, attempt, output } = progress;
  const isRight = isGarbled(deed.output) || (attempt > task.failures && isSame(deed.output, output));
  findings.expect(progress.isOut && isRight, () => {
    const expected = attempt > task.failures ? `to put out ${show(output)}` : 'to have failed';
    return `Expected ${labelOf(progress)} ${expected} at attempt ${attempt}, but it put out ${show(deed.output)}`;
  });
  return { type: 'completed', output: deed.output, attempt };
}

/** A broken worker may answer with nothing, or with a text; no script does. */
export const isGarbled = (output: Json): boolean => !isBag(output) || Object.keys(output).length === 0;

type Failure = EventOf<'task.failed'>['error'];

const isScripted = ({ task, attempt }: Progress, { code, message }: Failure): boolean =>
  attempt <= task.failures && code === task.code && message === messageOf(task, attempt);

/** Codes of failures that only a script makes. */
const scriptedCodes = new Set(['FLAKY', 'BROKEN']);

function checkFailure(progress: Progress, error: Failure): void {
  const { findings, attempt } = progress;
  findings.expect(!scriptedCodes.has(error.code) || isScripted(progress, error), () => {
    return `Expected ${labelOf(progress)} not to fail so at attempt ${attempt}, but found ${show(error)}`;
  });
}

function failAttempt(progress: Progress, deed: EventOf<'task.attempt_failed'>): void {
  const { findings, attempt } = progress;
  checkFailure(progress, deed.error);
  findings.expect(progress.isOut && deed.attempt === attempt && mayRetry(progress, deed.error), () => {
    return `Expected ${labelOf(progress)} to have failed for good at attempt ${attempt}, but it is tried again: ${show(deed)}`;
  });
  const delayMs = deed.retryAt - deed.at;
  const [least, most] = delaysOf(progress.task.retry ?? { maxAttempts: 1 }, attempt);
  findings.expect(delayMs >= least && delayMs <= most, () => {
    return `Expected ${labelOf(progress)} to wait ${least} to ${most} ms after attempt ${attempt}, but it waits ${delayMs}`;
  });
  progress.isOut = false;
  progress.notBefore = deed.retryAt;
}

function fail(progress: Progress, { error }: EventOf<'task.failed'>): Verdict {
  const { findings, attempt, visit } = progress;
  checkFailure(progress, error);
  const isSure = isScripted(progress, error) ? progress.task.isRetryable : passingCodes.has(error.code);
  findings.expect(!(isSure && mayRetry(progress, error)), () => {
    return `Expected ${labelOf(progress)} to be tried again after attempt ${attempt}, but it failed: ${show(error)}`;
  });
  // Only what was lost too often fails without having been handed out.
  findings.expect(progress.isOut || error.code === 'TASK_LOST', () => {
    return `Expected ${labelOf(progress)} to be handed out before it fails, but it was not`;
  });
  findings.expect(error.nodeId === visit.node && error.attempts === attempt, () => {
    return `Expected the failure of ${labelOf(progress)} to name it and ${attempt} attempts, but found ${show(error)}`;
  });
  return { type: 'failed', error, attempt };
}

/** Failures of the world that are worth another try, and those that are not. */
const passingCodes = new Set(['TASK_TIMEOUT', 'WORKER_DIED']);
const finalCodes = new Set(['TASK_LOST', 'ACTION_NOT_FOUND', 'ACTION_OUTPUT_INVALID', 'LIMIT_EXCEEDED']);

/** By its policy; the world may also make failures that must not be tried again. */
function mayRetry(progress: Progress, error: Failure): boolean {
  const { retry, isRetryable } = progress.task;
  if (retry === null || progress.attempt >= retry.maxAttempts) return false;
  if ((isScripted(progress, error) && !isRetryable) || finalCodes.has(error.code)) return false;
  return retry.retryableErrors?.includes(error.code) ?? true;
}

/** The shortest and the longest that may lie between an attempt and the next. */
function delaysOf(retry: Retry, attempt: number): [least: number, most: number] {
  const { backoff = 'none', jitter = 0 } = retry;
  const { initialDelayMs = backoff === 'none' ? 0 : 1_000 } = retry;
  const { maxDelayMs = Math.max(300_000, initialDelayMs) } = retry;
  const factor = { none: 1, linear: attempt, exponential: 2 ** (attempt - 1) }[backoff];
  const most = Math.min(initialDelayMs * factor, maxDelayMs);
  return [Math.floor(most * (1 - jitter)), most];
}
