// Alarm: wakes the runs whose timers are due. The timers are in the runs' rows; the alarm is only a hint, and whatever
// it misses is found by the next look at the rows.
//
// Always true: once its owner is at rest, it is armed for the earliest time in the rows, and for nothing if there is none.

import type { Reply } from '../core/commands.ts';
import type { Clock, Store } from './ports.ts';

/** Where the times are. */
type Rows = Pick<Store, 'dueRuns' | 'nextAlarmAt'>;

/** Answers with a reply: not applied if there was nothing to do. Without one there was. */
type Wake = (runId: string) => Promise<Reply | void>;

const runsPerLook = 1_000;
const retryMs = 1_000;

export class Alarm {
  readonly #clock: Clock;
  readonly #store: Rows;
  readonly #wake: Wake;
  readonly #onError: (error: unknown) => void;
  #armedFor: number | null = null;
  #disarm: (() => void) | null = null;
  #isLooking = false;
  /** What it is armed for, or was told by the rows, may have gone away. */
  #isStale = false;
  #isClosed = false;

  constructor(clock: Clock, store: Rows, wake: Wake, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#clock = clock;
    this.#store = store;
    this.#wake = wake;
  }

  /** Some run wants to be woken at `at`. */
  expect(at: number | null): void {
    if (at === null || this.#isClosed) return;
    if (this.#armedFor !== null && this.#armedFor <= at) return;
    this.#armedFor = at;
    this.#disarm?.();
    // While it looks around, the end of the look arms it.
    if (!this.#isLooking) this.#disarm = this.#clock.wakeAt(at, () => this.look());
  }

  /** Somebody who wanted to be woken at `before` now wants it at `at`. */
  move(before: number | null, at: number | null): void {
    if (at !== null) this.expect(at);
    if (before !== null && before !== at && (this.#isLooking || before === this.#armedFor)) this.#isStale = true;
  }

  /** RN25: a time that went away is not waited for: for it alone a process would not end. Called when all is at rest. */
  rest(): void {
    if (this.#isStale) this.look();
  }

  /** Looks for due runs until none is left, then arms for the next. */
  look(): void {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    this.#disarm?.();
    this.#armedFor = null;
    void this.#wakeDue().then((next) => {
      const missed = this.#armedFor;
      this.#isLooking = false;
      this.#armedFor = null;
      this.expect(next);
      this.expect(missed);
      this.rest();
    });
  }

  /**
   * RN7: answers with when to look again; if the store fails, or no run can be woken, or those are due again that had
   * nothing to do, that is soon.
   */
  async #wakeDue(): Promise<number | null> {
    let idle: readonly string[] | null = null;
    try {
      for (;;) {
        const due = await this.#store.dueRuns(this.#clock.now(), runsPerLook);
        if (idle !== null && isSame(idle, due)) return this.#soon();
        const woken = await Promise.allSettled(due.map((runId) => this.#wake(runId)));
        if (this.#isClosed) return null;
        if (due.length > 0 && woken.every(({ status }) => status === 'rejected')) return this.#soon();
        idle = woken.some(hadWork) ? null : due;
        this.#isStale = false;
        const next = await this.#store.nextAlarmAt();
        if (next === null || next > this.#clock.now()) return next;
      }
    } catch (error) {
      this.#onError(error);
      return this.#soon();
    }
  }

  #soon(): number {
    this.#isStale = false;
    return this.#clock.now() + retryMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#disarm?.();
  }
}

function hadWork(woken: PromiseSettledResult<Reply | void>): boolean {
  return woken.status === 'fulfilled' && (!woken.value || woken.value.applied);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((runId, index) => runId === others[index]);
}
