// Routes: what reaches in and out: secrets, webhooks, callbacks; and how long runs are kept.

import { Type } from 'typebox';
import type { CallbackInfo, DeliveryInfo } from '../../outbound/callbacks/callback.ts';
import type { NewCallback } from '../../outbound/callbacks/check-callback.ts';
import type { ReceivedCall } from '../../webhooks/receiver.ts';
import { orNull, page, paging, text, time } from './parts.ts';
import { record, route, view } from './route.ts';

const removed = record({ removed: Type.Boolean({ description: 'False: there was none.' }) });

const secret = record(
  {
    name: Type.String(),
    hosts: Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } }),
    version: Type.Integer({ description: 'Rises with every new value.' }),
    createdAt: time('When it was first set.'),
    updatedAt: time('When it was last set.'),
  },
  'Secret',
);

const secrets = { tag: 'Secrets', status: 200 } as const;

export const secretRoutes = {
  setSecret: route({
    ...secrets,
    method: 'PUT',
    path: '/v1/secrets/{name}',
    scope: 'secret:write',
    summary: 'Keep a value, encrypted, that actions may send to the named hosts and nobody may see',
    body: record({
      value: Type.String({ minLength: 1, maxLength: 100_000 }),
      hosts: Type.Optional(
        Type.Array(text('`api.example.com`, or `*.example.com` for all below it.'), { maxItems: 100 }),
      ),
    }),
    answer: secret,
    isRepeatable: true,
  }),
  listSecrets: route({
    ...secrets,
    method: 'GET',
    path: '/v1/secrets',
    scope: 'secret:read',
    summary: 'The names of secrets and where they may be sent; never their values',
    query: record(paging),
    answer: page(secret),
  }),
  removeSecret: route({
    ...secrets,
    method: 'DELETE',
    path: '/v1/secrets/{name}',
    scope: 'secret:write',
    summary: 'Remove a secret',
    answer: removed,
  }),
};

const webhooks = {
  path: '/v1/webhooks/{tenant}/{id}',
  scope: 'public',
  tag: 'Webhooks',
  summary: 'Where a webhook trigger is called; its own scheme says who may',
  takesBytes: true,
  takesAnyQuery: true,
  answer: Type.Unsafe<ReceivedCall>({
    type: 'object',
    title: 'ReceivedCall',
    required: ['status'],
    properties: {
      status: { type: 'string', enum: ['accepted', 'duplicate', 'ignored', 'challenge'] },
      deliveryId: { type: 'string' },
      runId: { type: ['string', 'null'] },
      challenge: { type: 'string' },
    },
  }),
  status: 202,
} as const;

export const webhookRoutes = {
  receiveWebhook: route({ ...webhooks, method: 'POST' }),
  receiveWebhookByPut: route({ ...webhooks, method: 'PUT' }),
};

const callback = Type.Unsafe<CallbackInfo>({
  type: 'object',
  title: 'Callback',
  required: ['id', 'url', 'on', 'secret', 'enabled', 'disabledReason', 'createdAt'],
  properties: {
    id: { type: 'string' },
    url: { type: 'string' },
    on: { type: 'array', items: { type: 'string' } },
    workflow: { type: 'string' },
    statuses: { type: 'array', items: { type: 'string' } },
    secret: { type: 'string', description: 'The name of the secret that deliveries are signed with.' },
    enabled: { type: 'boolean' },
    disabledReason: { type: ['string', 'null'] },
    createdAt: { type: 'integer' },
  },
});

const delivery = Type.Unsafe<DeliveryInfo>({
  type: 'object',
  title: 'Delivery',
  required: ['id', 'callback', 'event', 'runId', 'status', 'attempts', 'createdAt', 'nextAt'],
  properties: {
    id: { type: 'string' },
    callback: { type: 'string' },
    event: { type: 'string' },
    runId: { type: 'string' },
    status: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
    attempts: { type: 'integer' },
    createdAt: { type: 'integer' },
    nextAt: { type: ['integer', 'null'], description: 'When it is tried next.' },
    lastStatus: { type: ['integer', 'null'] },
    lastError: { type: ['string', 'null'] },
  },
});

const deliveryStatus = Type.Unsafe<DeliveryInfo['status']>({
  type: 'string',
  enum: ['pending', 'delivered', 'failed'],
});

const callbacks = { tag: 'Callbacks', status: 200 } as const;

export const callbackRoutes = {
  createCallback: route({
    ...callbacks,
    method: 'POST',
    path: '/v1/callbacks',
    scope: 'callback:write',
    summary: 'Have an address told, signed and at least once, when runs end or ask',
    body: view<NewCallback>('NewCallback', 'With url, on, and perhaps id, workflow, statuses, secret.'),
    answer: record({
      callback,
      isNew: Type.Boolean(),
      madeSecret: orNull(Type.String({ description: 'The secret that was made to sign with; it is told this once.' })),
    }),
    isRepeatable: true,
  }),
  listCallbacks: route({
    ...callbacks,
    method: 'GET',
    path: '/v1/callbacks',
    scope: 'callback:read',
    summary: 'List callbacks',
    query: record(paging),
    answer: page(callback),
  }),
  getCallback: route({
    ...callbacks,
    method: 'GET',
    path: '/v1/callbacks/{id}',
    scope: 'callback:read',
    summary: 'Show a callback',
    answer: callback,
  }),
  removeCallback: route({
    ...callbacks,
    method: 'DELETE',
    path: '/v1/callbacks/{id}',
    scope: 'callback:write',
    summary: 'Remove a callback with what waits for it',
    answer: removed,
  }),
  enableCallback: route({
    ...callbacks,
    method: 'POST',
    path: '/v1/callbacks/{id}/enable',
    scope: 'callback:write',
    summary: 'Switch a callback on',
    answer: callback,
    isRepeatable: true,
  }),
  disableCallback: route({
    ...callbacks,
    method: 'POST',
    path: '/v1/callbacks/{id}/disable',
    scope: 'callback:write',
    summary: 'Switch a callback off',
    answer: callback,
    isRepeatable: true,
  }),
  listDeliveries: route({
    ...callbacks,
    method: 'GET',
    path: '/v1/deliveries',
    scope: 'callback:read',
    summary: 'What was told, and what is still to be told',
    query: record({
      ...paging,
      callback: Type.Optional(text('Of this callback.')),
      status: Type.Optional(deliveryStatus),
    }),
    answer: page(delivery),
  }),
  resendDelivery: route({
    ...callbacks,
    method: 'POST',
    path: '/v1/deliveries/{id}/resend',
    scope: 'callback:write',
    summary: 'Send once more, under the same id',
    answer: delivery,
  }),
};

const rule = {
  days: Type.Optional(Type.Integer({ minimum: 0 })),
  keepLast: Type.Optional(Type.Integer({ minimum: 0 })),
};
const retention = record({ workflow: Type.String(), ...rule }, 'Retention');
const retentions = { tag: 'Retention', scope: 'operate', status: 200 } as const;

export const retentionRoutes = {
  setRetention: route({
    ...retentions,
    method: 'PUT',
    path: '/v1/retention/{workflow}',
    summary: 'How long runs of a workflow (`*`: of all others) are kept after they have ended',
    body: record(rule),
    answer: retention,
    isRepeatable: true,
  }),
  listRetention: route({
    ...retentions,
    method: 'GET',
    path: '/v1/retention',
    summary: 'How long runs are kept',
    query: record(paging),
    answer: page(retention),
  }),
  removeRetention: route({
    ...retentions,
    method: 'DELETE',
    path: '/v1/retention/{workflow}',
    summary: 'Keep the runs of a workflow by no rule of its own',
    answer: removed,
  }),
  sweep: route({
    ...retentions,
    method: 'POST',
    path: '/v1/retention/sweep',
    summary: 'Delete now what is past its time; it also happens by itself, once an hour',
    answer: record({ deleted: Type.Integer() }),
    isRepeatable: true,
  }),
};
