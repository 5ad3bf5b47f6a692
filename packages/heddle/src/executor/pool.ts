// Pool: starts tasks as the limits allow, and reports what they came to.
//
// Always true: a task is reported at most once, never from inside `dispatch` or `abort`, never after it was aborted,
// never after `close` has resolved. At most `concurrencyPerProcess` tasks are running. A task whose attempt timed out
// or was aborted gives its place back at once, even if its action continues: such an action is a zombie until it stops,
// and is counted, but can keep nobody from working.

import type { Progress, TaskProgress } from '../actor/observers.ts';
import type { Clock, RememberStep, Report, Task, TaskOutcome } from '../actor/ports.ts';
import type { Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import { Attempt, type AttemptHost, namedError, type PublishFor } from './attempt.ts';
import type { CallableAction, ResolvedAction } from './compile-action.ts';
import { FairQueue } from './fair-queue.ts';
import type { ActionGate, Ticket } from './lanes.ts';
import type { MissingNames } from './missing-names.ts';
import type { Registry } from './registry.ts';
import type { ArtifactsFor } from './task-artifacts.ts';

export interface Counts {
  /** Tasks that wait for a place, for their action's rate, or for their action to be loaded. */
  readonly queued: number;
  readonly running: number;
  /** Actions that continue although their attempt timed out or was aborted. */
  readonly zombies: number;
}

export interface PoolOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly registry: Registry;
  readonly missing: MissingNames;
  readonly artifactsFor: ArtifactsFor;
  readonly publish: PublishFor;
  readonly remember: RememberStep;
  readonly vault: Vault | null;
  readonly report: Report;
  /** Takes a task whose action was looked for and is not done here. */
  readonly handOn: (task: Task) => void;
  readonly onProgress: (progress: TaskProgress) => void;
}

/** Starts in one turn of the event loop, and its length: then timers, input and output get their chance. */
const startsPerTurnMax = 512;
const turnMsMax = 10;

export class Pool implements AttemptHost<Ticket> {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly artifactsFor: ArtifactsFor;
  readonly publish: PublishFor;
  readonly remember: RememberStep;
  readonly vault: Vault | null;
  readonly #registry: Registry;
  readonly #missing: MissingNames;
  readonly #report: Report;
  readonly #handOn: (task: Task) => void;
  readonly #onProgress: (progress: TaskProgress) => void;
  readonly #queue: FairQueue;
  #zombies = 0;
  #startsLeft = startsPerTurnMax;
  /** A call of `#startNext` is scheduled. */
  #isWoken = false;
  #closing: Closing | null = null;
  readonly #leaving = new Set<Leaving>();

  constructor(options: PoolOptions) {
    const { clock, limits } = options;
    this.clock = clock;
    this.limits = limits;
    this.artifactsFor = options.artifactsFor;
    this.publish = options.publish;
    this.remember = options.remember;
    this.vault = options.vault;
    this.#registry = options.registry;
    this.#missing = options.missing;
    this.#report = options.report;
    this.#handOn = options.handOn;
    this.#onProgress = options.onProgress;
    this.#queue = new FairQueue({
      concurrencyPerRun: limits.concurrencyPerRun,
      onUnknown: (gate) => this.#learn(gate),
      onRateWait: (gate) => this.#setRateAlarm(gate),
      now: () => clock.now(),
    });
  }

  dispatch(task: Task): void {
    if (this.#closing !== null) return;
    const earlier = this.#queue.find(task.runId, task.tokenId);
    // EX13: a newer hand-out takes the place of an older one; the same or an older one changes nothing.
    if (earlier !== undefined && earlier.task.dispatch >= task.dispatch) return;
    if (earlier !== undefined) this.#drop(earlier, 'it was handed out again');
    this.#queue.add(task);
    this.#wake();
  }

  /** Unknown tasks are ignored. */
  abort(runId: string, tokenId: number): void {
    const ticket = this.#queue.find(runId, tokenId);
    if (ticket !== undefined) this.#drop(ticket, 'its result is no longer wanted');
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#startClosing(graceMs);
    return this.#closing.promise;
  }

  /** Of some tasks, while others go on: those that wait are dropped at once, those that run after `graceMs`. */
  leave(isTheirs: (task: Task) => boolean, graceMs: number): Promise<void> {
    const theirs = (): Ticket[] => this.#queue.tickets().filter(({ task }) => isTheirs(task));
    for (const ticket of theirs()) if (ticket.attempt === null) this.#queue.remove(ticket);
    const leaving: Leaving = { closing: new Closing(), hasLeft: () => theirs().length === 0 };
    const dropTheirs = (): void => {
      if (!this.#leaving.has(leaving)) return; // tasks of those who came back are not dropped
      for (const ticket of theirs()) this.#drop(ticket, 'the engine was closed');
    };
    this.#leaving.add(leaving);
    if (graceMs <= 0) this.clock.defer(dropTheirs);
    else leaving.closing.setAlarm(this.clock.schedule(this.clock.now() + graceMs, dropTheirs));
    this.#lookWhoHasLeft();
    return leaving.closing.promise;
  }

  #lookWhoHasLeft(): void {
    for (const leaving of this.#leaving) {
      if (!leaving.hasLeft()) continue;
      this.#leaving.delete(leaving);
      leaving.closing.finish();
    }
  }

  /** Nothing waits or is running. */
  get isIdle(): boolean {
    return this.#queue.queued + this.#queue.running === 0;
  }

  counts(): Counts {
    return { queued: this.#queue.queued, running: this.#queue.running, zombies: this.#zombies };
  }

  isExecuting(runId: string, tokenId: number): boolean {
    return (this.#queue.find(runId, tokenId)?.attempt ?? null) !== null;
  }

  progressOf(runId: string, tokenId: number): Progress | null {
    return this.#queue.find(runId, tokenId)?.progress ?? null;
  }

  // EX18: what a task reports of its progress goes to those who watch, and is shown while it is running.
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
      this.#handOn(ticket.task);
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

  // EX1: what is dropped is never reported; one that waits is taken out, one that is running has its signal aborted.
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
    if (this.#leaving.size > 0) this.#lookWhoHasLeft();
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

  // EX15: closing starts nothing new, waits for what is running, aborts it after the grace, and then is silent.
  #startClosing(graceMs: number): Closing {
    const closing = new Closing();
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

/** Whoever takes its tasks away. */
interface Leaving {
  readonly closing: Closing;
  readonly hasLeft: () => boolean;
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
