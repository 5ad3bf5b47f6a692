// Pool: starts tasks as the limits allow, and reports what they came to.
//
// Always true: a task is reported at most once, never from inside `dispatch` or `abort`, never after it was aborted,
// never after `close` has resolved. At most `concurrencyPerProcess` tasks are under way. A task whose attempt timed out
// or was aborted gives its place back at once, even if its action goes on: such an action is a zombie until it stops,
// and is counted, but can keep nobody from working.

import type { Progress, TaskProgress } from '../actor/observers.ts';
import type { Clock, Executor, RememberStep, Report, Task, TaskOutcome } from '../actor/ports.ts';
import type { Failure } from '../base/failure.ts';
import type { HandOut } from '../core/commands.ts';
import type { KnownSchemas } from '../definition/flow/known-schemas.ts';
import type { Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import { Attempt, type AttemptHost, namedError, type PublishFor } from './attempt.ts';
import type { CallableAction, LocalAction, ResolvedAction } from './compile-action.ts';
import { FairQueue } from './fair-queue.ts';
import type { ActionGate, Ticket } from './lanes.ts';
import { MissingNames } from './missing-names.ts';
import type { Outside } from './outside.ts';
import type { MissingActions, Registry } from './registry.ts';
import type { ArtifactsFor } from './task-artifacts.ts';

export interface Counts {
  /** Tasks that wait for a place, for their action's rate, or for their action to be loaded. */
  readonly queued: number;
  readonly running: number;
  /** Actions that go on although their attempt timed out or was aborted. */
  readonly zombies: number;
}

export interface PoolOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly registry: Registry;
  readonly artifactsFor: ArtifactsFor;
  readonly publish: PublishFor;
  readonly remember: RememberStep;
  readonly vault?: Vault | null;
  readonly report: Report;
  /** Where tasks go whose actions are not here; null: such tasks fail. */
  readonly outside?: Outside | null;
  readonly onProgress?: (progress: TaskProgress) => void;
  readonly missingActions?: MissingActions;
  /** Nobody has the action of a task: told once for each name, until it is found. */
  readonly onMissing?: (task: Task, failure: Failure) => void;
  /** An action that nobody had is there. */
  readonly onFound?: (names: readonly string[]) => void;
}

/** Starts in one turn of the event loop, and its length: then timers, input and output get their chance. */
const startsPerTurnMax = 512;
const turnMsMax = 10;

export class Pool implements Executor, AttemptHost<Ticket> {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly artifactsFor: ArtifactsFor;
  readonly publish: PublishFor;
  readonly remember: RememberStep;
  readonly vault: Vault | null;
  readonly #registry: Registry;
  readonly #report: Report;
  readonly #outside: Outside | null;
  readonly #onProgress: (progress: TaskProgress) => void;
  readonly #queue: FairQueue;
  readonly #missing: MissingNames;
  #zombies = 0;
  #startsLeft = startsPerTurnMax;
  /** A call of `#startNext` is under way to us. */
  #isWoken = false;
  #closing: Closing | null = null;

  constructor({
    clock,
    limits,
    registry,
    artifactsFor,
    publish,
    remember,
    report,
    outside = null,
    onProgress,
    vault = null,
    missingActions = 'fail',
    onMissing = () => undefined,
    onFound = () => undefined,
  }: PoolOptions) {
    this.clock = clock;
    this.limits = limits;
    this.artifactsFor = artifactsFor;
    this.publish = publish;
    this.remember = remember;
    this.vault = vault;
    this.#registry = registry;
    this.#report = report;
    this.#outside = outside;
    this.#onProgress = onProgress ?? (() => undefined);
    this.#missing = new MissingNames({ clock, registry, waits: missingActions === 'wait', onMissing, onFound });
    this.#queue = new FairQueue({
      concurrencyPerRun: limits.concurrencyPerRun,
      onUnknown: (gate) => this.#learn(gate),
      onRateWait: (gate) => this.#setRateAlarm(gate),
      now: () => clock.now(),
    });
  }

  dispatch(task: Task): void {
    if (this.#closing !== null) return;
    this.#missing.askAgain();
    if (this.#outside !== null && this.#registry.isOutside(task.action)) return this.#outside.dispatch(task);
    // An action that has been loaded since may have been outside before.
    if (task.dispatch > 1) this.#outside?.abort(task.runId, task.tokenId);
    const earlier = this.#queue.find(task.runId, task.tokenId);
    // EX13: a newer hand-out takes the place of an older one; the same or an older one changes nothing.
    if (earlier !== undefined && earlier.task.dispatch >= task.dispatch) return;
    if (earlier !== undefined) this.#drop(earlier, 'it was handed out again');
    this.#queue.add(task);
    this.#wake();
  }

  abort(runId: string, tokenId: number): void {
    const ticket = this.#queue.find(runId, tokenId);
    if (ticket !== undefined) this.#drop(ticket, 'its result is no longer wanted');
    else this.#outside?.abort(runId, tokenId);
  }

  close(graceMs: number): Promise<void> {
    this.#outside?.stop();
    this.#closing ??= this.#startClosing(graceMs);
    return this.#closing.promise;
  }

  /** CR5: what one execution of an action costs; nothing is known of one that was neither loaded nor announced yet. */
  costOf(action: string): number {
    return this.#registry.known.get(action)?.cost ?? this.#outside?.costOf(action) ?? 0;
  }

  has(action: string, version: number | null): boolean {
    return this.#registry.has(action, version);
  }

  found(names: readonly string[]): void {
    this.#missing.find(names, true);
  }

  schemasOf(action: string): KnownSchemas | undefined {
    const known = this.#registry.known.get(action);
    if (known === undefined) return this.#outside?.schemasOf(action);
    return { input: known.input?.schema, output: known.output?.schema };
  }

  localActions(): ReadonlyMap<string, LocalAction> {
    return this.#registry.known;
  }

  actionNames(): readonly string[] | null {
    return this.#registry.names();
  }

  /** With workers outside there is always somebody on the way: they, and whoever starts runs, come over a network. */
  get isIdle(): boolean {
    return this.#queue.queued + this.#queue.running === 0 && this.#outside === null;
  }

  counts(): Counts {
    return { queued: this.#queue.queued, running: this.#queue.running, zombies: this.#zombies };
  }

  /** Whether the task's action has been called and its result is awaited. */
  isExecuting(runId: string, tokenId: number): boolean {
    const isHere = (this.#queue.find(runId, tokenId)?.attempt ?? null) !== null;
    return isHere || this.#outside?.isExecuting(runId, tokenId) === true;
  }

  /** What the task has told last of how far it is. */
  progressOf(runId: string, tokenId: number): Progress | null {
    const own = this.#queue.find(runId, tokenId);
    return own ? own.progress : (this.#outside?.progressOf(runId, tokenId) ?? null);
  }

  heldTasks(runId: string): readonly HandOut[] {
    return this.#outside?.heldTasks(runId) ?? [];
  }

  isUnclaimed(action: string, handOut: Pick<Task, 'runId' | 'tokenId' | 'dispatch'>): boolean {
    return this.#outside !== null && this.#registry.isOutside(action) && this.#outside.isUnclaimed(handOut);
  }

  // EX18: what a task tells of how far it is goes to whoever watches, and is shown while it is under way.
  progressed(ticket: Ticket, progress: Progress): void {
    ticket.progress = progress;
    const { runId, tokenId, nodeId } = ticket.task;
    this.#onProgress({ runId, tokenId, nodeId, ...progress });
  }

  ended(ticket: Ticket, outcome: TaskOutcome, isStillRunning: boolean): void {
    if (isStillRunning) this.#zombies += 1;
    this.#giveBack(ticket);
    this.#report(ticket.task, outcome);
  }

  settledLate(): void {
    this.#zombies -= 1;
  }

  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => this.#startNext());
  }

  #startNext(): void {
    this.#isWoken = false;
    const startedAt = this.clock.now();
    while (this.#startsLeft > 0 && this.#queue.running < this.limits.concurrencyPerProcess) {
      const ticket = this.#queue.take();
      if (ticket === null) return;
      this.#startsLeft -= 1;
      this.#start(ticket);
      if (this.clock.now() - startedAt >= turnMsMax) this.#startsLeft = 0;
    }
    if (this.#startsLeft === 0) this.#endTurn();
  }

  // EX14: after so many starts the event loop gets its turn: tasks that are done at once cannot starve timers.
  #endTurn(): void {
    this.#isWoken = true;
    this.clock.defer(() => {
      this.#startsLeft = startsPerTurnMax;
      this.#startNext();
    });
  }

  #start(ticket: Ticket): void {
    // A gate lets nothing through before its action is known.
    const action = ticket.lane.gate.action as ResolvedAction;
    if (action.type === 'outside') {
      this.#giveBack(ticket);
      this.#outside?.dispatch(ticket.task);
      return;
    }
    const failure = this.#missing.failureOf(ticket.task, action);
    if (failure !== null) {
      this.#giveBack(ticket);
      this.#report(ticket.task, { type: 'unavailable', action: ticket.task.action, failure });
      return;
    }
    ticket.attempt = new Attempt(ticket, action as CallableAction, this); // one that is missing has a failure
    ticket.attempt.start();
  }

  // EX1: what is dropped is never reported; one that waits is taken out, one under way has its signal aborted.
  #drop(ticket: Ticket, why: string): void {
    const { task, attempt } = ticket;
    if (attempt === null) {
      this.#queue.remove(ticket);
      return;
    }
    this.#zombies += 1;
    this.#giveBack(ticket);
    attempt.abort(namedError('AbortError', `Task ${task.runId}/${task.tokenId} was aborted: ${why}`));
  }

  #giveBack(ticket: Ticket): void {
    this.#queue.release(ticket);
    if (this.#closing === null) this.#wake();
    else if (this.#queue.running === 0) this.#closing.finish();
  }

  #learn(gate: ActionGate): void {
    const resolved = this.#registry.resolve(gate.name);
    if (!(resolved instanceof Promise)) {
      gate.learn(resolved);
      return;
    }
    gate.isLoading = true;
    void resolved.then((action) => {
      gate.learn(action);
      if (action.type === 'ready') this.#missing.find([gate.name]);
      this.#queue.reopen(gate);
      this.#wake();
    });
  }

  #setRateAlarm(gate: ActionGate): void {
    if (gate.cancelRateAlarm !== null || gate.rate === null || this.#closing !== null) return;
    gate.cancelRateAlarm = this.clock.schedule(gate.rate.opensAt(this.clock.now()), () => {
      gate.cancelRateAlarm = null;
      this.#queue.reopen(gate);
      this.#wake();
    });
  }

  // EX15: closing starts nothing new, waits for what is under way, aborts it after the grace, and then is silent.
  #startClosing(graceMs: number): Closing {
    const closing = new Closing();
    this.#registry.close();
    for (const gate of this.#queue.close()) gate.cancelRateAlarm?.();
    if (this.#queue.running === 0) closing.finish();
    else if (graceMs <= 0) this.clock.defer(() => this.#dropAll());
    else closing.setAlarm(this.clock.schedule(this.clock.now() + graceMs, () => this.#dropAll()));
    return closing;
  }

  #dropAll(): void {
    for (const ticket of this.#queue.tickets()) this.#drop(ticket, 'the engine was closed');
  }
}

class Closing {
  readonly promise: Promise<void>;
  #resolve: () => void = () => {};
  #cancelAlarm: () => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  setAlarm(cancel: () => void): void {
    this.#cancelAlarm = cancel;
  }

  finish(): void {
    this.#cancelAlarm();
    this.#resolve();
  }
}
