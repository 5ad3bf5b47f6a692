// HTTP meter: counts the answers of a server, by operation. Operations are those of the table: their number is bounded.

import { Histogram } from './counts.ts';
import type { Exposition } from './exposition.ts';

export interface CountedAnswer {
  /** Null: the request was refused before it was known what it is. */
  readonly operation: string | null;
  readonly status: number;
  readonly ms: number;
}

interface OperationCounts {
  readonly byStatus: Map<number, number>;
  readonly durations: Histogram;
}

const tooMany = 429;

export class HttpMeter {
  readonly #operations = new Map<string, OperationCounts>();
  #rateLimited = 0;

  /** For `AppOptions.onAnswer`. */
  readonly onAnswer = ({ operation, status, ms }: CountedAnswer): void => {
    const name = operation ?? 'none';
    const counts = this.#operations.get(name) ?? { byStatus: new Map<number, number>(), durations: new Histogram() };
    this.#operations.set(name, counts);
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    counts.durations.observe(ms);
    if (status === tooMany) this.#rateLimited++;
  };

  writeTo(exposition: Exposition): void {
    for (const [operation, { byStatus, durations }] of this.#operations) {
      for (const [status, count] of byStatus)
        exposition.add('heddle_http_requests_total', { operation, status: String(status) }, count);
      exposition.addHistogram('heddle_http_request_duration_seconds', { operation }, durations);
    }
    exposition.add('heddle_http_rate_limited_total', {}, this.#rateLimited);
  }
}
