// Peers: the other shards of a fleet, as one of them reaches them. A host that has several supplies it: calls within a
// process, messages between threads, requests over a network.
//
// A host's author must know: a call may fail, or be done although its answer was lost; whoever calls does so again. What a
// shard is asked must be possible twice.

import type { Command, Reply } from '../../core/commands.ts';
import type { Letter } from './letter.ts';
import type { Placement } from './placement.ts';

/** What a shard does for others. */
export interface Peer {
  /** Answers when its effect is durable. */
  receive(letter: Letter): Promise<void>;
  /** What that shard has sent before this incarnation has arrived, and is not sent again. */
  forgetSender(shard: number, incarnation: string): Promise<void>;
  /** For a run of its own; if it was not applied, what that run has sent to the shard that asks has arrived there. */
  command(runId: string, command: Command, asking: number): Promise<Reply>;
}

export interface Peers {
  readonly placement: Placement;
  /** Another shard. */
  readonly of: (shard: number) => Peer;
}
