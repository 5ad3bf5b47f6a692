// Attempt: one try of one task. Checks the input, calls the action, enforces the time it has, checks the output, and
// says once what it came to. Never retries: what follows from a failure is decided by the core.
//
// Always true: the host hears `ended` at most once, never from inside `start`, and never after `abort`. Whatever the
// action does then (returns, throws, calls back twice) changes nothing. An action that never stops holds nothing but
// its own memory: `settledLate` tells when it did stop. No rejection of an action goes unhandled.

import type { Clock, Store, Task, TaskOutcome } from '../actor/ports.ts';
import type { Limits } from '../definition/limits.ts';
import type { Publish } from './action.ts';
import type { CompiledAction, ResolvedAction } from './compile-action.ts';
import { failedBy, failedByThrow } from './outcome.ts';
import { takeInput } from './take-input.ts';
import { takeOutput } from './take-output.ts';
import { TaskArtifacts } from './task-artifacts.ts';
import { TaskContext } from './task-context.ts';

/** Publishes for an action: the engine knows how deep in a chain of triggers its run is. */
export type PublishFor = (task: Task, ...event: Parameters<Publish>) => ReturnType<Publish>;

export interface AttemptHost<Subject> {
  readonly clock: Clock;
  readonly limits: Limits;
  /** Where artifacts are kept. */
  readonly store: Store;
  readonly publish: PublishFor;
  /** The attempt came to this. If `isStillRunning`, the action has not stopped, and `settledLate` will follow. */
  ended(subject: Subject, outcome: TaskOutcome, isStillRunning: boolean): void;
  /** An action whose attempt had timed out or been aborted has stopped now. */
  settledLate(subject: Subject): void;
}

export class Attempt<Subject extends { readonly task: Task }> {
  readonly #subject: Subject;
  readonly #action: ResolvedAction;
  readonly #host: AttemptHost<Subject>;
  /** It ended or was aborted: nothing more will be told. */
  #isOver = false;
  #cancelAlarm: (() => void) | null = null;
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(subject: Subject, action: ResolvedAction, host: AttemptHost<Subject>) {
    this.#subject = subject;
    this.#action = action;
    this.#host = host;
  }

  start(): void {
    const { clock } = this.#host;
    const timeoutMs = this.#timeoutMs();
    if (timeoutMs > 0) this.#cancelAlarm = clock.schedule(clock.now() + timeoutMs, () => this.#timeOut(timeoutMs));
    void this.#run();
  }

  /** Tells the action to stop; the host hears no outcome. */
  abort(reason: Error): void {
    this.#isOver = true;
    this.#cancelAlarm?.();
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  publish(...event: Parameters<Publish>): ReturnType<Publish> {
    return this.#host.publish(this.#subject.task, ...event);
  }

  // EX6: the node's timeout counts, else the action's; 0 is none.
  #timeoutMs(): number {
    const own = this.#action.type === 'ready' ? this.#action.timeoutMs : null;
    return this.#subject.task.timeoutMs ?? own ?? 0;
  }

  // EX7: an attempt that takes too long has failed; what the action answers later is ignored.
  #timeOut(timeoutMs: number): void {
    const { nodeId, action } = this.#subject.task;
    const message = `Expected action "${action}" of node "${nodeId}" to end within ${timeoutMs} ms, but it did not`;
    this.abort(namedError('TimeoutError', message));
    const failure = { code: 'TASK_TIMEOUT', message };
    this.#host.ended(this.#subject, failedBy(failure, { action: this.#action, retryable: true }), true);
  }

  async #run(): Promise<void> {
    const outcome = await this.#perform();
    if (this.#isOver || outcome === null) {
      this.#host.settledLate(this.#subject);
      return;
    }
    this.#isOver = true;
    this.#cancelAlarm?.();
    this.#host.ended(this.#subject, outcome, false);
  }

  /** Null if it was over before it came to anything. Never rejects. */
  async #perform(): Promise<TaskOutcome | null> {
    const action = this.#action;
    if (action.type === 'refused') return action.outcome;
    try {
      return await this.#call(action);
    } catch (error) {
      return failedByThrow(error, { action, now: this.#host.clock.now(), limits: this.#host.limits });
    }
  }

  async #call(action: CompiledAction): Promise<TaskOutcome | null> {
    const { task } = this.#subject;
    const taken = takeInput(task, action, this.#host.limits);
    const input = taken instanceof Promise ? await taken : taken;
    if (!input.ok) return input.outcome;
    if (this.#isOver) return null;
    const result = await action.run(new TaskContext(task, input.value, this, new TaskArtifacts(task, this.#host)));
    return this.#isOver ? null : takeOutput(result, action, this.#limitsOf(task));
  }

  /** A workflow may take less than the engine allows. */
  #limitsOf({ limits }: Task): Limits {
    return limits.payloadBytesMax < this.#host.limits.payloadBytesMax ? limits : this.#host.limits;
  }
}

/** With the name that the platform's own aborts have, which is what actions and libraries look at. */
export function namedError(name: 'AbortError' | 'TimeoutError', message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
