import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMembership } from '../../actor/mail/membership.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { Database } from './database.ts';
import { testFleets } from './fleet.testsuite.ts';
import { newSchema, testKey } from './fresh-shard.testsuite.ts';
import { makeCurrent } from './migrations.ts';
import { type PostgresOptions, postgresStores } from './open.ts';
import { openPool } from './pool.ts';
import { askServer, testServer } from './server.testsuite.ts';

const { make } = testFleets();
const secret = 'a%2Bsecret';

async function refusalOf(options: PostgresOptions): Promise<HeddleError> {
  try {
    const { close } = await postgresStores({ secretKey: testKey, shards: 2, ...options });
    await close();
  } catch (error) {
    expect(error).toBeInstanceOf(HeddleError);
    const told = `${(error as HeddleError).message} ${JSON.stringify(error)}`;
    expect(told).not.toMatch(/secret\b(?! key)/); // PG8
    return error as HeddleError; // as expected
  }
  throw new Error('Expected a refusal, but there was none');
}

const schemas = (schema: string) => askServer(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`);

describe('[PG5] the schema of a fleet', () => {
  test('is made once, whoever makes it at the same time, and opened by all others', async () => {
    const { url } = await testServer();
    const options = { url: url(), schema: newSchema(), secretKey: testKey, shards: 3 };
    const all = await Promise.all(Array.from({ length: 4 }, () => postgresStores(options)));
    const memberships = await Promise.all(all.flatMap(({ stores }) => stores.map(readMembership)));
    expect(new Set(memberships.map((membership) => membership?.fleet)).size).toBe(1);
    expect(memberships.slice(0, 3).map((membership) => membership?.shard)).toEqual([0, 1, 2]);
    await Promise.all(all.map(({ close }) => close()));
  });

  test('is made where there are no locks but those of rows', async () => {
    const { url } = await testServer();
    const schema = newSchema();
    const pool = await openPool({ url: url(), connections: 1, answerMs: 60_000 });
    const database = pool.database(schema);
    const lockless: Database = {
      name: database.name,
      prefix: database.prefix,
      read: database.read,
      write: database.write,
      readTogether: (body) => database.readTogether(body),
      transaction: (body) =>
        database.transaction((ask) =>
          body((sql, values) => ask(sql.replace('pg_advisory_xact_lock', 'pg_no_such_lock'), values)),
        ),
      close: () => database.close(),
    };
    await makeCurrent(lockless, schema, { shards: 2, newShards: 2, keyFingerprint: 'k' }, 'make');
    expect(await database.read(`SELECT shard FROM ${schema}.shards`)).toHaveLength(2);
    await pool.close();
  });

  test('of another number of shards is refused, with what to do', async () => {
    const { url } = await testServer();
    const { schema } = await make(2);
    const refusal = await refusalOf({ url: url(), schema, shards: 4 });
    expect(refusal).toMatchObject({
      code: 'STORE_FOREIGN',
      message: expect.stringContaining('open it with shards: 2'),
    });
  });

  test('that a newer Heddle made is refused, and so is one of another program', async () => {
    const { url } = await testServer();
    const { schema } = await make(2);
    await askServer(`UPDATE ${schema}.identity SET value = '999' WHERE name = 'version'`);
    expect((await refusalOf({ url: url(), schema })).code).toBe('STORE_NEWER');
    const other = newSchema();
    await askServer(`CREATE SCHEMA ${other}; CREATE TABLE ${other}.orders (id int)`);
    expect((await refusalOf({ url: url(), schema: other })).code).toBe('STORE_FOREIGN');
    await askServer(`CREATE TABLE ${other}.identity (name text, value text)`);
    expect((await refusalOf({ url: url(), schema: other })).code).toBe('STORE_FOREIGN');
    const tables = await askServer(`SELECT 1 FROM pg_tables WHERE schemaname = '${other}'`);
    expect(tables).toHaveLength(2);
  });

  test('that cannot be made whole is not made at all', async () => {
    const { url } = await testServer();
    const schema = newSchema();
    const role = `r${schema}`;
    await askServer(`CREATE ROLE ${role} LOGIN`);
    const refusal = await refusalOf({ url: url().replace('postgres@', `${role}@`), schema });
    expect(refusal).toMatchObject({
      code: 'STORE_UNWRITABLE',
      message: expect.stringContaining('grant what is missing'),
    });
    expect(await schemas(schema)).toEqual([]);
    // An empty schema that somebody made for it is taken.
    await askServer(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
    const { close, stores } = await postgresStores({
      url: url().replace('postgres@', `${role}@`),
      schema,
      secretKey: testKey,
      shards: 1,
    });
    expect(await stores[0].feedEnd()).toBe(0);
    await close();
  });

  test('whose tables are gone is damaged', async () => {
    const { schema, stores } = await make(1);
    await askServer(`DROP TABLE ${schema}.runs CASCADE`);
    await expect(stores[0].readRun('a')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});

describe('[PG6] a database', () => {
  test.each([
    ['is read only, as a replica is', 'default_transaction_read_only=on', 'Name the primary server'],
    ['answers before a write is durable', 'synchronous_commit=off', 'Set it to on'],
  ])('that %s is refused', async (_, setting, advice) => {
    const { url } = await testServer();
    const schema = newSchema();
    const refusal = await refusalOf({ url: `${url()}&options=${encodeURIComponent(`-c ${setting}`)}`, schema });
    expect(refusal).toMatchObject({ code: 'STORE_UNWRITABLE', message: expect.stringContaining(advice) });
    expect(await schemas(schema)).toEqual([]);
  });

  test('of another encoding is refused', async () => {
    const { url } = await testServer();
    const database = newSchema();
    await askServer(`CREATE DATABASE ${database} ENCODING 'LATIN1' TEMPLATE template0`);
    expect(await refusalOf({ url: url(database) })).toMatchObject({
      code: 'STORE_UNWRITABLE',
      message: expect.stringContaining("ENCODING 'UTF8'"),
    });
  });
});

describe('[PG7] the secret key', () => {
  test('comes from the option, a file or the environment, and is never in the database', async () => {
    const { url } = await testServer();
    const { schema, stores } = await make(1);
    const options = { url: url(), schema, shards: 1 };
    const file = path.join(tmpdir(), schema);
    writeFileSync(file, `${Buffer.from(testKey, 'base64').toString('hex')}\n`);
    const fromFile = await postgresStores({ ...options, secretKeyFile: file });
    process.env['HEDDLE_SECRET_KEY'] = testKey;
    const fromEnvironment = await postgresStores(options).finally(() => delete process.env['HEDDLE_SECRET_KEY']);
    for (const opened of [fromFile, fromEnvironment]) {
      expect(await opened.stores[0].secretKey()).toStrictEqual(await stores[0].secretKey());
      await opened.close();
    }
    const rows = await askServer<{ value: string }>(`SELECT value FROM ${schema}.identity`);
    for (const { value } of rows)
      expect([testKey, Buffer.from(testKey, 'base64').toString('hex')]).not.toContain(value);
  });

  test('that others have not is refused', async () => {
    const { url } = await testServer();
    const { schema } = await make(2);
    const refusal = await refusalOf({ url: url(), schema, secretKey: 'f'.repeat(64) });
    expect(refusal).toMatchObject({ code: 'STORE_FOREIGN', message: expect.stringContaining('HEDDLE_SECRET_KEY') });
  });

  test.each([[undefined], ['short'], [''], ['x'.repeat(64)], [`${testKey}A`]])(
    'that is none is refused: %s',
    async (secretKey) => {
      const refusal = await refusalOf(secretKey === undefined ? { secretKey: undefined as never } : { secretKey });
      expect(refusal).toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('openssl rand -base64 32'),
      });
    },
  );
});

describe('[PG8] what is wrong is told without user or password', () => {
  test('no server', async () => {
    const refusal = await refusalOf({ url: `postgres://me:${secret}@127.0.0.1:1/db` });
    expect(refusal).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('127.0.0.1:1/db') });
    expect(refusal.message).toContain('Start it, or correct its address');
  });

  test('a wrong password', async () => {
    const { url } = await testServer();
    await askServer(
      `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'guarded') THEN CREATE ROLE guarded LOGIN PASSWORD 'right'; END IF; END $$`,
    );
    const refusal = await refusalOf({ url: url().replace('postgres@', `guarded:${secret}@`) });
    expect(refusal).toMatchObject({ code: 'STORE_UNWRITABLE', message: expect.stringContaining('with the password') });
  });

  test('a database that is not there', async () => {
    const { url } = await testServer();
    expect(await refusalOf({ url: url('nowhere') })).toMatchObject({
      code: 'STORE_MISSING',
      message: expect.stringContaining('CREATE DATABASE'),
    });
  });

  test.each([
    [{ url: `postgres://me:${secret}@[/db` }, 'Expected url to be the address'],
    [{ url: '' }, 'Expected url to be the address'],
    [{ schema: 'a"b' }, 'Expected schema to be small letters'],
    [{ shards: 65 }, 'Expected shards to be a whole number from 1 to 64'],
    [{ schema: 7 } as never, 'Expected schema to be small letters'],
    [{ connections: 0 }, 'Expected connections to be a whole number'],
    [{ conections: 3 } as never, 'did you mean connections?'],
  ])('an option that is none: %j', async (options, message) => {
    expect(await refusalOf(options)).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('a store that was closed', async () => {
    const { stores, close } = await make(1);
    await close();
    await expect(stores[0].readRun('a')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});
