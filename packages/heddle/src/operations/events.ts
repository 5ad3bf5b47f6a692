// Operations on events: those from outside, and the journals of all runs.

import type { Published, PublishOptions } from '../actor/publication.ts';
import type { Json } from '../base/json.ts';
import type { RunEvent } from '../core/run-event.ts';
import { answer, operation, stream } from './operation.ts';
import { eventName, firedRun, type Page, type Paging, page, paging, skippedTrigger } from './parts.ts';
import { anyText, count, flag, json, list, object, optional, text, view, whole } from './schema.ts';

/** An event among those of all runs. */
export type FeedEvent = RunEvent & {
  /** Its place among all, as `position.index`: where to go on. */
  readonly feedId: string;
  /** The workflow of its run. */
  readonly runWorkflow: string;
};

const feedEvent = view<FeedEvent>('FeedEvent', 'One fact of a journal, and its place among those of all runs.', {
  type: anyText(),
  runId: anyText(),
  id: anyText('Row and place in the journal of its run, as `row.index`.'),
  seq: count(),
  at: count(),
  feedId: anyText('Its place among all, as `position.index`: where to go on.'),
  runWorkflow: anyText('The workflow of its run.'),
});

export interface PublishRequest extends PublishOptions {
  readonly name: string;
  readonly payload?: Json;
}

const published = object<Published>({
  eventId: anyText(),
  applied: flag(),
  delivered: count(),
  fired: list(firedRun),
  skipped: list(skippedTrigger),
});

export interface FeedRequest {
  /** The id of the last event that was seen; `start` for the first there is. */
  readonly after?: string;
  /** Only of runs of this workflow. */
  readonly workflow?: string;
}

export interface FeedPageRequest extends Paging {
  /** Only of runs of this workflow. */
  readonly workflow?: string;
}

const workflow = optional(text('Only of runs of this workflow.'));

const tag = 'Events';

export const eventOperations = {
  publishEvent: operation<PublishRequest, Published>({
    tag,
    summary: 'Publish an event: runs that wait for it go on, triggers that listen for it start runs',
    where: 'key',
    changes: true,
    scope: 'event:publish',
    repeatable: 'id',
    takes: object<PublishRequest>({
      name: eventName,
      payload: optional(json()),
      id: optional(text('Publishing again under the same id is publishing once.')),
      correlation: optional(text('Which of the waits for this name it is for; empty: none.', { min: 0 })),
      ttlMs: optional(whole('How long it is kept for waits that begin later.')),
    }),
    answers: answer(published),
  }),
  listEvents: operation<FeedPageRequest, Page<FeedEvent>>({
    tag,
    summary: 'The journals of all runs, in the order in which they were committed',
    where: 'every',
    scope: 'run:read',
    repeatable: true,
    takes: object<FeedPageRequest>({ ...paging, workflow }),
    answers: answer(page(feedEvent)),
  }),
  streamEvents: operation<FeedRequest, AsyncIterable<FeedEvent>>({
    tag,
    summary: 'What is committed from now on, or after an event, live',
    description: 'Server-Sent Events. `Last-Event-ID` (or `after`) goes on after that event, without gap or repeat.',
    where: 'every',
    scope: 'run:read',
    repeatable: true,
    takes: object<FeedRequest>({
      after: optional(text('The id of the last event that was seen; `start` for the first there is.')),
      workflow,
    }),
    answers: stream(feedEvent),
  }),
};
