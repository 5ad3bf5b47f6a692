// The tokens that wait to be handed out, first in, first out. One that goes another way loses its place there and then,
// so that the line is a matter of events alone, whoever looked at it in between; its place is only cleared away later.
//
// Always true: who stands at the head has its place, and so has everybody behind it until somebody leaves from further
// back. Few do, and to note all places took 2 % of the time of saturated small steps: they are noted from then on only.

import type { TokenId } from './events.ts';

export class ReadyQueue {
  private ids: TokenId[] = [];
  private head = 0;
  /** Where each stands in `ids`, if not all from `head` on have their places. */
  private places: Map<TokenId, number> | null = null;

  /** Goes to the end of the line; it stands nowhere in it. */
  push(id: TokenId): void {
    this.places?.set(id, this.ids.length);
    this.ids.push(id);
  }

  /** Back in its place among those that were made before and after it. For short queues. */
  putInOrder(id: TokenId): void {
    const others = this.list();
    const later = others.findIndex((other) => other > id);
    this.refill(others.toSpliced(later < 0 ? others.length : later, 0, id));
  }

  /** It is handed out, or goes another way; if it stands in the line, it does no more. */
  drop(id: TokenId): void {
    if (this.isEmpty) return;
    if (this.ids[this.head] === id) this.moveUp();
    else if (this.ids.at(-1) === id) this.dropLast(id);
    else {
      this.places ??= this.notePlaces();
      this.places.delete(id);
    }
  }

  /** Who is next; null if there is none. */
  first(): TokenId | null {
    return this.ids[this.head] ?? null;
  }

  get isEmpty(): boolean {
    return this.head === this.ids.length;
  }

  /** All of them, in order. */
  list(): TokenId[] {
    return this.ids.filter((_, place) => place >= this.head && this.isTaken(place));
  }

  /** A token that continues at once, as most do that have not to be handed out. */
  private dropLast(id: TokenId): void {
    this.ids.pop();
    this.places?.delete(id);
  }

  private moveUp(): void {
    this.head++;
    while (!this.isEmpty && !this.isTaken(this.head)) this.head++;
    if (this.head >= 16 && this.head * 2 >= this.ids.length) this.refill(this.list());
  }

  /** From the head on: whether somebody still stands there. */
  private isTaken(place: number): boolean {
    // A place is one in the list.
    return this.places === null || this.places.get(this.ids[place] as TokenId) === place;
  }

  private refill(ids: TokenId[]): void {
    this.ids = ids;
    this.head = 0;
    this.places = null;
  }

  private notePlaces(): Map<TokenId, number> {
    const places = new Map<TokenId, number>();
    // Every place is below its length.
    for (let place = this.head; place < this.ids.length; place++) places.set(this.ids[place] as TokenId, place);
    return places;
  }
}
