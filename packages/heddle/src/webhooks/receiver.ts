// Receiver: takes calls of webhooks. A call is verified before anything of it is read, taken once, and answered when the
// run that it starts is durable. Rules WH9–WH13.
//
// Always true: what was refused has changed nothing; who is refused is not told what was wrong with the signature.

import type { Observers } from '../actor/observers.ts';
import type { Clock, Store } from '../actor/ports.ts';
import type { SkipCode } from '../actor/publication.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { Turns } from '../actor/turns.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { readPath } from '../base/path.ts';
import type { Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import { type WebhookCall, webhookOccasion } from '../triggers/occasions.ts';
import type { Trigger, WebhookTrigger } from '../triggers/trigger.ts';
import type { TriggerOffice } from '../triggers/trigger-office.ts';
import { readBody, readDeliveryId, shownHeaders } from './read-call.ts';
import { isSigned } from './verify.ts';

export interface IncomingCall {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
  readonly query?: Readonly<Record<string, string>>;
  /** When it came. Default: now. */
  readonly at?: number;
}

export type ReceivedCall =
  | { readonly status: 'accepted' | 'duplicate'; readonly deliveryId: string; readonly runId: string }
  /** It was taken, and nothing was to be started. */
  | {
      readonly status: 'ignored';
      readonly deliveryId: string;
      readonly runId: null;
      readonly code: SkipCode;
      readonly reason: string;
    }
  /** Slack asks whether anybody is there: the answer is the challenge. */
  | { readonly status: 'challenge'; readonly challenge: string };

export interface ReceiverOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly observers: Observers;
  readonly office: TriggerOffice;
  readonly vault: Vault;
  readonly newId: () => string;
}

type Webhook = Trigger & { readonly definition: WebhookTrigger };
type Taken = Exclude<ReceivedCall, { status: 'challenge' }>;

/** What is known of a delivery: the call while it is being taken, the answer afterwards. */
interface Delivery {
  readonly at: number;
  readonly call?: WebhookCall;
  readonly answer?: Taken;
}

const kind = 'webhook-delivery';
/** Seven days: longer than any sender tries again. */
const keptMs = 604_800_000;
const tidyEveryMs = 60_000;
const rowsPerTidy = 500;

export class WebhookReceiver {
  readonly #options: ReceiverOptions;
  readonly #turns = new Turns();
  #tidyAt = 0;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  async receive(id: string, call: IncomingCall): Promise<ReceivedCall> {
    const webhook = this.find(id, call.method);
    const { definition, checkBody } = webhook;
    const { limits, newId } = this.#options;
    refuseSize(call.rawBody, limits);
    await this.#refuseUnsigned(definition, call);
    const body = readBody(call, limits);
    const challenge = readChallenge(definition, body);
    if (challenge !== null) return { status: 'challenge', challenge };
    // WH11: a body that does not fit the schema of the trigger is refused, and may come again.
    const problems = checkBody?.(body) ?? [];
    const [first] = problems;
    if (first) throw new HeddleError('WEBHOOK_BODY_INVALID', `In the body: ${first.message}`, { problems });
    const { method, query = {} } = call;
    const deliveryId = readDeliveryId(definition, call, { body, limits });
    const taken = {
      deliveryId: deliveryId ?? newId(),
      method,
      query,
      body,
      headers: shownHeaders(definition, call.headers),
    };
    await this.#tidy();
    const at = call.at ?? this.#options.clock.now();
    return deliveryId === null ? this.#fire(webhook, taken, at) : this.#takeOnce(webhook, taken, at);
  }

  /** WH9: an id that is no webhook's, or of one that is switched off, is not found. */
  find(id: string, method: string): Webhook {
    const trigger = this.#options.office.registry.get(id);
    if (trigger?.enabled !== true || !isWebhook(trigger)) throw webhookNotFound(id);
    refuseMethod(trigger.definition, method);
    return trigger;
  }

  /** WH10: whatever is wrong with a signature, the answer is the same; that a secret is missing is reported to `onError`. */
  async #refuseUnsigned({ id, verify }: WebhookTrigger, call: IncomingCall): Promise<void> {
    if (verify === undefined) return;
    const { vault, clock, observers } = this.#options;
    const isRight = await vault.revealForSigning(verify.secret).then(
      (secret) => isSigned(verify, secret, call, call.at ?? clock.now()),
      (error: unknown) => {
        observers.broken(error, { triggerId: id });
        return false;
      },
    );
    if (isRight) return;
    throw new HeddleError('WEBHOOK_SIGNATURE_INVALID', 'Expected a valid signature, but there is none');
  }

  /**
   * WH12: a delivery is taken once: the same again, at once or within seven days, also after a crash, is answered with
   * what came of the first.
   */
  #takeOnce(webhook: Webhook, call: WebhookCall, at: number): Promise<Taken> {
    const key = `${webhook.definition.id}/${call.deliveryId}`;
    return this.#turns.take(key, async () => {
      const row = await this.#options.store.readRecord(kind, key);
      const known = row === null ? null : (valueOf(row) as Delivery); // as `#keep` wrote it
      if (known?.answer)
        return known.answer.status === 'accepted' ? { ...known.answer, status: 'duplicate' } : known.answer;
      const delivery = { call, at, ...known };
      // What is fired is stored first: after a crash the same delivery fires the same, even if it comes with other headers.
      if (known === null) await this.#keep(key, delivery);
      try {
        const answer = await this.#fire(webhook, delivery.call, delivery.at);
        // The answer is all that is asked for later.
        await this.#keep(key, { at: delivery.at, answer });
        return answer;
      } catch (error) {
        if (isRefusal(error)) await this.#forget([key]);
        throw error;
      }
    });
  }

  /** WH13: the run is started like any other that a trigger fires; a start that is refused may come again. */
  async #fire(webhook: Webhook, call: WebhookCall, at: number): Promise<Taken> {
    const { deliveryId } = call;
    const { fired, skipped } = await this.#options.office.fireFor(webhook, webhookOccasion(call, at));
    const [run] = fired;
    if (run) return { status: 'accepted', deliveryId, runId: run.runId };
    const [{ code, reason } = { code: 'FILTER_FALSE', reason: '' } as const] = skipped;
    if (code === 'START_REFUSED') throw new HeddleError('WEBHOOK_START_REFUSED', reason);
    return { status: 'ignored', deliveryId, runId: null, code, reason };
  }

  async #keep(key: string, delivery: Delivery): Promise<void> {
    const record = { kind, key, value: JSON.stringify(delivery), dueAt: delivery.at + keptMs };
    await this.#options.store.commit(sideCommit({ records: [record] }));
  }

  async #forget(keys: readonly string[]): Promise<void> {
    const records = keys.map((key) => ({ kind, key, value: null, dueAt: null }));
    await this.#options.store.commit(sideCommit({ records }));
  }

  /** Now and then, what is too old to come again. */
  async #tidy(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    if (now < this.#tidyAt) return;
    this.#tidyAt = now + tidyEveryMs;
    const rows = await store.dueRecords(kind, now, rowsPerTidy);
    if (rows.length > 0) await this.#forget(rows.map(({ key }) => key));
    if (rows.length === rowsPerTidy) this.#tidyAt = now;
  }
}

export const webhookNotFound = (id: string): HeddleError =>
  new HeddleError('WEBHOOK_NOT_FOUND', `Expected a webhook ${id.slice(0, 200)}, but there is none`);

const isWebhook = (trigger: Trigger): trigger is Webhook => trigger.definition.type === 'webhook';

const isRefusal = (error: unknown): boolean => error instanceof HeddleError && error.code === 'WEBHOOK_START_REFUSED';

function refuseMethod({ id, methods = ['POST'] }: WebhookTrigger, method: string): void {
  if (methods.includes(method)) return;
  const message = `Expected a call of webhook ${id} by ${methods.join(' or ')}, but found ${method.slice(0, 20)}`;
  throw new HeddleError('WEBHOOK_METHOD_NOT_ALLOWED', message, { details: { methods: [...methods] } });
}

function refuseSize({ length }: Uint8Array, { payloadBytesMax }: Limits): void {
  if (length <= payloadBytesMax) return;
  const message = `Expected at most ${payloadBytesMax} bytes in the body (limit payloadBytesMax), but found ${length}`;
  throw new HeddleError('LIMIT_EXCEEDED', message, { limit: 'payloadBytesMax' });
}

function readChallenge({ verify }: WebhookTrigger, body: Json): string | null {
  if (verify?.scheme !== 'slack' || readPath(body, ['type']) !== 'url_verification') return null;
  const challenge = readPath(body, ['challenge']);
  return typeof challenge === 'string' ? challenge : null;
}
