// Routes: runs, and what is done to them.

import { Type } from 'typebox';
import { type IfFailed, ifFailedChoices } from '../../sdk/starter.ts';
import { failure, idempotencyKey, json, orNull, page, paging, reply, status, tags, text, time } from './parts.ts';
import { record, route } from './route.ts';

const tag = 'Runs';

const outcome = { status, output: Type.Optional(json), error: Type.Optional(failure) };

const runSummary = record(
  {
    runId: Type.String(),
    ...outcome,
    workflow: Type.String(),
    version: Type.Integer(),
    createdAt: time('When it was started.'),
    updatedAt: time('When it last changed.'),
    endedAt: orNull(time('When it ended.')),
    parentRunId: orNull(Type.String()),
    rootRunId: Type.String(),
    tags,
    nextTimerAt: orNull(time('When it wakes by itself.')),
    quarantine: orNull(Type.String({ description: 'Why it was set aside.' })),
  },
  'Run',
);

const waitMs = Type.Integer({ minimum: 0, maximum: 60_000, description: 'Wait for the end, at most so long.' });
const ended = Type.Boolean({ description: 'Whether it has ended, or was set aside: nothing more will come.' });

const result = record({ runId: Type.String(), ended, ...outcome }, 'RunResult');

const started = record(
  {
    runId: Type.String(),
    result: Type.Optional(result),
  },
  'StartedRun',
);

const filter = {
  workflow: Type.Optional(text('Only runs of this workflow.')),
  status: Type.Optional(Type.Array(status, { maxItems: 10, description: 'Only runs with one of these.' })),
  parentRunId: Type.Optional(text('Only sub-runs of this run.')),
  rootRunId: Type.Optional(text('Only sub-runs of this run, at any depth.')),
  search: Type.Optional(
    text('Only runs whose id (8 characters or more) or workflow begins with this, or with this value of a tag.'),
  ),
  createdAfter: Type.Optional(time('Only runs started then or later.')),
  createdBefore: Type.Optional(time('Only runs started before that.')),
  quarantined: Type.Optional(Type.Boolean({ description: 'Only runs that were set aside.' })),
  subRuns: Type.Optional(
    Type.Boolean({ description: 'Sub-runs too; they also come with `parentRunId` and `rootRunId`.' }),
  ),
};

const bulkRequest = record(
  {
    ...filter,
    tags: Type.Optional(tags),
    all: Type.Optional(Type.Boolean({ description: 'Every run there is: needed where no filter is given.' })),
    reason: Type.Optional(text('Why; for cancelling.')),
    ...paging,
  },
  'BulkRequest',
);

const bulkAnswer = record(
  {
    items: Type.Array(
      record({
        runId: Type.String(),
        applied: Type.Boolean(),
        retriedAs: Type.Optional(Type.String({ description: 'The new run, for a retry.' })),
        code: Type.Optional(Type.String({ description: 'Why it was refused.' })),
        message: Type.Optional(Type.String()),
      }),
    ),
    next: orNull(Type.String({ description: 'For `after`, if there are more: ask again until it is null.' })),
  },
  'BulkAnswer',
);

export const runRoutes = {
  startRun: route({
    method: 'POST',
    path: '/v1/runs',
    scope: 'run:start',
    tag,
    summary: 'Start a run',
    description:
      'Durable when it is answered. Starting again with the same `idempotencyKey` gives the same run: whoever lost the answer asks again.',
    headers: idempotencyKey,
    body: record(
      {
        workflow: text('The workflow.'),
        version: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest if absent.' })),
        input: Type.Optional(json),
        idempotencyKey: Type.Optional(text('The same key gives the same run.')),
        ifFailed: Type.Optional(
          Type.Unsafe<IfFailed>({
            type: 'string',
            enum: [...ifFailedChoices],
            description: 'With the key of a failed run: answer with it (default), retry it, or start anew.',
          }),
        ),
        tags: Type.Optional(tags),
        organization: Type.Optional(text('Whose credits pay for it.')),
        trace: Type.Optional(
          Type.Boolean({ description: 'Keep how decisions about it come about, for `/v1/runs/{runId}/trace`.' }),
        ),
        delayMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Begin so much later.' })),
        startAt: Type.Optional(time('Begin then.')),
        waitMs: Type.Optional(waitMs),
      },
      'StartRun',
    ),
    answer: started,
    status: 201,
  }),
  listRuns: route({
    method: 'GET',
    path: '/v1/runs',
    scope: 'run:read',
    tag,
    summary: 'List runs, newest first',
    query: record({
      ...filter,
      tag: Type.Optional(
        Type.Array(Type.String({ pattern: '^[^=]+=', maxLength: 2_000 }), {
          maxItems: 10,
          description: 'Only runs with this tag, written `key=value`; every one must match.',
        }),
      ),
      ...paging,
    }),
    answer: page(runSummary),
    status: 200,
  }),
  countRuns: route({
    method: 'GET',
    path: '/v1/runs/count',
    scope: 'run:read',
    tag,
    summary: 'How many runs there are of each status, each counted up to 10,000',
    query: record({ workflow: filter.workflow, subRuns: filter.subRuns }),
    answer: record(
      {
        byStatus: Type.Unsafe<Readonly<Record<string, number>>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
        }),
        quarantined: Type.Integer(),
        more: Type.Unsafe<readonly string[]>({
          type: 'array',
          items: { type: 'string' },
          description: 'Those of which there are more than were counted.',
        }),
      },
      'RunCounts',
    ),
    status: 200,
  }),
  getRun: route({
    method: 'GET',
    path: '/v1/runs/{runId}',
    scope: 'run:read',
    tag,
    summary: 'Show a run',
    answer: runSummary,
    status: 200,
  }),
  waitForRun: route({
    method: 'GET',
    path: '/v1/runs/{runId}/result',
    scope: 'run:read',
    tag,
    summary: 'Wait for the result of a run',
    description: 'Answers when the run has ended, or as it stands when the time is up.',
    query: record({ waitMs: Type.Optional(waitMs) }),
    answer: result,
    status: 200,
  }),
  cancelRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/cancel',
    scope: 'run:control',
    tag,
    summary: 'Cancel a run and its sub-runs',
    body: record({ reason: Type.Optional(text('Why.')) }),
    bodyIsOptional: true,
    answer: reply,
    status: 200,
    isRepeatable: true,
  }),
  pauseRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/pause',
    scope: 'run:control',
    tag,
    summary: 'Hand out nothing more of a run until it is resumed',
    answer: reply,
    status: 200,
    isRepeatable: true,
  }),
  resumeRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/resume',
    scope: 'run:control',
    tag,
    summary: 'Let a paused run go on',
    answer: reply,
    status: 200,
    isRepeatable: true,
  }),
  retryRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/retry',
    scope: 'run:retry',
    tag,
    summary: 'Start a new run that goes on from just before the failure of this one',
    headers: idempotencyKey,
    body: record({
      keepKeys: Type.Optional(Type.Boolean({ description: 'Keep the idempotency keys of its tasks.' })),
      idempotencyKey: Type.Optional(text('The same key gives the same new run.')),
    }),
    bodyIsOptional: true,
    answer: started,
    status: 201,
  }),
  releaseRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/release',
    scope: 'run:control',
    tag,
    summary: 'Release a run from quarantine',
    answer: reply,
    status: 200,
    isRepeatable: true,
  }),
  deleteRun: route({
    method: 'DELETE',
    path: '/v1/runs/{runId}',
    scope: 'run:delete',
    tag,
    summary: 'Delete a run that has ended, with its sub-runs',
    answer: 'nothing',
    status: 204,
  }),
  cancelRuns: route({
    method: 'POST',
    path: '/v1/runs/cancel',
    scope: 'run:control',
    tag,
    summary: 'Cancel every run that a filter finds, a page at a time',
    body: bulkRequest,
    answer: bulkAnswer,
    status: 200,
    isRepeatable: true,
  }),
  retryRuns: route({
    method: 'POST',
    path: '/v1/runs/retry',
    scope: 'run:retry',
    tag,
    summary: 'Retry every run that a filter finds, a page at a time',
    description: 'A run is retried once by this, however often it is asked for.',
    body: bulkRequest,
    answer: bulkAnswer,
    status: 200,
    isRepeatable: true,
  }),
};
