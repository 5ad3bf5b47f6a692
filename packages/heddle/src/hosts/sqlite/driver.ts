// SqlDriver: the little of SQLite that the store needs, synchronous. Everything above speaks to this interface only:
// `node-driver.ts` carries it on Node, `hosts/durable-object/object-driver.ts` in a Durable Object.
//
// Always true: values are text, whole numbers and null; parameters are positional; faults of the database arrive as
// `StoreError`.

import type { LongTexts } from './long-texts.ts';

export type SqlValue = string | number | null;

export interface SqlDriver {
  /** What it is called in messages. */
  readonly file: string;
  /** CRC-32 of a text: finds every single bit that turned over, and all but one in four billion of other changes. */
  readonly checksum: (text: string) => number;
  /** SHA-256 of a text, in base64url. */
  readonly hash: (text: string) => string;
  /** How texts lie in it that may be longer than a value of this database can be. */
  readonly texts: LongTexts;
  /**
   * Whether a run's row is written although only its place in the journal has changed, so that a journal whose end was lost
   * shows. Where nothing is lost, and a written row has its price, the journal alone tells the place.
   */
  readonly writesMoves: boolean;
  /** Whose mark it has, and of which version it is; null if it is new. */
  readIdentity(): Identity | null;
  /** In the transaction of what it is the identity of. */
  writeIdentity(identity: Identity): void;
  /** What SQLite says is wrong with its own structure, at most so much; nothing of one that is sound. */
  findFaults(max: number): readonly string[];
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

export interface Identity {
  readonly owner: number;
  readonly version: number;
}

export interface SqlStatement<Row extends object> {
  /** How many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}
