// The tokens that wait to be handed out, first in, first out. One that goes another way loses its place there and then,
// so that the line is a matter of events alone, whoever looked at it in between; its place is only cleared away later.

import type { TokenId } from './events.ts';

export class ReadyQueue {
  private readonly ids: TokenId[] = [];
  private head = 0;
  /** Where each stands in `ids`. Whatever else is in `ids` has lost its place. */
  private readonly places = new Map<TokenId, number>();

  /** Goes to the end of the line, wherever it stood. */
  push(id: TokenId): void {
    this.places.set(id, this.ids.length);
    this.ids.push(id);
  }

  /** Back in its place among those that were made before and after it. For short queues. */
  putInOrder(id: TokenId): void {
    const others = this.list().filter((other) => other !== id);
    const later = others.findIndex((other) => other > id);
    this.refill(others.toSpliced(later < 0 ? others.length : later, 0, id));
  }

  /** It is handed out, or goes another way. */
  drop(id: TokenId): void {
    this.places.delete(id);
  }

  /** Who is next; null if there is none. */
  first(): TokenId | null {
    if (this.places.size === 0) return this.rest();
    while (this.places.get(this.ids[this.head] as TokenId) !== this.head) this.head++;
    const id = this.ids[this.head] as TokenId;
    if (this.head > 1024 && this.head * 2 > this.ids.length) this.refill(this.list());
    return id;
  }

  get isEmpty(): boolean {
    return this.places.size === 0;
  }

  /** All of them, in order. */
  list(): TokenId[] {
    return this.ids.filter((id, place) => place >= this.head && this.places.get(id) === place);
  }

  /** Nobody is in it, as most of the time: to clear an empty map would make a new one. */
  private rest(): null {
    this.ids.length = 0;
    this.head = 0;
    return null;
  }

  private refill(ids: readonly TokenId[]): void {
    this.places.clear();
    this.rest();
    for (const id of ids) this.push(id);
  }
}
