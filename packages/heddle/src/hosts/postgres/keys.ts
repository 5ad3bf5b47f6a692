// Keys: what starts are kept apart by. A key may be longer than an entry of an index: it is found by a hash.

import type { KeyRow } from '../../actor/ports.ts';
import { sha256Base64url } from '../../base/hash.ts';
import { toStoredText } from '../sql/stored-run.ts';
import { damagedRow, sumOf } from './row-check.ts';
import type { ShardTables } from './shard-tables.ts';

/** No two pairs share one. */
export const keyPlace = (scope: string, key: string): string => sha256Base64url(JSON.stringify([scope, key]));

export const keySum = ({ scope, key, fingerprint, runId, at }: KeyRow): number =>
  sumOf([toStoredText(scope), toStoredText(key), fingerprint, runId, at]);

export async function findKey(tables: ShardTables, scope: string, key: string): Promise<KeyRow | null> {
  const [found] = await tables.read<Pick<KeyRow, 'fingerprint' | 'runId' | 'at'> & { readonly checksum: number }>(
    'SELECT fingerprint, run_id AS "runId", at, checksum FROM $keys WHERE shard = $1 AND place = $2',
    [keyPlace(scope, key)],
  );
  if (found === undefined) return null;
  const { checksum, ...columns } = found;
  const row = { scope, key, ...columns };
  if (keySum(row) !== checksum) throw damagedRow(tables, 'keys', `${scope} ${key}`);
  return row;
}
