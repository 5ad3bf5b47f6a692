// Reporter: tells the server what tasks came to, many at a time, until it has taken them.
//
// Always true: one request is under way at a time, and what comes meanwhile goes with the next one: the busier a worker
// is, the more each request holds.

import type { Clock } from '../actor/ports.ts';

export interface ReporterOptions<Report> {
  readonly clock: Clock;
  /** Rejects if the server could not be reached: it is sent again. */
  readonly send: (reports: readonly Report[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const reportsPerRequest = 200;
const firstDelayMs = 100;
const delayMsMax = 2_000;

export class Reporter<Report> {
  readonly #options: ReporterOptions<Report>;
  #waiting: Report[] = [];
  #sending: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: ReporterOptions<Report>) {
    this.#options = options;
  }

  add(report: Report): void {
    this.#waiting.push(report);
    this.#sending ??= this.#sendAll();
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** When everything has been told. */
  async whenIdle(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { clock } = this.#options;
    // What ends in the same turn goes together.
    await new Promise<void>((resolve) => clock.defer(resolve));
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const reports = this.#waiting.slice(0, reportsPerRequest);
      await this.#sendUntilTaken(reports);
      this.#waiting = this.#waiting.slice(reports.length);
    }
    this.#sending = null;
  }

  async #sendUntilTaken(reports: readonly Report[]): Promise<void> {
    const { clock, send, onError } = this.#options;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      try {
        return await send(reports);
      } catch (error) {
        if (this.#isStopped) return;
        onError(error);
        await new Promise<void>((resolve) => clock.schedule(clock.now() + delayMs, resolve));
      }
    }
  }
}
