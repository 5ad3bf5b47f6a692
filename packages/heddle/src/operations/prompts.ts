// Operations on prompts: what runs ask of people, and the answers.

import type { Json } from '../base/json.ts';
import type { JsonSchema } from '../definition/definition.ts';
import { answer, operation } from './operation.ts';
import { type OneRun, type Page, type Paging, page, paging, runId } from './parts.ts';
import { anyText, choice, count, flag, json, object, optional, orNull, text, time } from './schema.ts';

/** A prompt that can be answered now. */
export interface Prompt {
  readonly correlationId: string;
  readonly runId: string;
  readonly rootRunId: string;
  readonly workflow: string;
  readonly nodeId: string;
  readonly title: string | null;
  readonly description: string | null;
  /** Where in the run it stands, as the path id of its token. */
  readonly path: string | null;
  /** The branch that asks; null outside every fan-out. */
  readonly branch: PromptBranch | null;
  /** The item of the nearest enclosing foreach; absent if there is none. */
  readonly item?: Json;
  /** The item is larger than 16 kB: read it from the run. */
  readonly isItemLeftOut?: true;
  /** The JSON Schema of an answer; null: any answer will do. */
  readonly schema: JsonSchema | null;
  readonly requestedAt: number;
  readonly deadline: number | null;
}

export interface PromptBranch {
  readonly index: number;
  readonly total: number;
}

const prompt = object<Prompt>(
  {
    correlationId: anyText(),
    runId: anyText(),
    rootRunId: anyText(),
    workflow: anyText(),
    nodeId: anyText(),
    title: orNull(anyText()),
    description: orNull(anyText()),
    path: orNull(anyText('Where in the run it stands, as the path id of its token.')),
    branch: orNull(object<PromptBranch>({ index: count(), total: count() })),
    item: optional(json()),
    isItemLeftOut: optional(flag('The item is larger than 16 kB.')),
    schema: json('The JSON Schema of an answer; null: any will do.'),
    requestedAt: time('When it was asked.'),
    deadline: orNull(time('When it is too late.')),
  },
  'Prompt',
);

export interface PromptQuery extends Paging {
  /** Those of this run; of a root, those of its whole tree of runs. */
  readonly runId?: string;
  /** Those that runs of this workflow ask. */
  readonly workflow?: string;
}

export interface ReplyOptions {
  /** Tells a repeated answer from another one. */
  readonly key?: string;
}

/** The answer to a prompt. */
interface Answer extends ReplyOptions {
  readonly payload: Json;
}

const promptAnswer = { payload: json(), key: optional(text('Tells a repeated answer from another one.')) };

export interface ReplyRequest extends OneRun, Answer {
  readonly correlationId: string;
}

export interface SecretReplyRequest extends OneSecret, Answer {}

export interface PromptReply {
  /** False: the same answer was taken before. */
  readonly applied: boolean;
}

const promptReply = object<PromptReply>({ applied: flag('False: the same answer was taken before.') });

export interface OnePrompt {
  readonly correlationId: string;
}

const correlationId = text('The prompt.');

export interface PromptSecret {
  readonly secret: string;
  /** Where to post the answer. */
  readonly path: string;
  /** The page on which a person answers. */
  readonly page: string;
}

/** The prompt behind a secret, for a page that shows it to somebody who has no key. */
export interface SecretPrompt {
  /** Whether it can be answered: now, after others (`queued`), or no more. */
  readonly status: (typeof secretPromptStatuses)[number];
  readonly workflow: string;
  readonly title: string | null;
  readonly description: string | null;
  /** The item of the nearest enclosing foreach; absent if there is none. */
  readonly item?: Json;
  /** The item is larger than 16 kB. */
  readonly isItemLeftOut?: true;
  /** The JSON Schema of an answer; null: any answer will do, or none any more. */
  readonly schema: JsonSchema | null;
  readonly deadline: number | null;
}

const secretPromptStatuses = ['open', 'queued', 'answered', 'expired', 'cancelled'] as const;

const secretPrompt = object<SecretPrompt>(
  {
    status: choice(secretPromptStatuses, 'Whether it can be answered: now, after others, or no more.'),
    workflow: anyText(),
    title: orNull(anyText()),
    description: orNull(anyText()),
    item: optional(json()),
    isItemLeftOut: optional(flag('The item is larger than 16 kB.')),
    schema: json('The JSON Schema of an answer; null: any will do, or none any more.'),
    deadline: orNull(time('When it is too late.')),
  },
  'SecretPrompt',
);

export interface OneSecret {
  /** Whose prompt it is. */
  readonly tenant: string;
  readonly secret: string;
}

const oneSecret = { tenant: text('Whose prompt it is.'), secret: text('The secret of the prompt.') };

const tag = 'Prompts';

export const promptOperations = {
  listPrompts: operation<PromptQuery, Page<Prompt>>({
    tag,
    summary: 'What runs ask of people now',
    where: 'every',
    scope: 'prompt:read',
    repeatable: true,
    takes: object<PromptQuery>({
      runId: optional(text('Those of this run; of a root, those of all runs below it.')),
      workflow: optional(text('Those that runs of this workflow ask.')),
      ...paging,
    }),
    answers: answer(page(prompt)),
  }),
  replyToPrompt: operation<ReplyRequest, PromptReply>({
    tag,
    summary: 'Answer a prompt of a run, or of a run below it',
    where: 'run',
    changes: true,
    scope: 'prompt:reply',
    repeatable: true,
    takes: object<ReplyRequest>({ runId, correlationId, ...promptAnswer }),
    answers: answer(promptReply),
  }),
  createPromptSecret: operation<OnePrompt, PromptSecret>({
    tag,
    summary: 'The secret of a prompt: whoever has it can answer this prompt, and do nothing else',
    where: 'run',
    scope: 'prompt:reply',
    repeatable: true,
    takes: object<OnePrompt>({ correlationId }),
    answers: answer(
      object<PromptSecret>({
        secret: anyText(),
        path: anyText('Where to post the answer.'),
        page: anyText('The page on which a person answers.'),
      }),
    ),
  }),
  getPromptBySecret: operation<OneSecret, SecretPrompt>({
    tag,
    summary: 'The prompt that a secret was made for, and whether it can be answered',
    where: 'run',
    scope: 'public',
    repeatable: true,
    takes: object<OneSecret>(oneSecret),
    answers: answer(secretPrompt),
  }),
  replyWithSecret: operation<SecretReplyRequest, PromptReply>({
    tag,
    summary: 'Answer the prompt that a secret was made for',
    where: 'run',
    changes: true,
    scope: 'public',
    repeatable: true,
    takes: object<SecretReplyRequest>({ ...oneSecret, ...promptAnswer }),
    answers: answer(promptReply),
  }),
};
