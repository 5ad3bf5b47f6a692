// Database: the little of a PostgreSQL client that the store needs. Everything above speaks to this interface only: `pool.ts`
// carries it on Node.
//
// Always true: nothing of a session is left behind on a connection (no settings, no prepared statements, no locks), so that
// whatever hands out connections for a transaction at a time may stand between; faults of the database arrive as `StoreError`,
// and no message has a password.

export type SqlValue = string | number | null | Uint8Array;

/** `Row` names what the statement selects, under those names. Whole numbers are numbers, whatever their size in the table. */
export type Ask = <Row extends object>(sql: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

export interface Database {
  /** What it is called in messages. */
  readonly name: string;
  /** Of the tables: `heddle.`, say. */
  readonly prefix: string;
  /** One statement that changes nothing. A text that no row can hold is not found. */
  readonly read: Ask;
  /** One statement that changes something: PG2: refused with STORE_IN_DOUBT if its answer is lost. */
  readonly write: Ask;
  /** What `body` reads was all true at one moment. */
  readTogether<T>(body: (read: Ask) => Promise<T>): Promise<T>;
  /** All of what `body` does, or nothing of it. Only for what is done before the store is open. */
  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T>;
  /** Nothing more is asked of it. */
  close(): void | Promise<void>;
}

/** Rows as one parameter for each column, which `unnest` makes rows again. */
export function textArray(texts: readonly (string | null)[]): string {
  // JSON quotes such texts as arrays there do, and the events of 1,000 commands take 2 ms, and piece by piece 7.
  if (!texts.some((text) => text !== null && unlikeJson.test(text))) return `{${JSON.stringify(texts).slice(1, -1)}}`;
  return `{${texts.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}

/** What JSON writes as something else: below a space, or half of a pair. */
const unlikeJson = /[^ -\ud7ff\ue000-\uffff]/;

export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${numbers.map((number) => (number === null ? 'NULL' : String(number))).join(',')}}`;
}

/** PG9: whether PostgreSQL has no such text: it holds no NUL, and half a surrogate pair is no UTF-8. */
export const isUnstorable = (value: SqlValue): boolean => typeof value === 'string' && /\0|\p{Surrogate}/u.test(value);
