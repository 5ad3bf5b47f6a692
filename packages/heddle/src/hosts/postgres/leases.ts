// Leases: which process owns which shard, by the clock of the database.
//
// Always true: one statement each. A lease is changed by who holds its row, and who owns a shard is read and changed as it is by
// then: `FOR UPDATE` and `ON CONFLICT` wait for others and look again, where all else sees the rows from before the wait. The row of
// the lease is held first, so that nobody waits for another in a ring.

import type { Leases } from '../../actor/ports.ts';
import type { Database } from './database.ts';
import { withTables } from './shard-tables.ts';

export function databaseLeases(database: Database): Leases {
  const ask = <Row extends object>(sql: string, values: readonly (string | number)[]): Promise<readonly Row[]> =>
    database.read<Row>(withTables(sql, database.prefix), values);
  return {
    // PG4: owners lie apart from the row that every write of a shard changes.
    async renew(process, forMs) {
      const rows = await ask<{ kind: 'owned' | 'free' | 'others'; shard: number }>(
        `WITH me AS (
           INSERT INTO $processes (process, lease_until) VALUES ($1, now() + $2::bigint * interval '1 millisecond')
           ON CONFLICT (process) DO UPDATE SET lease_until = excluded.lease_until RETURNING process
         ), held AS (
           SELECT o.shard FROM me, $owners AS o WHERE o.process = me.process FOR UPDATE OF o
         )
         SELECT 'owned' AS kind, shard FROM held
         UNION ALL SELECT 'free', o.shard FROM $owners AS o LEFT JOIN $processes AS p ON p.process = o.process
           WHERE (o.process IS NULL OR o.process <> $1) AND (p.process IS NULL OR p.lease_until <= now())
         UNION ALL SELECT 'others', count(*)::int FROM $processes WHERE process <> $1 AND lease_until > now()`,
        [process, forMs],
      );
      const shardsOf = (kind: string): number[] =>
        rows.flatMap((row) => (row.kind === kind ? [row.shard] : [])).toSorted((a, b) => a - b);
      return { processes: 1 + (shardsOf('others')[0] ?? 0), owned: shardsOf('owned'), free: shardsOf('free') };
    },
    async claim(process, shard) {
      // Whoever owned it is held to be gone: its lease is over, and cannot be renewed before this is done. What is looked at again
      // after a wait for another's claim is the owner alone: a part that writes cannot be done twice.
      const granted = await ask(
        `WITH seen AS MATERIALIZED (
           SELECT process FROM $owners WHERE shard = $2
         ), gone AS (
           INSERT INTO $processes AS p (process, lease_until)
             SELECT process, '-infinity' FROM seen WHERE process IS NOT NULL AND process <> $1
           ON CONFLICT (process) DO UPDATE SET lease_until = p.lease_until WHERE p.lease_until <= now() RETURNING process
         ), free AS MATERIALIZED (
           SELECT process FROM seen WHERE process IS NULL OR process = $1 OR process IN (SELECT process FROM gone)
         )
         UPDATE $owners AS o SET process = $1 FROM free
           WHERE o.shard = $2 AND o.process IS NOT DISTINCT FROM free.process RETURNING o.shard`,
        [process, shard],
      );
      return granted.length > 0;
    },
    async release(process, shard) {
      await ask('UPDATE $owners SET process = NULL WHERE shard = $2 AND process = $1', [process, shard]);
    },
    async leave(process) {
      await ask(
        `WITH freed AS (UPDATE $owners SET process = NULL WHERE process = $1 RETURNING 1)
         DELETE FROM $processes WHERE process = $1 OR lease_until < now() - interval '1 day'`,
        [process],
      );
    },
  };
}

/** Whether any process has a lease. */
export async function isAnybodyThere({ read, prefix }: Database): Promise<boolean> {
  return (
    (await read(withTables('SELECT 1 AS one FROM $processes WHERE lease_until > now() LIMIT 1', prefix))).length > 0
  );
}
