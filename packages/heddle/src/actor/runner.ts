// Runner: works off the mailboxes. Turns plan batches of commands, each batch is committed in one transaction, and only then
// is anything let out: replies, tasks, messages. While a batch is on its way to the store the next is planned. Rules RN….
//
// Always true: one turn at a time; a command is in exactly one commit; nothing is performed before its commit, nor before
// those that it was planned on.

import type { Message } from '../core/effects.ts';
import type { Limits } from '../definition/limits.ts';
import { Alarm } from './alarm.ts';
import { Batch } from './batch.ts';
import { CommitLine, type Loss } from './commit-line.ts';
import type { Definitions } from './definitions.ts';
import type { Inbox } from './inbox.ts';
import { type Envelope, isOwn, type Mailboxes } from './mailbox.ts';
import type { Observers } from './observers.ts';
import type { Office } from './office.ts';
import { type Listen, performAll } from './perform.ts';
import type { Clock, Executor, Store } from './ports.ts';
import { setRunAside } from './quarantine.ts';
import { deliverAgain } from './recover.ts';
import { closedError } from './refusals.ts';
import { Residents } from './residents.ts';
import type { RunActor } from './run-actor.ts';
import { Stager } from './stager.ts';
import { asError, isFenced, StoreError } from './store-error.ts';
import { stepsAtOnce, turnsAtOnceMax } from './turn-budget.ts';
import { wakeRuns } from './wake-runs.ts';

export interface RunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly limits: Limits;
  readonly observers: Observers;
  readonly inbox: Inbox;
  readonly executor: Executor;
  /** For looking at a store that another process writes to. */
  readonly readOnly: boolean;
  /** By address. */
  readonly offices?: ReadonlyMap<string, Office>;
  /** A run has begun to wait for an event. */
  readonly listen?: Listen;
  /** Whether somebody wants to know of the ends of runs of a workflow. */
  readonly hasFinishedListeners?: (workflow: string) => boolean;
}

const commitTriesMax = 5;
/** Fewer commands than this share one commit, also where two halves could be planned and written at a time. */
const sharedFrom = 64;

export class Runner {
  readonly store: Store;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly residents: Residents;
  readonly inbox: Inbox;
  readonly executor: Executor;
  readonly #limits: Limits;
  readonly observers: Observers;
  readonly readOnly: boolean;
  readonly #offices: ReadonlyMap<string, Office>;
  readonly listen: Listen;
  readonly #hasFinishedListeners: (workflow: string) => boolean;
  readonly #mailboxes: Mailboxes;
  readonly alarm: Alarm;
  /** What is on its way to the store, and what is prepared behind it. */
  readonly #line: CommitLine;
  readonly #stager: Stager;
  /** Runs to be set aside, and those whose snapshot is due, once nothing is on its way. */
  readonly #setAsides: [runId: string, error: Error][] = [];
  readonly #outgrown = new Set<RunActor>();
  #isTurning = false;
  /** Since others had their chance: turns that began without a break, and the steps of all. */
  #turnsAtOnce = 0;
  #steps = 0;
  #isScheduled = false;
  readonly #idleWaiters: (() => void)[] = [];

  constructor({ store, clock, definitions, limits, observers, inbox, executor, ...around }: RunnerOptions) {
    this.readOnly = around.readOnly;
    this.#offices = around.offices ?? new Map();
    this.listen = around.listen ?? (() => undefined);
    this.#hasFinishedListeners = around.hasFinishedListeners ?? (() => false);
    this.store = store;
    this.clock = clock;
    this.definitions = definitions;
    this.#limits = limits;
    this.observers = observers;
    this.inbox = inbox;
    this.#mailboxes = inbox.mailboxes;
    this.executor = executor;
    this.residents = new Residents(store, definitions, limits, clock);
    this.#line = new CommitLine({
      store,
      makeBatch: this.#makeBatch,
      onDurable: (batch) => this.#afterCommit(batch),
      onAnswer: () => this.#advance(),
    });
    this.#stager = new Stager({
      store,
      clock,
      definitions,
      inbox,
      executor,
      readOnly: this.readOnly,
      residents: this.residents,
      line: this.#line,
      tryLater: (envelope, error) => this.#tryLater(envelope, error),
    });
    this.alarm = new Alarm(
      clock,
      store,
      (runId) => inbox.command(runId, { type: 'alarm', at: clock.now() }),
      (error) => observers.broken(error),
    );
    inbox.open({ offices: this.#offices, onArrival: this.#schedule });
  }

  readonly #makeBatch = (): Batch => new Batch(this.#hasFinishedListeners);

  /** Nothing waits to be done, here or in an office; tasks may be running. */
  get isIdle(): boolean {
    return this.#isAtRest && [...this.#offices.values()].every((office) => office.isIdle);
  }

  /** Something that is not done waits to be tried again, or for another shard. */
  get isOwing(): boolean {
    return this.#mailboxes.hasHeld || [...this.#offices.values()].some((office) => office.isOwing);
  }

  get #isAtRest(): boolean {
    return this.#mailboxes.isEmpty && !this.#isTurning && this.#line.isEmpty;
  }

  get isClosed(): boolean {
    return this.inbox.isClosed;
  }

  readonly #schedule = (): void => {
    if (this.#isScheduled || !this.#canTurn) return;
    this.#isScheduled = true;
    // RN12: a turn waits for company, so that commands share a commit; with no task running nobody is on the way, and
    // it begins at once, a few times in a row (the p50 of ten steps on an idle engine: 14 single commits, else 16).
    if (this.executor.isIdle && this.#turnsAtOnce < turnsAtOnceMax && this.#steps < stepsAtOnce) {
      this.#turnsAtOnce++;
      queueMicrotask(() => void this.#turn());
      return;
    }
    this.clock.defer(() => {
      this.#turnsAtOnce = 0;
      this.#steps = 0;
      void this.#turn();
    });
  };

  get #canTurn(): boolean {
    return !this.#isTurning && !this.#line.isClosed && this.#room > 0;
  }

  get #room(): number {
    return this.#line.room(this.#limits.commandsPerCommitMax);
  }

  /** How many envelopes the next turn takes. */
  get #share(): number {
    const waiting = this.#line.isToShare ? this.#mailboxes.countUpTo(this.#room) : 0;
    return waiting < sharedFrom ? this.#room : Math.ceil(waiting / 2);
  }

  /** Plans what waits, on top of what is on its way to the store. */
  async #turn(): Promise<void> {
    this.#isScheduled = false;
    if (!this.#canTurn) return; // since it was scheduled: whatever is the reason begins the next turn
    this.#isTurning = true;
    const batch = this.#line.fill();
    const steps = batch.steps;
    await this.#stager.stageAll(this.#mailboxes.take(this.#share), batch);
    this.#line.filled();
    this.#steps += batch.steps - steps;
    this.#isTurning = false;
    this.#advance();
  }

  /** Begins whatever can be done next: after a turn, and whenever the store has answered. */
  #advance(): void {
    if (this.#isTurning) return;
    this.#line.send();
    const loss = this.#line.takeLoss();
    if (loss !== null) return this.#alone(() => this.#afterLoss(loss));
    if (this.#isUpkeepDue && this.#line.isEmpty) return this.#alone(() => this.#tidyUp());
    if (!this.#mailboxes.isEmpty) this.#schedule();
    else if (this.#line.isEmpty) {
      this.alarm.rest();
      for (const waiter of this.#idleWaiters.splice(0)) waiter();
    }
  }

  /** What is done while nothing is planned and nothing is on its way. */
  #alone(work: () => Promise<void>): void {
    this.#isTurning = true;
    void work().finally(() => {
      this.#isTurning = false;
      this.#advance();
    });
  }

  /** Plans and commits one envelope with nothing else; answers whether it is durable. */
  async #tryAlone(envelope: Envelope): Promise<boolean> {
    const batch = this.#makeBatch();
    await this.#stager.stageAll([envelope], batch);
    try {
      const commit = batch.commit();
      if (commit !== null) await this.store.commit(commit);
    } catch (error) {
      this.#dropAll([batch]);
      for (const staged of batch.envelopes) await this.#afterFailedCommand(staged, asError(error));
      return false;
    }
    this.#afterCommit(batch);
    await this.#tidyUp();
    return true;
  }

  #afterCommit(batch: Batch): void {
    for (const staged of batch.staged) {
      const failure = performAll(staged, this);
      if (failure) this.#stager.giveUp(staged.row.runId, batch, failure);
      this.observers.tell(staged, batch.size);
      if (staged.isUnfinished) this.#stager.continue(staged.actor);
    }
    // A run wrote it.
    for (const { to, message, id } of batch.messages) this.inbox.deliver(to, JSON.parse(message) as Message, id);
    batch.conclude();
    for (const { row, before } of batch.written) this.alarm.move(before?.nextTimerAt ?? null, row.nextTimerAt);
    batch.release(this.#release);
    for (const setAside of batch.setAsides) this.#setAsides.push(setAside);
    for (const actor of batch.actors) if (this.residents.isSnapshotDue(actor)) this.#outgrown.add(actor);
    if (this.#isUpkeepDue) this.#line.close();
  }

  readonly #release = (actor: RunActor): void => this.residents.release(actor);

  get #isUpkeepDue(): boolean {
    return this.#setAsides.length + this.#outgrown.size > 0;
  }

  /**
   * RN30: runs are set aside, and snapshots written, when all that was planned is durable. A store that fails here is
   * reported; a snapshot is due again after the next commit of its run.
   */
  async #tidyUp(): Promise<void> {
    const [setAsides, outgrown] = [this.#setAsides.splice(0), [...this.#outgrown]];
    this.#outgrown.clear();
    for (const [runId, error] of setAsides) await this.#reporting(() => setRunAside(this, runId, error));
    for (const actor of outgrown)
      if (this.residents.isSnapshotDue(actor)) await this.#reporting(() => this.residents.writeSnapshot(actor));
  }

  async #reporting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.observers.broken(error);
    }
  }

  /**
   * RN2: if a commit fails, every run in it, and in what was planned on it, is dropped from memory and the commands are tried
   * again one by one, so that one that cannot be committed hurts only its own run.
   */
  async #afterLoss({ batches, error }: Loss): Promise<void> {
    this.#dropAll(batches);
    await this.#tidyUp(); // what was durable before: a run that is to be set aside is not loaded again
    const envelopes = batches.flatMap((batch) => batch.envelopes);
    const [only, ...others] = envelopes;
    if (only && others.length === 0) return this.#afterFailedCommand(only, asError(error));
    const kept = new Map<string, Envelope[]>();
    for (const envelope of envelopes) {
      const { runId } = envelope;
      if (kept.has(runId)) kept.get(runId)?.push(envelope);
      else if (!(await this.#tryAlone(envelope)) || this.#mailboxes.isHeld(runId)) kept.set(runId, []);
    }
    for (const [runId, rest] of kept) if (rest.length > 0) this.#mailboxes.putBack(runId, rest);
  }

  /** A store that fails is the world's fault and may recover; anything else is this command's, and its run's. */
  async #afterFailedCommand(envelope: Envelope, error: Error): Promise<void> {
    if (error instanceof StoreError && error.code !== 'STORE_CONFLICT') return this.#tryLater(envelope, error);
    envelope.sender?.reject(error);
    this.#setAsides.push([envelope.runId, error]);
    await this.#tidyUp();
  }

  /** What was committed before continues: tasks that are running here are still wanted; those of a lost host are not. */
  #dropAll(batches: readonly Batch[]): void {
    const recovered = new Set(batches.flatMap((batch) => [...batch.recovered])); // what it offers was not performed
    const actors = new Set(batches.flatMap((batch) => [...batch.actors, ...batch.recovered]));
    for (const actor of actors) {
      this.residents.drop(actor);
      if (!recovered.has(actor)) this.#stager.reloading.add(actor.row.runId);
    }
    for (const batch of batches) batch.release(this.#release);
  }

  /**
   * RN3: a store that fails is tried again, ever more slowly: for a sender who waits a few times, and for what the engine
   * told itself (a result, a message) until it works. Meanwhile the run stands still, so that the order is kept.
   */
  #tryLater(envelope: Envelope, error: Error): void {
    if (isFenced(error)) return envelope.sender?.reject(error);
    envelope.failures++;
    if (envelope.failures === commitTriesMax) this.observers.broken(error, { runId: envelope.runId });
    if (this.isClosed || (!isOwn(envelope) && envelope.failures >= commitTriesMax)) {
      envelope.sender?.reject(error);
      return;
    }
    const delayMs = Math.min(50 * 2 ** envelope.failures, 10_000);
    this.#mailboxes.hold(envelope);
    this.clock.schedule(this.clock.now() + delayMs, () => {
      if (this.isClosed) return;
      this.#mailboxes.release(envelope.runId);
      this.#schedule();
    });
  }

  /** RN9: what a crash left undone is found again: messages on their way, runs with tasks, timers that are due. */
  async start(): Promise<void> {
    await deliverAgain(this);
    this.alarm.look();
    wakeRuns(this);
  }

  async whenIdle(): Promise<void> {
    while (!this.isIdle) {
      await this.#whenAtRest();
      for (const office of this.#offices.values()) await office.whenIdle();
    }
  }

  #whenAtRest(): Promise<void> {
    return this.#isAtRest ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  async close(graceMs: number): Promise<void> {
    this.#stager.isClosing = true;
    this.alarm.close();
    await this.executor.close(graceMs);
    while (!this.#isAtRest) await this.#whenAtRest();
    this.inbox.close();
    for (const office of this.#offices.values()) await office.close();
    // RN15: what waited to be tried again is not: it was never accepted, or will be found again by the next engine.
    for (const { sender } of this.#mailboxes.dropHeld()) sender?.reject(closedError());
    this.observers.close();
    await this.store.close();
  }
}
