// Server metrics: the figures of all tenants, of the requests and of the process, as one text. Rules MT5 and MT9.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { defaultTenant } from '../http/access.ts';
import type { EventStreams } from '../http/event-stream.ts';
import { isStoreCode } from '../http/problem-document.ts';
import { EngineFigures } from '../telemetry/engine-figures.ts';
import { EngineMeter } from '../telemetry/engine-meter.ts';
import { Exposition } from '../telemetry/exposition.ts';
import { HttpMeter } from '../telemetry/http-meter.ts';
import type { Tenant } from './tenant-stores.ts';
import type { Tenants } from './tenants.ts';

/** What is measured of one tenant; figures are of the engine that is open now. */
interface TenantMeter {
  readonly meter: EngineMeter;
  figures: { readonly of: Tenant; readonly figures: EngineFigures } | null;
}

export class ServerMetrics {
  readonly http = new HttpMeter();
  readonly #clock: Clock;
  readonly #process = new ProcessFigures();
  readonly #tenants = new Map<string, TenantMeter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  meterOf(tenant: string): EngineMeter {
    return this.#of(tenant).meter;
  }

  /** MT5: whoever has a key of the default tenant sees all; others see their own tenant, and nothing of the process. */
  async text(asker: string, tenants: Tenants, streams: EventStreams): Promise<string> {
    const exposition = new Exposition();
    for (const [name, tenant] of await tenants.all())
      if (asker === name || asker === defaultTenant) await this.#write(exposition, name, tenant);
    if (asker === defaultTenant) {
      this.http.writeTo(exposition);
      exposition.add('heddle_event_streams', {}, streams.count);
      this.#process.writeTo(exposition);
    }
    return exposition.text();
  }

  close(): void {
    this.#process.close();
  }

  async #write(exposition: Exposition, name: string, tenant: Tenant): Promise<void> {
    const labels = { tenant: name };
    const measured = this.#of(name);
    if (measured.figures?.of !== tenant) measured.figures = { of: tenant, figures: this.#figuresOf(tenant) };
    const { figures } = measured.figures;
    const isReadable = await wasRead(() => figures.writeTo(exposition, labels));
    exposition.add('heddle_store_readable', labels, isReadable ? 1 : 0);
    measured.meter.writeTo(exposition, labels);
    const { spanCounts } = tenant.engine;
    if (spanCounts === null) return;
    exposition.add('heddle_spans_exported_total', labels, spanCounts.exported);
    exposition.add('heddle_spans_dropped_total', labels, spanCounts.dropped);
  }

  #figuresOf({ engine, stores }: Tenant): EngineFigures {
    return new EngineFigures({ engine, store: stores, clock: this.#clock });
  }

  #of(tenant: string): TenantMeter {
    const known = this.#tenants.get(tenant) ?? { meter: new EngineMeter(), figures: null };
    this.#tenants.set(tenant, known);
    return known;
  }
}

/** MT9: of a store that fails there are no figures, which is said; what does not come from it is told all the same. */
async function wasRead(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof HeddleError && isStoreCode(error.code)) return false;
    throw error;
  }
}

const resolutionMs = 20;
const nanosecondsPerSecond = 1e9;
const microsecondsPerSecond = 1e6;

/** Memory, processors and the event loop of this process, for a scrape. */
class ProcessFigures {
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
