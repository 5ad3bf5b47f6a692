// Notes: what a run leaves beside itself, in the same commit, so that others find it without loading the run: its
// prompts, and the events that it waits for.

import type { Failure } from '../base/failure.ts';
import { shortHash } from '../base/hash.ts';
import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { TokenId } from './events.ts';

/** A prompt, also after it was answered. */
export interface PromptNote {
  readonly correlationId: string;
  readonly runId: string;
  readonly rootRunId: string;
  readonly workflow: string;
  readonly token: TokenId;
  readonly node: string;
  readonly title: string | null;
  readonly description?: string;
  /** Where it stands, and what it is about. Notes of earlier versions have none of it. */
  readonly subject?: PromptSubject;
  /** When it was asked: its place among the open ones. */
  readonly askedAt?: number;
  /** The JSON Schema of an answer, as its author wrote it. */
  readonly schema: Json;
  readonly status: 'queued' | 'active' | 'answered' | 'expired' | 'cancelled';
  /** When it began to wait, or to ask. */
  readonly at: number;
  readonly deadline: number | null;
  /** Hash of the payload that answered it, and the key that came with it. */
  readonly answer: string | null;
  readonly answerKey: string | null;
}

export interface PromptSubject {
  /** The path id of its token. */
  readonly path: string;
  /** The branch that asks; absent outside every fan-out. */
  readonly branch?: { readonly index: number; readonly total: number };
  /** The item of the nearest enclosing foreach, unless it is too large for a note. */
  readonly item?: Json;
  readonly isItemLeftOut?: true;
}

/** A token that waits for an event. */
export interface EventWaitNote {
  readonly runId: string;
  readonly token: TokenId;
  /** Events that were published before are not for it. */
  readonly from?: number;
  /** It uses up the event that ends it. */
  readonly once?: true;
}

/**
 * Prompts that can be answered now stand together by root, in the order in which they were asked, so that a page of them
 * is one look. Those that an earlier version asked stand by their correlation id alone.
 */
export function openPromptKey({ rootRunId, askedAt = 0, token, correlationId }: OpenPrompt): string {
  const place = askedAt === 0 ? '' : `${pad(askedAt, 15)}/${pad(token, 9)}/`;
  return `${openPromptsOf(rootRunId)}${place}${correlationId}`;
}

type OpenPrompt = Pick<PromptNote, 'rootRunId' | 'askedAt' | 'token' | 'correlationId'>;

/** What the keys of the open prompts of a tree of runs begin with. */
export const openPromptsOf = (rootRunId: string): string => `${rootRunId}/`;

const pad = (value: number, length: number): string => String(value).padStart(length, '0');

/** Names and correlations may hold anything but a line break, which stands between the parts. */
export const eventKey = (event: string, correlation: string): string => `${oneLine(event)}\n${oneLine(correlation)}\n`;

export const eventWaitKey = (
  event: string,
  correlation: string,
  { runId, token }: Pick<EventWaitNote, 'runId' | 'token'>,
): string => `${eventKey(event, correlation)}${runId}\n${token}`;

const oneLine = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Why a run does not take an event again. */
export const receivedBefore = 'event was received before';

/** What an answer is recognised by when it comes again. */
export const answerHash = (payload: Json): string => shortHash(stableStringify(payload));

/** Why an answer is not taken. */
export type ReplyRefusal = Failure & {
  readonly code:
    | 'PROMPT_NOT_FOUND'
    | 'PROMPT_NOT_ACTIVE'
    | 'ALREADY_ANSWERED'
    | 'PROMPT_EXPIRED'
    | 'PROMPT_CANCELLED'
    | 'PAYLOAD_INVALID';
};
