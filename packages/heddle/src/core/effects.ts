// Effects: requests to the world, in the imperative. Performed after the commit, at least once; whatever a crash
// leaves undone is found again from the committed state (tasks) or the outbox (messages).

import type { Json } from '../base/json.ts';
import type { ChildEnded } from './commands.ts';
import type { ParentLink, TokenId } from './events.ts';

export type Effect =
  | {
      readonly type: 'dispatch';
      readonly token: TokenId;
      readonly node: string;
      readonly attempt: number;
      readonly dispatch: number;
      readonly input: Json;
    }
  | { readonly type: 'abort'; readonly token: TokenId }
  | { readonly type: 'send'; readonly to: string; readonly message: Message };

/** What one run says to another. */
export type Message =
  | { readonly type: 'start'; readonly child: ChildStart }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | ChildEnded;

export interface ChildStart {
  readonly workflow: string;
  /** Null: the latest when it starts. */
  readonly version: number | null;
  readonly input: Json;
  readonly parent: ParentLink;
  readonly rootRunId: string;
  readonly depth: number;
  readonly nodeBudget: number;
  readonly descendantBudget: number;
  readonly trace: boolean;
}
