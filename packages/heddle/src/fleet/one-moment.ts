// One moment: the copies of a backup are made one after the other, and yet show a fleet as it could have been at one moment.
// What a shard does once its copy was begun is not seen by one that is still to be copied: else that copy would hold what
// follows from something that no copy holds. Rule ML10.
//
// Always true: outside of a backup nothing waits; when a backup ends, however it does, nothing waits for it any more.

import { Turns } from '../actor/turns.ts';
import type { ShardPeer } from '../engine/peers.ts';
import { askPeer, peerLike } from './peer-like.ts';

interface Way {
  readonly from: number;
  readonly to: number;
}

export class OneMoment {
  readonly #turns = new Turns();
  /** Of the backup under way: whose copies were begun, and whose are made. */
  readonly #begun = new Set<number>();
  readonly #made = new Set<number>();
  #isCopying = false;
  readonly #waiters: (() => void)[] = [];

  /**
   * Copies one after the other; one backup at a time. Home is copied last: a folder without it is no fleet (SH12), and is not
   * taken for a backup that was finished.
   */
  async copy(copies: readonly (() => Promise<void>)[]): Promise<void> {
    await this.#turns.take('backup', async () => {
      this.#isCopying = true;
      try {
        for (const [shard, make] of [...copies.entries()].toReversed()) {
          this.#begun.add(shard);
          await make();
          this.#made.add(shard);
          this.#wake();
        }
      } finally {
        this.#isCopying = false;
        this.#begun.clear();
        this.#made.clear();
        this.#wake();
      }
    });
  }

  /** As one shard reaches another: what is asked waits, and so does the answer. */
  between(peer: ShardPeer, way: Way): ShardPeer {
    return peerLike(
      (name) =>
        (...args) =>
          this.#exchange(way, () => askPeer(peer, name, args)),
    );
  }

  async #exchange<Answer>({ from, to }: Way, ask: () => Promise<Answer>): Promise<Answer> {
    await this.#pass(from, to);
    try {
      return await ask();
    } finally {
      await this.#pass(to, from);
    }
  }

  // ML10: nothing goes from a shard whose copy was begun to one whose copy is not made.
  async #pass(from: number, to: number): Promise<void> {
    while (this.#isCopying && this.#begun.has(from) && !this.#made.has(to))
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}
