// SqlDriver: the little of SQLite that the store needs, synchronous. Everything above speaks to this interface only:
// `node-driver.ts` carries it on Node; `ctx.storage.sql` with `transactionSync` can carry it in a Durable Object.
//
// Always true: values are text, whole numbers and null; parameters are positional; faults of the database arrive as
// `StoreError`.

export type SqlValue = string | number | null;

export interface SqlDriver {
  /** What it is called in messages. */
  readonly file: string;
  /** CRC-32 of a text: finds every single bit that turned over, and all but one in four billion of other changes. */
  readonly checksum: (text: string) => number;
  /** SHA-256 of a text, in base64url. */
  readonly hash: (text: string) => string;
  /** Statements without parameters and without an answer. */
  exec(sql: string): void;
  /** `Row` names what the statement selects, under those names. */
  prepare<Row extends object = never>(sql: string): SqlStatement<Row>;
  /** All of what `body` writes, durable when this returns; or nothing of it, if `body` throws or the commit fails. */
  transaction<T>(body: () => T): T;
  /** What `body` reads was all true at one moment, whoever writes beside it. */
  readTogether<T>(body: () => T): T;
  close(): void;
}

export interface SqlStatement<Row extends object> {
  /** How many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}
