// Commands: everything that can reach a run from outside. `at` is the only clock that the core ever sees.

import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { RetryPolicy } from '../definition/graph.ts';
import type { QueuedPrompt, RememberedStep, RunStart, TokenId } from './events.ts';

export type Command = { readonly at: number } & (
  | {
      readonly type: 'start';
      readonly start: RunStart;
      /** For a retry: the encoded state of the run that failed, just before it did. */
      readonly restore?: Json;
      /** The restored state is that of the very same run, taken as a snapshot: all of it is taken over. */
      readonly isWhole?: true;
    }
  | TaskResult
  | StepResult
  | TaskLost
  | ChildEnded
  | ChildChanged
  | PromptMessage
  | InputReply
  | EventArrival
  | CreditAnswer
  /** From the run itself: the command before has left something to do that its state names. */
  | { readonly type: 'continue' }
  /** Some timer may be due. */
  | { readonly type: 'alarm' }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | Recover
  | ActionsAvailable
);

/** One hand-out of a task: only the newest can be answered. */
export interface HandOut {
  readonly token: TokenId;
  readonly dispatch: number;
}

/** The host has lost whatever was running: hand it out again. */
export interface Recover {
  readonly type: 'recover';
  /** But for what somebody outside of it has: that is left as it is. */
  readonly held?: readonly HandOut[];
  /** And what waited for somebody outside, and nobody ever had: that is offered again. */
  readonly unclaimed?: readonly HandOut[];
  /** Tasks whose action nobody had, and somebody may have now. */
  readonly offered?: readonly TokenId[];
}

/** Somebody has these actions now: tasks that wait for one of them are handed out. */
export interface ActionsAvailable {
  readonly type: 'actions.available';
  readonly names: readonly string[];
}

/** What an attempt came to. */
export interface TaskResult extends HandOut {
  readonly type: 'task.result';
  readonly outcome: TaskOutcome | Unavailable;
}

/** An attempt that is running has finished a step. */
export interface StepResult extends HandOut, RememberedStep {
  readonly type: 'task.step';
}

/** There was no attempt: nobody has the action. */
export interface Unavailable {
  readonly type: 'unavailable';
  readonly action: string;
  /** What the task fails with where it does not wait. */
  readonly failure: Failure;
}

/** Whoever had it will not answer: its lease is over, or it was handed back. */
export interface TaskLost extends HandOut {
  readonly type: 'task.lost';
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

/** A sub-run can be woken only by people or outside events, or no longer so. */
export interface ChildChanged {
  readonly type: 'child.suspended' | 'child.resumed';
  readonly token: TokenId;
  readonly childRunId: string;
}

/** Between a run and its root, which keeps the queue of prompts. */
export type PromptMessage =
  | ({ readonly type: 'input.enqueue' } & QueuedPrompt)
  | ({ readonly type: 'input.release' } & QueuedPrompt)
  | { readonly type: 'input.grant'; readonly token: TokenId };

/** A person's answer. */
export interface InputReply {
  readonly type: 'reply';
  readonly token: TokenId;
  readonly correlationId: string;
  readonly payload: Json;
  /** Tells a repeated answer from another one. */
  readonly key?: string;
}

/** A published event for a token that waits for one. */
export interface EventArrival {
  readonly type: 'event';
  readonly token: TokenId;
  readonly eventId: string;
  readonly event: string;
  readonly correlation: string;
  readonly payload: Json;
  readonly expiresAt: number;
  /** The key of the record that keeps it, for a run that uses it up. */
  readonly keptAs?: string;
}

/** The ledger's answer; without a token, about the whole run. */
export interface CreditAnswer {
  readonly type: 'credits.answer';
  readonly token?: TokenId;
  readonly granted: boolean;
  /** What was asked for. */
  readonly amount: number;
  /** What the organization has left. */
  readonly balance: number;
}

/** What a command came to, for whoever sent it. */
export interface Reply {
  /** False: it changed nothing (late, repeated, or meant for what is not there), and `reason` says why. */
  readonly applied: boolean;
  readonly reason?: string;
  /** For answers that cannot be taken. */
  readonly refusal?: Failure;
}
