// Open: the stores of a fleet in a PostgreSQL database, brought up to date: of each shard one, over a pool that all share.
// Rules PG….
//
// Always true: whatever fails while they are opened, no connection stays.

import { createHmac, hash } from 'node:crypto';
import type { ArtifactStore, Calls, Leases, Store } from '../../actor/ports.ts';
import { hashWith } from '../../base/hash.ts';
import { invalidOption, refuseUnknown } from '../../base/refuse-options.ts';
import { shardsMax } from '../../base/shard.ts';
import { nativeHashes } from '../sql/native-hashes.ts';
import { type Bell, openBell } from './bell.ts';
import { databaseCalls } from './calls.ts';
import type { Database } from './database.ts';
import { databaseLeases } from './leases.ts';
import { makeCurrent } from './migrations.ts';
import { openPool } from './pool.ts';
import { keyFingerprint, readSecretKey, type SecretKeyOptions } from './secret-key.ts';
import { createPostgresStore } from './store.ts';

export interface PostgresOptions extends SecretKeyOptions {
  /**
   * `postgres://user:password@host:port/database`, also of a pgbouncer in transaction mode. What it leaves out, or all of it, comes
   * from the environment as for other programs: PGHOST, PGUSER, PGPASSWORD, PGSSLMODE and so on.
   */
  readonly url?: string;
  /**
   * The same database with nothing between: there processes tell each other at once when one has a question for another. Where it
   * is absent they look for it, three times a second.
   */
  readonly directUrl?: string;
  /** Where the tables are: a schema of its own for each fleet. `heddle` if absent. */
  readonly schema?: string;
  /** How many shards the fleet has: fixed when it is made. 16 if absent. */
  readonly shards?: number;
  /** How many connections this process has at most, beside those for its lease, for calls and for news of them. 10 if absent. */
  readonly connections?: number;
  /** Where the artifacts of a shard are kept; in the database if absent. */
  readonly artifacts?: (shard: number) => ArtifactStore;
}

/** The stores of a fleet that several processes can reach, and how those agree on who owns which. */
export interface PostgresStores {
  /** Of each shard, to be read. */
  readonly stores: readonly [Store, ...Store[]];
  readonly leases: Leases;
  /** How they ask each other. */
  readonly calls: Calls;
  /** For the one who owns the shard. */
  readonly openStore: (shard: number) => Store;
  /** Closes all connections. */
  readonly close: () => Promise<void>;
}

const optionNames = ['url', 'directUrl', 'schema', 'shards', 'connections', 'artifacts', 'secretKey', 'secretKeyFile'];
/** A write may be large, and a disk slow. */
const answerMs = 60_000;
/** A lease is renewed every second: what takes longer is asked again, on another connection. */
const urgentAnswerMs = 3_000;
/** What processes ask each other waits for no write, and is asked again. */
const askingAnswerMs = 10_000;

/** A fleet whose shards are shared by all processes that open it: `createEngine({ store: postgres({ url }) })`. */
export function postgres(options: PostgresOptions = {}): { readonly openShared: () => Promise<PostgresStores> } {
  checkOptions(options);
  return { openShared: () => postgresStores(options) };
}

export async function postgresStores(options: PostgresOptions = {}): Promise<PostgresStores> {
  const { url, schema, shards, connections } = checkOptions(options);
  hashWith(nativeHashes({ createHmac, hash }));
  const secretKey = await readSecretKey(options);
  const opened: (Database | Bell)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
  };
  try {
    const database = await openPool({ url, schema, connections, answerMs });
    opened.push(database);
    const urgent = await openPool({ url, schema, connections: 1, answerMs: urgentAnswerMs });
    opened.push(urgent);
    await makeCurrent(database, schema, { shards, keyFingerprint: keyFingerprint(secretKey) });
    const openStore = (shard: number): Store => {
      if (!Number.isSafeInteger(shard) || shard < 0 || shard >= shards)
        throw invalidOption('shard', `a whole number below ${shards}`, shard);
      return createPostgresStore({ database, urgent, secretKey, artifacts: options.artifacts?.(shard) }, shard);
    };
    const others = Array.from({ length: shards - 1 }, (_, at) => openStore(at + 1));
    const asking = await openPool({ url, schema, connections: 1, answerMs: askingAnswerMs });
    opened.push(asking);
    const bell = options.directUrl === undefined ? null : openBell(options.directUrl, schema);
    if (bell) opened.push(bell);
    const stores = [openStore(0), ...others] as const;
    return { stores, leases: databaseLeases(urgent), calls: databaseCalls(asking, bell), openStore, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function checkOptions(options: PostgresOptions) {
  refuseUnknown('postgresStores', options, optionNames);
  const { url, directUrl, schema = 'heddle', shards = 16, connections = 10 } = options;
  for (const [name, address] of Object.entries({ url, directUrl }))
    if (address !== undefined && (typeof address !== 'string' || address === ''))
      throw invalidOption(name, 'the address of a database', typeof address);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidOption('schema', 'small letters, digits and "_", beginning with a letter', schema);
  refuseCount('shards', shards, shardsMax);
  refuseCount('connections', connections, 1_000);
  return { url, schema, shards, connections };
}

function refuseCount(name: string, count: unknown, max: number): void {
  if (Number.isSafeInteger(count) && Number(count) >= 1 && Number(count) <= max) return;
  throw invalidOption(name, `a whole number from 1 to ${max}`, count);
}
