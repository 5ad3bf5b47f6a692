// Artifacts in the database, in pieces: for those that are not many or large; a database that grows by them is copied with them.
//
// Always true: bytes under an id are whole: their pieces come and go in one statement; they are checked when they are read.

import type { ArtifactStore } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { sha256Hex } from '../../base/hash.ts';
import { FencedWrite } from './fenced-write.ts';
import type { ShardTables } from './shard-tables.ts';

const pieceBytes = 1_048_576;

export function artifactsOf(tables: ShardTables): ArtifactStore {
  return {
    async put(bytes) {
      const id = sha256Hex(bytes);
      // What was damaged is mended (AR5). Rows that are there are held meanwhile, so that nobody removes a part of them.
      await tables.write(
        `INSERT INTO $artifact_pieces AS t (shard, id, piece, bytes)
         SELECT $1::int, $2::text, piece, substring($3::bytea FROM piece * ${pieceBytes} + 1 FOR ${pieceBytes})
         FROM generate_series(0, $4::int) AS piece
         ON CONFLICT (shard, id, piece) DO UPDATE SET bytes = excluded.bytes WHERE t.bytes <> excluded.bytes`,
        [id, bytes, Math.max(0, Math.ceil(bytes.length / pieceBytes) - 1)],
      );
      return id;
    },
    async get(id) {
      const pieces = await tables.read<{ bytes: Uint8Array }>(
        'SELECT bytes FROM $artifact_pieces WHERE shard = $1 AND id = $2 ORDER BY piece',
        [id],
      );
      if (pieces.length === 0) return null;
      const whole = join(pieces.map(({ bytes }) => bytes));
      if (sha256Hex(whole) !== id) throw damaged(id);
      return whole;
    },
    has: async (id) =>
      (await tables.read('SELECT 1 AS one FROM $artifact_pieces WHERE shard = $1 AND id = $2 LIMIT 1', [id])).length >
      0,
    async remove(id, stamp) {
      const write = new FencedWrite();
      const artifact = write.value(id);
      // In the order in which `put` holds them.
      write.add(
        'doomed',
        `SELECT t.piece FROM fence, $artifact_pieces AS t WHERE t.shard = $1::int AND t.id = ${artifact}::text ORDER BY t.piece FOR UPDATE OF t`,
      );
      write.add(
        'removed',
        `DELETE FROM $artifact_pieces AS t USING doomed WHERE t.shard = $1::int AND t.id = ${artifact}::text AND t.piece = doomed.piece RETURNING 1`,
      );
      await write.send(tables, stamp);
    },
    list: async (after, limit) =>
      (
        await tables.read<{ id: string }>(
          'SELECT id FROM $artifact_pieces WHERE shard = $1 AND piece = 0 AND id > $2 ORDER BY id LIMIT $3',
          [after ?? '', limit],
        )
      ).map(({ id }) => id),
  };
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function damaged(id: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected artifact ${id} to be as it was put, but its bytes are not. Put the same bytes again, or do without it.`,
  );
}
