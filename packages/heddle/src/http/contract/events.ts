// Routes: events from outside, and those of the journal.

import { Type } from 'typebox';
import { event, json, lastEventId, page, paging, text } from './parts.ts';
import { record, route } from './route.ts';
import { firedRun, skippedTrigger } from './triggers.ts';

export const eventRoutes = {
  publishEvent: route({
    method: 'POST',
    path: '/v1/events',
    scope: 'event:publish',
    tag: 'Events',
    summary: 'Publish an event: runs that wait for it go on, triggers that listen for it start runs',
    body: record({
      name: text('Its name.'),
      payload: Type.Optional(json),
      id: Type.Optional(text('Publishing again under the same id is publishing once.')),
      correlation: Type.Optional(Type.String({ maxLength: 2_000 })),
      ttlMs: Type.Optional(
        Type.Integer({ minimum: 1, description: 'How long it is kept for waits that begin later.' }),
      ),
    }),
    answer: record({
      eventId: Type.String(),
      applied: Type.Boolean(),
      delivered: Type.Integer(),
      fired: Type.Array(firedRun),
      skipped: Type.Array(skippedTrigger),
    }),
    status: 200,
  }),
  listEvents: route({
    method: 'GET',
    path: '/v1/events',
    scope: 'run:read',
    tag: 'Events',
    summary: 'The journals of all runs, in the order in which they were committed',
    query: record({ ...paging, workflow: Type.Optional(text('Only of runs of this workflow.')) }),
    answer: page(event),
    status: 200,
  }),
  streamEvents: route({
    method: 'GET',
    path: '/v1/events/stream',
    scope: 'run:read',
    tag: 'Events',
    summary: 'What is committed from now on, or after an event, live',
    description: 'Server-Sent Events. `Last-Event-ID` (or `after`) goes on after that event, without gap or repeat.',
    headers: lastEventId,
    query: record({
      after: Type.Optional(text('The id of the last event that was seen; `start` for the first there is.')),
      workflow: Type.Optional(text('Only of runs of this workflow.')),
    }),
    answer: 'events',
    status: 200,
  }),
};
