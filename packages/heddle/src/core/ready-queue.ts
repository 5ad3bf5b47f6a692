// The tokens that wait to be handed out, first in, first out. Tokens that went another way are skipped when their
// turn comes, so taking one out of the middle costs nothing.

import type { TokenId } from './events.ts';

export class ReadyQueue {
  private ids: TokenId[] = [];
  private head = 0;

  push(id: TokenId): void {
    this.ids.push(id);
  }

  /** Back in its place among those that were made before and after it. For short queues. */
  putInOrder(id: TokenId): void {
    const later = this.ids.findIndex((other, place) => place >= this.head && other > id);
    this.ids.splice(later < 0 ? this.ids.length : later, 0, id);
  }

  /** The next token for which `isReady` holds; null if there is none. */
  take(isReady: (id: TokenId) => boolean): TokenId | null {
    while (this.head < this.ids.length) {
      const id = this.ids[this.head++] as TokenId;
      if (isReady(id)) return this.trim(id);
    }
    this.ids = [];
    this.head = 0;
    return null;
  }

  /** Whether `take` would find one; drops what it would skip. */
  hasAny(isReady: (id: TokenId) => boolean): boolean {
    while (this.head < this.ids.length && !isReady(this.ids[this.head] as TokenId)) this.head++;
    return this.head < this.ids.length;
  }

  /** Those for which `isReady` holds, in order, without repeats. */
  list(isReady: (id: TokenId) => boolean): TokenId[] {
    return [...new Set(this.ids.slice(this.head).filter(isReady))];
  }

  private trim(id: TokenId): TokenId {
    if (this.head > 1024 && this.head * 2 > this.ids.length) {
      this.ids = this.ids.slice(this.head);
      this.head = 0;
    }
    return id;
  }
}
