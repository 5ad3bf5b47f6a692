// Pool: the Database over the npm package `pg`, with a bounded number of connections.
//
// Always true: several schemas can share the connections of one pool; a statement takes one of them and gives it back; one whose answer did not come, or in which a
// transaction failed, is closed; what never got a connection was certainly not done.

import type { Pool, PoolClient } from 'pg';
import { StoreError } from '../../actor/store-error.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { type Ask, type Database, isUnstorable, type SqlValue } from './database.ts';
import { lostAnswer, toStoreError } from './postgres-fault.ts';

export interface PoolOptions {
  /** `postgres://user:password@host:port/database`; what it does not say the environment does, as for other programs (PGHOST, …). */
  readonly url: string | undefined;
  /** At most so many at a time. */
  readonly connections: number;
  /** How long an answer is waited for. */
  readonly answerMs: number;
}

const connectMs = 10_000;
/** So that a connection that leads nowhere is found, and one that is idle stays open. */
const keepAliveMs = 10_000;
/** Characters of one statement with its values: PostgreSQL takes 1 GB, and a character may have three bytes. */
const statementMax = 250_000_000;

/** The connections of this process to one database. */
export interface OpenPool {
  /** What lies in a schema of it. It closes by itself; the connections stay. */
  readonly database: (schema: string) => Database;
  readonly close: () => Promise<void>;
}

export async function openPool(options: PoolOptions): Promise<OpenPool> {
  const { Client, Pool: PgPool, types } = await loadClient();
  const settings = {
    ...(options.url === undefined ? {} : { connectionString: options.url }),
    application_name: 'heddle',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: connectMs,
    query_timeout: options.answerMs,
    max: options.connections,
    types: { getTypeParser: exactNumbers(types.getTypeParser.bind(types) as GetParser) }, // it takes any type by its number
  };
  const name = nameOf(() => new Client(settings));
  const pool = new PgPool(settings);
  pool.on('error', () => undefined); // a connection that was idle: the next statement opens another
  // One that is lost in the very moment in which it is handed out; what waits for an answer hears of it by its own refusal.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return { database: (schema) => new PooledDatabase(pool, name, schema), close: () => pool.end() };
}

export async function loadClient(): Promise<typeof import('pg').default> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new HeddleError(
      'NOT_AVAILABLE',
      'Expected the package pg, by which PostgreSQL is reached, but it is not installed. Run: npm install pg',
      { cause: error },
    );
  }
}

/** PG8: without user and password. */
function nameOf(makeClient: () => { host: string; port: number; database?: string | undefined }): string {
  try {
    const { host, port, database } = makeClient();
    return `PostgreSQL at ${host}${host.startsWith('/') ? '' : `:${port}`}/${database ?? ''}`;
  } catch {
    // What was thrown quotes the address, with what is secret in it.
    throw new HeddleError(
      'OPTION_INVALID',
      'Expected url to be the address of a PostgreSQL database, such as postgres://user:password@host:5432/database',
    );
  }
}

type GetParser = (type: number, format?: string) => (text: string) => unknown;

const bigint = 20;

/** What has 64 bits there is a number here, or refused. */
function exactNumbers(getParser: GetParser): GetParser {
  const parse = (text: string): number => {
    const number = Number(text);
    if (!Number.isSafeInteger(number))
      throw new StoreError(
        'STORE_DAMAGED',
        `Expected numbers that a store writes, but found ${text}. Put a backup in its place.`,
      );
    return number;
  };
  return (type, format) => (type === bigint && format !== 'binary' ? parse : getParser(type, format));
}

class PooledDatabase implements Database {
  readonly name: string;
  readonly prefix: string;
  readonly #pool: Pool;
  #isClosed = false;

  constructor(pool: Pool, name: string, schema: string) {
    this.#pool = pool;
    this.name = `${name}, schema ${schema}`;
    this.prefix = `"${schema}".`;
  }

  readonly read: Ask = (sql, values = []) =>
    values.some(isUnstorable) ? Promise.resolve([]) : this.#with((client) => this.#ask(client, sql, values));

  readonly write: Ask = (sql, values = []) =>
    this.#with(async (client) => {
      refuseTooLong(values, this.name);
      try {
        return await this.#ask(client, sql, values);
      } catch (error) {
        throw lostAnswer(error, this.name) ?? error;
      }
    });

  readTogether<T>(body: (read: Ask) => Promise<T>): Promise<T> {
    return this.#within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (ask) =>
      body(async (sql, values = []) => (values.some(isUnstorable) ? [] : ask(sql, values))),
    );
  }

  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#within('BEGIN', body);
  }

  close(): void {
    this.#isClosed = true;
  }

  #within<T>(begin: string, body: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await this.#ask(client, begin, []);
      const answer = await body((sql, values = []) => this.#ask(client, sql, values));
      await this.#ask(client, 'COMMIT', []);
      return answer;
    });
  }

  /** A connection on which anything failed is not used again: nobody knows what it is in the midst of. */
  async #with<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreError('STORE_CLOSED', `Expected ${this.name} to be open, but it was closed.`);
    let client: PoolClient | null = null;
    try {
      client = await this.#pool.connect();
      const answer = await body(client);
      client.release();
      return answer;
    } catch (error) {
      client?.release(true);
      throw toStoreError(error, this.name);
    }
  }

  /** PG3: without a name, which would be a session's. */
  async #ask<Row extends object>(
    client: PoolClient,
    text: string,
    values: readonly SqlValue[],
  ): Promise<readonly Row[]> {
    const { rows } = await client.query<Row>({ text, values: [...values] });
    return rows;
  }
}

function refuseTooLong(values: readonly SqlValue[], name: string): void {
  const length = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  if (length > statementMax)
    throw new StoreError(
      'STORE_FAILED',
      `Expected a write of at most ${statementMax} characters (statementMax), which ${name} takes as one statement, but it has ${length}. Nothing of it was stored.`,
    );
}
