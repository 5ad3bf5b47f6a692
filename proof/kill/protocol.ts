// Protocol: the lines of JSON between the supervisor, who is the client too, and the engine's process.
//
// Always true: an answer is written after the engine has given it, and in one piece; what was written is heard, however
// the process ends.

import type { Published } from '../../packages/heddle/src/actor/publication.ts';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Reply } from '../../packages/heddle/src/core/commands.ts';
import type { DepositReply } from '../../packages/heddle/src/credits/accounts.ts';
import type { Prompt, PromptReply } from '../../packages/heddle/src/operations/prompts.ts';
import type { Dying } from './death.ts';
import type { Place } from './place.ts';

/** Starts a run; the key tells a repeated start. */
export interface Start {
  readonly type: 'start';
  readonly workflow: string;
  readonly input: JsonObject;
  readonly key: string;
  readonly organization?: string;
}

/** Answers a prompt of a run; with a secret, as whoever was sent a link does. */
export interface ReplyToPrompt {
  readonly type: 'reply';
  readonly secret: string | null;
  readonly runId: string;
  readonly correlationId: string;
  readonly payload: JsonObject;
  readonly key: string;
}

export interface Publish {
  readonly type: 'publish';
  readonly name: string;
  readonly correlation: string;
  readonly payload: JsonObject;
  readonly id: string;
}

export interface Control {
  readonly type: 'cancel' | 'pause' | 'resume';
  readonly runId: string;
}

export interface Deposit {
  readonly type: 'deposit';
  readonly organization: string;
  readonly amount: number;
  readonly key: string;
}

/** Deletes a run that has ended, with all below it. */
export interface Delete {
  readonly type: 'delete';
  readonly runId: string;
  /** Its id and those of all below it. */
  readonly family: readonly string[];
}

/** Asks for a copy of the store; nobody asks for the same one again. */
export interface BackUp {
  readonly type: 'back-up';
  readonly number: number;
}

/** What a client wants done. */
export type Operation = Start | ReplyToPrompt | Publish | Control | Deposit | Delete | BackUp;

/** What a client wants to know. */
export type Question =
  | { readonly type: 'prompts' }
  /** The ids of a run and of all below it. */
  | { readonly type: 'family'; readonly runId: string }
  | { readonly type: 'statuses'; readonly runIds: readonly string[] }
  /** Some runs that have not ended. */
  | { readonly type: 'unfinished' }
  | ReadFeed;

/** What there is in the feed behind a place, and what comes for so long. */
export interface ReadFeed {
  readonly type: 'feed';
  /** Null: from the beginning. */
  readonly after: string | null;
  readonly forMs: number;
}

/** An event as somebody read it. */
export interface FeedItem {
  readonly feedId: string;
  readonly id: string;
  readonly runId: string;
}

/** With the secret of its link, unless it is over by now. */
export interface OpenPrompt extends Prompt {
  readonly secret: string | null;
}

/** What each is answered with. */
export interface Answers {
  start: { readonly runId: string };
  reply: PromptReply;
  publish: Published;
  cancel: Reply;
  pause: Reply;
  resume: Reply;
  deposit: DepositReply;
  /** Not applied: it is gone. */
  delete: { readonly applied: boolean };
  /** Its name in the folder of backups. */
  'back-up': { readonly name: string };
  prompts: readonly OpenPrompt[];
  family: readonly string[];
  /** `gone` for one that is not there. */
  statuses: readonly string[];
  unfinished: readonly string[];
  feed: readonly FeedItem[];
}

export type Answer =
  | { readonly value: Answers[keyof Answers] }
  | { readonly refusal: { readonly code: string; readonly message: string } };

/** How a store is opened. */
export interface Opening {
  readonly place: Place;
  /** The file where effects are noted. */
  readonly effects: string;
  /** Null: it does not die by itself. */
  readonly dying: Dying | null;
  /** Each shard in a thread of its own. */
  readonly hasThreads: boolean;
}

/** To the process. */
export type Order<Opens = Opening> =
  | ({ readonly type: 'open' } & Opens)
  | { readonly type: 'ask'; readonly id: number; readonly ask: Operation | Question }
  | { readonly type: 'close'; readonly graceMs: number };

/** From the process. */
export type Line =
  /** It has heard so, and begins. */
  | { readonly type: 'opening' }
  | { readonly type: 'opened' }
  | { readonly type: 'not-opened'; readonly at: number; readonly code: string; readonly message: string }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly type: 'ended'; readonly runId: string; readonly status: string }
  /** It has come to the point where it is to die: by itself, or, with `outside`, by the supervisor's hand. */
  | { readonly type: 'at'; readonly outside: boolean }
  /** It was not killed in time. */
  | { readonly type: 'past' }
  /** The engine told of an error that no run is to blame for. */
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'closed' };
