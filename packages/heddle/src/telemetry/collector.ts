// Collector: sends spans over OTLP/HTTP until they are taken or refused for good.
//
// Always true: what is sent again is the same; while nobody takes it, nothing else is sent.

import { untilFirst } from '../actor/first-signal.ts';
import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { writeOtlp } from './otlp.ts';
import type { Attributes, Span } from './span.ts';
import type { TraceOptions } from './trace-options.ts';

export interface CollectorOptions extends TraceOptions {
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

const timeoutMsDefault = 10_000;
const firstDelayMs = 1_000;
const delayMsMax = 60_000;
/** When the engine closes. */
const lastAnswerMs = 1_000;
/** As the protocol has it: all others are not sent again. */
const passing = new Set([408, 429, 502, 503, 504]);

export class Collector {
  readonly #options: CollectorOptions;
  readonly #resource: Attributes;
  /** Nothing more is sent; a request in flight may still be answered for a moment. */
  readonly #closing = new AbortController();
  readonly #cutting = new AbortController();
  #cancelCut: (() => void) | null = null;
  #isPosting = false;
  exported = 0;
  dropped = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#resource = { 'service.name': options.serviceName ?? 'heddle', ...options.attributes };
  }

  /** True when they were taken or refused for good; false when it was closed before. */
  async send(spans: readonly Span[]): Promise<boolean> {
    const body = JSON.stringify(writeOtlp(spans, this.#resource));
    for (let delayMs = firstDelayMs; !this.#isClosed; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      const problem = await this.#post(body, spans.length);
      if (problem === null) return true;
      if (this.#isClosed) return false;
      this.#options.report(problem);
      await this.#wait(delayMs);
    }
    return false;
  }

  close(): void {
    const { clock } = this.#options;
    this.#closing.abort();
    // Whoever has taken them should not be given them again.
    if (this.#isPosting) this.#cancelCut = clock.schedule(clock.now() + lastAnswerMs, () => this.#cutting.abort());
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** OT5: what a collector cannot take now is sent again, ever more slowly; what it refuses is reported and dropped. */
  async #post(body: string, count: number): Promise<HeddleError | null> {
    this.#isPosting = true;
    const status = await this.#statusOf(body);
    this.#isPosting = false;
    this.#cancelCut?.();
    if (typeof status === 'number' && status >= 200 && status < 300) {
      this.exported += count;
      return null;
    }
    const answer = typeof status === 'number' ? `it answered with ${status}` : status;
    const problem = new HeddleError(
      'TRACES_NOT_TAKEN',
      `Expected the collector of traces to take spans, but ${answer}`,
    );
    if (typeof status !== 'number' || passing.has(status)) return problem;
    this.dropped += count;
    this.#options.report(problem);
    return null;
  }

  /** A status of HTTP, or why there is none. */
  async #statusOf(body: string): Promise<number | string> {
    const { endpoint, headers, timeoutMs = timeoutMsDefault, fetch: send = fetch } = this.#options;
    try {
      const post = async (signal: AbortSignal): Promise<number> => {
        const sent = { ...headers, 'content-type': 'application/json' };
        const response = await send(endpoint, { method: 'POST', headers: sent, body, redirect: 'error', signal });
        await response.body?.cancel();
        return response.status;
      };
      return await untilFirst([this.#cutting.signal], post, timeoutMs);
    } catch (error) {
      return `it cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const cancel = clock.schedule(clock.now() + ms, done);
      function done(): void {
        signal.removeEventListener('abort', done);
        cancel();
        resolve();
      }
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }
}
