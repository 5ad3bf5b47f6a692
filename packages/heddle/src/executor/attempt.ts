// Attempt: one try of one task. Checks the input, calls the action, enforces the time it has, checks the output, and
// says once what it came to. Never retries: what follows from a failure is decided by the core.
//
// Always true: the host hears `ended` at most once, never from inside `start`, and never after `abort`. Whatever the
// action does then (returns, throws, calls back twice) changes nothing. An action that never stops holds nothing but
// its own memory: `settledLate` tells when it did stop. No rejection of an action goes unhandled.

import type { Progress } from '../actor/observers.ts';
import type { Clock, RememberStep, Task, TaskOutcome } from '../actor/ports.ts';
import type { RememberedStep } from '../core/events.ts';
import type { Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Publish, TellProgress } from './action.ts';
import type { CallableAction, CompiledAction } from './compile-action.ts';
import { failedByThrow, timedOut } from './outcome.ts';
import { takeProgress } from './progress.ts';
import { takeInput } from './take-input.ts';
import { limitsOf, type OutputBounds, takeOutput } from './take-output.ts';
import type { ArtifactsFor } from './task-artifacts.ts';
import { TaskContext } from './task-context.ts';
import { TaskSecrets } from './task-secrets.ts';

/** Publishes for an action: the engine knows how deep in a chain of triggers its run is. */
export type PublishFor = (
  task: Pick<Task, 'runId' | 'action' | 'trigger'>,
  ...event: Parameters<Publish>
) => ReturnType<Publish>;

export interface AttemptHost<Subject> {
  readonly clock: Clock;
  readonly limits: Limits;
  /** What an action puts and reads. */
  readonly artifactsFor: ArtifactsFor;
  readonly publish: PublishFor;
  /** Keeps the result of a finished step. */
  readonly remember: RememberStep;
  /** Where secrets are kept. */
  readonly vault: Vault | null;
  /** How far it is. */
  progressed(subject: Subject, progress: Progress): void;
  /** The attempt came to this. If `isStillRunning`, the action has not stopped, and `settledLate` will follow. */
  ended(subject: Subject, outcome: TaskOutcome, isStillRunning: boolean): void;
  /** An action whose attempt had timed out or been aborted has stopped now. */
  settledLate(subject: Subject): void;
}

export class Attempt<Subject extends { readonly task: Task }> {
  readonly #subject: Subject;
  readonly #action: CallableAction;
  readonly #host: AttemptHost<Subject>;
  readonly secrets: TaskSecrets;
  /** It ended or was aborted: nothing more will be told. */
  #isOver = false;
  #deadline = Infinity;
  #cancelAlarm: (() => void) | null = null;
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(subject: Subject, action: CallableAction, host: AttemptHost<Subject>) {
    this.#subject = subject;
    this.#action = action;
    this.#host = host;
    this.secrets = new TaskSecrets(host.vault);
  }

  start(): void {
    const { clock } = this.#host;
    const timeoutMs = this.#timeoutMs();
    if (timeoutMs > 0) {
      this.#deadline = clock.now() + timeoutMs;
      this.#cancelAlarm = clock.schedule(this.#deadline, () => this.#timeOut(timeoutMs));
    }
    const action = this.#action;
    if (action.type === 'ready') void this.#run(action);
    else this.#settleLater(action.outcome);
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

  get task(): Task {
    return this.#subject.task;
  }

  get bounds(): OutputBounds {
    const { limits } = this.#host;
    return { limits: limitsOf(this.task, limits), engine: limits, workflow: this.task.workflow };
  }

  throwIfOver(): void {
    if (!this.#isOver) return;
    const { runId, tokenId } = this.#subject.task;
    throw this.#reason ?? namedError('AbortError', `Task ${runId}/${tokenId} has ended: it can begin no step`);
  }

  remember(step: RememberedStep): Promise<void> {
    return this.#host.remember(this.#subject.task, step);
  }

  publish(...[name, payload, options]: Parameters<Publish>): ReturnType<Publish> {
    const clean = this.secrets.cleanValue(payload, this.#host.limits);
    return this.#host.publish(this.#subject.task, name, clean, options);
  }

  /** An attempt that is over has no progress, whatever its action says. */
  progress(...[fraction, message, details]: Parameters<TellProgress>): void {
    const clean = this.secrets.cleanValue({ message, details }, this.#host.limits) as Record<string, unknown>; // as it came
    const progress = takeProgress({ message, details, ...clean, fraction }, this.#host.clock.now());
    if (!this.#isOver) this.#host.progressed(this.#subject, progress);
  }

  // EX6: the node's timeout counts, else the action's; 0 is none.
  #timeoutMs(): number {
    const own = this.#action.type === 'ready' ? this.#action.timeoutMs : null;
    return this.#subject.task.timeoutMs ?? own ?? 0;
  }

  // EX7: an attempt that takes too long has failed; what the action answers later is ignored.
  #timeOut(timeoutMs: number): void {
    const outcome = timedOut(this.#subject.task, timeoutMs, this.#action);
    this.abort(namedError('TimeoutError', outcome.failure.message));
    this.#host.ended(this.#subject, outcome, true);
  }

  /** One function: two that await each other are a promise and three turns of the microtasks more for each task. */
  async #run(action: CompiledAction): Promise<void> {
    const { task } = this.#subject;
    const { limits } = this.#host;
    let outcome: TaskOutcome;
    try {
      const taken = takeInput(task, action, limits);
      const input = taken instanceof Promise ? await taken : taken;
      if (!input.ok) return this.#settleLater(input.outcome);
      if (this.#isOver) return this.#settle(null);
      const artifacts = this.#host.artifactsFor(task, this.secrets);
      const result = await action.run(new TaskContext(input.value, this, artifacts));
      if (this.#isOver) return this.#settle(null);
      const output = takeOutput(result, action, this.bounds);
      outcome = this.secrets.cleanOutcome(output instanceof Promise ? await output : output);
    } catch (error) {
      const failed = failedByThrow(error, { action, now: this.#host.clock.now(), limits });
      outcome = this.secrets.cleanOutcome(failed);
    }
    this.#settle(outcome);
  }

  #settleLater(outcome: TaskOutcome): void {
    queueMicrotask(() => this.#settle(outcome));
  }

  /** Null if it was over before it came to anything. */
  #settle(outcome: TaskOutcome | null): void {
    const { clock } = this.#host;
    // EX23: an action that kept the process busy beyond its time has taken too long, although its alarm could not ring: an
    // alarm that is due comes before the answer. If only the clock was set, there is none.
    if (!this.#isOver && this.#deadline <= clock.now()) clock.schedule(clock.now(), () => this.#end(outcome));
    else this.#end(outcome);
  }

  #end(outcome: TaskOutcome | null): void {
    if (this.#isOver || outcome === null) {
      this.#host.settledLate(this.#subject);
      return;
    }
    this.#isOver = true;
    this.#cancelAlarm?.();
    this.#host.ended(this.#subject, outcome, false);
  }
}

/** With the name that the platform's own aborts have, which is what actions and libraries look at. */
export function namedError(name: 'AbortError' | 'TimeoutError', message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
