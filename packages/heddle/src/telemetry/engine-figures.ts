// Engine figures: what is read from an engine when it is scraped: how much there is, what waits, how large the store is.
//
// Always true: a scrape looks at a bounded number of things; what was read is used again for some seconds.

import type { Clock, Store, StoreSizes } from '../actor/ports.ts';
import { NamedCounts } from './counts.ts';
import type { Exposition, Labels } from './exposition.ts';

interface RunCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly quarantined: number;
}

/** What is asked of an engine. */
export interface Measured {
  countRuns(query: { readonly subRuns: true }): Promise<RunCounts>;
  prompts(query: { readonly limit: number }): Promise<readonly unknown[]>;
  readonly tasks: {
    actions(page: { readonly limit: number }): Promise<readonly MeasuredAction[]>;
    workers(page: { readonly limit: number }): Promise<readonly unknown[]>;
  };
  pendingDeliveries(): Promise<number>;
}

interface MeasuredAction {
  readonly name: string;
  readonly place: string;
  readonly waiting: number;
  readonly leased: number;
}

interface Figures {
  readonly runs: RunCounts;
  readonly prompts: number;
  readonly actions: readonly MeasuredAction[];
  readonly workers: number;
  readonly deliveries: number;
  readonly shards: readonly ShardFigures[];
}

/** Of one store. */
interface ShardFigures {
  readonly journalRows: number;
  readonly timerAt: number | null;
}

type MeasuredStore = Pick<Store, 'nextAlarmAt' | 'feedEnd' | 'upkeep'>;

export interface MeasuredEngine {
  readonly engine: Measured;
  /** Of a fleet those of all its shards, in their order. */
  readonly store: MeasuredStore | readonly MeasuredStore[];
  readonly clock: Clock;
}

/** MT4: what is read from the store is read at most so often, however often is scraped. */
const freshMs = 5_000;
/** Artifacts are measured one by one, up to 10,000. */
const sizesFreshMs = 60_000;
const countedMax = 1_000;

export class EngineFigures {
  readonly #clock: Clock;
  readonly #figures: Kept<Figures>;
  /** Of each shard. */
  readonly #sizes: Kept<readonly (StoreSizes | null)[]>;

  constructor({ engine, store, clock }: MeasuredEngine) {
    const stores = 'feedEnd' in store ? [store] : store;
    this.#clock = clock;
    this.#figures = new Kept(freshMs, () => readFigures(engine, stores));
    this.#sizes = new Kept(sizesFreshMs, () =>
      Promise.all(stores.map(async ({ upkeep }) => (await upkeep?.sizes()) ?? null)),
    );
  }

  async writeTo(exposition: Exposition, labels: Labels): Promise<void> {
    const now = this.#clock.now();
    const figures = await this.#figures.get(now);
    const sizes = await this.#sizes.get(now);
    writeRuns(exposition, labels, figures);
    exposition.add('heddle_prompts_open', labels, figures.prompts);
    exposition.add('heddle_workers', labels, figures.workers);
    exposition.add('heddle_callback_deliveries_pending', labels, figures.deliveries);
    writeActions(exposition, labels, figures.actions);
    for (const [shard, of] of figures.shards.entries()) {
      // MT7: what is of one store says of which shard; what concerns runs is of all together.
      const own = figures.shards.length === 1 ? labels : { ...labels, shard: String(shard) };
      writeStore(exposition, own, of, now);
      writeSizes(exposition, own, sizes[shard] ?? null);
    }
  }
}

async function readFigures(engine: Measured, stores: readonly MeasuredStore[]): Promise<Figures> {
  const readShard = async (store: MeasuredStore): Promise<ShardFigures> => ({
    journalRows: await store.feedEnd(),
    timerAt: await store.nextAlarmAt(),
  });
  return {
    deliveries: await engine.pendingDeliveries(),
    shards: await Promise.all(stores.map(readShard)),
    runs: await engine.countRuns({ subRuns: true }),
    prompts: (await engine.prompts({ limit: countedMax })).length,
    actions: await engine.tasks.actions({ limit: countedMax }),
    workers: (await engine.tasks.workers({ limit: countedMax })).length,
  };
}

/** Those that workers outside do; what this process does itself waits for nobody. */
function writeActions(exposition: Exposition, labels: Labels, actions: readonly MeasuredAction[]): void {
  const counts = new NamedCounts(() => ({ waiting: 0, leased: 0 }));
  for (const { name, place, waiting, leased } of actions) {
    if (place === 'local' && waiting + leased === 0) continue;
    const named = counts.of(name);
    named.waiting += waiting;
    named.leased += leased;
  }
  for (const [action, { waiting, leased }] of counts.entries()) {
    exposition.add('heddle_tasks_waiting', { ...labels, action }, waiting);
    exposition.add('heddle_tasks_leased', { ...labels, action }, leased);
  }
}

function writeRuns(exposition: Exposition, labels: Labels, { runs }: Figures): void {
  for (const [status, count] of Object.entries(runs.byStatus))
    exposition.add('heddle_runs', { ...labels, status }, count);
  exposition.add('heddle_runs_quarantined', labels, runs.quarantined);
}

function writeStore(exposition: Exposition, labels: Labels, { journalRows, timerAt }: ShardFigures, now: number): void {
  exposition.add('heddle_journal_rows_total', labels, journalRows);
  const lagMs = timerAt === null ? 0 : Math.max(0, now - timerAt);
  exposition.add('heddle_timer_lag_seconds', labels, lagMs / 1_000);
}

function writeSizes(exposition: Exposition, labels: Labels, sizes: StoreSizes | null): void {
  if (sizes === null) return;
  const { fileBytes, walBytes, freeBytes, artifacts } = sizes;
  const parts = { file: fileBytes, wal: walBytes, free: freeBytes, artifacts: artifacts.bytes };
  for (const [part, bytes] of Object.entries(parts)) exposition.add('heddle_store_bytes', { ...labels, part }, bytes);
  exposition.add('heddle_store_artifacts', labels, artifacts.count);
}

/** What was read a moment ago. */
class Kept<T> {
  readonly #forMs: number;
  readonly #read: () => Promise<T>;
  #value: Promise<T> | null = null;
  #readAt = 0;

  constructor(forMs: number, read: () => Promise<T>) {
    this.#forMs = forMs;
    this.#read = read;
  }

  get(now: number): Promise<T> {
    if (this.#value !== null && now - this.#readAt < this.#forMs) return this.#value;
    this.#readAt = now;
    const reading = this.#read();
    this.#value = reading;
    // What failed is asked for again.
    reading.catch(() => {
      if (this.#value === reading) this.#value = null;
    });
    return reading;
  }
}
