// Readers: whoever reads the feed of a shared fleet while its processes die: at any of them, after the last event that it has.
//
// Always true: what a reader has is what it was told, in that order.

import { setTimeout as sleep } from 'node:timers/promises';
import { shardOf } from '../../packages/heddle/src/base/shard.ts';
import type { Complain, Evidence } from '../kill/evidence.ts';
import type { Answers, FeedItem } from '../kill/protocol.ts';
import type { Post } from './post.ts';

const againMs = 50;
const forMs = 1_500;

export class Reader {
  readonly items: FeedItem[] = [];
  /** How often it was told nothing. */
  refusals = 0;
  /** The last time that it was told something, or that there is nothing. */
  isBehind = true;
  #isOver = false;
  readonly #post: Post;
  readonly #reading: Promise<void>;

  constructor(post: Post) {
    this.#post = post;
    this.#reading = this.#read();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#reading;
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      const answer = await this.#post.ask({ type: 'feed', after: this.items.at(-1)?.feedId ?? null, forMs });
      const items = answer !== null && 'value' in answer ? (answer.value as Answers['feed']) : null; // as it is answered
      this.isBehind = items === null || items.length > 0;
      for (const item of items ?? []) this.items.push(item);
      if (items !== null) continue;
      this.refusals++;
      await sleep(againMs);
    }
  }
}

/** Every event once, of each shard in its order; answers with how many were read. */
export function checkReaders(
  readers: readonly Reader[],
  { whole, evidence, complain }: { whole: readonly FeedItem[]; evidence: Evidence; complain: Complain },
): number {
  const expected = byShard(whole);
  for (const [number, { items }] of readers.entries()) {
    const found = byShard(items.filter(({ runId }) => !evidence.gone.has(runId)));
    for (const shard of new Set([...expected.keys(), ...found.keys()])) {
      const [own, all] = [found.get(shard) ?? [], expected.get(shard) ?? []];
      const at = Array.from({ length: Math.max(own.length, all.length) }).findIndex((_, i) => own[i] !== all[i]);
      if (at !== -1)
        complain(
          `Expected reader ${number} to have ${all[at]} as event ${at} of ${all.length} in shard ${shard}, but it has ${own[at]} of ${own.length}`,
        );
    }
  }
  return readers.reduce((sum, { items }) => sum + items.length, 0);
}

function byShard(items: readonly FeedItem[]): ReadonlyMap<number, readonly string[]> {
  const lists = new Map<number, string[]>();
  for (const { runId, id } of items) {
    const list = lists.get(shardOf(runId)) ?? [];
    lists.set(shardOf(runId), list);
    list.push(`${runId}/${id}`);
  }
  return lists;
}
