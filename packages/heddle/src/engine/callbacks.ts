// Callbacks: what users do with callbacks: create, look, switch on and off, see what was delivered, send it again.

import { readAllRecords } from '../actor/all-records.ts';
import { valueOf } from '../actor/record-value.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { CreatedCallback, DeliveryQuery } from '../operations/callbacks.ts';
import {
  type CallbackInfo,
  callbackKind,
  type DeliveryInfo,
  deliveryKind,
  infoOfCallback,
  infoOfDelivery,
  type StoredCallback,
  type StoredDelivery,
  splitDeliveryId,
} from '../outbound/callbacks/callback.ts';
import type { CallbackOffice } from '../outbound/callbacks/callback-office.ts';
import type { NewCallback } from '../outbound/callbacks/check-callback.ts';
import { checkOptions, refuseChoice, refuseTexts } from './check-options.ts';
import type { Host } from './host.ts';

const deliveriesPerPage = 50;
const rowsPerLook = 200;
const pendingCounted = 100;
/** Longer than any back-off; what has arrived stays for much longer. */
const soonMs = 36_000_000;

export class Callbacks {
  readonly #host: Host;
  readonly #office: CallbackOffice;

  constructor(host: Host, office: CallbackOffice) {
    this.#host = host;
    this.#office = office;
  }

  /** From then on it is told of what happens. Durable when this returns. */
  async create(callback: NewCallback): Promise<CreatedCallback> {
    this.#refuseChange();
    const kinds = {
      id: 'other',
      url: 'other',
      on: 'other',
      workflow: 'other',
      statuses: 'other',
      secret: 'other',
    } as const;
    checkOptions('create', callback, kinds);
    const created = await this.#office.create(callback);
    return { ...created, callback: infoOfCallback(created.callback) };
  }

  /** By id. */
  async list(): Promise<readonly CallbackInfo[]> {
    return (await this.#stored()).map(infoOfCallback);
  }

  async get(id: string): Promise<CallbackInfo> {
    refuseTexts([['the id of a callback', id]]);
    const found = (await this.#stored()).find((callback) => callback.id === id);
    if (found) return infoOfCallback(found);
    throw new HeddleError('CALLBACK_NOT_FOUND', `Expected a callback ${id}, but there is none`);
  }

  /** Whether there was one. What it was told, and what waits, goes with it. */
  async remove(id: string): Promise<boolean> {
    this.#refuseChange();
    refuseTexts([['the id of a callback', id]]);
    return this.#office.remove(id);
  }

  async enable(id: string): Promise<CallbackInfo> {
    return this.#setEnabled(id, true);
  }

  /** It is told nothing until it is switched on again, and of what happens meanwhile never. */
  async disable(id: string): Promise<CallbackInfo> {
    return this.#setEnabled(id, false);
  }

  /** By callback and in the order of what happened, a page at a time. */
  async deliveries(query: DeliveryQuery = {}): Promise<readonly DeliveryInfo[]> {
    checkOptions('deliveries', query, { callback: 'text', status: 'other', after: 'text', limit: 'whole' });
    refuseChoice('status', query.status, ['pending', 'delivered', 'failed']);
    const { status, limit = deliveriesPerPage } = query;
    const start = query.after === undefined ? null : splitDeliveryId(query.after);
    const ids = query.callback === undefined ? (await this.#stored()).map(({ id }) => id) : [query.callback];
    const found: DeliveryInfo[] = [];
    for (const id of ids.filter((one) => start === null || one >= start.callback)) {
      for await (const delivery of this.#deliveriesOf(id, id === start?.callback ? start.place : undefined)) {
        if (found.length === limit) return found;
        if (status === undefined || delivery.status === status) found.push(infoOfDelivery(delivery));
      }
    }
    return found;
  }

  /** Sends once more what was given up, or what has arrived, under the same id. */
  async resend(deliveryId: string): Promise<DeliveryInfo> {
    this.#refuseChange();
    refuseTexts([['the id of a delivery', deliveryId]]);
    return infoOfDelivery(await this.#office.resend(deliveryId));
  }

  /** As they are stored: an engine that only looks has none in memory. */
  #stored(): Promise<readonly StoredCallback[]> {
    return storedCallbacks(this.#host);
  }

  async *#deliveriesOf(callbackId: string, after: string | undefined): AsyncGenerator<StoredDelivery> {
    for (let last = after; ; ) {
      const query = { limit: rowsPerLook, ...(last === undefined ? {} : { after: last }) };
      const rows = await this.#host.store.listRecords(deliveryKind(callbackId), query);
      for (const row of rows) yield valueOf(row) as StoredDelivery; // as the office wrote it
      last = rows.at(-1)?.key;
      if (rows.length < rowsPerLook) return;
    }
  }

  async #setEnabled(id: string, enabled: boolean): Promise<CallbackInfo> {
    this.#refuseChange();
    refuseTexts([['the id of a callback', id]]);
    return infoOfCallback(await this.#office.setEnabled(id, enabled));
  }

  #refuseChange(): void {
    if (this.#host.readOnly) throw readOnlyError();
    if (this.#host.runner.isClosed) throw closedError();
  }
}

async function storedCallbacks({ store }: Host): Promise<readonly StoredCallback[]> {
  const rows = await readAllRecords(store, callbackKind);
  return rows.map((row) => valueOf(row) as StoredCallback); // as the office wrote it
}

/** How many deliveries are to be sent, or sent again: of each callback up to 100 are counted. */
export async function countPendingDeliveries(host: Host): Promise<number> {
  const { store, clock } = host;
  let count = 0;
  for (const { id } of await storedCallbacks(host)) {
    const rows = await store.dueRecords(deliveryKind(id), clock.now() + soonMs, pendingCounted);
    // Without reading what is to be sent, which may be long; in there every quote has a backslash before it.
    count += rows.filter(({ value }) => value.includes('"status":"pending"')).length;
  }
  return count;
}
