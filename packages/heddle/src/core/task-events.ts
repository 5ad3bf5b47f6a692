// Task events: work is handed out, done in parts, answered, lost. Released events never change their meaning.

import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { TokenId } from './events.ts';

/** What a task gave. The handle that its result named, unless it is `main`; absent in journals of earlier versions. */
export interface Given {
  readonly output: Json;
  readonly handle?: string;
}

/** A finished part of a task's work; without a result, it returned nothing. */
export interface RememberedStep {
  readonly step: string;
  readonly result?: Json;
}

export type TaskEvent =
  | {
      readonly type: 'task.dispatched';
      readonly token: TokenId;
      readonly attempt: number;
      readonly dispatch: number;
      /** Given with the first hand-out; later ones repeat it. */
      readonly input?: Json;
      /** Credits that it costs, with the first hand-out. */
      readonly cost?: number;
    }
  /** A part of its work is done: later attempts and hand-outs are given the result. */
  | ({ readonly type: 'step.completed'; readonly token: TokenId; readonly attempt: number } & RememberedStep)
  | ({ readonly type: 'task.completed'; readonly token: TokenId } & Given)
  | {
      readonly type: 'task.attempt_failed';
      readonly token: TokenId;
      readonly attempt: number;
      readonly error: Failure;
      readonly retryAt: number;
    }
  /** The host that had them is gone: they wait to be handed out again. */
  | { readonly type: 'tasks.lost'; readonly tokens: readonly TokenId[] }
  /** Somebody may have their action now: they wait to be handed out again. */
  | { readonly type: 'tasks.offered'; readonly tokens: readonly TokenId[] }
  /** The node has failed for good: its token has ended. With what its task gave, if only that could not be taken. */
  | ({ readonly type: 'task.failed'; readonly token: TokenId; readonly error: Failure } & Partial<Given>)
  /** A wait is over. */
  | { readonly type: 'timer.fired'; readonly token: TokenId }
  /** A result named a handle that no transition leaves: its path ends. */
  | { readonly type: 'handle.unmatched'; readonly token: TokenId; readonly node: string; readonly handle: string }
  /** A result had control keys that cannot be read, and nothing came of them. */
  | {
      readonly type: 'control.ignored';
      readonly token: TokenId;
      readonly node: string;
      readonly keys: readonly string[];
    };
