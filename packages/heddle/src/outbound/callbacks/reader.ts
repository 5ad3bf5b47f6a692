// Reader: goes through what was committed, in order, and stores the deliveries for callbacks. Rules CB8, CB9.
//
// Always true: the cursor is stored with the deliveries that were made up to it; nothing is read while no callback is on.

import type { Background } from '../../actor/background.ts';
import { chainHash } from '../../actor/journal.ts';
import type { Clock, FeedRow, RecordWrite, Store } from '../../actor/ports.ts';
import { valueOf } from '../../actor/record-value.ts';
import type { StoredCallback } from './callback.ts';
import { matchEvents, mayMatter } from './match-events.ts';
import { makeRecord } from './sender.ts';

export interface ReaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly background: Background;
  /** Those that are switched on. */
  readonly callbacks: () => readonly StoredCallback[];
  readonly count: <T>(work: Promise<T>) => Promise<T>;
  readonly onDeliveries: (callbackIds: ReadonlySet<string>) => void;
}

/** A row that callbacks may be told of. */
interface Happened {
  readonly row: FeedRow;
  readonly isSubRun: boolean;
}

const cursorKind = 'callback-cursor';
const rowsPerPage = 500;
/** So many rows that concern nobody are read again after a crash, which saves storing the cursor for each. */
const cursorEvery = 2_000;

export class CallbackReader {
  readonly #options: ReaderOptions;
  /** Null: not known yet. */
  #position: number | null = null;
  #storedPosition = 0;
  #isReading = false;
  #isWanted = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** What is stored with the first callback: from where on is read. */
  begin(position: number): RecordWrite {
    this.#position = position;
    this.#storedPosition = position;
    return this.#cursor(position);
  }

  /** Something was committed. */
  wake(): void {
    // CB8: without a callback that is on nothing is read.
    if (this.#options.background.isClosed || this.#options.callbacks().length === 0) return;
    this.#isWanted = true;
    const { background, count } = this.#options;
    if (!this.#isReading) void count(background.tryNow(() => this.#readAll()));
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isWanted && !this.#options.background.isClosed) {
        this.#isWanted = false;
        await this.#readToEnd();
      }
    } catch (error) {
      this.#isWanted = true;
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  async #readToEnd(): Promise<void> {
    const { store, background } = this.#options;
    const end = await store.feedEnd();
    while (!background.isClosed && (await this.#at()) < end) await this.#readPage();
  }

  async #at(): Promise<number> {
    if (this.#position !== null) return this.#position;
    const row = await this.#options.store.readRecord(cursorKind, '');
    const { position } = row === null ? { position: 0 } : (valueOf(row) as { position: number }); // as `#cursor` wrote it
    this.#storedPosition = position;
    this.#position = position;
    return position;
  }

  /** CB9: deliveries and the cursor are in one commit: each event is told once, whatever happens in between. */
  async #readPage(): Promise<void> {
    const { store, background, callbacks, onDeliveries, clock } = this.#options;
    const after = await this.#at();
    const { rows, position } = await store.readFeed({ after, limit: rowsPerPage });
    const happened: Happened[] = [];
    for (const row of rows) happened.push(...(await this.#read(row)));
    if (background.isClosed) return;
    // At once for all of them: a callback that is removed while they are read gets none.
    const around = { callbacks: callbacks(), now: clock.now() };
    const deliveries = happened.flatMap(({ row, isSubRun }) => matchEvents(row, { ...around, isSubRun }));
    const isFar = position - this.#storedPosition >= cursorEvery;
    if (deliveries.length > 0 || isFar) {
      const records = deliveries.map((delivery) => makeRecord(delivery, clock.now()));
      await background.commit({ records: [...records, this.#cursor(position)] });
      this.#storedPosition = position;
    }
    this.#position = Math.max(position, after);
    if (deliveries.length > 0) onDeliveries(new Set(deliveries.map(({ callback }) => callback)));
  }

  async #read(row: FeedRow): Promise<readonly Happened[]> {
    if (!mayMatter(row)) return [];
    const { store } = this.#options;
    // One that was changed tells nothing that can be believed; whoever reads the run is told.
    if (chainHash(store.hash, row.before, row) !== row.hash) return [];
    const run = await store.readRun(row.runId);
    return [{ row, isSubRun: (run?.parentRunId ?? null) !== null }];
  }

  #cursor(position: number): RecordWrite {
    return { kind: cursorKind, key: '', value: JSON.stringify({ position }), dueAt: null };
  }
}
