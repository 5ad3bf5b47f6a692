// FencedWrite: one write of a shard as one statement. Its first part is the fence; all others take from it, and do nothing where
// it took no row; what they did is counted at the end, and a number that was not meant undoes everything.
//
// Always true: one round trip, and no open transaction between two; at most one write of a shard is on its way, so that its parts,
// which see the rows as they were when it was sent, see those of all writes before it.

import type { Stamp } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { numberArray, type SqlValue, textArray } from './database.ts';
import type { ShardTables } from './shard-tables.ts';

type ColumnType = 'text' | 'bigint' | 'int';

export class FencedWrite {
  readonly #values: SqlValue[] = [];
  readonly #parts: string[] = [];
  readonly #checks: string[] = [];

  /** The name of a value in the statement: $1 is the shard, and those of the fence follow. */
  value(value: SqlValue): string {
    this.#values.push(value);
    return `$${this.#values.length + fenceValues}`;
  }

  /** Rows as one value for each column, for `unnest`. */
  columns(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): string {
    const lists = types.map((type, at) => {
      const column = rows.map((row) => row[at] ?? null);
      // The columns of a type hold such values only.
      const list = type === 'text' ? textArray(column as (string | null)[]) : numberArray(column as (number | null)[]);
      return `${this.value(list)}::${type}[]`;
    });
    return lists.join(', ');
  }

  /** A part that takes from `fence` and tells of every row that it wrote; with `rows`, how many they must be. */
  add(name: string, sql: string, rows?: number): void {
    this.#parts.push(`${name} AS (${sql})`);
    if (rows !== undefined) this.#checks.push(`(SELECT count(*) FROM ${name}) = ${this.value(rows)}::bigint`);
  }

  /** Answers with what is counted of the part `counted`, if one is named. */
  async send(tables: ShardTables, stamp: Stamp | undefined, options: SendOptions = {}): Promise<number> {
    const { owner, epoch, number } = mustBeStamped(stamp, tables);
    const { positions = 0, counted } = options;
    const fits = this.#checks.length === 0 ? '1' : `1 / CASE WHEN ${this.#checks.join(' AND ')} THEN 1 ELSE 0 END`;
    const [answer] = await tables.write<{ counted: number }>(
      `WITH fence AS (${fence})${this.#parts.map((part) => `,\n${part}`).join('')}
       SELECT ${counted === undefined ? '0::bigint' : `(SELECT count(*) FROM ${counted})`} AS counted, ${fits} AS fits FROM fence`,
      [owner, epoch, number, positions, ...this.#values],
    );
    // It has another owner or epoch, or another number (WR2).
    if (answer === undefined) throw fenced(tables);
    return answer.counted;
  }
}

export interface SendOptions {
  /** Of the feed, that it takes: they follow `fence.base`. */
  readonly positions?: number;
  readonly counted?: string;
}

const fenceValues = 5;
/** PG1: $1 is the shard; a row that changes says that the write is its owner's, in its epoch, and the next. */
const fence = `UPDATE $shards SET commit_no = $4::bigint, position = position + $5::bigint
  WHERE shard = $1::int AND owner = $2::text AND epoch = $3::bigint AND commit_no = $4::bigint - 1
  RETURNING position - $5::bigint AS base`;

function mustBeStamped(stamp: Stamp | undefined, { name }: ShardTables): Stamp {
  if (stamp !== undefined) return stamp;
  throw new StoreError(
    'STORE_UNWRITABLE',
    `Expected a write to ${name} to come from an engine that owns the shard, but it has no stamp. Open an engine on the store.`,
  );
}

function fenced({ name }: ShardTables): StoreError {
  return new StoreError(
    'STORE_FENCED',
    `Expected this engine to own ${name}, but another one has taken it. Nothing of this write was stored.`,
  );
}
