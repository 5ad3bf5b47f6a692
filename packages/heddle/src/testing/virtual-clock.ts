// Virtual clock: time that moves only when a test says so. Published, for users' own tests too.
//
// Always true: callbacks fire in the order of their times, and of their scheduling where times are equal; none fires
// before its time; `now()` shows the time of the callback while it runs.

import type { Clock } from '../actor/ports.ts';

/** The first of January 2030: far from anything a test could mistake for real. */
export const virtualStart = 1_893_456_000_000;

/** Macrotasks that are let through between two callbacks: enough for a commit and what follows from it. */
const turnsBetween = 4;

interface Alarm {
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  #now: number;
  /** By time: time stands still while work is set up, so that few times hold many alarms. */
  readonly #alarms = new Map<number, Set<Alarm>>();

  constructor(startsAt: number = virtualStart) {
    this.#now = startsAt;
  }

  now(): number {
    return this.#now;
  }

  schedule(at: number, callback: () => void): () => void {
    const alarm: Alarm = { callback };
    const alarms = this.#alarms.get(at) ?? new Set();
    this.#alarms.set(at, alarms.add(alarm));
    return () => this.#cancel(at, alarm);
  }

  /** Nobody sets this clock: it comes to the same. */
  wakeAt(at: number, callback: () => void): () => void {
    return this.schedule(at, callback);
  }

  defer(callback: () => void): void {
    deferForReal(callback);
  }

  /** When the next callback is due; null if none waits. */
  get nextAt(): number | null {
    let nextAt: number | null = null;
    for (const at of this.#alarms.keys()) {
      if (nextAt === null || at < nextAt) nextAt = at;
    }
    return nextAt;
  }

  /** Moves on by `ms` milliseconds, firing what comes due on the way. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#now + ms);
  }

  /** Moves on to `at`, firing what comes due on the way. Work that a callback sets off runs before the next one. */
  async advanceTo(at: number): Promise<void> {
    await this.settle();
    for (let nextAt = this.nextAt; nextAt !== null && nextAt <= at; nextAt = this.nextAt) {
      this.#now = Math.max(this.#now, nextAt);
      this.#fireFirst(nextAt);
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
  }

  /** Lets work that is already due run, without moving the time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < turnsBetween; turn += 1) await new Promise<void>(deferForReal);
  }

  #fireFirst(at: number): void {
    for (const alarm of this.#alarms.get(at) ?? []) {
      this.#cancel(at, alarm);
      alarm.callback();
      return;
    }
  }

  #cancel(at: number, alarm: Alarm): void {
    const alarms = this.#alarms.get(at);
    if (alarms?.delete(alarm) === true && alarms.size === 0) this.#alarms.delete(at);
  }
}

/** What the runtime offers for "after everything that is already due", the best first; a browser has no setImmediate. */
interface Runtime {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port };
  readonly setTimeout?: (callback: () => void, ms: number) => unknown;
}

interface Port {
  addEventListener(type: 'message', listener: () => void): void;
  start(): void;
  postMessage(message: null): void;
  close(): void;
}

export function deferForReal(callback: () => void): void {
  // Every runtime has at least one of the three; none of their types is in all of our compilations.
  const runtime = globalThis as unknown as Runtime;
  if (runtime.setImmediate !== undefined) {
    runtime.setImmediate(callback);
  } else if (runtime.MessageChannel !== undefined) {
    const { port1, port2 } = new runtime.MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      callback();
    });
    port1.start();
    port2.postMessage(null);
  } else {
    runtime.setTimeout?.(callback, 0);
  }
}
