// Server records: what a server keeps beside the runs of its engine: keys, sessions and tokens. They are read from the store, and
// written by whoever owns it. Rule OW10.
//
// Always true: what is looked at before a write, and the write, are one step for all who write through the same owner.

import type { Awaitable, RecordRow, RecordWrite, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { Turns } from '../actor/turns.ts';

export interface ServerRecords extends Pick<Store, 'readRecord' | 'listRecords' | 'dueRecords'> {
  /** Writes all of them, or none if the record `ifThere` is not there any more; answers whether it did. */
  writeRecords(records: readonly RecordWrite[], ifThere?: Pick<RecordRow, 'kind' | 'key'>): Awaitable<boolean>;
}

export type WriteRecords = ServerRecords['writeRecords'];

/** Of a store that this process owns. */
export function recordsIn(store: Store): ServerRecords {
  return withReadsOf(store, writerOf(store));
}

export function withReadsOf(store: Store, writeRecords: WriteRecords): ServerRecords {
  return {
    readRecord: (kind, key) => store.readRecord(kind, key),
    listRecords: (kind, query) => store.listRecords(kind, query),
    dueRecords: (kind, at, limit) => store.dueRecords(kind, at, limit),
    writeRecords,
  };
}

export function writerOf(store: Pick<Store, 'readRecord' | 'commit'>): WriteRecords {
  const turns = new Turns();
  return (records, ifThere) =>
    turns.take('', async () => {
      // OW10: another process may have removed it.
      if (ifThere && (await store.readRecord(ifThere.kind, ifThere.key)) === null) return false;
      await store.commit(sideCommit({ records }));
      return true;
    });
}
