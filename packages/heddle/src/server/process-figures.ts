// Process figures: memory, processors and the event loop of this process, for a scrape.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Exposition } from '../telemetry/exposition.ts';

const resolutionMs = 20;
const nanosecondsPerSecond = 1e9;
const microsecondsPerSecond = 1e6;

export class ProcessFigures {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.#delay.enable();
  }

  writeTo(exposition: Exposition): void {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    exposition.add('process_cpu_seconds_total', {}, (user + system) / microsecondsPerSecond);
    exposition.add('process_resident_memory_bytes', {}, rss);
    exposition.add('process_start_time_seconds', {}, Math.round(Date.now() / 1_000 - process.uptime()));
    exposition.add('nodejs_heap_size_used_bytes', {}, heapUsed);
    const delays = { '0.5': this.#delay.percentile(50), '0.99': this.#delay.percentile(99), '1': this.#delay.max };
    // What is measured contains the resolution itself.
    const lagOf = (nanoseconds: number): number =>
      Math.max(0, nanoseconds / nanosecondsPerSecond - resolutionMs / 1_000);
    for (const [quantile, delay] of Object.entries(delays))
      exposition.add('nodejs_eventloop_lag_seconds', { quantile }, lagOf(delay));
    this.#delay.reset();
  }

  close(): void {
    this.#delay.disable();
  }
}
