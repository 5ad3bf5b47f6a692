// Routes: triggers and schedules.

import { Type } from 'typebox';
import type { TriggerInfo } from '../../sdk/triggers.ts';
import { json, orNull, page, paging, problem, text } from './parts.ts';
import { record, route } from './route.ts';

export const firedRun = record({ trigger: Type.String(), workflow: Type.String(), runId: Type.String() });
export const skippedTrigger = Type.Unsafe<{ trigger: string; workflow: string; code: never; reason: string }>(
  record({ trigger: Type.String(), workflow: Type.String(), code: Type.String(), reason: Type.String() }),
);

const trigger = Type.Unsafe<TriggerInfo>({
  type: 'object',
  title: 'Trigger',
  required: ['id', 'definition', 'enabled', 'createdAt', 'nextAt', 'lastRunId', 'queued'],
  properties: {
    id: { type: 'string' },
    definition: { type: 'object' },
    enabled: { type: 'boolean' },
    createdAt: { type: 'integer' },
    nextAt: { type: ['integer', 'null'], description: 'When a schedule fires next.' },
    lastRunId: { type: ['string', 'null'] },
    queued: { type: 'array', items: { type: 'integer' } },
  },
});

const triggers = { tag: 'Triggers', status: 200 } as const;

export const triggerRoutes = {
  createTrigger: route({
    ...triggers,
    method: 'POST',
    path: '/v1/triggers',
    scope: 'trigger:write',
    summary: 'Create a trigger',
    query: record({
      replace: Type.Optional(Type.Boolean({ description: 'Other content under an id that is taken replaces it.' })),
    }),
    body: json,
    answer: record({ problems: Type.Array(problem), trigger: orNull(trigger), isNew: Type.Boolean() }),
    isRepeatable: true,
  }),
  listTriggers: route({
    ...triggers,
    method: 'GET',
    path: '/v1/triggers',
    scope: 'trigger:read',
    summary: 'List triggers and schedules',
    query: record(paging),
    answer: page(trigger),
  }),
  getTrigger: route({
    ...triggers,
    method: 'GET',
    path: '/v1/triggers/{id}',
    scope: 'trigger:read',
    summary: 'Show a trigger',
    answer: trigger,
  }),
  removeTrigger: route({
    ...triggers,
    method: 'DELETE',
    path: '/v1/triggers/{id}',
    scope: 'trigger:write',
    summary: 'Remove a trigger; runs that it has started go on',
    answer: record({ removed: Type.Boolean({ description: 'False: there was none.' }) }),
  }),
  enableTrigger: route({
    ...triggers,
    method: 'POST',
    path: '/v1/triggers/{id}/enable',
    scope: 'trigger:write',
    summary: 'Switch a trigger on',
    answer: trigger,
    isRepeatable: true,
  }),
  disableTrigger: route({
    ...triggers,
    method: 'POST',
    path: '/v1/triggers/{id}/disable',
    scope: 'trigger:write',
    summary: 'Switch a trigger off',
    answer: trigger,
    isRepeatable: true,
  }),
  fireTrigger: route({
    ...triggers,
    method: 'POST',
    path: '/v1/triggers/{id}/fire',
    scope: 'trigger:fire',
    summary: 'Fire a manual trigger',
    body: record({ input: Type.Optional(json), id: Type.Optional(text('Fires once for this id.')) }),
    bodyIsOptional: true,
    answer: record({ fired: Type.Array(firedRun), skipped: Type.Array(skippedTrigger) }),
  }),
};
