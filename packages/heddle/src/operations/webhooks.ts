// Operations of webhooks: where calls from outside come in. Headers and query are the sender's own, and no part of the
// request.

import type { ReceivedCall } from '../webhooks/receiver.ts';
import { answer, operation } from './operation.ts';
import { anyText, choice, object, optional, orNull, text } from './schema.ts';

/** A call of a webhook; beside it come the bytes of its body. */
export interface WebhookRequest {
  readonly tenant: string;
  /** That of its trigger. */
  readonly id: string;
}

const receivedCall = object<ReceivedCall>(
  {
    status: choice(['accepted', 'duplicate', 'ignored', 'challenge']),
    deliveryId: optional(anyText()),
    runId: optional(orNull(anyText())),
    code: optional(anyText()),
    reason: optional(anyText()),
    challenge: optional(anyText()),
  },
  'ReceivedCall',
);

const webhook = operation<WebhookRequest, ReceivedCall>({
  tag: 'Webhooks',
  summary: 'Where a webhook trigger is called; its own scheme says who may',
  where: 'home',
  scope: 'public',
  takes: object<WebhookRequest>({ tenant: text('The tenant.'), id: text('The trigger.') }),
  takesBytes: true,
  answers: answer(receivedCall),
});

export const webhookOperations = { receiveWebhook: webhook, receiveWebhookByPut: webhook };
