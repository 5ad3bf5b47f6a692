// Reading the journal: all of it, or all of it and then what comes.

import { readVerified } from '../actor/journal.ts';
import type { JournalRow, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Event } from '../core/events.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import { type RunEvent, runEvent } from '../core/run-event.ts';
import { isTerminal } from '../core/views/status.ts';
import type { TimedEvent } from '../core/views/tokens.ts';
import type { ReadOptions } from '../operations/carrier.ts';
import type { Host } from './host.ts';

/** Each may be some megabytes. */
const rowsPerPage = 100;

/** VW6: from the beginning or after an event, then what comes until the end; with `follow: false` what is there. */
export async function* readEvents(
  host: Host,
  runId: string,
  { after, follow = !host.readOnly, signal }: ReadOptions,
): AsyncIterableIterator<RunEvent> {
  if (follow) refuseToFollow(host);
  const start = placeAfter(after, 1);
  const news = follow ? new RunNews(host, runId, signal) : null;
  try {
    for (let fromSeq = start.row; !isAborted(signal); ) {
      const rows = await readVerified(host.store, runId, { fromSeq, limit: rowsPerPage });
      for (const row of rows) yield* eventsOf(runId, row, row.seq === start.row ? start.index : 0);
      fromSeq = (rows.at(-1)?.seq ?? fromSeq - 1) + 1;
      if (rows.length === rowsPerPage) continue;
      if (!news || !(await news.next(fromSeq))) return;
    }
  } finally {
    news?.stop();
  }
}

/** OP22: a reader is not told of what the writer does, so that it would wait for ever. */
export function refuseToFollow({ readOnly }: Host): void {
  if (!readOnly) return;
  const found = 'it was opened with readOnly; read again after the last event instead';
  throw new HeddleError('ENGINE_READ_ONLY', `Expected an engine that writes, to follow what happens, but ${found}`);
}

/** Asked anew each time: it changes while a reader waits. */
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;

/** Where reading goes on after an event: the same row, from the next place on. */
export function placeAfter(id: string | undefined, first: number): { row: number; index: number } {
  if (id === undefined) return { row: first, index: 0 };
  const { row, index } = placeOf(id);
  return { row, index: index + 1 };
}

/** The row and the place in it of an event. */
export function placeOf(id: string): { row: number; index: number } {
  const [, row, index] = /^(\d{1,15})\.(\d{1,15})$/.exec(id) ?? [];
  if (row === undefined || index === undefined) {
    throw new HeddleError('EVENT_ID_INVALID', `Expected an event id such as 12.0, but found ${id.slice(0, 40)}`);
  }
  return { row: Number(row), index: Number(index) };
}

export function* eventsOf(runId: string, row: JournalRow, fromIndex: number): Iterable<RunEvent> {
  const events = parseEvents(row.events);
  for (let index = fromIndex; index < events.length; index++) yield runEvent(runId, row, index, events[index] as Event); // index is within the list
}

/** Tells a reader that there is more, or that there never will be. */
export class RunNews {
  readonly stop: () => void;
  readonly #host: Host;
  readonly #runId: string;
  #wake: (() => void) | null = null;
  #isClosed: boolean;

  constructor(host: Host, runId: string, signal: AbortSignal | undefined) {
    this.#host = host;
    this.#runId = runId;
    this.#isClosed = signal?.aborted ?? false;
    const close = (): void => {
      this.#isClosed = true;
      this.#wake?.();
    };
    const unwatch = host.observers.watch(runId, (row) => (row === null ? close() : this.#wake?.()));
    signal?.addEventListener('abort', close);
    this.stop = () => {
      unwatch();
      signal?.removeEventListener('abort', close);
    };
  }

  /** True when row `seq` is there; false when the run ended before it, or the engine was closed. */
  async next(seq: number): Promise<boolean> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#isClosed) return false;
      const row = await this.#host.store.readRun(this.#runId);
      if (!row) throw new HeddleError('RUN_NOT_FOUND', `Expected a run ${this.#runId}, but there is none`);
      if (row.seq >= seq) return true;
      if (isTerminal(row.status) || row.quarantine !== null) return false;
      await woken;
    }
  }
}

export async function readHistory(
  store: Store,
  runId: string,
  untilSeq = Number.POSITIVE_INFINITY,
): Promise<TimedEvent[]> {
  const history: TimedEvent[] = [];
  for (let fromSeq = 1; ; ) {
    const read = await readVerified(store, runId, { fromSeq, limit: rowsPerPage });
    const rows = read.filter((row) => row.seq <= untilSeq);
    for (const row of rows) for (const event of parseEvents(row.events)) history.push({ at: row.at, event });
    if (rows.length < rowsPerPage) return history;
    fromSeq = (rows.at(-1)?.seq ?? 0) + 1;
  }
}
