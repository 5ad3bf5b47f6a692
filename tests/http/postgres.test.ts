// Servers on one PostgreSQL database: whichever is asked, they are one.

import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import { postgres } from '../../packages/heddle/src/hosts/postgres/open.ts';
import { askServer, testServer } from '../../packages/heddle/src/hosts/postgres/server.testsuite.ts';
import { type RunningServer, type ServeOptions, serve } from '../../packages/heddle/src/server/serve.ts';
import { problemIn } from './problems.testsuite.ts';
import { eventually, greeting } from './server.testsuite.ts';

const secretKey = 'ab'.repeat(32);
const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: true }], transitions: [] };
const hook = {
  id: 'call',
  type: 'webhook',
  workflow: 'greeting',
  public: true,
  deliveryIdHeader: 'x-delivery-id',
  input: { name: '"Eve"' },
} as const;
const working = { id: 'working', initialNode: 'work', nodes: [{ id: 'work', action: 'work' }], transitions: [] };

/** Each with connections of its own, as servers on several machines have them. */
async function twoServers({ shards = 4, ...options }: ServeOptions & { readonly shards?: number } = {}) {
  const database = `served_${randomUUID().replaceAll('-', '')}`;
  await askServer(`CREATE DATABASE ${database}`);
  const { url } = await testServer();
  const open = async (): Promise<RunningServer> => {
    const store = postgres({ url: url(database), directUrl: url(database), shards, secretKey });
    const server = await serve({ port: 0, ...options, store });
    onTestFinished(() => server.close({ graceMs: 0 }));
    return server;
  };
  return { one: await open(), other: await open(), open, database };
}

const clientOf = ({ url }: RunningServer, key?: string): Client =>
  new Client(new Transport({ url, ...(key === undefined ? {} : { key }) }));

test('a run is started at one, seen, answered and worked on at the other', async () => {
  const { one, other } = await twoServers();
  const [here, there] = [clientOf(one), clientOf(other)];
  for (const definition of [greeting, asking, working]) await here.register(definition);
  const greeted = await here.start('greeting', { name: 'Ada' }, { idempotencyKey: 'k' });
  expect((await there.start('greeting', { name: 'Ada' }, { idempotencyKey: 'k' })).id).toBe(greeted.id);
  expect(await there.run(greeted.id).result()).toMatchObject({ status: 'completed', output: { text: 'Hello, Ada' } });

  const asked = await here.start('asking');
  const [prompt] = await eventuallySome(() => there.prompts());
  await there.call('replyToPrompt', { runId: asked.id, correlationId: prompt?.correlationId ?? '', payload: 1 });
  expect(await here.run(asked.id).result()).toMatchObject({ status: 'completed' });

  const worked = await here.start('working');
  const [task] = await there.tasks.lease({ actions: ['work'], waitMs: 30_000 });
  expect(task?.runId).toBe(worked.id);
  await there.tasks.finish([{ lease: task?.lease ?? '', output: {} }]);
  expect(await here.run(worked.id).result()).toMatchObject({ status: 'completed' });
  expect((await there.runs()).length).toBe(3);
});

async function eventuallySome<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  let found: readonly T[] = [];
  await eventually(async () => {
    found = await look();
    expect(found.length).toBeGreaterThan(0);
  });
  return found;
}

test('[AC5] [OW10] a key that is made at one opens the other, and what was revoked there is not brought back', async () => {
  const { one, other } = await twoServers();
  const made = await one.keys.create({ name: 'a', scopes: ['*'] }, operator);
  expect(await clientOf(other, made.key).runs()).toEqual([]);
  const rotated = await other.keys.rotate(made.id, undefined, operator);
  expect(await clientOf(one, rotated.key).runs()).toEqual([]);
  // This one has read it, and does not know yet what the other does next.
  await one.keys.authenticate(rotated.key);
  await other.keys.revoke(rotated.id, operator);
  await expect(one.keys.rotate(rotated.id, undefined, operator)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
  expect((await other.keys.list({ limit: 9 }, operator)).map(({ id }) => id)).toEqual([made.id]);
  await eventually(async () => expect(await one.keys.authenticate(rotated.key)).toBeNull());
});

test('[TN2] [TN4] [PG14] a tenant has a schema of its own, and is at all servers', async () => {
  const { one, other, database } = await twoServers({ shards: 2 });
  const [acme, globex] = await Promise.all(
    ['acme-1', 'globex'].map(async (tenant) => one.keys.create({ name: tenant, scopes: ['*'], tenant }, operator)),
  );
  const [here, there] = [clientOf(one, acme?.key), clientOf(other, acme?.key)];
  await here.register(greeting);
  const { id } = await here.start('greeting', { name: 'Acme' });
  expect(await there.run(id).result()).toMatchObject({ output: { text: 'Hello, Acme' } });
  const foreign = clientOf(other, globex?.key);
  await expect(foreign.run(id).result()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  expect([await foreign.runs(), await foreign.definitions()]).toEqual([[], []]);
  const schemas = `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'heddle%' ORDER BY 1`;
  expect((await askServer<{ name: string }>(schemas, database)).map(({ name }) => name)).toEqual([
    'heddle',
    'heddle-acme-1',
    'heddle-globex',
  ]);
  const shards = 'SELECT 1 FROM "heddle-acme-1".shards';
  expect(await askServer(shards, database)).toHaveLength(2);

  // Nobody has asked the other for it yet: it is named without a key.
  const third = await one.keys.create({ name: 'c', scopes: ['*'], tenant: 'third' }, operator);
  const client = clientOf(one, third.key);
  await client.register(greeting);
  await client.triggers.create(hook);
  await eventually(async () => {
    const called = await fetch(`${other.url}/v1/webhooks/third/call`, post({ name: 'Eve' }));
    expect(called.status).toBe(202);
  });
  const [run] = await client.runs();
  expect(await client.run(run?.runId ?? '').result()).toMatchObject({ output: { text: 'Hello, Eve' } });
});

const post = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test('[PG14] a name of a tenant that is too long for a schema is refused, and nothing is made', async () => {
  const { one, other } = await twoServers({ shards: 1 });
  const { key } = await one.keys.create({ name: 'a', scopes: ['*'], tenant: 'a'.repeat(60) }, operator);
  const refused = await fetch(`${other.url}/v1/runs`, { headers: { authorization: `Bearer ${key}` } });
  expect(await problemIn(refused)).toMatchObject({ code: 'TENANT_INVALID', status: 422 });
});

test('[WH12] [OW10] a call of a webhook is taken once, whichever server it comes to', async () => {
  const { one, other } = await twoServers();
  const client = clientOf(one);
  await client.register(greeting);
  await client.triggers.create(hook);
  const call = ({ url }: RunningServer) =>
    fetch(`${url}/v1/webhooks/default/call`, post({ name: 'Bob' }, { 'x-delivery-id': 'd1' }));
  const answers = await Promise.all([one, other, one, other].map(async (server) => (await call(server)).json()));
  expect(new Set(answers.map((answer) => (answer as { runId: string }).runId)).size).toBe(1);
  expect(await client.runs()).toHaveLength(1);
  const unknown = await Promise.all(
    [one, other].map(({ url }) => fetch(`${url}/v1/webhooks/default/nothing`, post({}))),
  );
  expect(unknown.map(({ status }) => status)).toEqual([404, 404]);
});

test('[SV3] a server that ends hands its shards over at once', async () => {
  const { one, other, database } = await twoServers();
  const client = clientOf(other);
  await client.register(working);
  const runs = await Promise.all(Array.from({ length: 8 }, () => client.start('working')));
  await one.close();
  const owners = await askServer('SELECT DISTINCT process FROM heddle.owners WHERE process IS NOT NULL', database);
  expect(owners.length).toBeLessThan(2);
  for (let left = runs.length; left > 0; ) {
    const tasks = await client.tasks.lease({ actions: ['work'], max: 8, waitMs: 30_000 });
    await client.tasks.finish(tasks.map(({ lease }) => ({ lease, output: {} })));
    left -= tasks.length;
  }
  for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(await other.engine.audit()).toMatchObject({ runs: 8, problems: [] });
});

test('a server on a database keeps no backups of its own', async () => {
  const { one } = await twoServers({ shards: 1 });
  expect(await problemIn(await fetch(`${one.url}/v1/backups`, post({})))).toMatchObject({ status: 501 });
});
