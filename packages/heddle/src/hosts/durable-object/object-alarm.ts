// ObjectAlarm: the one alarm of a Durable Object, which wakes it when it was evicted: set by the commit that gives it something
// to do later. Rules DO….
//
// Always true: an alarm is set, and as durable as the commit, before what was committed can be waited for; one that is set
// may ring too early, and then whoever hears it looks at the rows.

import type { Commit, Deletion, RecordWrite } from '../../actor/ports.ts';
import type { SqlDriver } from '../sqlite/driver.ts';
import type { ObjectStorage } from './storage.ts';

/**
 * How soon an object is woken that has work of its own: tasks, messages, runs to go on with. While it is awake it does them
 * at once; this is for the one that was evicted or lost its machine.
 */
export const watchMs = 15_000;

export class ObjectAlarm {
  readonly #storage: ObjectStorage;
  readonly #now: () => number;
  /** What it is set for; null if it is not set, undefined if nobody knows. */
  #setFor: number | null | undefined;
  /** The same before the transaction that is under way. */
  #before: number | null | undefined;
  #isRinging = false;
  /** What the transaction that is under way wants. */
  #wanted = Number.POSITIVE_INFINITY;

  constructor(storage: ObjectStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  // DO1: what a commit leaves to be done later sets the alarm in its own transaction.
  expect({ runs, outboxAdded, records }: Pick<Commit, 'runs' | 'outboxAdded' | 'records'>): void {
    this.#before = this.#setFor;
    for (const { row } of runs) {
      if (row.hasWork) this.#wantSoon();
      if (row.nextTimerAt !== null) this.#want(row.nextTimerAt);
    }
    if (outboxAdded.length > 0) this.#wantSoon();
    this.#expectRecords(records);
  }

  expectDeletion({ records }: Deletion): void {
    this.#before = this.#setFor;
    this.#expectRecords(records);
  }

  #expectRecords(records: readonly RecordWrite[]): void {
    for (const { value, dueAt } of records) {
      if (value === null) continue;
      // What follows from it may be in no row: an event is to be handed over, a trigger to be fired.
      this.#wantSoon();
      if (dueAt !== null) this.#want(dueAt);
    }
  }

  /** What it was set for before this object came into memory. While it rings the platform says that it is not set. */
  know(at: number | null): void {
    if (at !== null || !this.#isRinging) this.#setFor = at;
  }

  /** It has rung: until its work is done nothing is known to wake the object again. */
  ring(): void {
    this.#isRinging = true;
    this.#setFor = undefined;
  }

  /** The transaction that follows leaves work that is in no row of its own. */
  expectWork(): void {
    this.#wantSoon();
  }

  /** For what is in no row. */
  wakeAt(at: number): void {
    this.#want(at);
    this.set();
  }

  /**
   * When its work is done: set anew for what the rows say, or soon if something is still at work, and not set if there is nothing
   * (null).
   * What is due already is that of an engine that is awake.
   */
  rearm(driver: SqlDriver, isAtWork: boolean): number | null {
    const soon = this.#now() + watchMs;
    const earliest = earliestIn(driver);
    const at = Math.min(earliest <= this.#now() ? soon : earliest, isAtWork ? soon : Number.POSITIVE_INFINITY);
    this.#isRinging = false;
    this.#setFor = at === Number.POSITIVE_INFINITY ? null : at;
    void (this.#setFor === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at));
    return this.#setFor;
  }

  #wantSoon(): void {
    this.#want(this.#now() + watchMs);
  }

  #want(at: number): void {
    this.#wanted = Math.min(this.#wanted, at);
  }

  /**
   * At the end of the transaction. One that is set for an earlier time stays, and one that is due and has not rung: whoever hears
   * it looks again. One that should have rung long ago was lost.
   */
  set(): void {
    const wanted = this.#wanted;
    this.#wanted = Number.POSITIVE_INFINITY;
    if (wanted === Number.POSITIVE_INFINITY) return;
    if (typeof this.#setFor === 'number' && this.#setFor <= wanted && this.#setFor > this.#now()) return;
    // DO11: one that rings, or should have rung, is for what is not done yet: nothing much later takes its place.
    const isOwed = this.#setFor === undefined || (this.#setFor !== null && this.#setFor <= this.#now());
    const at = isOwed ? Math.min(wanted, this.#now() + watchMs) : wanted;
    this.#setFor = at;
    void this.#storage.setAlarm(at);
  }

  /** The transaction failed, and with it the alarm: it is set as before. */
  forget(): void {
    this.#wanted = Number.POSITIVE_INFINITY;
    this.#setFor = this.#before;
  }
}

/** Infinite if nothing is due at any time. Each kind of records has its own place in the index. */
function earliestIn(driver: SqlDriver): number {
  const found = driver
    .prepare<{ at: number | null }>(
      `WITH RECURSIVE kinds (kind) AS (
         SELECT min(kind) FROM records WHERE due_at IS NOT NULL
         UNION ALL
         SELECT (SELECT min(kind) FROM records WHERE due_at IS NOT NULL AND kind > kinds.kind) FROM kinds WHERE kinds.kind IS NOT NULL
       )
       SELECT min(next_timer_at) AS at FROM runs WHERE next_timer_at IS NOT NULL
       UNION ALL
       SELECT (SELECT min(due_at) FROM records WHERE kind = kinds.kind AND due_at IS NOT NULL) FROM kinds WHERE kind IS NOT NULL`,
    )
    .all();
  return found.reduce((earliest, { at }) => Math.min(earliest, at ?? earliest), Number.POSITIVE_INFINITY);
}
