// Open: the stores of a fleet in a PostgreSQL database, brought up to date: of each shard one, over a pool that all share.
// Rules PG….
//
// Always true: whatever fails while they are opened, no connection stays; fleets of one database that are opened by the same
// options (a server's tenants) share its connections.

import { createHmac, hash } from 'node:crypto';
import type { ArtifactStore, Calls, Leases, Store } from '../../actor/ports.ts';
import { hashWith } from '../../base/hash.ts';
import { invalidOption, refuseUnknown } from '../../base/refuse-options.ts';
import { shardsMax } from '../../base/shard.ts';
import { nativeHashes } from '../sql/native-hashes.ts';
import { type Bell, openBell } from './bell.ts';
import { databaseCalls } from './calls.ts';
import { databaseLeases, isAnybodyThere } from './leases.ts';
import { makeCurrent } from './migrations.ts';
import { type OpenPool, openPool } from './pool.ts';
import { keyFingerprint, readSecretKey, type SecretKeyOptions } from './secret-key.ts';
import { createPostgresStore } from './store.ts';
import { findTenants, schemaOfTenant } from './tenants.ts';

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
  /** How many shards the fleet has: fixed when it is made. Absent: as many as it was made with, or 16. */
  readonly shards?: number;
  /** How many connections this process has at most, beside those for leases, for calls and for news of them. 10 if absent. */
  readonly connections?: number;
  /** Where the artifacts of a shard are kept; in the database if absent. */
  readonly artifacts?: (shard: number) => ArtifactStore;
  /** Whether the schema is made where there is none: true if absent. */
  readonly create?: boolean;
  /** For a program that soon ends: it owns no shard where others do, and asks them. */
  readonly guest?: boolean;
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
  /** Others own the shards, and this process only asks them. */
  readonly isGuest: boolean;
  /** Closes all connections. */
  readonly close: () => Promise<void>;
}

const optionNames = [
  'url',
  'directUrl',
  'schema',
  'shards',
  'connections',
  'artifacts',
  'create',
  'guest',
  'secretKey',
  'secretKeyFile',
];
/** Of a new fleet. */
const shardsDefault = 16;
/** A write may be large, and a disk slow. */
const answerMs = 60_000;
/** A lease is renewed every second: what takes longer is asked again, on another connection. */
const urgentAnswerMs = 3_000;
/** What processes ask each other waits for no write, and is asked again. */
const askingAnswerMs = 10_000;

/** How it is opened. */
export interface OpenHow {
  /** Nothing is written. It may be a replica, or one that others write to. */
  readonly readOnly?: boolean;
  /** Of a tenant that is made by this: as many shards as the others have. */
  readonly newShards?: number;
}

/** A database that several processes share. */
export interface PostgresDatabase {
  readonly openShared: (how?: OpenHow) => Promise<PostgresStores>;
  /** For sentences: its address, without user and password. */
  readonly name: string;
  /** Of a server: a tenant has a schema of its own, over the same connections. */
  readonly ofTenant: (tenant: string) => Pick<PostgresDatabase, 'openShared'>;
  /** Those that were made. */
  readonly tenants: () => Promise<readonly string[]>;
}

/** A fleet whose shards are shared by all processes that open it: `createEngine({ store: postgres({ url }) })`. */
export function postgres(options: PostgresOptions = {}): PostgresDatabase {
  const { url, schema } = checkOptions(options);
  const connections = new SharedConnections(options);
  return {
    openShared: (how) => openStores(options, { ...how, schema, connections }),
    name: url === undefined ? 'PostgreSQL' : url.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/s, ''),
    ofTenant: (tenant) => ({
      async openShared(how) {
        const { shards, ...others } = options;
        const newShards = how?.newShards ?? shards ?? shardsDefault;
        return openStores(others, { ...how, newShards, schema: schemaOfTenant(schema, tenant), connections });
      },
    }),
    tenants: async () => {
      const { database, close } = await connections.take();
      try {
        return await findTenants(database(schema), schema);
      } finally {
        await close();
      }
    },
  };
}

export function postgresStores(options: PostgresOptions = {}): Promise<PostgresStores> {
  return postgres(options).openShared();
}

interface Connections {
  readonly database: OpenPool['database'];
  /** For what must not wait behind many others. */
  readonly urgent: OpenPool['database'];
  /** For calls. */
  readonly asking: OpenPool['database'];
  readonly bell: Bell | null;
  readonly close: () => Promise<void>;
}

/** Of all fleets that a process opens by the same options: they are closed with the last of them. */
class SharedConnections {
  readonly #options: PostgresOptions;
  #users = 0;
  #open: Promise<Connections> | null = null;

  constructor(options: PostgresOptions) {
    this.#options = options;
  }

  async take(): Promise<Connections> {
    this.#users++;
    this.#open ??= openConnections(this.#options);
    const opening = this.#open;
    let isTaken = true;
    const close = async (): Promise<void> => {
      if (!isTaken) return;
      isTaken = false;
      this.#users--;
      if (this.#users > 0) return;
      this.#open = null;
      await (await opening).close();
    };
    try {
      return { ...(await opening), close };
    } catch (error) {
      this.#users--;
      this.#open = null;
      throw error;
    }
  }
}

async function openConnections(options: PostgresOptions): Promise<Connections> {
  const { url, directUrl, schema, connections } = checkOptions(options);
  const pools = [
    await openPool({ url, connections, answerMs }),
    await openPool({ url, connections: 1, answerMs: urgentAnswerMs }),
    await openPool({ url, connections: 1, answerMs: askingAnswerMs }),
  ] as const;
  const [{ database }, { database: urgent }, { database: asking }] = pools;
  const bell = directUrl === undefined ? null : openBell(directUrl, schema);
  const close = async (): Promise<void> => {
    await Promise.all([...pools, ...(bell ? [bell] : [])].map((each) => each.close()));
  };
  return { database, urgent, asking, bell, close };
}

interface Opening extends OpenHow {
  readonly schema: string;
  readonly connections: SharedConnections;
}

async function openStores(
  options: PostgresOptions,
  { schema, connections, readOnly = false, newShards = options.shards ?? shardsDefault }: Opening,
): Promise<PostgresStores> {
  hashWith(nativeHashes({ createHmac, hash }));
  const secretKey = await readSecretKey(options);
  const taken = await connections.take();
  try {
    const [database, urgent, asking] = [taken.database(schema), taken.urgent(schema), taken.asking(schema)];
    const fleet = { shards: options.shards, newShards, keyFingerprint: keyFingerprint(secretKey) };
    const purpose = readOnly ? 'look' : options.create === false ? 'change' : 'make';
    const shards = await makeCurrent(database, schema, fleet, purpose);
    const openStore = (shard: number): Store => {
      if (!Number.isSafeInteger(shard) || shard < 0 || shard >= shards)
        throw invalidOption('shard', `a whole number below ${shards}`, shard);
      return createPostgresStore({ database, urgent, secretKey, artifacts: options.artifacts?.(shard) }, shard);
    };
    const others = Array.from({ length: shards - 1 }, (_, at) => openStore(at + 1));
    return {
      stores: [openStore(0), ...others],
      leases: databaseLeases(urgent),
      calls: databaseCalls(asking, taken.bell),
      isGuest: options.guest === true && (await isAnybodyThere(urgent)),
      openStore,
      async close() {
        await Promise.all([database.close(), urgent.close(), asking.close()]);
        await taken.close();
      },
    };
  } catch (error) {
    await taken.close();
    throw error;
  }
}

function checkOptions(options: PostgresOptions) {
  refuseUnknown('postgresStores', options, optionNames);
  const { url, directUrl, schema = 'heddle', shards, connections = 10, create, guest } = options;
  for (const [name, address] of Object.entries({ url, directUrl }))
    if (address !== undefined && (typeof address !== 'string' || address === ''))
      throw invalidOption(name, 'the address of a database', typeof address);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidOption('schema', 'small letters, digits and "_", beginning with a letter', schema);
  for (const [name, flag] of Object.entries({ create, guest }))
    if (flag !== undefined && typeof flag !== 'boolean') throw invalidOption(name, 'true or false', flag);
  refuseCount('shards', shards, shardsMax);
  refuseCount('connections', connections, 1_000);
  return { url, directUrl, schema, connections };
}

function refuseCount(name: string, count: unknown, max: number): void {
  if (count === undefined || (Number.isSafeInteger(count) && Number(count) >= 1 && Number(count) <= max)) return;
  throw invalidOption(name, `a whole number from 1 to ${max}`, count);
}
