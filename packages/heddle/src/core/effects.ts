// Effects: requests to the world, in the imperative. Performed after the commit, at least once; whatever a crash
// leaves undone is found again from the committed state (tasks) or the outbox (messages).

import type { Json, JsonObject } from '../base/json.ts';
import type { ChildChanged, ChildEnded, CreditAnswer, PromptMessage } from './commands.ts';
import type { ParentLink, RememberedStep, TokenId } from './events.ts';
import type { EventWaitNote } from './notes.ts';

export type Effect =
  | {
      readonly type: 'dispatch';
      readonly token: TokenId;
      readonly node: string;
      readonly attempt: number;
      readonly dispatch: number;
      readonly input: Json;
      /** What earlier hand-outs have finished. */
      readonly steps?: readonly RememberedStep[];
    }
  | { readonly type: 'abort'; readonly token: TokenId }
  | { readonly type: 'send'; readonly to: string; readonly message: Message }
  /** A note beside the runs, written with the same commit; a null value removes it. */
  | { readonly type: 'note'; readonly kind: NoteKind; readonly key: string; readonly value: Json | null }
  /** The run waits for an event: one that is kept is handed to it. */
  | ({ readonly type: 'listen'; readonly event: string; readonly correlation: string } & Omit<EventWaitNote, 'runId'>)
  /** To the ledger of credits. */
  | { readonly type: 'charge'; readonly charge: Charge };

/**
 * `prompt`: every prompt, by correlation id. `open-prompt`: those that can be answered now, by root and correlation id.
 * `event`: a published event that is kept, which a run may use up.
 */
export type NoteKind = 'prompt' | 'open-prompt' | 'event-wait' | 'event';

/** Where the ledger of credits receives its messages. */
export const creditsAddress = '@credits';

/** What a run asks of the ledger. */
export type Charge =
  | {
      readonly type: 'reserve';
      readonly runId: string;
      readonly organization: string;
      readonly token?: TokenId;
      readonly amount: number;
    }
  /** The run has ended: what it reserved and did not spend is given back. */
  | { readonly type: 'settle'; readonly runId: string; readonly organization: string; readonly spent: number };

/** What one run says to another. */
export type Message =
  | { readonly type: 'start'; readonly child: ChildStart }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | ChildEnded
  | ChildChanged
  | PromptMessage
  | CreditAnswer;

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
  readonly organization?: string;
  readonly trigger?: JsonObject;
  readonly artifactRuns?: readonly string[];
  /** A retry: the ended sub-run that this one continues, and whether it keeps its idempotency keys. */
  readonly continues?: { readonly runId: string; readonly keepKeys: boolean };
}
