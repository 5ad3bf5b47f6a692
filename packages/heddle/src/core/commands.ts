// Commands: everything that can reach a run from outside. `at` is the only clock that the core ever sees.

import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { RetryPolicy } from '../definition/graph.ts';
import type { RunStart, TokenId } from './events.ts';

export type Command = { readonly at: number } & (
  | {
      readonly type: 'start';
      readonly start: RunStart;
      /** For a retry: the encoded state of the run that failed, just before it did. */
      readonly restore?: Json;
    }
  | TaskResult
  | ChildEnded
  /** Some timer may be due. */
  | { readonly type: 'alarm' }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** The host has lost whatever was under way: hand it out again. */
  | { readonly type: 'recover' }
);

/** What an attempt came to. */
export interface TaskResult {
  readonly type: 'task.result';
  readonly token: TokenId;
  /** The hand-out that it answers. */
  readonly dispatch: number;
  readonly outcome: TaskOutcome;
}

export type TaskOutcome =
  | { readonly type: 'completed'; readonly output: Json }
  | {
      readonly type: 'failed';
      readonly failure: Failure;
      /** False: trying again is useless, whatever the policy says. */
      readonly retryable: boolean;
      /** The action asked for this delay (`Retry-After`). */
      readonly retryAfterMs: number | null;
      /** The action's own policy, for nodes that have none. */
      readonly retry: RetryPolicy | null;
    };

/** A sub-run told how it ended. */
export interface ChildEnded {
  readonly type: 'child.ended';
  readonly token: TokenId;
  readonly childRunId: string;
  readonly status: string;
  readonly output?: Json;
  readonly error?: Failure;
  readonly nodesUsed: number;
  readonly descendantsUsed: number;
}

/** What a command came to, for whoever sent it. */
export interface Reply {
  /** False: it changed nothing (late, repeated, or meant for what is not there), and `reason` says why. */
  readonly applied: boolean;
  readonly reason?: string;
}
