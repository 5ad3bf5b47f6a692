// RowCheck: every row that no hash chain covers carries a checksum over its columns, which is compared whenever the row is read.

import { crc32 } from 'node:zlib';
import { StoreError } from '../../actor/store-error.ts';
import { type CheckedTable, rowFinding } from '../sql/checked-tables.ts';
import type { SqlValue } from './database.ts';
import type { ShardTables } from './shard-tables.ts';

export function sumOf(values: readonly SqlValue[]): number {
  return crc32(values.join('\n'));
}

/** Of a row that does not match its checksum, and is not believed (DM1). */
export function damagedRow({ name }: Pick<ShardTables, 'name'>, table: CheckedTable, key: string): StoreError {
  return new StoreError('STORE_DAMAGED', damagedSentence(name, rowFinding(table, key)));
}

function damagedSentence(name: string, found: string): string {
  return `Expected ${name} to be as it was written, but ${found}. Put a backup of the database in its place.`;
}
