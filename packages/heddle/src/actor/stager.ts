// Stager: plans envelopes into a batch, each on its run, which is loaded if it is not in memory. It commits nothing and lets
// nothing out. Rules RN1, RN4, RN19, RN20.

import { HeddleError } from '../base/heddle-error.ts';
import { hasWork } from '../core/run-class.ts';
import type { Batch } from './batch.ts';
import type { CommitLine } from './commit-line.ts';
import type { Definitions } from './definitions.ts';
import type { Inbox } from './inbox.ts';
import { type Envelope, isNewRun, isOwn, isPlain, looksAtOthers, type Work } from './mailbox.ts';
import type { Clock, Executor, Store } from './ports.ts';
import { ReadAhead, type ReadRun, rowOf, wholeOf } from './read-ahead.ts';
import { answerEnded, receive } from './receive.ts';
import { planRecovery } from './recover.ts';
import type { Residents } from './residents.ts';
import { RunActor } from './run-actor.ts';
import { asError, isDamage, StoreError } from './store-error.ts';
import { stepsPerTurn, stepsToLoad, stepsToRead } from './turn-budget.ts';

type ReadWork = Extract<Work, { type: 'read' }>;

export interface StagerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly residents: Residents;
  readonly inbox: Inbox;
  readonly executor: Executor;
  readonly line: CommitLine;
  readonly readOnly: boolean;
  /** The store failed, and the engine itself wants this done. */
  readonly tryLater: (envelope: Envelope, error: Error) => void;
}

export class Stager {
  readonly #options: StagerOptions;
  readonly #store: Store;
  readonly #residents: Residents;
  /** Runs that were dropped because their commit failed: their tasks are still running here. */
  readonly reloading = new Set<string>();
  /** Runs send themselves nothing more. */
  isClosing = false;

  constructor(options: StagerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#residents = options.residents;
  }

  /** In their order; what cannot be planned now goes back to where it was taken from. */
  async stageAll(envelopes: readonly Envelope[], batch: Batch): Promise<void> {
    const stepsMax = batch.steps + stepsPerTurn;
    const back: Envelope[] = [];
    const waiting = new Set<string>();
    const ahead = new ReadAhead(this.#store, envelopes, this.#isElsewhere);
    for (const envelope of envelopes) {
      const { runId, failures } = envelope;
      ahead.position++;
      // RN19: a turn that has done this much takes no more commands; the others wait for the next, in their order.
      const isEnough = batch.steps >= stepsMax;
      if (!isEnough && this.#mustWait(envelope)) waiting.add(runId);
      // What could not be loaded is tried again later, and what came after it waits behind it.
      if (isEnough || waiting.has(runId) || this.#options.inbox.mailboxes.isHeld(runId)) {
        back.push(envelope);
        continue;
      }
      const staging = this.#stage(envelope, batch, ahead);
      if (staging) await staging;
      if (envelope.failures === failures) batch.envelopes.push(envelope);
    }
    if (back.length > 0) this.#options.inbox.mailboxes.putAllBack(back);
    if (waiting.size > 0) this.#options.line.close();
  }

  #mustWait({ runId, work }: Envelope): boolean {
    return this.#options.line.mustWait(runId, looksAtOthers(work)) && !this.#residents.has(runId);
  }

  readonly #isElsewhere = (envelope: Envelope): boolean =>
    this.#residents.has(envelope.runId) || this.#mustWait(envelope);

  /** Plans one envelope; without a promise if its run is in memory. */
  #stage(envelope: Envelope, batch: Batch, ahead: ReadAhead): Promise<void> | null {
    const actor = this.#residents.get(envelope.runId);
    if (!actor || !isPlain(envelope.work)) return this.#stageSlowly(envelope, batch, ahead);
    batch.touch(actor);
    try {
      this.handle(actor, envelope, batch);
    } catch (error) {
      this.#refuse(envelope, batch, error);
    }
    return null;
  }

  async #stageSlowly(envelope: Envelope, batch: Batch, ahead: ReadAhead): Promise<void> {
    try {
      const resident = this.#residents.get(envelope.runId);
      const isNew = isNewRun(envelope.work);
      const read = resident || isNew ? null : await this.#readRun(envelope, ahead);
      if (answerEnded(rowOf(read), envelope, batch)) return;
      const found = resident ?? (isNew ? null : await this.#residents.load(envelope.runId, wholeOf(read)));
      // RN4: what was running in a run that had left memory is lost, for a run with tasks here never leaves.
      const isLost = !resident && !this.#options.readOnly && !this.reloading.delete(envelope.runId);
      if (isLost && found instanceof RunActor) this.#recover(found, batch);
      if (found instanceof RunActor) batch.touch(found);
      if (!resident && found instanceof RunActor) this.#noteLoaded(found, batch);
      await receive({ ...this.#options, handle: this.handle, envelope, batch, found });
    } catch (error) {
      this.#refuse(envelope, batch, error);
    }
  }

  /** A look needs the whole run, whether it has ended or not: its row need not be read first. */
  async #readRun({ runId, work }: Envelope, ahead: ReadAhead): Promise<ReadRun | undefined> {
    const read = await ahead.find(runId);
    if (read !== undefined || work.type === 'read') return read;
    return this.#store.readRun(runId);
  }

  #noteLoaded(actor: RunActor, batch: Batch): void {
    batch.steps += stepsToLoad(actor.snapshotBytes + actor.bytesSinceSnapshot);
    if (hasWork(actor.state)) this.continue(actor);
  }

  /** RN20: what a command has left to do that the state names is done by the next, which the run sends itself. */
  continue(actor: RunActor): void {
    if (actor.isContinuing || this.isClosing || this.#options.readOnly) return;
    actor.isContinuing = true;
    this.#options.inbox.tell(actor.row.runId, { type: 'continue', at: this.#options.clock.now() });
  }

  /** Hands a command or a read to a run that is in memory. */
  readonly handle = (actor: RunActor, envelope: Envelope, batch: Batch): void => {
    const { work } = envelope;
    if (work.type === 'read') {
      batch.steps += stepsToRead(actor.state.tokens.size);
      this.#read(actor, envelope, work.look, batch);
      if (this.#options.readOnly) this.#residents.forget(envelope.runId); // whoever writes to it does not tell
      return;
    }
    if (work.type !== 'command') return;
    const staged = actor.handle(this.#store, work.command);
    batch.add(staged);
    if (work.key) batch.addKey(work.key);
    batch.answer(envelope, staged.reply);
  };

  /** A look that fails is the looker's affair. */
  #read(actor: RunActor, envelope: Envelope, look: ReadWork['look'], batch: Batch): void {
    try {
      batch.answerBy(look(actor.state, actor.graph));
    } catch (error) {
      batch.refuse(envelope, asError(error));
    }
  }

  #recover(actor: RunActor, batch: Batch): void {
    const command = planRecovery(actor, this.#options.clock.now(), this.#options.executor);
    if (!command) return;
    batch.recovered.add(actor);
    batch.add(actor.handle(this.#store, command));
  }

  /**
   * RN1: a run that cannot be loaded or planned is set aside with its reason; the others continue. What the user asked
   * wrongly (no such run, a run in quarantine) only answers with an error.
   */
  #refuse(envelope: Envelope, batch: Batch, thrown: unknown): void {
    const error = asError(thrown);
    if (error instanceof StoreError && !isDamage(error) && isOwn(envelope))
      return this.#options.tryLater(envelope, error);
    batch.refuse(envelope, error);
    if (error instanceof HeddleError && !isDamage(error)) return;
    this.giveUp(envelope.runId, batch, error);
  }

  /** The run leaves memory now, and is set aside once all that was planned on it is stored. */
  giveUp(runId: string, batch: Batch, error: Error): void {
    const actor = this.#residents.get(runId);
    if (actor) this.#residents.drop(actor);
    this.#options.line.setAside(batch, runId, error);
  }
}
