// Pulse: the signs of life of a worker, and with them how far its tasks are. Rules WC2, WC3.
//
// Always true: while there are leases, three signs go out in the time that one lasts; of what a task tells, one sign is
// under way at a time.

import type { TaskProgress } from '../actor/observers.ts';
import type { Clock } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { TaskHeartbeat } from '../operations/work.ts';
import type { HeartbeatAnswer } from '../work/task-reports.ts';
import { type Transport } from './transport.ts';

/** Told of or handed back at one time, at most: what a server takes that was not told otherwise. */
export const tasksPerRequest = defaultLimits.leaseTasksMax;

const confirmMsMax = 5_000;

export interface PulseOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly leaseMs: number;
  /** Those that the worker has now. */
  readonly leases: () => readonly string[];
  /** These, among those that were asked for, are lost, or nobody wants their results. */
  readonly onUnwanted: (leases: ReadonlySet<string>) => void;
  readonly onError: (error: unknown) => void;
}

export class Pulse {
  readonly #options: PulseOptions;
  #cancel: (() => void) | null = null;
  /** Leases of which the server has heard nothing yet. */
  readonly #fresh = new Set<string>();
  #cancelConfirming: (() => void) | null = null;
  /** What tasks have told since the last that was sent, by lease. */
  readonly #news = new Map<string, TaskHeartbeat>();
  #isTelling = false;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  /** How soon the server hears that its answer has come. */
  get confirmMs(): number {
    return Math.min(this.#options.leaseMs, confirmMsMax);
  }

  /** There is a lease to confirm and to keep. */
  begin(lease: string): void {
    const { clock } = this.#options;
    this.#fresh.add(lease);
    this.#cancelConfirming ??= clock.schedule(clock.now() + Math.floor(this.confirmMs / 3), () => this.#confirm());
    this.#keep();
  }

  /** It is over, or whatever was said of it confirms it: once there is none to confirm, nothing is waited for. */
  settle(lease: string): void {
    this.#fresh.delete(lease);
    if (this.#fresh.size > 0) return;
    this.#cancelConfirming?.();
    this.#cancelConfirming = null;
  }

  // WC5: what is over by then needs no confirming.
  #confirm(): void {
    const { leaseMs } = this.#options;
    this.#cancelConfirming = null;
    void this.#send(Array.from(this.#fresh, (lease) => ({ lease, leaseMs })));
  }

  #keep(): void {
    const { clock, leaseMs, leases } = this.#options;
    this.#cancel ??= clock.schedule(clock.now() + Math.floor(leaseMs / 3), () => {
      this.#cancel = null;
      if (leases().length === 0) return;
      this.#keep();
      void this.beat();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#cancelConfirming?.();
    this.#cancelConfirming = null;
  }

  /** Says now that the worker is alive. */
  beat(): Promise<void> {
    const { leases, leaseMs } = this.#options;
    return this.#send(leases().map((lease) => ({ lease, leaseMs })));
  }

  /** WC3: of what a task tells of how far it is the newest goes, when what was told before has arrived. */
  tell(lease: string, { fraction, message, details }: TaskProgress): void {
    const progress = {
      ...given({
        fraction: fraction ?? undefined,
        message: message ?? undefined,
        details: details ?? undefined,
      }),
    };
    this.#news.set(lease, { lease, leaseMs: this.#options.leaseMs, progress });
    if (!this.#isTelling) void this.#tellNews();
  }

  async #tellNews(): Promise<void> {
    this.#isTelling = true;
    while (this.#news.size > 0) {
      const beats = [...this.#news.values()];
      this.#news.clear();
      await this.#send(beats);
    }
    this.#isTelling = false;
  }

  async #send(beats: readonly TaskHeartbeat[]): Promise<void> {
    const { transport, onError } = this.#options;
    for (const { lease } of beats) this.settle(lease);
    try {
      for (let from = 0; from < beats.length; from += tasksPerRequest) {
        const tasks = beats.slice(from, from + tasksPerRequest);
        this.#hear((await transport.call('heartbeatTasks', { tasks })).tasks);
      }
    } catch (error) {
      onError(error);
    }
  }

  #hear(answers: readonly HeartbeatAnswer[]): void {
    const unwanted = answers.filter(({ ok }) => !ok).map(({ lease }) => lease);
    if (unwanted.length > 0) this.#options.onUnwanted(new Set(unwanted));
  }
}
