// All records of a kind of which there are few: as many as were stored, whatever a limit says by now.

import { given } from '../base/given.ts';
import type { RecordRow, Store } from './ports.ts';

const recordsPerPage = 1_000;

export async function readAllRecords(store: Pick<Store, 'listRecords'>, kind: string): Promise<readonly RecordRow[]> {
  const records: RecordRow[] = [];
  for (let after: string | undefined; ; after = records.at(-1)?.key) {
    const page = await store.listRecords(kind, { limit: recordsPerPage, ...given({ after }) });
    for (const record of page) records.push(record);
    if (page.length < recordsPerPage) return records;
  }
}
