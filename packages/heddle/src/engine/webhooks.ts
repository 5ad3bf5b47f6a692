// Webhooks: where calls from outside come in; an HTTP server hands them here as they came.

import { HeddleError } from '../base/heddle-error.ts';
import { checkText } from '../operations/check-request.ts';
import type { IncomingCall, ReceivedCall, WebhookReceiver } from '../webhooks/receiver.ts';
import { checkOptions } from './check-options.ts';
import type { Host } from './host.ts';

export class Webhooks {
  readonly #host: Host;
  readonly #receiver: WebhookReceiver;

  constructor(host: Host, receiver: WebhookReceiver) {
    this.#host = host;
    this.#receiver = receiver;
  }

  /** Refuses a call that could not be taken, whatever its body says: for servers, before they read it. */
  check(id: string, method: string): void {
    this.#receiver.find(id, method);
  }

  /** Verifies a call of the webhook with this id (that of its trigger), and starts its run; durable when this returns. */
  async receive(id: string, call: IncomingCall): Promise<ReceivedCall> {
    this.#host.inbox.refuseChange();
    checkText('the id of a webhook', id);
    checkOptions('receive', call, {
      method: 'text',
      headers: 'members',
      rawBody: 'other',
      query: 'members',
      at: 'whole',
    });
    if (!((call.rawBody as unknown) instanceof Uint8Array))
      throw new HeddleError(
        'OPTION_INVALID',
        'Expected rawBody to be the bytes that came (Uint8Array), but found another value',
      );
    return this.#receiver.receive(id, call);
  }
}
