// Fence: whose writes of a shard count.

import type { Fence, Tenure } from '../../actor/ports.ts';
import type { ShardTables } from './shard-tables.ts';

export function fenceOf(tables: ShardTables): Fence {
  const move = async (sql: string, owner: string): Promise<Tenure | null> => {
    const [tenure] = await tables.read<Tenure>(`${sql} RETURNING epoch, commit_no AS number`, [owner]);
    return tenure ?? null;
  };
  return {
    // What is on its way is done before it or never: all change the one row of the shard.
    take: async (owner) =>
      (await move('UPDATE $shards SET epoch = epoch + 1, owner = $2 WHERE shard = $1', owner)) as Tenure, // there is one
    raise: (owner) => move('UPDATE $shards SET epoch = epoch + 1 WHERE shard = $1 AND owner = $2', owner),
  };
}
