// DeleteRuns: removes runs, in small writes: first their rows, so that nobody finds half a run, then what they left.

import type { RunDeletion } from '../../actor/ports.ts';
import { readTagsIfSound } from '../sql/stored-run.ts';
import { textArray } from './database.ts';
import { FencedWrite } from './fenced-write.ts';
import { addRecordWrites } from './records.ts';
import type { ShardTables } from './shard-tables.ts';
import { type TagRow, tagRows } from './tags.ts';

export function deletionOf(tables: ShardTables): RunDeletion {
  return {
    deleteRuns: async ({ runIds, records }, stamp) => {
      const write = new FencedWrite();
      const ids = `unnest(${write.columns(
        runIds.map((runId) => [runId]),
        ['text'],
      )}) AS r (run_id)`;
      write.add(
        'gone',
        `DELETE FROM $runs AS t USING fence, ${ids} WHERE t.shard = $1::int AND t.run_id = r.run_id RETURNING 1`,
      );
      const tags = await readTagRows(tables, runIds);
      if (tags.length > 0)
        write.add(
          'gone_tags',
          `DELETE FROM $tags AS t USING fence, unnest(${write.columns(tags, ['text', 'text', 'bigint', 'text'])}) AS r (key, value, created_at, run_id)
           WHERE t.shard = $1::int AND t.key = r.key AND t.value = r.value AND t.created_at = r.created_at AND t.run_id = r.run_id
           RETURNING 1`,
        );
      addRecordWrites(write, records);
      await write.send(tables, stamp);
    },
    deleteRemains: async (runId, limit, stamp) => {
      const write = new FencedWrite();
      const run = write.value(runId);
      write.add(
        'chunks',
        `DELETE FROM $snapshots AS t USING fence WHERE t.shard = $1::int AND t.run_id = ${run}::text RETURNING 1`,
      );
      write.add(
        'dropped',
        `DELETE FROM $journal AS t USING fence WHERE t.shard = $1::int AND t.run_id = ${run}::text AND t.seq IN (
           SELECT seq FROM $journal WHERE shard = $1::int AND run_id = ${run}::text ORDER BY seq LIMIT ${write.value(limit)}::bigint
         ) RETURNING 1`,
      );
      return (await write.send(tables, stamp, { counted: 'dropped' })) < limit;
    },
    deleteKeys: async (runId, stamp) => {
      const write = new FencedWrite();
      write.add(
        'forgotten',
        `DELETE FROM $keys AS t USING fence WHERE t.shard = $1::int AND t.run_id = ${write.value(runId)}::text RETURNING 1`,
      );
      await write.send(tables, stamp);
    },
  };
}

/** What a run is born with never changes: it is read before it is removed. */
async function readTagRows(tables: ShardTables, runIds: readonly string[]): Promise<TagRow[]> {
  const found = await tables.read<{ runId: string; createdAt: number; tags: string }>(
    `SELECT r.run_id AS "runId", r.created_at AS "createdAt", r.tags
     FROM unnest($2::text[]) AS w (run_id) JOIN $runs AS r ON r.shard = $1 AND r.run_id = w.run_id`,
    [textArray(runIds)],
  );
  return found.flatMap(({ tags, ...run }) => tagRows({ ...run, tags: readTagsIfSound(tags) }));
}
