// Move records: what a name places in one shard (events and those who wait for them, accounts, keys of retries) goes to the
// shard that has the name now that there are others. Rule CY3.
//
// Always true: everything else stays with the runs that it is about, in the shard that their ids say.

import { readAllRecords } from '../actor/all-records.ts';
import { eventIdKind } from '../actor/kept-event.ts';
import { Placement } from '../actor/mail/placement.ts';
import type { KeyRow, RecordRow, RecordWrite, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { reservationOf, retryKeyKind } from '../engine/retry-run.ts';
import { actionKind } from '../work/announcements.ts';

type Place = (placement: Placement, row: RecordRow) => number;

const byEvent: Place = (placement, { key }) => placement.ofRecord({ kind: 'event', key });
const byOrganization: Place = (placement, { key }) => placement.ofOrganization(organizationIn(key));

/** By kind: which shard one belongs to. */
const placed: Readonly<Record<string, Place>> = {
  event: byEvent,
  'event-wait': byEvent,
  'event-claim': byEvent,
  account: byOrganization,
  reservation: byOrganization,
  grant: byOrganization,
  deposit: byOrganization,
  [retryKeyKind]: (placement, { key }) => placement.ofKey('retry', key),
};

/** Keys of the ledger begin with the name of an organization, in quotes. */
function organizationIn(key: string): string {
  const [name = '""'] = /^"(?:[^"\\]|\\.)*"/.exec(key) ?? [];
  return JSON.parse(name) as string; // as the ledger wrote it
}

/** CY3: each to the shard that its name belongs to now. */
export async function moveRecords(stores: readonly Store[]): Promise<void> {
  const placement = new Placement(0, stores.length);
  for (const [kind, placeOf] of Object.entries(placed)) {
    const coming = stores.map((): RecordWrite[] => []);
    for (const [own, store] of stores.entries()) {
      for (const row of await readAllRecords(store, kind)) {
        const shard = placeOf(placement, row);
        if (shard === own) continue;
        coming[shard]?.push(row);
        coming[own]?.push({ ...row, value: null, dueAt: null });
      }
    }
    for (const [shard, records] of coming.entries()) await write(stores[shard] as Store, records); // one for each
  }
}

/** What every shard is to have: which ids events were published under, and the actions of workers. */
export async function spreadRecords(stores: readonly Store[]): Promise<void> {
  for (const kind of [eventIdKind, actionKind]) {
    const newest = new Map<string, RecordRow>();
    for (const store of stores)
      for (const row of await readAllRecords(store, kind)) {
        const known = newest.get(row.key);
        if (!known || (known.dueAt ?? 0) < (row.dueAt ?? 0)) newest.set(row.key, row);
      }
    for (const store of stores) await write(store, [...newest.values()]);
  }
}

/** The keys of retries that were made in the shard of their key, where nothing else says that they are taken. */
export async function reserveRetryKeys(
  stores: readonly Store[],
  keys: readonly (readonly Pick<KeyRow, 'key' | 'fingerprint'>[])[],
): Promise<void> {
  const placement = new Placement(0, stores.length);
  const coming = stores.map((): RecordWrite[] => []);
  for (const [own, some] of keys.entries())
    for (const { key, fingerprint } of some) {
      const shard = placement.ofKey('retry', key);
      if (shard !== own) coming[shard]?.push(reservationOf(key, fingerprint));
    }
  for (const [shard, records] of coming.entries()) await write(stores[shard] as Store, records); // one for each
}

const recordsAtOnce = 1_000;

async function write(store: Store, records: readonly RecordWrite[]): Promise<void> {
  for (let from = 0; from < records.length; from += recordsAtOnce)
    await store.commit(sideCommit({ records: records.slice(from, from + recordsAtOnce) }));
}
