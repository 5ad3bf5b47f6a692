// Reporter: tells the server what tasks came to, many at a time, until it has taken them. Rule WC4.
//
// Always true: one request is under way at a time, and what comes meanwhile goes with the next one: the busier a worker
// is, the more each request holds. A report that the server will never take keeps no other from being told.

import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';

export interface ReporterOptions<Report> {
  readonly clock: Clock;
  /** Answers with those that could not be taken now; rejects if none was. */
  readonly send: (reports: readonly Report[]) => Promise<readonly Report[]>;
  /** This one, as it is, is never taken. */
  readonly onRefused: (report: Report, error: HeddleError) => void;
  readonly onError: (error: unknown) => void;
}

const reportsPerRequest = 200;
const firstDelayMs = 100;
const delayMsMax = 2_000;

/** What is wrong is what was sent: sent again, it would be refused again. */
const refusals: ReadonlySet<string> = new Set(['LIMIT_EXCEEDED', 'REQUEST_INVALID', 'JSON_INVALID']);

export class Reporter<Report> {
  readonly #options: ReporterOptions<Report>;
  readonly #waiting: Report[] = [];
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
    while (this.#waiting.length > 0 && !this.#isStopped)
      await this.#sendUntilTaken(this.#waiting.splice(0, reportsPerRequest));
    this.#sending = null;
  }

  async #sendUntilTaken(reports: readonly Report[]): Promise<void> {
    const { clock } = this.#options;
    let rest = reports;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      rest = await this.#sendOnce(rest);
      if (rest.length === 0 || this.#isStopped) return;
      await new Promise<void>((resolve) => clock.schedule(clock.now() + delayMs, resolve));
    }
  }

  /** Those that are to be sent again. */
  async #sendOnce(reports: readonly Report[]): Promise<readonly Report[]> {
    const { send, onError } = this.#options;
    try {
      return await send(reports);
    } catch (error) {
      if (error instanceof HeddleError && refusals.has(error.code)) return this.#findRefused(reports, error);
      if (!this.#isStopped) onError(error);
      return reports;
    }
  }

  // WC4: too much for one request, or one among them that is wrong: they are told one by one.
  async #findRefused(reports: readonly Report[], error: HeddleError): Promise<readonly Report[]> {
    const [only, ...others] = reports;
    if (only !== undefined && others.length === 0) this.#options.onRefused(only, error);
    else for (const report of reports) await this.#sendUntilTaken([report]);
    return [];
  }
}
