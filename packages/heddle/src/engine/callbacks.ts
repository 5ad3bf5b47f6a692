// Callbacks: what users do with callbacks: create, look, switch on and off, see what was delivered, send it again.

import { readAllRecords } from '../actor/all-records.ts';
import { valueOf } from '../actor/record-value.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { DeliveryQuery } from '../operations/callbacks.ts';
import { askedPage, slicedPage } from '../operations/pages.ts';
import {
  callbackKind,
  type DeliveryInfo,
  deliveryKind,
  infoOfCallback,
  infoOfDelivery,
  type StoredCallback,
  type StoredDelivery,
  splitDeliveryId,
} from '../outbound/callbacks/callback.ts';
import type { Host } from './host.ts';
import type { Performers } from './performer.ts';

const rowsPerLook = 200;
const pendingCounted = 100;
/** Longer than any back-off; what has arrived stays for much longer. */
const soonMs = 36_000_000;

export const callbackPerformers: Performers<
  | 'createCallback'
  | 'listCallbacks'
  | 'getCallback'
  | 'removeCallback'
  | 'enableCallback'
  | 'disableCallback'
  | 'listDeliveries'
  | 'resendDelivery'
> = {
  async createCallback({ callbacks }, callback) {
    const created = await callbacks.create(callback);
    return { ...created, callback: infoOfCallback(created.callback) };
  },

  async listCallbacks({ host }, paging) {
    return slicedPage((await storedCallbacks(host)).map(infoOfCallback), paging, ({ id }) => id);
  },

  async getCallback({ host }, { id }) {
    const found = (await storedCallbacks(host)).find((callback) => callback.id === id);
    if (found) return infoOfCallback(found);
    throw new HeddleError('CALLBACK_NOT_FOUND', `Expected a callback ${id}, but there is none`);
  },

  async removeCallback({ callbacks }, { id }) {
    return { removed: await callbacks.remove(id) };
  },

  async enableCallback({ callbacks }, { id }) {
    return infoOfCallback(await callbacks.setEnabled(id, true));
  },

  async disableCallback({ callbacks }, { id }) {
    return infoOfCallback(await callbacks.setEnabled(id, false));
  },

  listDeliveries({ host }, query) {
    return askedPage(
      query,
      (page) => findDeliveries(host, { ...query, ...page }),
      ({ id }) => id,
    );
  },

  async resendDelivery({ callbacks }, { id }) {
    return infoOfDelivery(await callbacks.resend(id));
  },
};

interface DeliveryPage extends DeliveryQuery {
  readonly limit: number;
}

/** By callback and in the order of what happened. */
async function findDeliveries(
  host: Host,
  { callback, status, after, limit }: DeliveryPage,
): Promise<readonly DeliveryInfo[]> {
  const start = after === undefined ? null : splitDeliveryId(after);
  const ids = callback === undefined ? (await storedCallbacks(host)).map(({ id }) => id) : [callback];
  const found: DeliveryInfo[] = [];
  for (const id of ids.filter((one) => start === null || one >= start.callback)) {
    for await (const delivery of deliveriesTo(host, id, id === start?.callback ? start.place : undefined)) {
      if (found.length === limit) return found;
      if (status === undefined || delivery.status === status) found.push(infoOfDelivery(delivery));
    }
  }
  return found;
}

async function* deliveriesTo(
  { store }: Host,
  callbackId: string,
  after: string | undefined,
): AsyncGenerator<StoredDelivery> {
  for (let last = after; ; ) {
    const query = { limit: rowsPerLook, ...given({ after: last }) };
    const rows = await store.listRecords(deliveryKind(callbackId), query);
    for (const row of rows) yield valueOf(row) as StoredDelivery; // as the office wrote it
    last = rows.at(-1)?.key;
    if (rows.length < rowsPerLook) return;
  }
}

/** As they are stored: an engine that only looks has none in memory. */
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
