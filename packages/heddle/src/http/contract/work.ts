// Routes: what workers outside do: lease tasks, keep them, finish them; and the artifacts that runs hand on.

import { Type } from 'typebox';
import type { Thrown } from '../../base/failure.ts';
import type { RememberedStep } from '../../core/events.ts';
import type { JsonSchema, RetryDefinition } from '../../definition/definition.ts';
import type { AnnouncedAction } from '../../work/announcement.ts';
import type { HeartbeatAnswer, ReleaseAnswer } from '../../work/desk.ts';
import { json, jsonObject, orNull, page, paging, reference, text, thrown, time } from './parts.ts';
import { record, route } from './route.ts';

const tag = 'Workers';
const lease = text('The lease, as it was handed out: it opens this task alone, and dies with it.');
const leaseMs = Type.Optional(
  Type.Integer({ minimum: 1, description: 'How long, if nothing is heard of the worker.' }),
);

const stepFields = {
  step: text('Its name, with its number from the second of that name on: `charge`, `charge#2`.'),
  result: Type.Optional(json),
};
const rememberedStep = record(stepFields, 'RememberedStep');

const leasedTask = record(
  {
    lease,
    runId: Type.String(),
    tokenId: Type.Integer(),
    nodeId: Type.String(),
    workflow: Type.String(),
    version: Type.Integer(),
    action: Type.String(),
    actionVersion: orNull(Type.Integer()),
    input: json,
    attempt: Type.Integer({ description: '1 for the first.' }),
    dispatch: Type.Integer({ description: 'Rises at every hand-out.' }),
    idempotencyKey: Type.String({ description: 'The same for all attempts: for whatever must not happen twice.' }),
    timeoutMs: orNull(Type.Integer()),
    limits: record({
      payloadBytesMax: Type.Integer(),
      jsonDepthMax: Type.Integer(),
      artifactBytesMax: Type.Integer(),
    }),
    trigger: orNull(jsonObject),
    artifactRuns: Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } }),
    steps: Type.Optional(
      Type.Unsafe<readonly RememberedStep[]>(
        Type.Array(rememberedStep, { description: 'What earlier attempts have finished; absent if there is nothing.' }),
      ),
    ),
    expiresAt: time('When the lease ends, if nothing is heard of the worker.'),
  },
  'LeasedTask',
);

const progress = record(
  {
    fraction: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    details: Type.Optional(json),
  },
  'Progress',
);

const refusal = record({ code: Type.String(), message: Type.String() });

const retryPolicy = Type.Unsafe<RetryDefinition>({
  type: 'object',
  description: 'The policy of the action, for nodes that have none.',
});

const taskError = record({
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  message: Type.String({ maxLength: 100_000 }),
  details: Type.Optional(json),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  stack: Type.Optional(Type.String({ maxLength: 100_000, description: 'Where it was thrown, for people.' })),
  cause: Type.Optional(thrown),
  errors: Type.Optional(
    Type.Unsafe<readonly Thrown[]>({
      type: 'array',
      items: thrown,
      maxItems: 100,
      description: 'The parts of an error that has several.',
    }),
  ),
});

const finished = record(
  {
    lease,
    output: Type.Optional(json),
    error: Type.Optional(taskError),
    retryable: Type.Optional(
      Type.Boolean({ description: 'False: trying again is useless, whatever the policy says.' }),
    ),
    retryAfterMs: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
    retry: Type.Optional(orNull(retryPolicy)),
  },
  'FinishedTask',
);

const announced = record(
  {
    name: text('The name of the action.'),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    cost: Type.Optional(Type.Integer({ minimum: 0 })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
    retry: Type.Optional(retryPolicy),
    input: Type.Optional(Type.Unsafe<JsonSchema>({ description: 'JSON Schema.' })),
    output: Type.Optional(Type.Unsafe<JsonSchema>({ description: 'JSON Schema.' })),
    ports: Type.Optional(
      Type.Unsafe<NonNullable<AnnouncedAction['ports']>>({ type: 'object', description: 'Of a dataflow node.' }),
    ),
  },
  'AnnouncedAction',
);

const knownAction = record(
  {
    ...announced.properties,
    place: Type.Unsafe<'local' | 'workers'>({ type: 'string', enum: ['local', 'workers'] }),
    worker: Type.Optional(Type.String({ description: 'Who has announced it.' })),
    announcedAt: Type.Optional(Type.Integer()),
    waiting: Type.Integer(),
    leased: Type.Integer(),
    lastAskedAt: orNull(time('When a worker last asked for its tasks.')),
  },
  'KnownAction',
);

const workerInfo = record(
  {
    worker: Type.String(),
    lastSeenAt: time('When it was last heard of.'),
    actions: Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } }),
    leased: Type.Integer({ description: 'Tasks that it has now.' }),
  },
  'Worker',
);

const whyNot = { code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) };

/** Leased, told of or handed back at one time, at most. */
export const tasksPerRequest = 1_000;
const many = { minItems: 1, maxItems: tasksPerRequest };

export const taskRoutes = {
  leaseTasks: route({
    method: 'POST',
    path: '/v1/tasks/lease',
    scope: 'task:work',
    tag,
    summary: 'Lease tasks of these actions; waits for some if there are none',
    body: record(
      {
        actions: Type.Array(text('The name of an action.'), many),
        max: Type.Optional(
          Type.Integer({ minimum: 1, maximum: tasksPerRequest, description: 'At most so many. Default: 1.' }),
        ),
        leaseMs,
        waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: 'Default: 0.' })),
        worker: Type.Optional(text('Who asks, for people.')),
      },
      'LeaseRequest',
    ),
    answer: record({ tasks: Type.Array(leasedTask) }),
    status: 200,
  }),
  heartbeatTasks: route({
    method: 'POST',
    path: '/v1/tasks/heartbeat',
    scope: 'task:work',
    tag,
    summary: 'Say that tasks are being worked on, and how far they are',
    body: record({
      tasks: Type.Array(record({ lease, leaseMs, progress: Type.Optional(progress) }), many),
    }),
    answer: record({
      tasks: Type.Array(
        Type.Unsafe<HeartbeatAnswer>(
          record({
            lease: Type.String(),
            ok: Type.Boolean({ description: 'False: stop working on it; nobody wants the result any more.' }),
            expiresAt: Type.Optional(Type.Integer()),
            ...whyNot,
          }),
        ),
      ),
    }),
    status: 200,
    isRepeatable: true,
  }),
  finishTasks: route({
    method: 'POST',
    path: '/v1/tasks/finish',
    scope: 'task:work',
    tag,
    summary: 'Say what tasks came to: an output, or an error',
    body: record({ tasks: Type.Array(finished, many) }),
    answer: record({
      tasks: Type.Array(
        record({
          lease: Type.String(),
          applied: Type.Boolean({ description: 'False: it changed nothing.' }),
          reason: Type.Optional(Type.String()),
          error: Type.Optional(refusal),
        }),
      ),
    }),
    status: 200,
    isRepeatable: true,
  }),
  releaseTasks: route({
    method: 'POST',
    path: '/v1/tasks/release',
    scope: 'task:work',
    tag,
    summary: 'Hand tasks back, for others',
    body: record({ tasks: Type.Array(record({ lease }), many) }),
    answer: record({
      tasks: Type.Array(Type.Unsafe<ReleaseAnswer>(record({ lease: Type.String(), ok: Type.Boolean(), ...whyNot }))),
    }),
    status: 200,
    isRepeatable: true,
  }),
  recordStep: route({
    method: 'POST',
    path: '/v1/tasks/steps',
    scope: 'task:work',
    tag,
    summary: 'Keep the result of a finished step of a task: later hand-outs of the task are given it',
    body: record({ lease, ...stepFields }),
    answer: 'nothing',
    status: 204,
    isRepeatable: true,
  }),
  publishFromTask: route({
    method: 'POST',
    path: '/v1/tasks/publish',
    scope: 'task:work',
    tag,
    summary: 'Publish an event on behalf of the run of a task',
    body: record({
      lease,
      name: text('Its name.'),
      payload: Type.Optional(json),
      id: Type.Optional(text('Publishing again under the same id is publishing once.')),
      correlation: Type.Optional(Type.String({ maxLength: 2_000 })),
      ttlMs: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    answer: jsonObject,
    status: 200,
  }),
  putTaskArtifact: route({
    method: 'POST',
    path: '/v1/tasks/artifacts/{lease}',
    scope: 'task:work',
    tag,
    summary: 'Keep bytes as an artifact of the run of a task; their type is the content type',
    takesBytes: true,
    answer: reference,
    status: 201,
    isRepeatable: true,
  }),
  listTaskArtifacts: route({
    method: 'GET',
    path: '/v1/tasks/artifacts/{lease}',
    scope: 'task:work',
    tag,
    summary: 'The artifacts that a task may read',
    answer: record({ items: Type.Array(reference) }),
    status: 200,
  }),
  getTaskArtifact: route({
    method: 'GET',
    path: '/v1/tasks/artifacts/{lease}/{id}',
    scope: 'task:work',
    tag,
    summary: 'The bytes of an artifact that a task may read',
    query: record({ mimeType: Type.String() }),
    answer: 'bytes',
    status: 200,
  }),
  announceActions: route({
    method: 'PUT',
    path: '/v1/workers/{worker}',
    scope: 'task:work',
    tag,
    summary: 'Say which actions a worker does, and what the engine should know of them',
    body: record({ actions: Type.Array(announced, { maxItems: 1_000 }) }),
    answer: 'nothing',
    status: 204,
    isRepeatable: true,
  }),
  withdrawActions: route({
    method: 'POST',
    path: '/v1/actions/withdraw',
    scope: 'task:work',
    tag,
    summary: 'Take back what was announced; tasks that wait go on waiting',
    body: record({ actions: Type.Array(text('The name of an action.'), many) }),
    answer: 'nothing',
    status: 204,
    isRepeatable: true,
  }),
  listWorkers: route({
    method: 'GET',
    path: '/v1/workers',
    scope: 'run:read',
    tag,
    summary: 'Workers that have been heard of',
    query: record(paging),
    answer: page(workerInfo),
    status: 200,
  }),
  listActions: route({
    method: 'GET',
    path: '/v1/actions',
    scope: 'definition:read',
    tag,
    summary: 'The actions that the engine knows, here and with workers',
    query: record(paging),
    answer: page(knownAction),
    status: 200,
  }),
};

export const artifactRoutes = {
  putArtifact: route({
    method: 'POST',
    path: '/v1/artifacts',
    scope: 'artifact:write',
    tag: 'Artifacts',
    summary: 'Keep bytes as an artifact that every run may read; their type is the content type',
    takesBytes: true,
    answer: reference,
    status: 201,
    isRepeatable: true,
  }),
  listArtifacts: route({
    method: 'GET',
    path: '/v1/artifacts',
    scope: 'artifact:read',
    tag: 'Artifacts',
    summary: 'References to what was put for every run',
    query: record(paging),
    answer: page(reference),
    status: 200,
  }),
  getArtifact: route({
    method: 'GET',
    path: '/v1/artifacts/{id}',
    scope: 'artifact:read',
    tag: 'Artifacts',
    summary: 'The bytes of an artifact',
    query: record({ mimeType: Type.String({ description: 'As the reference has it.' }) }),
    answer: 'bytes',
    status: 200,
  }),
};
