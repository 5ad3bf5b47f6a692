// Callback office: the entry point of callbacks: who is notified of what, what was sent, and the sending itself.
//
// Always true: what is in memory has been committed; one callback is changed by one at a time.

import { readAllRecords } from '../../actor/all-records.ts';
import { Background } from '../../actor/background.ts';
import type { Observers } from '../../actor/observers.ts';
import type { Office } from '../../actor/office.ts';
import type { Clock, RecordRow, RecordWrite, Store } from '../../actor/ports.ts';
import { valueOf } from '../../actor/record-value.ts';
import { Turns } from '../../actor/turns.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Limits } from '../../definition/limits.ts';
import { toBase64 } from '../../secrets/cipher.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { HttpClient } from '../client.ts';
import { callbackKind, deliveryKind, type StoredCallback, type StoredDelivery, splitDeliveryId } from './callback.ts';
import { checkCallback, type NewCallback } from './check-callback.ts';
import { CallbackReader } from './reader.ts';
import { CallbackSender, makeRecord } from './sender.ts';

export interface CallbackOfficeOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly observers: Observers;
  readonly vault: Vault;
  /** Null: this runtime has none. */
  readonly client: HttpClient | null;
  readonly newId: () => string;
  /** Of a shard of a fleet: switches a callback off for all of them. */
  readonly switchOff?: ((id: string, reason: string) => Promise<unknown>) | undefined;
}

export interface Created {
  readonly callback: StoredCallback;
  /** False if it was there before, with the same content. */
  readonly isNew: boolean;
  /** The secret that was made for it; it is told this once. */
  readonly madeSecret: string | null;
}

export const callbacksAddress = '@callbacks';
const rowsPerPage = 500;

export class CallbackOffice implements Office {
  readonly #options: CallbackOfficeOptions;
  readonly #background: Background;
  readonly #reader: CallbackReader;
  readonly #callbacks = new Map<string, StoredCallback>();
  /** Those that are on: asked for at every commit. */
  #enabled: readonly StoredCallback[] = [];
  readonly #senders = new Map<string, CallbackSender>();
  readonly #turns = new Turns();
  /** Ends the watch of commits; null while none is watched. */
  #unwatch: (() => void) | null = null;
  #underWay = 0;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: CallbackOfficeOptions) {
    this.#options = options;
    const { store, clock, observers } = options;
    this.#background = new Background(store, clock, (error, context) => observers.broken(error, context));
    this.#reader = new CallbackReader({
      store,
      clock,
      background: this.#background,
      callbacks: () => this.#enabled,
      count: (work) => this.#count(work),
      onDeliveries: (ids) => {
        for (const id of ids) this.#senders.get(id)?.expect(clock.now());
      },
    });
  }

  /** Before any run resumes: from then on it is known who is to be told. */
  async load(): Promise<void> {
    for (const row of await readAllRecords(this.#options.store, callbackKind)) {
      try {
        this.#callbacks.set(row.key, valueOf(row) as StoredCallback); // as `#put` wrote it
      } catch (error) {
        this.#background.report(error);
      }
    }
  }

  /** Goes on with what an earlier process left. */
  recover(): void {
    this.#noteEnabled();
    for (const callback of this.list()) this.#setSender(callback);
    this.#reader.wake();
  }

  /** CB11: the same again changes nothing; other content under a taken id is refused. There are at most `callbacksMax`. */
  create(given: NewCallback): Promise<Created> {
    return this.#turns.take('', async () => {
      const { client, newId, limits, clock, store, vault } = this.#options;
      if (client === null) throw notAvailable();
      const checked = checkCallback(given, client.policy);
      const id = given.id ?? `callback-${newId()}`;
      const secret = given.secret ?? `callback.${id}`;
      const definition = { id, ...checked, secret };
      const known = this.#callbacks.get(id);
      if (known && isSame(known, definition)) return { callback: known, isNew: false, madeSecret: null };
      if (known) throw idTaken(id);
      if (this.#callbacks.size >= limits.callbacksMax) throw tooMany(limits);
      if (given.secret !== undefined) await vault.revealForSigning(given.secret);
      const madeSecret = given.secret === undefined ? makeSecret() : null;
      if (madeSecret !== null) await vault.set(secret, madeSecret);
      const from = await store.feedEnd();
      const state = { enabled: true, disabledReason: null, createdAt: clock.now(), from };
      return { callback: await this.#put({ ...definition, ...state }), isNew: true, madeSecret };
    });
  }

  /** As another shard has it, where it is changed; null if it is gone there. It is told of what happens here from now on. */
  async adopt(id: string, value: string | null): Promise<void> {
    if (value === null) return void (await this.remove(id));
    const callback = JSON.parse(value) as StoredCallback; // as `#put` wrote it
    await this.#turns.take('', async () => {
      const known = this.#callbacks.get(id);
      const from = known?.enabled ? known.from : await this.#options.store.feedEnd();
      await this.#put({ ...callback, from });
    });
  }

  /** By id. */
  list(): readonly StoredCallback[] {
    return [...this.#callbacks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  mustGet(id: string): StoredCallback {
    const callback = this.#callbacks.get(id);
    if (callback) return callback;
    throw new HeddleError('CALLBACK_NOT_FOUND', `Expected a callback ${id}, but there is none`);
  }

  /** CB12: with a callback go its deliveries, and the secret that was made for it. */
  remove(id: string): Promise<boolean> {
    return this.#turns.take('', async () => {
      if (!this.#callbacks.has(id)) return false;
      const gone: RecordWrite = { kind: callbackKind, key: id, value: null, dueAt: null };
      await this.#background.commit({ records: [gone] });
      this.#callbacks.delete(id);
      this.#noteEnabled();
      this.#senders.get(id)?.close();
      this.#senders.delete(id);
      await this.#options.vault.remove(`callback.${id}`);
      for (let rows: readonly RecordRow[] = []; ; ) {
        // Once at least: what was to be stored for it before it was gone is there after this.
        const records = rows.map((row) => ({ ...row, value: null, dueAt: null }));
        await this.#background.commit({ records: [gone, ...records] });
        rows = await this.#background.store.listRecords(deliveryKind(id), { limit: rowsPerPage });
        if (rows.length === 0) return true;
      }
    });
  }

  /** CB13: while it is off nothing is sent, and of what happens then it is not told; what waited is sent when it is on again. */
  setEnabled(id: string, enabled: boolean, disabledReason: string | null = null): Promise<StoredCallback> {
    return this.#turns.take('', async () => {
      const known = this.mustGet(id);
      if (known.enabled === enabled) return known;
      const from = enabled ? await this.#options.store.feedEnd() : known.from;
      return this.#put({ ...known, enabled, from, disabledReason });
    });
  }

  /** CB14: what was given up, or has arrived, is sent once more, under the same id. */
  resend(id: string): Promise<StoredDelivery> {
    const { clock } = this.#options;
    const { callback, place } = splitDeliveryId(id);
    return this.#turns.take('', async () => {
      const row = this.#callbacks.has(callback)
        ? await this.#background.store.readRecord(deliveryKind(callback), place)
        : null;
      if (row === null) throw new HeddleError('DELIVERY_NOT_FOUND', `Expected a delivery ${id}, but there is none`);
      const now = clock.now();
      const pending = { status: 'pending', attempts: 0, nextAt: now } as const;
      const delivery: StoredDelivery = { ...(valueOf(row) as StoredDelivery), ...pending }; // as `makeRecord` wrote it
      await this.#background.commit({ records: [makeRecord(delivery, now)] });
      this.#senders.get(callback)?.expect(now);
      return delivery;
    });
  }

  /** Nothing is sent to it. */
  receive(): void {
    this.#background.report(new HeddleError('MESSAGE_UNKNOWN', 'Expected no message for callbacks, but one came'));
  }

  get isIdle(): boolean {
    return this.#background.isIdle && this.#underWay === 0;
  }

  get isOwing(): boolean {
    return this.#background.isOwing;
  }

  async whenIdle(): Promise<void> {
    await this.#background.whenIdle();
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  async close(): Promise<void> {
    for (const sender of this.#senders.values()) sender.close();
    await this.#background.close();
    await this.whenIdle();
  }

  /** Stores it as it is now; with the first that is on begins the reading. */
  async #put(callback: StoredCallback): Promise<StoredCallback> {
    const isFirst = callback.enabled && this.#enabled.length === 0;
    const record: RecordWrite = { kind: callbackKind, key: callback.id, value: JSON.stringify(callback), dueAt: null };
    const cursor = isFirst ? [this.#reader.begin(callback.from)] : [];
    await this.#background.commit({ records: [record, ...cursor] });
    this.#callbacks.set(callback.id, callback);
    this.#noteEnabled();
    this.#setSender(callback);
    this.#reader.wake();
    return callback;
  }

  /** While none is on, commits are not watched. */
  #noteEnabled(): void {
    this.#enabled = this.list().filter(({ enabled }) => enabled);
    if (this.#enabled.length > 0)
      this.#unwatch ??= this.#options.observers.watchCommits((isOpen) => isOpen && this.#reader.wake());
    else {
      this.#unwatch?.();
      this.#unwatch = null;
    }
  }

  #setSender(callback: StoredCallback): void {
    this.#senders.get(callback.id)?.close();
    this.#senders.delete(callback.id);
    const { client, clock, vault } = this.#options;
    if (!callback.enabled || client === null) return;
    const sender = new CallbackSender(callback, {
      client,
      clock,
      vault,
      background: this.#background,
      count: (work) => this.#count(work),
      onGone: async ({ id }) => {
        if (this.#callbacks.has(id)) await this.#switchOff(id, 'the endpoint answered 410 (Gone)');
      },
    });
    this.#senders.set(callback.id, sender);
    sender.open();
  }

  #switchOff(id: string, reason: string): Promise<unknown> {
    return this.#options.switchOff?.(id, reason) ?? this.setEnabled(id, false, reason);
  }

  async #count<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const waiter of this.#idleWaiters.splice(0)) waiter();
    }
  }
}

function isSame(known: StoredCallback, given: object): boolean {
  const { enabled: _, disabledReason: _2, createdAt: _3, from: _4, ...definition } = known;
  return JSON.stringify(definition) === JSON.stringify(given);
}

const makeSecret = (): string => `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`;

function notAvailable(): HeddleError {
  const message =
    'Expected a runtime on which the engine can choose the address that it connects to, but this one cannot: there are no callbacks';
  return new HeddleError('NOT_AVAILABLE', message);
}

function idTaken(id: string): HeddleError {
  const message = `Expected a free id, but callback ${id} is there with other content; remove it first, or choose another id`;
  return new HeddleError('CALLBACK_EXISTS', message, { pointer: '/id' });
}

function tooMany({ callbacksMax }: Limits): HeddleError {
  const message = `Expected at most ${callbacksMax} callbacks (limit callbacksMax), but there are as many`;
  return new HeddleError('LIMIT_EXCEEDED', message, { limit: 'callbacksMax' });
}
