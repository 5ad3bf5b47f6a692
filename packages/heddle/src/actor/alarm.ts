// Alarm: wakes the runs whose timers are due. The timers are in the runs' rows; the alarm is only a hint, and whatever
// it misses is found by the next look at the rows.

import type { Clock, Store } from './ports.ts';

const runsPerLook = 1_000;

export class Alarm {
  private readonly clock: Clock;
  private readonly store: Store;
  private readonly wake: (runId: string) => Promise<unknown>;
  private readonly onError: (error: unknown) => void;
  private armedFor: number | null = null;
  private disarm: (() => void) | null = null;
  private isLooking = false;
  private isClosed = false;

  constructor(
    clock: Clock,
    store: Store,
    wake: (runId: string) => Promise<unknown>,
    onError: (error: unknown) => void,
  ) {
    this.onError = onError;
    this.clock = clock;
    this.store = store;
    this.wake = wake;
  }

  /** Some run wants to be woken at `at`. */
  expect(at: number | null): void {
    if (at === null || this.isClosed || this.isLooking) return;
    if (this.armedFor !== null && this.armedFor <= at) return;
    this.disarm?.();
    this.armedFor = at;
    this.disarm = this.clock.schedule(at, () => this.look());
  }

  /** Looks for due runs until none is left, then arms for the next. */
  look(): void {
    if (!this.isLooking && !this.isClosed) this.wakeDue().catch(this.onError);
  }

  private async wakeDue(): Promise<void> {
    this.isLooking = true;
    this.disarm?.();
    this.armedFor = null;
    let next: number | null = null;
    try {
      do {
        const due = await this.store.dueRuns(this.clock.now(), runsPerLook);
        await Promise.allSettled(due.map((runId) => this.wake(runId)));
        next = this.isClosed ? null : await this.store.nextAlarmAt();
      } while (next !== null && next <= this.clock.now());
    } finally {
      this.isLooking = false;
    }
    this.expect(next);
  }

  close(): void {
    this.isClosed = true;
    this.disarm?.();
  }
}
