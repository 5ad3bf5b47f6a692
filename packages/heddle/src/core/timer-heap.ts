// The deadlines of a run, earliest first. An index only: what is due stands in the tokens, the groups and the run, and
// an entry that no longer says the same as they do is dropped when it comes up.

import type { GroupId, TokenId } from './events.ts';

export type Timer = { readonly at: number } & (
  | { readonly type: 'run' | 'start' }
  | { readonly type: 'token'; readonly token: TokenId }
  | { readonly type: 'join'; readonly group: GroupId }
);

export class TimerHeap {
  private heap: Timer[] = [];

  get size(): number {
    return this.heap.length;
  }

  push(timer: Timer): void {
    const { heap } = this;
    let i = heap.push(timer) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (isBefore(at(heap, up), timer)) break;
      heap[i] = at(heap, up);
      i = up;
    }
    heap[i] = timer;
  }

  /** The earliest timer for which `isSet` holds. */
  peek(isSet: (timer: Timer) => boolean): Timer | null {
    while (this.heap.length > 0) {
      const first = at(this.heap, 0);
      if (isSet(first)) return first;
      this.pop();
    }
    return null;
  }

  /** Forgets entries that are no longer set: for a run that sets and drops far more deadlines than ever come due. */
  compact(isSet: (timer: Timer) => boolean): void {
    const kept = this.heap.filter(isSet);
    this.heap = [];
    for (const timer of kept) this.push(timer);
  }

  pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && isBefore(at(heap, down + 1), at(heap, down))) down++;
      if (isBefore(last, at(heap, down))) break;
      heap[i] = at(heap, down);
      i = down;
    }
    heap[i] = last;
  }
}

// TM6: earliest first; of one instant the run, then joins, then tokens, each by id.
const ranks = { run: 0, start: 1, join: 2, token: 3 } as const;

/** A total order, so that timers of one instant fire in the same order however the heap came to be. */
function isBefore(a: Timer, b: Timer): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.type !== b.type) return ranks[a.type] < ranks[b.type];
  return idOf(a) <= idOf(b);
}

const idOf = (timer: Timer): number => (timer.type === 'token' ? timer.token : timer.type === 'join' ? timer.group : 0);

const at = (heap: readonly Timer[], i: number): Timer => heap[i] as Timer; // callers stay below its length
