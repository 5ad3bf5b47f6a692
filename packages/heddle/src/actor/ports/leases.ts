// Leases: how processes that share the stores of a fleet agree on which of them owns which shard. A host whose shards belong to one
// process has none.
//
// A host's author must know: a process has one lease, for all that it owns. Its end is counted by the store's clock, which is
// one for all processes. Each call is one step, in order with those of all processes, and durable when it answers; one whose
// answer was lost is made again.

import type { Awaitable } from './awaitable.ts';

export interface Leases {
  /** Extends the lease of a process to so long from now, or begins it. */
  renew(process: string, forMs: number): Awaitable<Standing>;
  /** Gives it a shard that nobody owns, or whose owner's lease is over; whether it owns it now. */
  claim(process: string, shard: number): Awaitable<boolean>;
  /** It owns the shard no more; nothing happens if it did not. */
  release(process: string, shard: number): Awaitable<void>;
  /** Ends its lease: what it still owns is free, and it is no process any more. */
  leave(process: string): Awaitable<void>;
}

export interface Standing {
  /** How many processes have a lease that is not over. */
  readonly processes: number;
  /** Shards of the process that asks, ascending. */
  readonly owned: readonly number[];
  /** Shards that can be claimed, ascending. */
  readonly free: readonly number[];
}
