// MemoryFeed: the journal rows of all runs in the order of their commits, by position.
//
// Always true: positions are given once, in order; a row that was deleted leaves its place empty, and empty places at the
// beginning are given up.

import type { FeedPage, FeedQuery, JournalRow } from '../../actor/ports.ts';

interface Entry {
  readonly runId: string;
  readonly row: JournalRow;
}

export interface FeedRuns {
  workflowOf(runId: string): string | null;
  /** The hash of a row of a run; '' if there is none. */
  hashOf(runId: string, seq: number): string;
}

/** Rows that are looked at for one page. */
const examinedMax = 5_000;
/** Empty places before they are given up. */
const emptyMax = 10_000;

export class MemoryFeed {
  #entries: (Entry | null)[] = [];
  /** How many places were given up: the first entry has the position behind them. */
  #given = 0;
  readonly #positions = new WeakMap<JournalRow, number>();

  get end(): number {
    return this.#given + this.#entries.length;
  }

  add(runId: string, row: JournalRow): void {
    this.#entries.push({ runId, row });
    this.#positions.set(row, this.end);
  }

  remove(row: JournalRow): void {
    const position = this.#positions.get(row);
    if (position !== undefined && position > this.#given) this.#entries[position - this.#given - 1] = null;
  }

  /** After rows were removed. */
  giveUpEmpty(): void {
    let empty = 0;
    while (empty < this.#entries.length && this.#entries[empty] === null) empty += 1;
    if (empty < emptyMax) return;
    this.#entries = this.#entries.slice(empty);
    this.#given += empty;
  }

  read({ after, limit, workflow }: FeedQuery, runs: FeedRuns): FeedPage {
    const rows: FeedPage['rows'][number][] = [];
    let position = Math.max(after, this.#given);
    const until = Math.min(this.end, position + Math.max(limit, examinedMax));
    while (position < until && rows.length < limit) {
      position += 1;
      const entry = this.#entries[position - this.#given - 1] ?? null;
      const found = entry === null ? null : runs.workflowOf(entry.runId);
      if (entry === null || found === null || (workflow !== undefined && workflow !== found)) continue;
      const { runId, row } = entry;
      rows.push({ ...row, position, runId, workflow: found, before: runs.hashOf(runId, row.seq - 1) });
    }
    return { rows, position: Math.max(after, position) };
  }
}
