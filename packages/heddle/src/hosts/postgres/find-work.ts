// FindWork: what waits to be done: runs with an alarm, runs with tasks, messages not yet received. Each question is answered from an
// index that holds these only.

import type { OutboxRow, Undone } from '../../actor/ports.ts';
import { sumOf } from './row-check.ts';
import type { ShardTables } from './shard-tables.ts';

export function findWorkOf(tables: ShardTables): Undone {
  const readIds = async (sql: string, values: readonly (string | number)[]): Promise<readonly string[]> =>
    (await tables.read<{ runId: string }>(sql, values)).map(({ runId }) => runId);
  return {
    dueRuns: (at, limit) =>
      readIds(
        `SELECT run_id AS "runId" FROM $runs WHERE shard = $1 AND next_timer_at <= $2 ORDER BY next_timer_at, run_id LIMIT $3`,
        [at, limit],
      ),
    nextAlarmAt: async () => {
      const [first] = await tables.read<{ at: number }>(
        `SELECT next_timer_at AS at FROM $runs WHERE shard = $1 AND next_timer_at IS NOT NULL ORDER BY next_timer_at LIMIT 1`,
      );
      return first?.at ?? null;
    },
    runsWithWork: (after, limit) =>
      readIds(
        `SELECT run_id AS "runId" FROM $runs WHERE shard = $1 AND has_work = 1 AND run_id > $2 ORDER BY run_id LIMIT $3`,
        [after ?? '', limit],
      ),
    readOutbox: async (after, limit) => {
      const rows = await tables.read<OutboxRow & { readonly checksum: number }>(
        `SELECT id, recipient AS "to", message, checksum FROM $outbox WHERE shard = $1 AND id > $2 ORDER BY id LIMIT $3`,
        [after ?? '', limit],
      );
      return rows.map(({ id, to, message, checksum }) => {
        // Not even JSON: the reader reports it, leaves it where it is, and continues with the others (RV1).
        return { id, to, message: sumOf([id, to, message]) === checksum ? message : '' };
      });
    },
  };
}
