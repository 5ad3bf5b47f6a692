// Check feed: a reader of all events, which resumes after every death of the engine behind the last one it has seen, has
// every event of every shard once, in the order of that shard (I53).

import type { Commit } from '../../packages/heddle/src/actor/ports.ts';
import type { FeedEvent } from '../../packages/heddle/src/exports.ts';
import { readEvents } from './check-journal.ts';
import { shardIn } from './check-places.ts';
import type { Violation } from './violation.ts';

export class FeedCheck {
  /** By shard: each event that was committed, as `run.row.index`. */
  readonly #committed = new Map<number, string[]>();
  readonly #read = new Map<number, string[]>();

  /** After each commit, in order. */
  add({ journal }: Commit, shard: number): void {
    for (const row of journal)
      for (const index of readEvents(row).keys())
        listOf(this.#committed, shard).push(`${row.runId} ${row.seq}.${index}`);
  }

  /** Whatever the reader gets. */
  addRead({ runId, id }: Pick<FeedEvent, 'runId' | 'id'>): void {
    listOf(this.#read, shardIn(runId)).push(`${runId} ${id}`);
  }

  /** When nothing is left to do. */
  compare(): Violation | null {
    for (const shard of new Set([...this.#committed.keys(), ...this.#read.keys()])) {
      const [committed, read] = [listOf(this.#committed, shard), listOf(this.#read, shard)];
      const place = committed.findIndex((event, index) => event !== read[index]);
      if (place === -1 && committed.length === read.length) continue;
      const at = place === -1 ? committed.length : place;
      const message = `Expected a reader to get ${committed[at] ?? 'nothing more'} as event ${at} of shard ${shard}, but it got ${read[at] ?? 'nothing'}`;
      return { invariant: 'I53', runId: '', seq: 0, message };
    }
    return null;
  }
}

function listOf(lists: Map<number, string[]>, shard: number): string[] {
  const list = lists.get(shard) ?? [];
  lists.set(shard, list);
  return list;
}
