// Definitions: the registered versions of workflows.

import type { DefinitionRow, DefinitionStore } from '../../actor/ports.ts';
import { FencedWrite } from './fenced-write.ts';
import { damagedRow, sumOf } from './row-check.ts';
import type { ShardTables } from './shard-tables.ts';

interface StoredDefinition extends DefinitionRow {
  readonly checksum: number;
}

const columns = 'id, version, hash, body, created_at AS "createdAt", checksum';
const values = ({ id, version, hash, body, createdAt }: DefinitionRow) => [id, version, hash, body, createdAt];
const allMax = Number.MAX_SAFE_INTEGER;

export function definitionsOf(tables: ShardTables): DefinitionStore {
  const read = async (where: string, asked: readonly (string | number)[]): Promise<readonly DefinitionRow[]> => {
    const rows = await tables.read<StoredDefinition>(
      `SELECT ${columns} FROM $definitions WHERE shard = $1 AND ${where}`,
      asked,
    );
    return rows.map(({ checksum, ...row }) => {
      if (sumOf(values(row)) !== checksum) throw damagedRow(tables, 'definitions', `${row.id} version ${row.version}`);
      return row;
    });
  };
  const first = async (where: string, asked: readonly (string | number)[]): Promise<DefinitionRow | null> =>
    (await read(where, asked))[0] ?? null;
  return {
    saveDefinition: async (row, stamp) => {
      const write = new FencedWrite();
      write.add(
        'saved',
        `INSERT INTO $definitions (shard, id, version, hash, body, created_at, checksum)
         SELECT $1::int, r.* FROM fence, unnest(${write.columns([[...values(row), sumOf(values(row))]], ['text', 'bigint', 'text', 'text', 'bigint', 'bigint'])}) AS r
         ON CONFLICT (shard, id, version) DO UPDATE SET hash = excluded.hash, body = excluded.body,
           created_at = excluded.created_at, checksum = excluded.checksum RETURNING 1`,
      );
      await write.send(tables, stamp);
    },
    findDefinition: (id, version) =>
      version === null
        ? first('id = $2 ORDER BY version DESC LIMIT 1', [id])
        : first('id = $2 AND version = $3', [id, version]),
    findDefinitionByHash: (id, hash) => first('id = $2 AND hash = $3 ORDER BY version DESC LIMIT 1', [id, hash]),
    listDefinitions: ({ id, after = { id: '', version: -1 }, limit } = { limit: allMax }) =>
      id === undefined
        ? read('(id, version) > ($2::text, $3::bigint) ORDER BY id, version LIMIT $4', [after.id, after.version, limit])
        : read('id = $2 AND version > $3 ORDER BY version LIMIT $4', [id, after.version, limit]),
  };
}
