// Operation: one thing that can be asked of an engine, as data. The table of all of them is what the engine checks requests
// by; what goes over HTTP, the client, the OpenAPI document and the flags of the command line follow from it.

import type { AnySchema, Schema } from './schema.ts';
import type { Scope } from './scope.ts';

/** Which engine of several can do it. */
export type Where =
  /** The one that has the run, which `runId` names. */
  | 'run'
  /** The one that a key decides: an idempotency key, the id of an event, an organization. */
  | 'key'
  /** The one that keeps what all share: definitions, triggers, secrets. */
  | 'home'
  /** All of them, and the answers are put together. */
  | 'every'
  /** Wherever there are tasks for workers. */
  | 'work'
  /** The process that is asked. */
  | 'process';

export interface Operation<Request, Answer> {
  readonly tag: Tag;
  /** One line, for people. */
  readonly summary: string;
  readonly description?: string;
  readonly where: Where;
  /** What a key must be allowed; `any` key will do; `public` needs none. */
  readonly scope: Scope | 'any' | 'public';
  /** It changes what is stored: an engine that only looks, or was closed, refuses it. */
  readonly changes?: true;
  /** It is about what only the engine knows that works on it, or waits for that: its store does not have it. */
  readonly ofOwner?: true;
  /** Whether doing it again changes nothing: it never does, or not if this member of the request is given. */
  readonly repeatable?: true | (keyof Request & string);
  readonly takes: Schema<Request>;
  /** Beside its request it takes bytes, of any type. */
  readonly takesBytes?: true;
  readonly answers: Answers<Answer>;
}

/** Its form: one answer, a stream of them, bytes, text, or nothing. */
export type Answers<Answer> =
  | { readonly form: 'json'; readonly of: Schema<Answer> }
  | { readonly form: Exclude<Form, 'json'>; readonly of?: AnySchema; readonly '~of'?: (value: Answer) => Answer };

export type Form = 'json' | 'stream' | 'bytes' | 'text' | 'nothing';

/** One whose request and answer are not known to the compiler. */
export interface AnyOperation extends Omit<Operation<never, never>, 'takes' | 'answers' | 'repeatable'> {
  readonly repeatable?: true | string;
  readonly takes: AnySchema;
  readonly answers: { readonly form: Form; readonly of?: AnySchema };
}

export interface Bytes {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

export const answer = <T>(of: Schema<T>): Answers<T> => ({ form: 'json', of });
/** Each by this schema. */
export const stream = <T>(of: Schema<T>): Answers<AsyncIterable<T>> => ({ form: 'stream', of });
export const bytes: Answers<Bytes> = { form: 'bytes' };
export const plainText: Answers<string> = { form: 'text' };
export const nothing: Answers<undefined> = { form: 'nothing' };

/** Written with both types, so that the schemas are compared with them. */
export function operation<Request, Answer>(one: Operation<Request, Answer>): Operation<Request, Answer> {
  return one;
}

export const tags = {
  Definitions: 'Workflows as they are drawn: register, check, list, export.',
  Drafts: 'Workflows that are being drawn: save, compare, publish.',
  Runs: 'Start, wait for, find and control runs.',
  'Inside a run': 'State, tokens, nodes, journal: how a run stands, and how it came to that.',
  Prompts: 'What runs ask of people, and the answers.',
  Events: 'Events from outside, and the journals of all runs.',
  Triggers: 'What starts runs by itself.',
  Credits: 'What organizations pay for their runs with.',
  Workers: 'Programs outside that do the work: lease tasks, keep them, finish them.',
  Artifacts: 'Bytes that runs hand on as references.',
  Secrets: 'Values that actions may send to named hosts, and nobody may see.',
  Webhooks: 'Where calls from outside come in.',
  Callbacks: 'Who is told of what happens to runs, and what was told.',
  Retention: 'How long runs are kept after they have ended.',
  Access: 'Who may use a server: keys, sessions of browsers, tokens for one run or one workflow.',
  Operations: 'For whoever operates the server.',
} as const;

export type Tag = keyof typeof tags;
