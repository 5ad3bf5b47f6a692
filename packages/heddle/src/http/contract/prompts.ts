// Routes: what runs ask of people.

import { Type } from 'typebox';
import type { JsonSchema } from '../../definition/definition.ts';
import { json, orNull, page, paging, text, time } from './parts.ts';
import { record, route } from './route.ts';

const prompt = record(
  {
    correlationId: Type.String(),
    runId: Type.String(),
    rootRunId: Type.String(),
    workflow: Type.String(),
    nodeId: Type.String(),
    title: orNull(Type.String()),
    description: orNull(Type.String()),
    path: orNull(Type.String({ description: 'Where in the run it stands, as the path id of its token.' })),
    branch: orNull(record({ index: Type.Integer(), total: Type.Integer() })),
    item: Type.Optional(json),
    isItemLeftOut: Type.Optional(Type.Literal(true, { description: 'The item is larger than 16 kB.' })),
    schema: Type.Unsafe<JsonSchema | null>({ description: 'The JSON Schema of an answer; null: any will do.' }),
    requestedAt: time('When it was asked.'),
    deadline: orNull(time('When it is too late.')),
  },
  'Prompt',
);

const answer = record({
  payload: json,
  key: Type.Optional(text('Tells a repeated answer from another one.')),
});

const answered = record({ applied: Type.Boolean({ description: 'False: the same answer was taken before.' }) });

export const promptRoutes = {
  listPrompts: route({
    method: 'GET',
    path: '/v1/prompts',
    scope: 'prompt:read',
    tag: 'Prompts',
    summary: 'What runs ask of people now',
    query: record({
      runId: Type.Optional(text('Those of this run; of a root, those of all runs below it.')),
      ...paging,
    }),
    answer: page(prompt),
    status: 200,
  }),
  replyToPrompt: route({
    method: 'POST',
    path: '/v1/runs/{runId}/prompts/{correlationId}/reply',
    scope: 'prompt:reply',
    tag: 'Prompts',
    summary: 'Answer a prompt of a run, or of a run below it',
    body: answer,
    answer: answered,
    status: 200,
    isRepeatable: true,
  }),
  createPromptSecret: route({
    method: 'POST',
    path: '/v1/prompts/{correlationId}/secret',
    scope: 'prompt:reply',
    tag: 'Prompts',
    summary: 'The secret of a prompt: whoever has it can answer this prompt, and do nothing else',
    answer: record({ secret: Type.String(), path: Type.String({ description: 'Where to post the answer.' }) }),
    status: 200,
    isRepeatable: true,
  }),
  replyWithSecret: route({
    method: 'POST',
    path: '/v1/replies/{tenant}/{secret}',
    scope: 'public',
    tag: 'Prompts',
    summary: 'Answer the prompt that a secret was made for',
    body: answer,
    answer: answered,
    status: 200,
    isRepeatable: true,
  }),
};
