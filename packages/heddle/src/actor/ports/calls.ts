// Calls: how processes that share the stores of a fleet ask each other, without a network between them: a call is a row, addressed
// to a shard; whoever owns the shard takes it, and its answer comes back in the same row.
//
// A host's author must know: an exchange is one step, in order with those of all processes and with their leases. What it came to
// stays, or is lost with all calls and whoever has joined, as where a database keeps them in memory and fails. One with a number
// that is not above all before it of its process does nothing, however late it comes: whoever has lost an answer asks again with a
// higher one, and hears again what it has not heard. A call is taken once, by the owner of its shard while the lease of that
// lasts by the store's clock. What is asked and answered are texts that a host never reads.

import type { Awaitable } from './awaitable.ts';

export interface Calls {
  /** From now on it may ask and answer, with numbers above this one. */
  join(process: string, number: number): Awaitable<void>;
  /** Null: the process was forgotten, as when it had said nothing for `forgottenAfterMs`, and so were its calls. */
  exchange(said: Said): Awaitable<Heard | null>;
  /** It asks and answers no more, and its calls go. */
  leave(process: string): Awaitable<void>;
  /** Calls back when there may be something to hear. Absent: nobody says so. */
  listen?(process: string, onNews: () => void): Listening;
}

export interface Listening {
  /** Whether it would be told now; it may miss some all the same, or be told in vain. */
  readonly isTold: boolean;
  readonly stop: () => void;
}

/** By the store's clock. */
export const forgottenAfterMs = 60_000;

/** What a process says. All lists may name what is gone already. */
export interface Said {
  readonly process: string;
  readonly number: number;
  /** The newest exchange whose answer it has heard. */
  readonly heard: number;
  /** Its own, new ones; those that are there already stay as they are. */
  readonly calls: readonly Call[];
  /** To calls that it has taken. */
  readonly answers: readonly CallAnswer[];
  /** Its own, that go unless somebody has taken them. */
  readonly withdrawn: readonly string[];
  /** Its own, that somebody has taken, and whose answer nobody waits for any more. */
  readonly aborted: readonly string[];
  /** Its own, that go whatever has become of them. */
  readonly settled: readonly string[];
  /** At most so many are taken now. */
  readonly takenMax: number;
  /** Shards whose newest commits it wants to know. */
  readonly followed: readonly number[];
}

export interface Call {
  /** Another one for each call of all processes. */
  readonly id: string;
  readonly shard: number;
  readonly question: string;
}

export interface CallAnswer {
  readonly id: string;
  readonly answer: string;
}

export interface Heard {
  /** For shards that it owns, oldest first: taken now, or in an exchange whose answer it has not heard. */
  readonly taken: readonly Call[];
  /** Of those that it has taken and not answered: nobody waits. */
  readonly aborted: readonly string[];
  /** To its own calls, until they are settled. */
  readonly answers: readonly CallAnswer[];
  /** Of its own, those that it has withdrawn and that nobody can take any more. */
  readonly withdrawn: readonly string[];
  /** Of its own, those without an answer whose taker's lease is over. */
  readonly lost: readonly string[];
  /** Of each shard that it follows, the position of the newest commit (`Feed.feedEnd`), in their order. */
  readonly ends: readonly number[];
}
