// Operations on callbacks: who is told of what happens to runs, and what was told.

import type { CallbackInfo, DeliveryInfo, DeliveryStatus } from '../outbound/callbacks/callback.ts';
import type { NewCallback } from '../outbound/callbacks/check-callback.ts';
import { answer, operation } from './operation.ts';
import { type Page, type Paging, page, paging, type Removed, removed } from './parts.ts';
import { anyText, choice, count, flag, list, object, optional, orNull, text } from './schema.ts';

export interface OneCallback {
  readonly id: string;
}

export interface CreatedCallback {
  readonly callback: CallbackInfo;
  /** False if it was there before, with the same content. */
  readonly isNew: boolean;
  /** The secret that was made to sign with, where none was named; it is told this once. */
  readonly madeSecret: string | null;
}

const callback = object<CallbackInfo>(
  {
    id: anyText(),
    url: anyText(),
    on: list(anyText()),
    workflow: optional(anyText()),
    statuses: optional(list(anyText())),
    secret: anyText('The name of the secret that deliveries are signed with.'),
    enabled: flag(),
    disabledReason: orNull(anyText()),
    createdAt: count(),
  },
  'Callback',
);

/** Its form; what does for a callback is CB10's to say, and `CALLBACK_INVALID` tells what does not. */
const newCallback = object<NewCallback>(
  {
    id: optional(anyText('Absent: one is made.')),
    url: anyText(),
    on: list(anyText()),
    workflow: optional(anyText('Only of runs of this workflow.')),
    statuses: optional(list(anyText(), 'Only of runs that ended so; for `run.ended` alone.')),
    secret: optional(anyText('The name of a secret. Absent: one is made, and told once.')),
  },
  'NewCallback',
  'With url, on, and perhaps id, workflow, statuses, secret.',
);

const createdCallback = object<CreatedCallback>({
  callback,
  isNew: flag(),
  madeSecret: orNull(anyText('The secret that was made to sign with; it is told this once.')),
});

// ------------------------------------------------------------------------------------------------------ deliveries

export interface OneDelivery {
  readonly id: string;
}

export interface DeliveryQuery {
  /** Of one callback. */
  readonly callback?: string;
  readonly status?: DeliveryStatus;
  /** The id of the last one of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

const deliveryStatus = choice(['pending', 'delivered', 'failed']);

const delivery = object<DeliveryInfo>(
  {
    id: anyText(),
    callback: anyText(),
    event: anyText(),
    runId: anyText(),
    workflow: anyText(),
    status: deliveryStatus,
    attempts: count(),
    createdAt: count(),
    nextAt: orNull(count('When it is tried next.')),
    lastAttemptAt: orNull(count()),
    lastStatus: orNull(count()),
    lastError: orNull(anyText()),
  },
  'Delivery',
);

// ------------------------------------------------------------------------------------------------------ operations

const oneCallback = object<OneCallback>({ id: text('The callback.') });

const common = { tag: 'Callbacks', where: 'home' } as const;

export const callbackOperations = {
  createCallback: operation<NewCallback, CreatedCallback>({
    ...common,
    summary: 'Have an address told, signed and at least once, when runs end or ask',
    changes: true,
    scope: 'callback:write',
    repeatable: true,
    takes: newCallback,
    answers: answer(createdCallback),
  }),
  listCallbacks: operation<Paging, Page<CallbackInfo>>({
    ...common,
    summary: 'List callbacks',
    scope: 'callback:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(callback)),
  }),
  getCallback: operation<OneCallback, CallbackInfo>({
    ...common,
    summary: 'Show a callback',
    scope: 'callback:read',
    repeatable: true,
    takes: oneCallback,
    answers: answer(callback),
  }),
  removeCallback: operation<OneCallback, Removed>({
    ...common,
    summary: 'Remove a callback with what waits for it',
    changes: true,
    scope: 'callback:write',
    takes: oneCallback,
    answers: answer(removed),
  }),
  enableCallback: operation<OneCallback, CallbackInfo>({
    ...common,
    summary: 'Switch a callback on',
    changes: true,
    scope: 'callback:write',
    repeatable: true,
    takes: oneCallback,
    answers: answer(callback),
  }),
  disableCallback: operation<OneCallback, CallbackInfo>({
    ...common,
    summary: 'Switch a callback off',
    changes: true,
    scope: 'callback:write',
    repeatable: true,
    takes: oneCallback,
    answers: answer(callback),
  }),
  listDeliveries: operation<DeliveryQuery, Page<DeliveryInfo>>({
    ...common,
    summary: 'What was told, and what is still to be told',
    where: 'every',
    scope: 'callback:read',
    repeatable: true,
    takes: object<DeliveryQuery>({
      ...paging,
      callback: optional(text('Of this callback.')),
      status: optional(deliveryStatus),
    }),
    answers: answer(page(delivery)),
  }),
  resendDelivery: operation<OneDelivery, DeliveryInfo>({
    ...common,
    summary: 'Send once more, under the same id',
    changes: true,
    scope: 'callback:write',
    takes: object<OneDelivery>({ id: text('The delivery.') }),
    answers: answer(delivery),
  }),
};
