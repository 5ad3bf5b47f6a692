// Commit line: the batch that is on its way to the store, and the one that is prepared on top of it meanwhile. Rules RN27 to
// RN30.
//
// Always true: one batch is on its way at a time; batches are sent, and reported as durable, in the order in which they were
// planned; one that fails takes the prepared one with it, which was planned on what is not stored.

import type { Batch } from './batch.ts';
import type { Store } from './ports.ts';

export interface CommitLineOptions {
  readonly store: Pick<Store, 'commit'>;
  readonly makeBatch: () => Batch;
  readonly onDurable: (batch: Batch) => void;
  /** The store has answered, whatever it was; and all that is durable has been reported. */
  readonly onAnswer: () => void;
}

/** Batches of which nothing is stored, in their order. */
export interface Loss {
  readonly batches: readonly Batch[];
  readonly error: unknown;
}

export class CommitLine {
  readonly #options: CommitLineOptions;
  #onItsWay: Batch | null = null;
  #prepared: Batch | null = null;
  /** A turn adds to what is prepared. */
  #isFilling = false;
  /** No turn does, until all that is there has come to its end. */
  #isClosed = false;
  #failed: { readonly batch: Batch; readonly error: unknown } | null = null;
  /** The store has answered its last commit later, and the next can be planned meanwhile. */
  #isAside = false;

  constructor(options: CommitLineOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#onItsWay === null && this.#prepared === null && this.#failed === null;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#failed !== null;
  }

  /** How many more envelopes the next turn may take, if a commit holds at most so many. */
  room(envelopesMax: number): number {
    return envelopesMax - (this.#prepared?.envelopes.length ?? 0);
  }

  /** RN29: whether the next turn should leave half of what waits to the one after it, which is planned while this is written. */
  get isToShare(): boolean {
    return this.#isAside && this.#onItsWay === null;
  }

  /** The batch that a turn adds to, until `filled`. */
  fill(): Batch {
    this.#isFilling = true;
    this.#prepared ??= this.#options.makeBatch();
    return this.#prepared;
  }

  filled(): void {
    this.#isFilling = false;
  }

  /**
   * Whether a look into the store must wait for what is written before it: of a run that has left memory and is not stored
   * yet as it was planned, or of others (RN28).
   */
  mustWait(runId: string, looksAtOthers: boolean): boolean {
    if (this.#onItsWay !== null && (looksAtOthers || this.#onItsWay.absent.has(runId))) return true;
    return this.#prepared !== null && this.#prepared.absent.has(runId);
  }

  /** What was planned of a run that has been given up is written before the run is set aside. */
  setAside(batch: Batch, runId: string, error: Error): void {
    batch.setAside(runId, error);
    this.#onItsWay?.absent.add(runId);
    this.#prepared?.absent.add(runId);
  }

  /** Lets all that is there come to its end before more is prepared. */
  close(): void {
    this.#isClosed = true;
  }

  /** Sends what is prepared, if nothing is on its way. */
  send(): void {
    const batch = this.#takePrepared();
    if (batch !== null && this.#isDurable(batch)) this.#options.onDurable(batch);
    if (this.isEmpty) this.#isClosed = false;
  }

  /** The batch whose commit failed, and the one that was planned on it. */
  takeLoss(): Loss | null {
    if (this.#failed === null) return null;
    const { batch, error } = this.#failed;
    const batches = this.#prepared === null ? [batch] : [batch, this.#prepared];
    this.#failed = null;
    this.#prepared = null;
    return { batches, error };
  }

  #takePrepared(): Batch | null {
    if (this.#isFilling || this.#onItsWay !== null || this.#failed !== null) return null;
    const batch = this.#prepared;
    this.#prepared = null;
    return batch;
  }

  /** Sends a batch; whether it is durable at once. */
  #isDurable(batch: Batch): boolean {
    try {
      const commit = batch.commit();
      if (commit === null) return true;
      const answer = this.#options.store.commit(commit);
      this.#isAside = answer instanceof Promise;
      if (!(answer instanceof Promise)) return true;
      this.#onItsWay = batch;
      answer.then(
        () => this.#land(batch),
        (error: unknown) => this.#fail(batch, error),
      );
    } catch (error) {
      this.#failed = { batch, error };
    }
    return false;
  }

  /** RN27: the next batch is sent first: the store writes it while this one is reported. */
  #land(batch: Batch): void {
    this.#onItsWay = null;
    const next = this.#takePrepared();
    const isNextDurable = next !== null && this.#isDurable(next);
    this.#options.onDurable(batch);
    if (isNextDurable) this.#options.onDurable(next);
    this.#options.onAnswer();
  }

  #fail(batch: Batch, error: unknown): void {
    this.#onItsWay = null;
    this.#failed = { batch, error };
    this.#options.onAnswer();
  }
}
