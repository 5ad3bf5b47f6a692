// Fence: how a store that several processes can reach knows whose writes count. A host that can be reached by one process
// alone (a locked file, memory) has none.
//
// A host's author must know: `take` and `raise` change the epoch and read the number in one step, in order with all writes.
// A write with a stamp is done if its owner and epoch are those of the fence and its number is the next; the number is
// raised with it, in the same transaction, whatever the write holds. Otherwise nothing of it is stored, and it is refused
// with a `StoreError` of code STORE_FENCED. A write whose outcome the host cannot know is refused with STORE_IN_DOUBT.

import type { Awaitable } from './awaitable.ts';

export interface Fence {
  /** Makes `owner` the one whose writes count, above every epoch before. Durable when it returns. */
  take(owner: string): Awaitable<Tenure>;
  /** Raises the epoch of the owner, so that no write that it has on its way can be done any more; null if it owns nothing. */
  raise(owner: string): Awaitable<Tenure | null>;
}

/** What an owner has. */
export interface Tenure {
  readonly epoch: number;
  /** Of the newest write that is stored; 0 before the first. */
  readonly number: number;
}

/** Whose write it is, and the how-manieth of the store. */
export interface Stamp {
  /** Another one for each process that takes the fence. */
  readonly owner: string;
  readonly epoch: number;
  readonly number: number;
}
