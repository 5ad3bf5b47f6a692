// Repost: what lies in the outboxes of a fleet while it is copied to another number of shards: what has arrived is left out,
// and what belongs to another shard now goes there. Rule CY4.
//
// Always true: nobody sends or receives meanwhile; what was sent to one receiver stays in its order.

import type { Json } from '../../base/json.ts';
import { readAllRecords } from '../all-records.ts';
import type { Commit, OutboxRow, RecordWrite, Store } from '../ports.ts';
import { markKind, seenKind } from './incoming-mail.ts';
import { mailAddress, type Posted, readPosted, recordsAddress, rowOf } from './letter.ts';
import { counterKind } from './outgoing-mail.ts';
import { Placement } from './placement.ts';

const rowsPerPage = 1_000;

/** CY4: of stores in their order, of which those that are new have sent nothing. */
export async function repostAll(stores: readonly Store[], incarnation: string): Promise<void> {
  const arrivals = await Promise.all(stores.map(readArrivals));
  for (const [own, store] of stores.entries()) {
    const hasArrived = (posted: Posted): boolean => arrivals[posted.receiver]?.(own, posted) ?? false;
    await repost(store, { placement: new Placement(own, stores.length), incarnation, hasArrived });
  }
  for (const store of stores) await forgetNumbers(store);
}

interface Reposting {
  readonly placement: Placement;
  /** No number of it was ever used. */
  readonly incarnation: string;
  readonly hasArrived: (posted: Posted) => boolean;
}

async function repost(store: Store, { placement, incarnation, hasArrived }: Reposting): Promise<void> {
  const numbers = new Map<number, number>();
  const letterTo = (receiver: number, to: string, message: Json): OutboxRow => {
    const number = (numbers.get(receiver) ?? 0) + 1;
    numbers.set(receiver, number);
    return rowOf({ receiver, incarnation, number, to, message });
  };
  const outboxDone: string[] = [];
  const outboxAdded: OutboxRow[] = [];
  for (const row of await allOf(store)) {
    const content = JSON.parse(row.message) as Json; // as whoever sent it wrote it
    const posted = row.to === mailAddress ? readPosted(row.id, content) : null;
    const { to, message } = posted ?? { to: row.to, message: content };
    const receiver = receiverOf(placement, to, message);
    if (posted === null && receiver === placement.own) continue; // no letter, and none now
    outboxDone.push(row.id);
    // What has a mark has had its effect.
    if (posted === null || !hasArrived(posted)) outboxAdded.push(letterTo(receiver, to, message));
  }
  const commit: Commit = { runs: [], journal: [], keys: [], records: [], outboxAdded, outboxDone };
  if (outboxDone.length > 0) await store.commit(commit);
}

function receiverOf(placement: Placement, to: string, message: Json): number {
  if (to === recordsAddress) return placement.ofRecord(message as unknown as RecordWrite); // as its sender's commit had it
  return placement.ofMessage(to, () => message);
}

/** In the order of sending. */
async function allOf(store: Store): Promise<readonly OutboxRow[]> {
  const found: OutboxRow[] = [];
  for (;;) {
    const rows = await store.readOutbox(found.at(-1)?.id ?? null, rowsPerPage);
    for (const row of rows) found.push(row);
    if (rows.length === 0) return found;
  }
}

/** What a store has received. */
async function readArrivals(store: Store): Promise<(sender: number, posted: Posted) => boolean> {
  const seen = new Map<string, number>();
  for (const { key, value } of await readAllRecords(store, seenKind))
    seen.set(key, (JSON.parse(value) as { below: number }).below); // as whoever received it wrote it
  const marks = new Set((await readAllRecords(store, markKind)).map(({ key }) => key));
  return (sender, { incarnation, number }) => {
    const name = `${sender}/${incarnation}`;
    return number < (seen.get(name) ?? 0) || marks.has(`${name}/${number}`);
  };
}

/** No letter of an earlier incarnation is on its way any more: whoever opens the store begins one. */
async function forgetNumbers(store: Store): Promise<void> {
  for (const kind of [markKind, seenKind, counterKind]) {
    const records = (await readAllRecords(store, kind)).map(({ key }) => ({ kind, key, value: null, dueAt: null }));
    if (records.length > 0)
      await store.commit({ runs: [], journal: [], keys: [], outboxAdded: [], outboxDone: [], records });
  }
}
