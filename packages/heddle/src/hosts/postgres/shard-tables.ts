// ShardTables: the rows of one shard: statements in which `$runs` stands for a table of the schema, and `$1` for the shard.

import type { Database, SqlValue } from './database.ts';

export interface ShardTables {
  /** What it is called in messages. */
  readonly name: string;
  readonly shard: number;
  readonly read: AskShard;
  readonly write: AskShard;
  /** What `body` reads was all true at one moment. */
  readTogether<T>(body: (read: AskShard) => Promise<T>): Promise<T>;
}

/** The values begin with `$2`. */
export type AskShard = <Row extends object>(sql: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

export function shardTables(database: Database, shard: number): ShardTables {
  const asking =
    (ask: Database['read']): AskShard =>
    (sql, values = []) =>
      ask(withTables(sql, database.prefix), [shard, ...values]);
  return {
    name: `shard ${shard} of ${database.name}`,
    shard,
    read: asking(database.read),
    write: asking(database.write),
    readTogether: (body) => database.readTogether((read) => body(asking(read))),
  };
}

/** `$1` is a value, `$runs` a table. */
export function withTables(sql: string, prefix: string): string {
  return sql.replace(/\$(?=[a-z])/g, () => prefix);
}
