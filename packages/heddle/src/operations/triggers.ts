// Operations on triggers and schedules: what starts runs by itself.

import type { Published } from '../actor/publication.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import type { TriggerDefinition } from '../triggers/trigger.ts';
import { answer, operation } from './operation.ts';
import {
  firedRun,
  type Page,
  type Paging,
  page,
  paging,
  problem,
  type Removed,
  removed,
  skippedTrigger,
} from './parts.ts';
import { anyText, count, flag, json, list, object, optional, orNull, text, view } from './schema.ts';

export interface TriggerInfo {
  readonly id: string;
  readonly definition: TriggerDefinition;
  readonly enabled: boolean;
  readonly createdAt: number;
  /** When a schedule fires next. */
  readonly nextAt: number | null;
  /** The run that a schedule has started last, and the times that wait for it to end. */
  readonly lastRunId: string | null;
  readonly queued: readonly number[];
}

const trigger = object<TriggerInfo>(
  {
    id: anyText(),
    definition: view<TriggerDefinition>('TriggerDefinition', 'As it was created; what it has depends on its type.'),
    enabled: flag(),
    createdAt: count(),
    nextAt: orNull(count('When a schedule fires next.')),
    lastRunId: orNull(anyText()),
    queued: list(count()),
  },
  'Trigger',
);

// ---------------------------------------------------------------------------------------------------------- create

/** A trigger with what may be said when it is created. */
export type NewTrigger = TriggerDefinition & { readonly enabled?: boolean };

export interface CreateTriggerOptions {
  /** Other content under an id that is taken replaces what is there, instead of being refused. */
  readonly replace?: boolean;
}

export interface CreateTriggerRequest extends CreateTriggerOptions {
  /** What a file or another program gave may be anything: the answer says what is wrong with it. */
  readonly trigger: Json;
}

export interface CreatedTrigger {
  readonly problems: readonly Problem[];
  /** Null if there are errors: nothing was stored. */
  readonly trigger: TriggerInfo | null;
  /** False if it was there before, with the same content. */
  readonly isNew: boolean;
}

// ------------------------------------------------------------------------------------------------------------ fire

export interface FireOptions {
  /** It fires once for this id. */
  readonly id?: string;
}

export interface FireRequest extends FireOptions {
  readonly triggerId: string;
  readonly input?: Json;
}

/** What firing a trigger came to. */
export type FireReply = Pick<Published, 'fired' | 'skipped'>;

// ------------------------------------------------------------------------------------------------------ operations

export interface OneTrigger {
  readonly id: string;
}

const id = text('The trigger.');
const oneTrigger = object<OneTrigger>({ id });

const common = { tag: 'Triggers', where: 'home' } as const;

export const triggerOperations = {
  createTrigger: operation<CreateTriggerRequest, CreatedTrigger>({
    ...common,
    summary: 'Create a trigger',
    changes: true,
    scope: 'trigger:write',
    repeatable: true,
    takes: object<CreateTriggerRequest>({
      trigger: json(),
      replace: optional(flag('Other content under an id that is taken replaces it.')),
    }),
    answers: answer(object<CreatedTrigger>({ problems: list(problem), trigger: orNull(trigger), isNew: flag() })),
  }),
  listTriggers: operation<Paging, Page<TriggerInfo>>({
    ...common,
    summary: 'List triggers and schedules',
    scope: 'trigger:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(trigger)),
  }),
  getTrigger: operation<OneTrigger, TriggerInfo>({
    ...common,
    summary: 'Show a trigger',
    scope: 'trigger:read',
    repeatable: true,
    takes: oneTrigger,
    answers: answer(trigger),
  }),
  removeTrigger: operation<OneTrigger, Removed>({
    ...common,
    summary: 'Remove a trigger; runs that it has started go on',
    changes: true,
    scope: 'trigger:write',
    takes: oneTrigger,
    answers: answer(removed),
  }),
  enableTrigger: operation<OneTrigger, TriggerInfo>({
    ...common,
    summary: 'Switch a trigger on',
    changes: true,
    scope: 'trigger:write',
    repeatable: true,
    takes: oneTrigger,
    answers: answer(trigger),
  }),
  disableTrigger: operation<OneTrigger, TriggerInfo>({
    ...common,
    summary: 'Switch a trigger off',
    changes: true,
    scope: 'trigger:write',
    repeatable: true,
    takes: oneTrigger,
    answers: answer(trigger),
  }),
  fireTrigger: operation<FireRequest, FireReply>({
    ...common,
    summary: 'Fire a manual trigger',
    changes: true,
    scope: 'trigger:fire',
    repeatable: 'id',
    takes: object<FireRequest>({
      triggerId: id,
      input: optional(json()),
      id: optional(text('Fires once for this id.')),
    }),
    answers: answer(object<FireReply>({ fired: list(firedRun), skipped: list(skippedTrigger) })),
  }),
};
