// Feed: the events of all runs in the order of their commits, from any place on, and then as they come. Rules FD….
//
// Always true: whoever goes on after a feed id gets every event behind it once, whatever happened meanwhile.

import { chainHash } from '../actor/journal.ts';
import type { FeedPage, FeedRow } from '../actor/ports.ts';
import { closedError } from '../actor/refusals.ts';
import { StoreError } from '../actor/store-error.ts';
import type { FeedOptions } from '../api/heddle.ts';
import { given } from '../base/given.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { Host } from './host.ts';
import { eventsOf, isAborted, placeAfter, refuseToFollow } from './read-events.ts';

/** Few: a row may be megabytes. */
const rowsPerPage = 100;

/** FD1: in the order of their commits. */
export async function* readFeed(
  host: Host,
  { after, follow = !host.readOnly, workflow, signal }: FeedOptions,
): AsyncIterableIterator<FeedEvent> {
  if (host.runner.isClosed) throw closedError();
  if (follow) refuseToFollow(host);
  const start = placeAfter(after, 0);
  const news = follow ? new CommitNews(host, signal) : null;
  try {
    for (let position = Math.max(0, start.row - 1); !isAborted(signal); ) {
      const page = await readPage(host, position, workflow);
      for (const row of page.rows) yield* checkedEvents(host, row, row.position === start.row ? start.index : 0);
      position = page.position;
      // FD3: what is committed while a page is read is found by the next look: news is asked for before it.
      if (position < (await host.store.feedEnd())) continue;
      if (!news || !(await news.since())) return;
    }
  } finally {
    news?.stop();
  }
}

export async function newestFeedId({ store }: Host): Promise<string> {
  const end = await store.feedEnd();
  const { rows } = await store.readFeed({ after: Math.max(0, end - 1), limit: 1 });
  const row = rows.find((one) => isWhole(store, one)); // one that was damaged is passed over by whoever goes on
  const events = row ? parseEvents(row.events).length : 1;
  return `${end}.${events - 1}`;
}

function readPage({ store }: Host, after: number, workflow: string | undefined): FeedPage | Promise<FeedPage> {
  return store.readFeed({ after, limit: rowsPerPage, ...given({ workflow }) });
}

// FD2: a row that was damaged is told of and passed over; those of the other runs go on.
function* checkedEvents(host: Host, row: FeedRow, fromIndex: number): Iterable<FeedEvent> {
  const { runId, position, workflow } = row;
  if (!isWhole(host.store, row)) {
    host.observers.broken(damagedRow(row), { runId });
    return;
  }
  for (const event of eventsOf(runId, row, fromIndex))
    yield { ...event, feedId: `${position}.${event.id.slice(event.id.indexOf('.') + 1)}`, runWorkflow: workflow };
}

const isWhole = ({ hash }: Pick<Host['store'], 'hash'>, row: FeedRow): boolean =>
  chainHash(hash, row.before, row) === row.hash;

function damagedRow({ runId, seq }: FeedRow): StoreError {
  const message = `Expected journal row ${seq} of run ${runId} to match its hash, but it, or the row before it, was changed`;
  return new StoreError('STORE_DAMAGED', `${message}. Put a backup of the store in its place.`);
}

/** Tells a reader that something was committed, or that nothing more will be. */
class CommitNews {
  readonly stop: () => void;
  #wake: (() => void) | null = null;
  #isClosed: boolean;
  #isNew = false;

  constructor({ observers }: Host, signal: AbortSignal | undefined) {
    this.#isClosed = signal?.aborted ?? false;
    const tell = (isOpen: boolean): void => {
      this.#isClosed ||= !isOpen;
      this.#isNew = true;
      this.#wake?.();
    };
    const close = (): void => tell(false);
    const unwatch = observers.watchCommits(tell);
    signal?.addEventListener('abort', close);
    this.stop = () => {
      unwatch();
      signal?.removeEventListener('abort', close);
    };
  }

  /** Waits for a commit since it was last asked; false when there is none to come. */
  async since(): Promise<boolean> {
    while (!this.#isNew && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#isNew = false;
    return !this.#isClosed;
  }
}
