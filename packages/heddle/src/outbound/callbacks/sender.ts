// Sender: sends the deliveries of one callback, a few at a time, until each has arrived or was given up.
// Rules CB4–CB7.
//
// Always true: what a delivery came to is stored after it was sent, so that a crash in between sends it again; a callback
// whose endpoint is dead holds up none but its own.

import { Alarm } from '../../actor/alarm.ts';
import type { Background } from '../../actor/background.ts';
import type { Clock, RecordWrite } from '../../actor/ports.ts';
import { valueOf } from '../../actor/record-value.ts';
import { readRetryAfter } from '../../executor/retry-after.ts';
import { signHmac } from '../../secrets/sign-hmac.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { HttpClient } from '../client.ts';
import { attemptsMax, delayAfter } from './back-off.ts';
import { deliveryKind, type StoredCallback, type StoredDelivery, splitDeliveryId } from './callback.ts';

export interface SenderOptions {
  readonly clock: Clock;
  readonly background: Background;
  readonly vault: Vault;
  readonly client: HttpClient;
  /** What it is doing is waited for, unless it waits for an answer itself. */
  readonly count: <T>(work: Promise<T>) => Promise<T>;
  /** The endpoint says that it is gone. */
  readonly onGone: (callback: StoredCallback) => Promise<void>;
}

/** What an attempt came to. */
interface Answer {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfterMs: number;
}

const sendsAtOnce = 4;
const timeoutMs = 15_000;
const answerBytesMax = 65_536;
const errorLengthMax = 500;
const deliveredKeptMs = 604_800_000;
const failedKeptMs = 2_592_000_000;
const gone = 410;

export class CallbackSender {
  readonly #callback: StoredCallback;
  readonly #options: SenderOptions;
  readonly #alarm: Alarm;
  readonly #controller = new AbortController();

  constructor(callback: StoredCallback, options: SenderOptions) {
    this.#callback = callback;
    this.#options = options;
    const { clock, background } = options;
    const kind = deliveryKind(callback.id);
    const rows = {
      dueRuns: async (at: number) => (await background.store.dueRecords(kind, at, sendsAtOnce)).map(({ key }) => key),
      nextAlarmAt: () => background.store.nextDueAt(kind),
    };
    this.#alarm = new Alarm(
      clock,
      rows,
      (place) => this.#handle(place),
      (error) => background.report(error),
    );
  }

  open(): void {
    this.#alarm.look();
  }

  expect(at: number): void {
    this.#alarm.expect(at);
  }

  close(): void {
    this.#alarm.close();
    this.#controller.abort(new Error('the callback is switched off, or the engine closed'));
  }

  async #handle(place: string): Promise<void> {
    const { background, clock, count } = this.#options;
    const row = await background.store.readRecord(deliveryKind(this.#callback.id), place);
    if (row === null || (row.dueAt ?? Number.POSITIVE_INFINITY) > clock.now()) return;
    const delivery = valueOf(row) as StoredDelivery; // as `makeRecord` wrote it
    if (delivery.status !== 'pending') {
      await background.commit({ records: [{ ...row, value: null, dueAt: null }] });
      return;
    }
    const headers = await count(this.#sign(delivery));
    const answer =
      typeof headers === 'string'
        ? { status: null, error: headers, retryAfterMs: 0 }
        : await this.#send(delivery, headers);
    // Whoever closed it does not wait for it: the next sender sends it again.
    if (this.#controller.signal.aborted) return;
    await count(this.#note(delivery, answer));
  }

  /** CB4: signed with the time, so that a receiver can refuse what is old; or why it cannot be. */
  async #sign({ id, body }: StoredDelivery): Promise<Readonly<Record<string, string>> | string> {
    const { vault, clock } = this.#options;
    const time = Math.floor(clock.now() / 1_000);
    try {
      const secret = await vault.revealForSigning(this.#callback.secret);
      const way = { lead: `${time}.`, algorithm: 'sha256', encoding: 'hex' } as const;
      const signature = await signHmac(way, secret, new TextEncoder().encode(body));
      return {
        'content-type': 'application/json',
        'user-agent': 'heddle',
        'heddle-delivery': id,
        'idempotency-key': id,
        'heddle-signature': `t=${time},v1=${signature}`,
      };
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #send({ body }: StoredDelivery, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const { client, clock } = this.#options;
    try {
      const response = await client.send({
        url: client.policy.readUrl(this.#callback.url),
        method: 'POST',
        headers,
        body: new TextEncoder().encode(body),
        followRedirects: false,
        timeoutMs,
        bytesMax: answerBytesMax,
        signal: this.#controller.signal,
      });
      const { status } = response;
      return { status, error: null, retryAfterMs: readRetryAfter(response, clock.now()) ?? 0 };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { status: null, error: message.slice(0, errorLengthMax), retryAfterMs: 0 };
    }
  }

  /** CB5: any 2xx is arrival; 410 switches the callback off; all else is tried again, and in the end given up. */
  async #note(before: StoredDelivery, { status, error, retryAfterMs }: Answer): Promise<void> {
    const { background, clock, onGone } = this.#options;
    const now = clock.now();
    const attempts = before.attempts + 1;
    const hasArrived = status !== null && status >= 200 && status < 300;
    const isOver = hasArrived || status === gone || attempts >= attemptsMax;
    const delivery: StoredDelivery = {
      ...before,
      attempts,
      lastAttemptAt: now,
      lastStatus: status,
      lastError: error,
      status: isOver ? (hasArrived ? 'delivered' : 'failed') : 'pending',
      nextAt: isOver ? null : now + Math.max(delayAfter(attempts, before.id), retryAfterMs),
    };
    await background.commit({ records: [makeRecord(delivery, now)] });
    if (status === gone) await onGone(this.#callback);
  }
}

/** CB7: what has arrived is kept for seven days, what was given up for thirty. */
export function makeRecord(delivery: StoredDelivery, now: number): RecordWrite {
  const { callback, place } = splitDeliveryId(delivery.id);
  const removedAt = now + (delivery.status === 'delivered' ? deliveredKeptMs : failedKeptMs);
  return {
    kind: deliveryKind(callback),
    key: place,
    value: JSON.stringify(delivery),
    dueAt: delivery.nextAt ?? removedAt,
  };
}
