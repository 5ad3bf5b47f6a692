// Migrations: the schema that all shards of a fleet lie in, as numbered steps, and how one is told from one that is not ours.
//
// Always true: a step, its number and what a new fleet is born with become durable together; a released step never changes, a new
// one is added; a schema that is refused was not written to; of several processes one makes it, and the others wait.

import { membershipRecord } from '../../actor/mail/membership.ts';
import { StoreError } from '../../actor/store-error.ts';
import type { Ask, Database } from './database.ts';
import { recordColumns, storedRecord } from './records.ts';
import { withTables } from './shard-tables.ts';

/**
 * Every table has the shard first in its key. Texts that are hashed or summed up are texts, never JSON of the database's own; those
 * that are read in an order are compared byte by byte. Free text is kept as a JSON string, or as `ordered-text.ts` says. What may
 * be longer than an entry of an index (2,704 bytes) is found by a hash or by its beginning. A list of runs is read from one of
 * two indexes, of root runs or of sub-runs, as in the SQLite store.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE $identity (name text PRIMARY KEY, value text NOT NULL);

  CREATE TABLE $shards (
    shard int PRIMARY KEY,
    epoch bigint NOT NULL,
    owner text,
    commit_no bigint NOT NULL,
    position bigint NOT NULL
  ) WITH (fillfactor = 10);
  CREATE TABLE $owners (shard int PRIMARY KEY, process text);
  CREATE TABLE $processes (process text PRIMARY KEY, lease_until timestamptz NOT NULL) WITH (fillfactor = 50);

  CREATE TABLE $runs (
    shard int NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    workflow text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    head text NOT NULL,
    next_timer_at bigint,
    has_work int NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint,
    parent_run_id text COLLATE "C",
    root_run_id text COLLATE "C" NOT NULL,
    tags text NOT NULL,
    result text,
    quarantine text,
    checksum bigint NOT NULL,
    PRIMARY KEY (shard, run_id)
  ) WITH (fillfactor = 80);
  CREATE INDEX roots_by_status ON $runs (shard, status, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX roots_by_workflow_and_status ON $runs (shard, workflow, status, created_at, run_id) WHERE parent_run_id IS NULL;
  CREATE INDEX sub_runs_by_status ON $runs (shard, status, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX sub_runs_by_workflow_and_status ON $runs (shard, workflow, status, created_at, run_id)
    WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_by_parent ON $runs (shard, parent_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_by_root ON $runs (shard, root_run_id, created_at, run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_in_quarantine ON $runs (shard, created_at, run_id) WHERE quarantine IS NOT NULL;
  CREATE INDEX runs_by_timer ON $runs (shard, next_timer_at, run_id) WHERE next_timer_at IS NOT NULL;
  CREATE INDEX runs_with_work ON $runs (shard, run_id) WHERE has_work = 1;

  CREATE TABLE $tags (
    shard int NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, key, value, created_at, run_id)
  );
  CREATE INDEX tags_by_value ON $tags (shard, value, created_at, run_id);

  CREATE TABLE $journal (
    shard int NOT NULL,
    position bigint NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    events text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (shard, run_id, seq)
  );
  CREATE UNIQUE INDEX journal_by_position ON $journal (shard, position);

  CREATE TABLE $snapshots (
    shard int NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    chunk int NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (shard, run_id, seq, chunk)
  );

  CREATE TABLE $outbox (
    shard int NOT NULL,
    id text COLLATE "C" NOT NULL,
    recipient text NOT NULL,
    message text NOT NULL,
    checksum bigint NOT NULL,
    PRIMARY KEY (shard, id)
  );

  CREATE TABLE $keys (
    shard int NOT NULL,
    place text COLLATE "C" NOT NULL,
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    checksum bigint NOT NULL,
    PRIMARY KEY (shard, place)
  );
  CREATE INDEX keys_by_run ON $keys (shard, run_id);

  CREATE TABLE $definitions (
    shard int NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    hash text COLLATE "C" NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL,
    checksum bigint NOT NULL,
    PRIMARY KEY (shard, id, version)
  );
  CREATE INDEX definitions_by_hash ON $definitions (shard, id, hash, version);

  CREATE TABLE $records (
    shard int NOT NULL,
    kind text COLLATE "C" NOT NULL,
    head text COLLATE "C" NOT NULL,
    tail text COLLATE "C" NOT NULL,
    rest text COLLATE "C" NOT NULL,
    value text NOT NULL,
    due_at bigint,
    checksum bigint NOT NULL,
    PRIMARY KEY (shard, kind, head, tail)
  );
  CREATE INDEX records_by_due_time ON $records (shard, kind, due_at, head, tail) WHERE due_at IS NOT NULL;

  CREATE TABLE $artifact_pieces (
    shard int NOT NULL,
    id text COLLATE "C" NOT NULL,
    piece int NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (shard, id, piece)
  );
  `,
  `
  CREATE UNLOGGED TABLE $askers (
    process text PRIMARY KEY,
    number bigint NOT NULL,
    seen_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);

  CREATE UNLOGGED TABLE $calls (
    id text COLLATE "C" PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    shard int NOT NULL,
    asker text NOT NULL,
    question text NOT NULL,
    taker text,
    taken_in bigint,
    is_aborted int NOT NULL DEFAULT 0,
    answer text
  );
  CREATE INDEX calls_to_take ON $calls (shard, place) WHERE taker IS NULL;
  CREATE INDEX calls_by_taker ON $calls (taker) WHERE taker IS NOT NULL AND answer IS NULL;
  CREATE INDEX calls_by_asker ON $calls (asker);
  `,
];

/** The version of a schema that this program makes. */
const schemaVersion = steps.length;

/** What is the same for all shards, and for as long as the schema is. */
export interface Fleet {
  /** How many one that is there must have; absent: however many it has. */
  readonly shards: number | undefined;
  /** How many a new one gets. */
  readonly newShards: number;
  /** Of the key that secrets are made with. */
  readonly keyFingerprint: string;
}

/** `look`: nothing is written, now or later. `change`: it is there already. `make`: it is made if it is not. */
export type Purpose = 'look' | 'change' | 'make';

/** What was found, or made. */
interface Found {
  /** 0: there is nothing yet. */
  readonly version: number;
  readonly shards: number;
}

const program = 'heddle';

/** PG5: makes the schema, or brings it up to date; throws what is wrong with one that cannot be used; answers with its shards. */
export function makeCurrent(database: Database, schema: string, fleet: Fleet, purpose: Purpose): Promise<number> {
  return database.transaction(async (ask) => {
    await refuseUnfit(ask, database, purpose);
    const found = await checkSchema(ask, database, schema, fleet);
    if (found.version === schemaVersion) return found.shards;
    // PG13: whoever looks makes nothing.
    if (found.version === 0 && purpose !== 'make') throw missing(database.name);
    if (purpose === 'look') throw older(database.name, found.version);
    await lock(ask);
    // Another process may have made it meanwhile.
    const { version, shards } = await checkSchema(ask, database, schema, fleet);
    if (version === schemaVersion) return shards;
    if (version === 0 && !(await hasSchema(ask, schema))) await ask(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    for (const step of steps.slice(version))
      for (const statement of step.split(';').filter((text) => text.trim() !== ''))
        await ask(withTables(statement, database.prefix));
    if (version === 0) await makeFleet(ask, database, fleet);
    await ask(`UPDATE ${database.prefix}identity SET value = $1 WHERE name = 'version'`, [String(schemaVersion)]);
    return shards;
  });
}

/** Not everything that speaks as PostgreSQL has such locks: there two that make it at the same time hinder each other, and one is refused. */
async function lock(ask: Ask): Promise<void> {
  await ask('SAVEPOINT unlocked');
  try {
    await ask('SELECT pg_advisory_xact_lock(1214604396)'); // 'Hedl'
  } catch (error) {
    if (!lockless.has((error as { readonly code?: string }).code ?? '')) throw error; // whatever a client throws
    await ask('ROLLBACK TO SAVEPOINT unlocked');
  }
}

/** There is no such function, or it does nothing. */
const lockless: ReadonlySet<string> = new Set(['42883', '0A000']);

/** PG6: what a database must be, whatever lies in it. */
async function refuseUnfit(ask: Ask, { name }: Database, purpose: Purpose): Promise<void> {
  const setting = async (which: string): Promise<string> => {
    const [row] = await ask<Record<string, string>>(`SHOW ${which}`);
    return Object.values(row ?? {})[0] ?? '';
  };
  const encoding = await setting('server_encoding');
  if (!/^utf-?8$/i.test(encoding))
    throw new StoreError(
      'STORE_UNWRITABLE',
      `Expected ${name} to keep texts in UTF8, but it has ${encoding}. Make a database with ENCODING 'UTF8', and name that.`,
    );
  if (purpose === 'look') return;
  if ((await setting('transaction_read_only')) === 'on')
    throw new StoreError(
      'STORE_UNWRITABLE',
      `Expected to be able to write to ${name}, but it is a replica, or set to be read only. Name the primary server.`,
    );
  if ((await setting('synchronous_commit')) === 'off')
    throw new StoreError(
      'STORE_UNWRITABLE',
      `Expected ${name} to answer a write when it is durable, but synchronous_commit is off there. Set it to on, for this user or this database.`,
    );
}

async function hasSchema(ask: Ask, schema: string): Promise<boolean> {
  return (await ask('SELECT 1 AS one FROM information_schema.schemata WHERE schema_name = $1', [schema])).length > 0;
}

async function checkSchema(ask: Ask, { name, prefix }: Database, schema: string, fleet: Fleet): Promise<Found> {
  const tables = await ask<{ table: string }>(
    'SELECT table_name AS "table" FROM information_schema.tables WHERE table_schema = $1',
    [schema],
  );
  if (tables.length === 0) return { version: 0, shards: fleet.newShards };
  if (!tables.some(({ table }) => table === 'identity')) throw foreign(name);
  const identity = new Map(
    (await ask<{ name: string; value: string }>(`SELECT name, value FROM ${prefix}identity`)).map((row) => [
      row.name,
      row.value,
    ]),
  );
  if (identity.get('program') !== program) throw foreign(name);
  const version = Number(identity.get('version'));
  if (version > schemaVersion) throw newer(name, version);
  refuseOther(name, identity, fleet);
  return { version, shards: Number(identity.get('shards')) };
}

function refuseOther(name: string, identity: ReadonlyMap<string, string>, { shards, keyFingerprint }: Fleet): void {
  const made = Number(identity.get('shards'));
  if (shards !== undefined && made !== shards)
    throw new StoreError(
      'STORE_FOREIGN',
      `Expected a fleet of ${shards} shards, but ${name} was made with ${made}, which is fixed; open it with shards: ${made}, or name another schema.`,
    );
  if (identity.get('key') !== keyFingerprint)
    throw new StoreError(
      'STORE_FOREIGN',
      `Expected the secret key that ${name} was made with, but this process has another. Give it the same key as the other processes ` +
        `(HEDDLE_SECRET_KEY, secretKey or secretKeyFile).`,
    );
}

async function makeFleet(ask: Ask, { prefix }: Database, { newShards: shards, keyFingerprint }: Fleet): Promise<void> {
  const fleet = crypto.randomUUID();
  const identity = { program, version: '0', shards: String(shards), key: keyFingerprint, fleet };
  for (const [name, value] of Object.entries(identity))
    await ask(`INSERT INTO ${prefix}identity (name, value) VALUES ($1, $2)`, [name, value]);
  for (let shard = 0; shard < shards; shard++) {
    await ask(`INSERT INTO ${prefix}shards (shard, epoch, commit_no, position) VALUES ($1, 0, 0, 0)`, [shard]);
    await ask(`INSERT INTO ${prefix}owners (shard) VALUES ($1)`, [shard]);
    // As `fleet/claim-stores.ts` would write it: a store that stands alone belongs to no fleet.
    if (shards === 1) continue;
    const row = storedRecord(membershipRecord({ fleet, shard, shards }));
    const places = row.map((_, at) => `$${at + 2}`).join(', ');
    await ask(`INSERT INTO ${prefix}records (shard, ${recordColumns}) VALUES ($1, ${places})`, [shard, ...row]);
  }
}

function missing(name: string): StoreError {
  return new StoreError(
    'STORE_MISSING',
    `Expected a Heddle store in ${name}, but there is none. Name the database, and the schema, of one; \`heddle serve\` makes one.`,
  );
}

function older(name: string, version: number): StoreError {
  return new StoreError(
    'STORE_OLDER',
    `Expected ${name} to have version ${schemaVersion}, but an older Heddle wrote it with version ${version}, and here it is only ` +
      `looked at. A process of this Heddle that writes to it brings it up to date: \`heddle serve\`.`,
  );
}

function foreign(name: string): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected ${name} to be a Heddle store or empty, but it holds tables of another program. Name another schema; this one was not changed.`,
  );
}

function newer(name: string, version: number): StoreError {
  return new StoreError(
    'STORE_NEWER',
    `Expected ${name} to have version ${schemaVersion} or older, but a newer Heddle wrote it with version ${version}. Install that ` +
      `Heddle, or name another schema; this one was not changed.`,
  );
}
