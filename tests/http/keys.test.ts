// API keys: made, listed, rotated, revoked; never kept as they are; never worth more than the key that made them.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { systemClock } from '../../packages/heddle/src/actor/system-clock.ts';
import { sha256Hex } from '../../packages/heddle/src/base/hash.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { ApiKeys } from '../../packages/heddle/src/http/api-keys.ts';
import { problemIn } from './problems.testsuite.ts';
import { eventually, newFolder, type Served, served } from './server.testsuite.ts';
import { operator } from './world.testsuite.ts';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly tenant: string;
  readonly expiresAt: number | null;
}

const by = (key: string) => ({ authorization: `Bearer ${key}` });

const post = (server: Served, key: string, at: string, body: Json = {}): Promise<Response> =>
  server.ask(at, {
    method: 'POST',
    headers: { ...by(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const make = async (server: Served, scopes: readonly string[], tenant = 'default'): Promise<Key> =>
  server.keys.create({ name: 'test', scopes, tenant }, operator);

const status = async (server: Served, key: string): Promise<number> =>
  (await server.ask('/v1/me', { headers: by(key) })).status;

test('[SV2] nobody on this machine needs a key until there is one', async () => {
  const server = await served();
  expect(await (await server.ask('/v1/me')).json()).toEqual({
    tenant: 'default',
    scopes: ['*'],
    keyId: null,
    via: 'open',
    only: null,
  });
  const made = (await (
    await server.ask('/v1/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'first', scopes: ['*'] }),
    })
  ).json()) as Key;
  expect(await problemIn(await server.ask('/v1/me'))).toMatchObject({ status: 401, code: 'KEY_INVALID' });
  expect(await (await server.ask('/v1/me', { headers: by(made.key) })).json()).toMatchObject({ keyId: made.id });
  await server.close();
  const again = await served({ store: server.store });
  expect((await again.ask('/v1/me')).status).toBe(401);
  expect(await status(again, made.key)).toBe(200);
});

test('[SV1] an address that others can reach is not served without a key, and says what to do', async () => {
  const store = path.join(newFolder(), 'heddle.db');
  await expect(served({ store, host: '0.0.0.0' })).rejects.toThrow(
    `Expected an API key before serving on 0.0.0.0, which other machines can reach, but there is none. Make one with \`heddle keys create --store ${store}\`, or serve on 127.0.0.1.`,
  );
  const local = await served({ store });
  const { key } = await make(local, ['*']);
  await local.close();
  const server = await served({ store, host: '0.0.0.0' });
  const reached: Served = {
    ...server,
    ask: (at, init) => fetch(`${server.url.replace('0.0.0.0', '127.0.0.1')}${at}`, init),
  };
  expect((await reached.ask('/v1/me')).status).toBe(401);
  expect(await status(reached, key)).toBe(200);
});

test('[AC3] a key is made, listed without its text, and revoked', async () => {
  const server = await served();
  const admin = await make(server, ['*']);
  const made = (await (
    await post(server, admin.key, '/v1/keys', { name: 'robot', scopes: ['run:read', 'run:read'] })
  ).json()) as Key;
  expect(made).toMatchObject({ name: 'robot', scopes: ['run:read'], tenant: 'default', expiresAt: null });
  expect(made.key).toMatch(/^hdl_[0-9a-z]{16}_[\w-]{32}$/);
  const list = await (await server.ask('/v1/keys', { headers: by(admin.key) })).text();
  expect((JSON.parse(list) as { readonly items: readonly Key[] }).items.map(({ id }) => id).toSorted()).toEqual(
    [admin.id, made.id].toSorted(),
  );
  expect(list).not.toContain(made.key.slice(-32));
  expect(await status(server, made.key)).toBe(200);
  for (const other of [
    `${made.key}x`,
    made.key.slice(0, -1),
    made.key.replace(made.id, admin.id),
    made.key.toUpperCase(),
  ])
    expect(await status(server, other)).toBe(401);
  const revoke = () => server.ask(`/v1/keys/${made.id}`, { method: 'DELETE', headers: by(admin.key) });
  expect((await revoke()).status).toBe(204);
  expect(await status(server, made.key)).toBe(401);
  expect(await problemIn(await revoke())).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' });
});

test('[AC5] a rotated key has the same rights; the old one goes on for the time that was given, and no longer', async () => {
  const server = await served();
  const admin = await make(server, ['*']);
  const old = await make(server, ['run:read']);
  const rotate = async (body: Json): Promise<Key> =>
    (await (await post(server, admin.key, `/v1/keys/${old.id}/rotate`, body)).json()) as Key;
  const second = await rotate({});
  expect(second).toMatchObject({ scopes: ['run:read'], tenant: 'default', expiresAt: null });
  expect([await status(server, old.key), await status(server, second.key)]).toEqual([200, 200]);
  const third = await rotate({ graceMs: 0 });
  expect([await status(server, old.key), await status(server, third.key)]).toEqual([401, 200]);
  const all = (await (await server.ask('/v1/keys', { headers: by(admin.key) })).json()) as {
    readonly items: readonly Key[];
  };
  expect(all.items.find(({ id }) => id === old.id)?.expiresAt).toEqual(expect.any(Number));
});

test('[AC5] whoever did not hear the answer rotates again: the new key ends no sooner than the old one would have', async () => {
  const server = await served();
  const { keys } = server;
  const expiresAt = Date.now() + 1_000_000_000;
  const lasting = await make(server, ['run:read']);
  const ending = await keys.create({ name: 'test', scopes: ['run:read'], expiresAt }, operator);
  for (const old of [lasting, ending]) {
    await keys.rotate(old.id, 60_000, operator);
    expect((await keys.rotate(old.id, 30_000, operator)).expiresAt).toBe(old.expiresAt);
  }
});

test('[AC5] a key that is revoked while it is rotated opens nothing', async () => {
  const server = await served();
  const admin = await make(server, ['*']);
  const old = await make(server, ['run:read']);
  const [made] = await Promise.all([
    server.keys.rotate(old.id, undefined, operator),
    server.keys.revoke(old.id, operator),
  ]);
  expect([await status(server, old.key), await status(server, made.key)]).toEqual([401, 200]);
  const all = (await (await server.ask('/v1/keys', { headers: by(admin.key) })).json()) as {
    readonly items: readonly Key[];
  };
  expect(all.items.map(({ id }) => id).toSorted()).toEqual([admin.id, made.id].toSorted());
});

test('[AC3] a key that is revoked while it is looked up opens nothing from then on', async () => {
  const store = memoryStore();
  const { key, id } = await new ApiKeys(store, systemClock()).create({ name: 'test', scopes: ['*'] }, operator);
  const reads: (() => void)[] = [];
  const readAtOnce = store.readRecord.bind(store);
  // What was read comes when the test lets it.
  const readRecord: Store['readRecord'] = async (...what) => {
    const row = await readAtOnce(...what);
    await new Promise<void>((resolve) => reads.push(resolve));
    return row;
  };
  const keys = new ApiKeys(Object.assign(store, { readRecord }), systemClock());
  const asked = keys.authenticate(key);
  const revoked = keys.revoke(id, operator);
  await eventually(() => expect(reads).toHaveLength(2));
  reads[1]?.();
  await revoked;
  reads[0]?.();
  expect([await asked, await keys.authenticate(key)]).toEqual([null, null]);
});

test('[AC4] no key makes or rotates one that may do more than itself', async () => {
  const server = await served();
  const all = await make(server, ['*']);
  const some = await make(server, ['key:admin', 'run:read']);
  const foreign = await make(server, ['*'], 'acme');
  const missing = { status: 403, code: 'SCOPE_MISSING' };
  for (const scopes of [['*'], ['run:start'], ['run:read', 'operate']])
    expect(await problemIn(await post(server, some.key, '/v1/keys', { name: 'more', scopes }))).toMatchObject(missing);
  expect(await problemIn(await post(server, some.key, `/v1/keys/${all.id}/rotate`))).toMatchObject(missing);
  expect(await problemIn(await post(server, some.key, `/v1/keys/${foreign.id}/rotate`))).toMatchObject(missing);
  expect((await post(server, some.key, '/v1/keys', { name: 'as much', scopes: ['run:read'] })).status).toBe(201);
  // A tenant makes keys of its own, and knows of no others.
  const abroad = { name: 'abroad', scopes: ['run:read'], tenant: 'default' };
  expect(await problemIn(await post(server, foreign.key, '/v1/keys', abroad))).toMatchObject({
    status: 403,
    code: 'TENANT_FOREIGN',
  });
  expect(await problemIn(await post(server, foreign.key, `/v1/keys/${all.id}/rotate`))).toMatchObject({ status: 404 });
  const list = (await (await server.ask('/v1/keys', { headers: by(foreign.key) })).json()) as {
    readonly items: readonly Key[];
  };
  expect(list.items.map(({ tenant }) => tenant)).toEqual(['acme']);
});

test('[AC6] the name of a tenant is small letters, digits and hyphens: no path and no other file', async () => {
  const server = await served();
  const { key } = await make(server, ['*']);
  for (const tenant of ['../up', 'a/b', 'A', '-a', 'a.b', 'ä', 'x'.repeat(64), '\u0000'])
    expect(await problemIn(await post(server, key, '/v1/keys', { name: 'x', scopes: ['*'], tenant }))).toMatchObject({
      status: 422,
      code: 'TENANT_INVALID',
      pointer: '/tenant',
    });
  expect((await post(server, key, '/v1/keys', { name: 'x', scopes: ['*'], tenant: 'a-1' })).status).toBe(201);
});

test('[AC3] no file holds the text of a key, only its hash', async () => {
  const server = await served();
  const { key } = await make(server, ['*']);
  await status(server, key);
  await server.close();
  const folder = path.dirname(server.store);
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
    .join('');
  expect(bytes.includes(key.slice(-32))).toBe(false);
  expect(bytes.includes(sha256Hex(key))).toBe(true);
});

test('[AC8] a server that had a key is not open again when its last one is revoked, nor after a restart', async () => {
  const server = await served();
  expect((await server.ask('/v1/runs')).status).toBe(200);
  const only = await make(server, ['*']);
  expect((await server.ask(`/v1/keys/${only.id}`, { method: 'DELETE', headers: by(only.key) })).status).toBe(204);
  expect((await server.ask('/v1/runs')).status).toBe(401);
  await server.close();
  const again = await served({ store: server.store });
  expect((await again.ask('/v1/runs')).status).toBe(401);
});
