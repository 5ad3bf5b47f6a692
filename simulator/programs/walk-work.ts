// How the oracle walks through what is done at one node: tasks, calls, prompts, waits for events. What the world decides
// (results, failures, answers, times) is read from the journal; whether it may be so is decided here.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { eventName } from './compile-fields.ts';
import { type EventOf, member, must, mustBe, take } from './difference.ts';
import type { Write } from './frame.ts';
import { answerTo, payloadOf } from './outside.ts';
import type { Call, Listen, Prompt, Retry, Task, Work } from './program.ts';
import { enter, finish, type Thread, type Walk } from './thread.ts';
import { outputOf } from './value-of.ts';

/** The code of a failure; null for a success. */
type Outcome = string | null;

export function* walkWork(thread: Thread, work: Work): Walk<Outcome> {
  yield* enter(thread, work.node);
  switch (work.type) {
    case 'task':
      return yield* walkTask(thread, work);
    case 'call':
      return yield* walkCall(thread, work);
    case 'prompt':
      return yield* walkPrompt(thread, work);
    case 'listen':
      return yield* walkListen(thread, work);
  }
}

/** More of what a task of a DAG reads and writes. */
interface DagPlace {
  readonly sources: readonly string[];
}

export function* walkTask(thread: Thread, task: Task, dag: DagPlace | null = null): Walk<Outcome> {
  let input: Json | null = null;
  let attempt = 1;
  thread.dispatch = 0;
  for (;;) {
    thread.at('ready');
    const handedOut = take(yield, 'task.dispatched', 'task.failed');
    if (handedOut.type === 'task.failed') return lost(handedOut);
    thread.dispatch += 1;
    mustBe([handedOut.attempt, handedOut.dispatch], [attempt, thread.dispatch], `attempt and dispatch of ${task.node}`);
    mustBe(handedOut.input, input === null ? inputOf(thread, dag) : undefined, `the input of ${task.node}`);
    input ??= handedOut.input ?? {};
    thread.at('working');
    const result = take(yield, 'tasks.lost', 'task.completed', 'task.attempt_failed', 'task.failed');
    if (result.type === 'task.completed') return yield* succeed(thread, task, input, result.output, dag);
    if (result.type === 'tasks.lost') continue;
    checkFailure(task, attempt, result);
    if (result.type === 'task.failed') return result.error.code;
    yield* waitToRetry(thread, task.retry, attempt, result);
    attempt += 1;
  }
}

function* succeed(thread: Thread, task: Task, input: Json, output: Json, dag: DagPlace | null): Walk<null> {
  // A garbled result may have no value, but none has a wrong one.
  if (member(output, 'value') !== undefined) mustBe(output, outputOf(task, input), `the output of ${task.node}`);
  thread.frame.raw = output;
  const [value, n] = [member(output, 'value'), member(output, 'n')];
  const writes: [string, Json | undefined][] = dag ? [[`state.${task.node}`, value]] : [];
  if (task.writes === 'state') writes.unshift(['state.x', value], ['state.n', n]);
  if (task.writes === 'output') writes.unshift(['output.x', value]);
  yield* finish(thread, present(writes));
  return null;
}

/** A mapping whose source is missing writes nothing. */
export function present(writes: readonly (readonly [string, Json | undefined])[]): Write[] {
  return writes.filter((write): write is Write => write[1] !== undefined);
}

/** Handed out and lost too often. */
function lost({ error }: EventOf<'task.failed'>): string {
  mustBe(error.code, 'TASK_LOST', 'the failure of a task that was not handed out');
  return error.code;
}

function inputOf({ frame, lastError }: Thread, dag: DagPlace | null): Json {
  const { place, slice } = frame;
  const seen = (dag?.sources ?? []).map((node): [string, Json | undefined] => [node, frame.read(`state.${node}`)]);
  const known = seen.filter(([, value]) => value !== undefined);
  const input = {
    x: frame.read('state.x'),
    y: frame.read('output.x'),
    error: lastError ?? undefined,
    index: place?.index,
    total: place?.group.total,
    item: frame.item,
    slice: slice && frame.read(slice.target),
    start: slice?.start,
    seen: known.length > 0 ? Object.fromEntries(known) : undefined,
  };
  return input as unknown as Json; // what is undefined is not there
}

/** By the rules of the executor; `FATAL` is the workload's own. */
const finalCodes = new Set(['FATAL', 'ACTION_OUTPUT_INVALID', 'LIMIT_EXCEEDED', 'ACTION_NOT_FOUND']);

function checkFailure(
  { node, code, failures, retry, timeoutMs }: Task,
  attempt: number,
  result: EventOf<'task.attempt_failed' | 'task.failed'>,
): void {
  const found = result.error.code;
  const isOwn = found === 'BOOM' || found === 'BANG' || found === 'FATAL';
  if (isOwn) must(found === code && attempt <= failures, () => `Expected ${node} not to fail with ${found}`);
  if (found === 'TASK_TIMEOUT') must(timeoutMs !== null, () => `Expected ${node} to have no timeout`);
  const isFinal = finalCodes.has(found);
  mustBe(result.type === 'task.attempt_failed', !isFinal && isRetried(retry, attempt, found), `a retry of ${node}`);
  if (result.type === 'task.failed')
    mustBe([result.error.nodeId, result.error.attempts], [node, attempt], 'node and attempts of the failure');
}

function isRetried(retry: Retry | null, attempt: number, code: string): boolean {
  if (retry === null || attempt >= retry.maxAttempts) return false;
  return retry.only === null || retry.only === code;
}

function* waitToRetry(
  thread: Thread,
  retry: Retry | null,
  attempt: number,
  failed: EventOf<'task.attempt_failed'>,
): Walk<void> {
  mustBe(failed.attempt, attempt, 'the attempt that failed');
  mustBe(failed.retryAt - failed.at, delayOf(retry, attempt), `the delay after attempt ${attempt}`);
  thread.at('retrying', failed.retryAt);
  take(yield, 'timer.fired');
}

function delayOf(retry: Retry | null, attempt: number): number {
  if (retry === null) return 0;
  const { backoff, initialDelayMs, maxDelayMs } = retry;
  const first = initialDelayMs ?? (backoff === 'none' ? 0 : 1_000);
  const factor = backoff === 'none' ? 1 : backoff === 'linear' ? attempt : 2 ** (attempt - 1);
  return Math.min(first * factor, maxDelayMs ?? Math.max(300_000, first));
}

function* walkCall(thread: Thread, call: Call): Walk<Outcome> {
  const { node, workflow, timeoutMs, retry, catches } = call;
  let input: { readonly x: Json | undefined } | null = null;
  for (let attempt = 1; ; attempt++) {
    thread.at('beginning');
    const sent = take(yield, 'subworkflow.dispatched');
    input ??= { x: thread.frame.read('state.x') }; // each attempt is given the same
    const deadline = timeoutMs === null ? undefined : sent.at + timeoutMs;
    mustBe(
      [sent.attempt, sent.workflow, sent.input, sent.deadline],
      [attempt, workflow, input, deadline],
      `attempt, workflow, input and deadline of ${node}`,
    );
    const { status, output, error } = yield* awaitChild(thread, sent.childRunId, deadline ?? null);
    const refusal = refusals[workflow];
    if (refusal !== undefined && status !== 'timed_out')
      mustBe([status, error?.code], ['failed', refusal], `how ${node} was refused`);
    if (status === 'completed') return yield* takeOutput(thread, output ?? {});
    const code = error?.code ?? 'SUBWORKFLOW_FAILED';
    thread.at('finishing');
    const next = take(yield, 'task.attempt_failed', 'task.completed', 'task.failed');
    mustBe(
      next.type,
      isRetried(retry, attempt, code) ? 'task.attempt_failed' : catches ? 'task.completed' : 'task.failed',
      `what follows the end of ${node}`,
    );
    if (next.type === 'task.failed') return checkedCode(next, code);
    if (next.type === 'task.completed') {
      mustBe(
        [member(next.output, 'status'), member(member(next.output, 'error'), 'code')],
        [status, code],
        'what was caught',
      );
      return yield* takeOutput(thread, next.output);
    }
    mustBe(next.error.code, code, `the failure of ${node}`);
    yield* waitToRetry(thread, retry, attempt, next);
  }
}

/** What those hear who call what is not there, or takes no input. */
const refusals: Readonly<Record<string, string>> = { missing: 'WORKFLOW_NOT_FOUND', refusing: 'INPUT_INVALID' };

function checkedCode({ error }: EventOf<'task.failed'>, code: string): string {
  mustBe(error.code, code, 'the failure');
  return code;
}

/** How a sub-run ended. */
interface ChildEnd {
  readonly status: string;
  readonly output?: Json | undefined;
  readonly error?: { readonly code: string } | undefined;
}

function* awaitChild(thread: Thread, childRunId: string, deadline: number | null): Walk<ChildEnd> {
  thread.at('calling', deadline);
  thread.childRunId = childRunId;
  thread.isChildSuspended = false;
  for (;;) {
    const event: RunEvent = yield;
    const told = take(
      event,
      'subworkflow.suspended',
      'subworkflow.resumed',
      'subworkflow.completed',
      'subworkflow.timed_out',
    );
    mustBe(told.childRunId, childRunId, 'the sub-run');
    if (told.type === 'subworkflow.suspended' || told.type === 'subworkflow.resumed') {
      mustBe(thread.isChildSuspended, told.type === 'subworkflow.resumed', 'whether the sub-run was suspended');
      thread.isChildSuspended = told.type === 'subworkflow.suspended';
      continue;
    }
    thread.childRunId = null;
    if (told.type === 'subworkflow.completed') return told;
    thread.stage.givenUp.add(childRunId);
    return { status: 'timed_out', error: { code: 'SUBWORKFLOW_TIMED_OUT' } };
  }
}

function* takeOutput(thread: Thread, output: Json): Walk<null> {
  thread.frame.raw = output;
  yield* finish(thread, present([['state.x', member(output, 'x')]]));
  return null;
}

function* walkPrompt(thread: Thread, { node, deadlineMs }: Prompt): Walk<Outcome> {
  if (thread.stage.isSerial) {
    take(yield, 'input.queued');
    thread.at('queued');
  }
  const asked = take(yield, 'input.requested');
  const deadline = deadlineMs === null ? null : asked.at + deadlineMs;
  mustBe(asked.deadline ?? null, deadline, `the deadline of ${node}`);
  thread.at('asking', deadline);
  const end = take(yield, 'input.resumed', 'input.expired');
  if (end.type === 'input.resumed') {
    mustBe(end.payload, answerTo(node), `the answer to ${node}`);
    thread.frame.raw = end.payload;
    yield* finish(thread, present([['state.x', member(end.payload, 'value')]]));
    return null;
  }
  thread.at('finishing');
  return checkedCode(take(yield, 'task.failed'), 'INPUT_EXPIRED');
}

function* walkListen(thread: Thread, { node, correlation, timeoutMs }: Listen): Walk<Outcome> {
  const awaited = take(yield, 'event.awaited');
  const deadline = timeoutMs === null ? null : awaited.at + timeoutMs;
  mustBe(
    [awaited.event, awaited.correlation, awaited.deadline ?? null],
    [eventName, correlation ?? '', deadline],
    `event, correlation and deadline of ${node}`,
  );
  thread.since = thread.stage.step;
  thread.at('listening', deadline);
  const end = take(yield, 'event.received', 'task.failed');
  if (end.type === 'task.failed') return checkedCode(end, 'EVENT_TIMED_OUT');
  mustBe(end.payload, payloadOf(correlation), `the event of ${node}`);
  yield* finish(thread, present([['state.x', member(end.payload, 'value')]]));
  return null;
}
