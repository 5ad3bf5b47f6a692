// Mail store: a shard's own store, in whose commits what is for other shards becomes letters, and the receipt of a letter a
// mark. Whoever commits (runs, the ledger, the offices) knows nothing of shards. Rules ML1 and ML5.
//
// Always true: letters, their numbers and the marks of letters are in the commit of what they follow from.

import type { Json } from '../../base/json.ts';
import type { Awaitable, Commit, RecordWrite, Store } from '../ports.ts';
import type { IncomingMail } from './incoming-mail.ts';
import { isReceipt, recordsAddress, rowOf } from './letter.ts';
import type { OutgoingMail, Unnumbered } from './outgoing-mail.ts';
import type { Placement } from './placement.ts';

export interface MailStoreOptions {
  readonly placement: Placement;
  readonly outgoing: () => OutgoingMail;
  readonly incoming: () => IncomingMail;
}

export function withMail(store: Store, { placement, outgoing, incoming }: MailStoreOptions): Store {
  // The queue below stamps what it is given (WR1).
  const commit = (given: Commit): Awaitable<void> => {
    const { letters, ...own } = divide(given, placement);
    if (letters.length === 0 && !given.outboxDone.some(isReceipt)) return store.commit(given);
    const { posted, records } = outgoing().number(letters);
    const written: Commit = {
      ...given,
      outboxAdded: [...own.outboxAdded, ...posted.map(rowOf)],
      outboxDone: given.outboxDone.filter((id) => !isReceipt(id)),
      records: [...own.records, ...records, ...incoming().marksOf(given.outboxDone)],
    };
    const settle = (isDurable: boolean): void => {
      outgoing().settle(posted, isDurable);
      if (isDurable) incoming().received(given.outboxDone);
    };
    return settled(() => store.commit(written), settle);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'hash' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** What stays, and what goes elsewhere, in its order. */
function divide(
  { outboxAdded, records }: Commit,
  placement: Placement,
): Pick<Commit, 'outboxAdded' | 'records'> & { readonly letters: readonly Unnumbered[] } {
  const letters: Unnumbered[] = [];
  const isOwn = (receiver: number): boolean => receiver === placement.own;
  const keptRecords = records.filter((record) => {
    const receiver = placement.ofRecord(record);
    if (!isOwn(receiver)) letters.push({ receiver, to: recordsAddress, message: asMessage(record) });
    return isOwn(receiver);
  });
  const keptRows = outboxAdded.filter((row) => {
    const message = (): Json => JSON.parse(row.message) as Json; // whoever sends it made it of JSON
    const receiver = placement.ofMessage(row.to, message);
    if (!isOwn(receiver)) letters.push({ receiver, to: row.to, message: message() });
    return isOwn(receiver);
  });
  return { outboxAdded: keptRows, records: keptRecords, letters };
}

const asMessage = ({ kind, key, value, dueAt }: RecordWrite): Json => ({ kind, key, value, dueAt });

/** Tells how it came out, before whoever waits for it hears. */
function settled(write: () => Awaitable<void>, settle: (isDurable: boolean) => void): Awaitable<void> {
  try {
    const answer = write();
    if (!(answer instanceof Promise)) return settle(true);
    return answer.then(
      () => settle(true),
      (error: unknown) => {
        settle(false);
        throw error;
      },
    );
  } catch (error) {
    settle(false);
    throw error;
  }
}
