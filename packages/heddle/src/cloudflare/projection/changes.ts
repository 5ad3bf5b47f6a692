// Changes: which runs have changed since the projection was written: what this life of the object has seen, once it knows all that
// was before, or what the feed says.
//
// Always true: a run that changes while its row is being written comes again.

import type { Feed } from '../../actor/ports.ts';

export interface Changed {
  readonly runIds: readonly string[];
  /** When they are written the projection has come to here. */
  readonly position: number;
  /** There are more. */
  readonly isPart: boolean;
}

const rowsPerPage = 1_000;
const notedMax = 20_000;

export class Changes {
  readonly #feed: Feed;
  readonly #noted = new Set<string>();
  /** All that came after the place in the projection is noted: the feed need not be read. */
  #isWhole = false;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** Whether there is anything, or may be. */
  get isEmpty(): boolean {
    return this.#isWhole && this.#noted.size === 0;
  }

  /** When it has been committed. */
  note(runId: string): void {
    this.#noted.add(runId);
    if (this.#noted.size > notedMax) this.forget();
  }

  /** What was taken was not written: the feed has it. */
  forget(): void {
    this.#isWhole = false;
    this.#noted.clear();
  }

  async take(position: number, limit: number): Promise<Changed> {
    return this.#isWhole ? this.#takeNoted(position, limit) : this.#readFeed(position, limit);
  }

  async #takeNoted(position: number, limit: number): Promise<Changed> {
    const end = await this.#feed.feedEnd(); // what is noted from here on may be behind it
    const runIds = [...this.#noted].slice(0, limit);
    for (const runId of runIds) this.#noted.delete(runId);
    const isPart = this.#noted.size > 0 || !this.#isWhole; // so many may have come meanwhile that the feed must tell
    return { runIds, position: isPart ? position : end, isPart };
  }

  async #readFeed(position: number, limit: number): Promise<Changed> {
    this.#noted.clear(); // what comes from here on is noted, and all before is in the feed
    const runIds = new Set<string>();
    let at = position;
    for (;;) {
      const page = await this.#feed.readFeed({ after: at, limit: rowsPerPage });
      for (const { runId } of page.rows) runIds.add(runId);
      at = page.position;
      const isPart = at < (await this.#feed.feedEnd());
      if (!isPart) this.#isWhole = true;
      if (!isPart || runIds.size >= limit) return { runIds: [...runIds], position: at, isPart };
    }
  }
}
