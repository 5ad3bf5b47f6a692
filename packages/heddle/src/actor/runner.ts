// Runner: works off the mailboxes. Each turn plans a batch of commands, commits them in one transaction, and only then
// lets anything out: replies, tasks, messages. Rules RN….
//
// Always true: one turn at a time; a command is in exactly one commit; nothing is performed before its commit.

import { HeddleError } from '../base/heddle-error.ts';
import type { Message } from '../core/effects.ts';
import { hasWork } from '../core/run-class.ts';
import type { Limits } from '../definition/limits.ts';
import { Alarm } from './alarm.ts';
import { Batch } from './batch.ts';
import type { Definitions } from './definitions.ts';
import type { Inbox } from './inbox.ts';
import { type Envelope, isNewRun, isOwn, isPlain, type Mailboxes, type Work } from './mailbox.ts';
import type { Observers } from './observers.ts';
import type { Office } from './office.ts';
import { type Listen, performAll } from './perform.ts';
import type { Clock, Executor, Store } from './ports.ts';
import { setRunAside } from './quarantine.ts';
import { answerEnded, receive } from './receive.ts';
import { deliverAgain, planRecovery } from './recover.ts';
import { closedError } from './refusals.ts';
import { Residents } from './residents.ts';
import { RunActor } from './run-actor.ts';
import { asError, isDamage, StoreError } from './store-error.ts';
import { stepsPerTurn, stepsToLoad, stepsToRead, turnsAtOnceMax } from './turn-budget.ts';
import { wakeRuns } from './wake-runs.ts';

type ReadWork = Extract<Work, { type: 'read' }>;

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
  /** Runs that were dropped because their commit failed: their tasks are still running here. */
  readonly #reloading = new Set<string>();
  #isTurning = false;
  /** Since others had their chance: turns that began without a break, and the steps of all. */
  #turnsAtOnce = 0;
  #steps = 0;
  #isScheduled = false;
  #isClosing = false;
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
    this.alarm = new Alarm(
      clock,
      store,
      (runId) => inbox.command(runId, { type: 'alarm', at: clock.now() }),
      (error) => observers.broken(error),
    );
    inbox.open({ offices: this.#offices, onArrival: this.#schedule });
  }

  /** Nothing waits to be done, here or in an office; tasks may be running. */
  get isIdle(): boolean {
    return this.#isAtRest && [...this.#offices.values()].every((office) => office.isIdle);
  }

  get #isAtRest(): boolean {
    return this.#mailboxes.isEmpty && !this.#isTurning;
  }

  get isClosed(): boolean {
    return this.inbox.isClosed;
  }

  readonly #schedule = (): void => {
    if (this.#isScheduled || this.#isTurning) return;
    this.#isScheduled = true;
    // RN12: a turn waits for company, so that commands share a commit; with no task running nobody is on the way, and
    // it begins at once, a few times in a row (the p50 of ten steps on an idle engine: 14 single commits, else 16).
    if (this.executor.isIdle && this.#turnsAtOnce < turnsAtOnceMax && this.#steps < stepsPerTurn) {
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

  async #turn(): Promise<void> {
    this.#isScheduled = false;
    this.#isTurning = true;
    try {
      await this.#work(this.#mailboxes.take(this.#limits.commandsPerCommitMax));
    } finally {
      this.#isTurning = false;
      if (!this.#mailboxes.isEmpty) this.#schedule();
      else {
        this.alarm.rest();
        for (const waiter of this.#idleWaiters.splice(0)) waiter();
      }
    }
  }

  /** Plans and commits a batch; answers whether it is durable. */
  async #work(envelopes: readonly Envelope[]): Promise<boolean> {
    const batch = new Batch(this.#hasFinishedListeners);
    const staged: Envelope[] = [];
    const back: Envelope[] = [];
    for (const envelope of envelopes) {
      // RN19: a turn that has done this much takes no more commands; the others wait for the next, in their order.
      const isEnough = batch.steps >= stepsPerTurn;
      // What could not be loaded is tried again later, and what came after it waits behind it.
      if (isEnough || this.#mailboxes.isHeld(envelope.runId)) {
        back.push(envelope);
        continue;
      }
      const { failures } = envelope;
      const staging = this.#stage(envelope, batch);
      if (staging) await staging;
      if (envelope.failures === failures) staged.push(envelope);
    }
    if (back.length > 0) this.#mailboxes.putAllBack(back);
    this.#steps += batch.steps;
    try {
      const commit = batch.commit();
      if (commit !== null) await this.store.commit(commit);
    } catch (error) {
      for (const actor of batch.actors) this.#drop(actor.row.runId, !batch.recovered.has(actor));
      for (const actor of batch.recovered) this.residents.forget(actor.row.runId); // what it offers was not performed
      await this.#afterFailedCommit(staged, error);
      return false;
    }
    await this.#afterCommit(batch);
    return true;
  }

  /** Plans one envelope; without a promise if its run is in memory. */
  #stage(envelope: Envelope, batch: Batch): Promise<void> | null {
    const actor = this.residents.get(envelope.runId);
    if (!actor || !isPlain(envelope.work)) return this.#stageSlowly(envelope, batch);
    batch.touched.add(actor);
    try {
      this.handle(actor, envelope, batch);
    } catch (error) {
      this.#refuse(envelope, batch, error);
    }
    return null;
  }

  async #stageSlowly(envelope: Envelope, batch: Batch): Promise<void> {
    try {
      const resident = this.residents.get(envelope.runId);
      const isNew = isNewRun(envelope.work);
      if (!resident && !isNew && (await answerEnded(this.store, envelope, batch))) return;
      const found = resident ?? (isNew ? null : await this.residents.load(envelope.runId));
      // RN4: what was running in a run that had left memory is lost, for a run with tasks here never leaves.
      const isLost = !resident && !this.readOnly && !this.#reloading.delete(envelope.runId);
      if (isLost && found instanceof RunActor) this.#recover(found, batch);
      if (found instanceof RunActor) batch.touched.add(found);
      if (!resident && found instanceof RunActor) this.#noteLoaded(found, batch);
      await receive({ runner: this, envelope, batch, found });
    } catch (error) {
      this.#refuse(envelope, batch, error);
    }
  }

  #noteLoaded(actor: RunActor, batch: Batch): void {
    batch.steps += stepsToLoad(actor.snapshotBytes + actor.bytesSinceSnapshot);
    if (hasWork(actor.state)) this.#continue(actor);
  }

  /** RN20: what a command has left to do that the state names is done by the next, which the run sends itself. */
  #continue(actor: RunActor): void {
    if (actor.isContinuing || this.#isClosing || this.readOnly) return;
    actor.isContinuing = true;
    this.inbox.tell(actor.row.runId, { type: 'continue', at: this.clock.now() });
  }

  /** Hands a command or a read to a run that is in memory. */
  handle(actor: RunActor, envelope: Envelope, batch: Batch): void {
    const { work } = envelope;
    if (work.type === 'read') {
      batch.steps += stepsToRead(actor.state.tokens.size);
      this.#read(actor, envelope, work.look, batch);
      if (this.readOnly) this.residents.forget(envelope.runId); // whoever writes to it does not tell
      return;
    }
    if (work.type !== 'command') return;
    const staged = actor.handle(this.store, work.command);
    batch.add(staged);
    if (work.key) batch.addKey(work.key);
    batch.answer(envelope, staged.reply);
  }

  /** A look that fails is the looker's affair. */
  #read(actor: RunActor, envelope: Envelope, look: ReadWork['look'], batch: Batch): void {
    try {
      batch.answerBy(look(actor.state, actor.graph));
    } catch (error) {
      batch.refuse(envelope, asError(error));
    }
  }

  #recover(actor: RunActor, batch: Batch): void {
    const command = planRecovery(actor, this.clock.now(), this.executor);
    if (!command) return;
    batch.recovered.add(actor);
    batch.add(actor.handle(this.store, command));
  }

  /**
   * RN1: a run that cannot be loaded or planned is set aside with its reason; the others continue. What the user asked
   * wrongly (no such run, a run in quarantine) only answers with an error.
   */
  #refuse(envelope: Envelope, batch: Batch, thrown: unknown): void {
    const error = asError(thrown);
    if (error instanceof StoreError && !isDamage(error) && isOwn(envelope)) return this.#tryLater(envelope, error);
    batch.refuse(envelope, error);
    if (error instanceof HeddleError && !isDamage(error)) return;
    this.#giveUp(envelope.runId, batch, error);
  }

  #giveUp(runId: string, batch: Batch, error: Error): void {
    this.residents.forget(runId);
    batch.setAside(runId, error);
  }

  async #afterCommit(batch: Batch): Promise<void> {
    for (const actor of batch.actors) actor.isNew = false;
    for (const staged of batch.staged) {
      const failure = performAll(staged, this);
      if (failure) this.#giveUp(staged.actor.row.runId, batch, failure);
      this.observers.tell(staged, batch.size);
      if (staged.isUnfinished) this.#continue(staged.actor);
    }
    // A run wrote it.
    for (const { to, message, id } of batch.messages) this.inbox.deliver(to, JSON.parse(message) as Message, id);
    batch.conclude();
    for (const actor of batch.touched) this.residents.release(actor);
    for (const { row, before } of batch.written) this.alarm.move(before?.nextTimerAt ?? null, row.nextTimerAt);
    for (const actor of batch.actors) this.residents.release(actor);
    await this.#tidyUp(batch);
  }

  /** What can wait: a store that fails here is reported, and the next turn tries again. */
  async #tidyUp(batch: Batch): Promise<void> {
    try {
      for (const [runId, error] of batch.setAsides) await setRunAside(this, runId, error);
      for (const actor of batch.actors)
        if (this.residents.isSnapshotDue(actor)) await this.residents.writeSnapshot(actor);
    } catch (error) {
      this.observers.broken(error);
    }
  }

  /**
   * RN2: if a commit fails, every run in it is dropped from memory and the commands are tried again one by one, so that
   * one that cannot be committed hurts only its own run.
   */
  async #afterFailedCommit(envelopes: readonly Envelope[], error: unknown): Promise<void> {
    const [only, ...others] = envelopes;
    if (only && others.length === 0) return this.#afterFailedCommand(only, asError(error));
    const kept = new Map<string, Envelope[]>();
    for (const envelope of envelopes) {
      const { runId } = envelope;
      if (kept.has(runId)) kept.get(runId)?.push(envelope);
      else if (!(await this.#work([envelope])) || this.#mailboxes.isHeld(runId)) kept.set(runId, []);
    }
    for (const [runId, rest] of kept) if (rest.length > 0) this.#mailboxes.putBack(runId, rest);
  }

  /** A store that fails is the world's fault and may recover; anything else is this command's, and its run's. */
  async #afterFailedCommand(envelope: Envelope, error: Error): Promise<void> {
    if (error instanceof StoreError && error.code !== 'STORE_CONFLICT') return this.#tryLater(envelope, error);
    envelope.sender?.reject(error);
    const batch = new Batch();
    batch.setAside(envelope.runId, error);
    await this.#tidyUp(batch);
  }

  /** What was committed before continues: tasks that are running here are still wanted; those of a lost host are not. */
  #drop(runId: string, isUnderWayHere: boolean): void {
    this.residents.forget(runId);
    if (isUnderWayHere) this.#reloading.add(runId);
  }

  /**
   * RN3: a store that fails is tried again, ever more slowly: for a sender who waits a few times, and for what the engine
   * told itself (a result, a message) until it works. Meanwhile the run stands still, so that the order is kept.
   */
  #tryLater(envelope: Envelope, error: Error): void {
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
    this.#isClosing = true;
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
