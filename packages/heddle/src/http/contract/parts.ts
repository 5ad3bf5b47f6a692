// Parts: what several routes take or answer with.

import { type TSchema, Type } from 'typebox';
import type { RunEvent } from '../../actor/observers.ts';
import type { RunTraceEvent } from '../../actor/trace-log.ts';
import type { Thrown } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { runStatuses } from '../../core/views/status.ts';
import { record } from './route.ts';

export const json = Type.Unsafe<Json>({ description: 'Any JSON.' });
export const jsonObject = Type.Unsafe<JsonObject>({ type: 'object' });
export const text = (description: string) => Type.String({ minLength: 1, maxLength: 2_000, description });
export const time = (description: string) =>
  Type.Integer({ description: `${description} In milliseconds since 1970.` });
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const status = Type.Unsafe<(typeof runStatuses)[number]>({ type: 'string', enum: [...runStatuses] });

export const thrown = Type.Unsafe<Thrown>({
  type: 'object',
  description: 'An error as it was thrown: name, message, code, stack, and its own cause and errors.',
});

export const failure = record(
  {
    code: Type.String({ description: 'What programs match on.' }),
    message: Type.String({ description: 'What people read.' }),
    nodeId: Type.Optional(Type.String()),
    attempts: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.String({ description: 'The limit that was exceeded, by its name.' })),
    details: Type.Optional(json),
    runs: Type.Optional(
      Type.Unsafe<readonly string[]>({
        type: 'array',
        items: { type: 'string' },
        description: 'The sub-runs that it came through, the outermost first.',
      }),
    ),
    thrown: Type.Optional(thrown),
  },
  'Failure',
);

export const problem = record(
  {
    severity: Type.Unsafe<'error' | 'warning'>({ type: 'string', enum: ['error', 'warning'] }),
    code: Type.String(),
    pointer: Type.String({ description: 'JSON pointer into what was handed in; empty for the whole.' }),
    message: Type.String(),
    hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
  },
  'Problem',
);

/** RFC 9457. */
export const problemDocument = record(
  {
    type: Type.String({ description: 'urn:heddle:problem: and the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was expected, and what was found.' }),
    code: Type.String({ description: 'A stable word in capitals: what programs match on.' }),
    pointer: Type.Optional(Type.String({ description: 'JSON pointer into the request.' })),
    limit: Type.Optional(Type.String({ description: 'The limit that was exceeded, by its name.' })),
    hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
    problems: Type.Optional(Type.Array(problem)),
    details: Type.Optional(json),
  },
  'ProblemDocument',
);

export const tags = Type.Record(Type.String(), Type.String(), { description: 'Marks to find runs by.' });

export const reply = record(
  {
    applied: Type.Boolean({ description: 'False: it changed nothing, and `reason` says why.' }),
    reason: Type.Optional(Type.String()),
    refusal: Type.Optional(failure),
  },
  'Reply',
);

export const event = Type.Unsafe<RunEvent>({
  type: 'object',
  title: 'Event',
  description: 'One fact of the journal; what else it has depends on its type.',
  required: ['type', 'runId', 'id', 'seq', 'at'],
  properties: {
    type: { type: 'string' },
    runId: { type: 'string' },
    id: { type: 'string', description: 'Row and place in the journal of its run, as `row.index`.' },
    seq: { type: 'integer' },
    at: { type: 'integer' },
  },
});

export const traceEvent = Type.Unsafe<RunTraceEvent>({
  type: 'object',
  title: 'TraceEvent',
  description:
    'How a decision came about. `trace.dropped` is the last of a trace that reached `traceBytesMax`: `data.events` were dropped.',
  required: ['type', 'data', 'runId', 'id', 'seq', 'at'],
  properties: {
    type: { type: 'string' },
    data: { type: 'object' },
    cut: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Members of `data` of which only the beginning was kept, and how many characters they had as JSON.',
    },
    runId: { type: 'string' },
    id: {
      type: 'string',
      description: 'The row of the journal that it explains, and its place there, as `row.index`.',
    },
    seq: { type: 'integer' },
    at: { type: 'integer' },
  },
});

export const reference = record(
  {
    id: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the bytes.' }),
    mimeType: Type.String(),
  },
  'ObjectReference',
);

/** What every list takes. */
export const paging = {
  after: Type.Optional(Type.String({ description: 'The `next` of the page before.', maxLength: 2_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'At most so many.' })),
};

/** What every list answers with. */
export const page = <S extends TSchema>(items: S) =>
  record({
    items: Type.Array(items),
    next: orNull(Type.String({ description: 'For `after`, if there is more.' })),
  });

export const lastEventId = { 'Last-Event-ID': 'The id of the last event that was seen; goes before `after`.' };
export const idempotencyKey = { 'Idempotency-Key': 'The same as `idempotencyKey` in the body.' };
