// Operations on the actions that workers do: announce them, take them back, list them and who does them.

import type { JsonSchema } from '../definition/definition.ts';
import type { AnnouncedAction, AnnouncedFacts } from '../work/announcement.ts';
import type { WorkerInfo } from '../work/seen-workers.ts';
import { answer, nothing, operation } from './operation.ts';
import { type Page, type Paging, page, paging } from './parts.ts';
import {
  anyObject,
  anyText,
  choice,
  count,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  time,
  whole,
  withCode,
} from './schema.ts';
import { actionNames, type LeaseRequest, looking, retryPolicy, working } from './work.ts';

/** What a worker says of its actions. */
export interface Announced {
  readonly worker: string;
  readonly actions: readonly AnnouncedAction[];
}

/** An action that the engine knows of, what was said of it, and how much is to do for it. */
export interface ActionInfo extends AnnouncedAction {
  /** In the engine's process, or by workers outside. */
  readonly place: 'local' | 'workers';
  /** Tasks that wait for a worker, and those that a worker has. */
  readonly waiting: number;
  readonly leased: number;
  /** When a worker last asked for it, since the engine was opened. */
  readonly lastAskedAt: number | null;
}

const jsonSchema: Schema<JsonSchema> = { kind: { type: 'json' }, about: 'JSON Schema.' };

const announcedAction = {
  name: text('The name of the action.'),
  version: optional(whole()),
  description: optional(text('For people.', { min: 0, max: 2_000 })),
  cost: optional(whole(undefined, { min: 0 })),
  timeoutMs: optional(whole()),
  retry: optional(retryPolicy),
  input: optional(jsonSchema),
  output: optional(jsonSchema),
  ports: optional(anyObject('Of a node of a drawn graph.')),
  catalogue: optional(
    anyObject<AnnouncedFacts>('What editors should know of it: title, category, icon, handles and more.'),
  ),
};

const actionInfo = object<ActionInfo>(
  {
    ...announcedAction,
    place: choice(['local', 'workers']),
    waiting: count(),
    leased: count(),
    lastAskedAt: orNull(time('When a worker last asked for its tasks.')),
  },
  'KnownAction',
);

const workerInfo = object<WorkerInfo>(
  {
    worker: anyText(),
    lastSeenAt: time('When it was last heard of.'),
    actions: list(anyText()),
    leased: count('Tasks that it has now.'),
  },
  'Worker',
);

export const workerOperations = {
  announceActions: operation<Announced, undefined>({
    ...working,
    summary: 'Say which actions a worker does, and what the engine should know of them',
    repeatable: true,
    takes: object<Announced>({
      worker: text('Who it is.'),
      actions: list(
        withCode('INVALID_ACTIONS', object<AnnouncedAction>(announcedAction, 'AnnouncedAction')),
        undefined,
        'announcedActionsMax',
      ),
    }),
    answers: nothing,
  }),
  withdrawActions: operation<Pick<LeaseRequest, 'actions'>, undefined>({
    ...working,
    summary: 'Take back what was announced; tasks that wait go on waiting',
    repeatable: true,
    takes: object<Pick<LeaseRequest, 'actions'>>({ actions: actionNames }),
    answers: nothing,
  }),
  listWorkers: operation<Paging, Page<WorkerInfo>>({
    ...looking,
    summary: 'Workers that have been heard of',
    where: 'every',
    scope: 'run:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(workerInfo)),
  }),
  listActions: operation<Paging, Page<ActionInfo>>({
    ...looking,
    summary: 'The actions that the engine knows, here and with workers',
    where: 'every',
    scope: 'definition:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(actionInfo)),
  }),
};
