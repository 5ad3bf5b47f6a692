// Tenants: each has its own file; the same names in two of them are different things; they go on by themselves.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import { problemIn } from './problems.testsuite.ts';
import { greeting, type Served, served } from './server.testsuite.ts';
import { operator } from './world.testsuite.ts';

const asking = {
  id: 'same',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: true, outputMapping: { 'output.said': 'result' } }],
  transitions: [],
};
const silent = { id: 'same', initialNode: 'say', nodes: [{ id: 'say', action: 'core.echo' }], transitions: [] };

/** What a tenant has, by what it is called. */
async function holdings(client: Client): Promise<Readonly<Record<string, unknown>>> {
  const runs = await client.runs();
  return {
    definitions: (await client.definitions()).map(({ id, version }) => `${id}@${version}`),
    runs: runs.map(({ runId }) => runId),
    prompts: (await client.prompts()).map(({ runId }) => runId),
    triggers: (await client.triggers.list()).map(({ id }) => id),
    artifacts: (await client.artifacts.list()).length,
    credits: await client.credits.balance('guild'),
  };
}

test('two tenants have everything apart, under the same names, and after a restart', async () => {
  const server = await served();
  const [acme, rival] = [await server.clientWith(['*'], 'acme'), await server.clientWith(['*'], 'rival')];
  await acme.register(asking);
  await rival.register(silent);
  const mine = await acme.start('same', {}, { idempotencyKey: 'one' });
  const theirs = await rival.start('same', {}, { idempotencyKey: 'one' });
  expect(await theirs.result()).toMatchObject({ status: 'completed' });
  await acme.triggers.create({ id: 'bell', type: 'manual', workflow: 'same' });
  await acme.credits.deposit('guild', 7);
  const put = await acme.artifacts.put('bytes', 'text/plain');
  const ofAcme = {
    definitions: ['same@1'],
    runs: [mine.id],
    prompts: [mine.id],
    triggers: ['bell'],
    artifacts: 1,
    credits: 7,
  };
  const ofRival = { definitions: ['same@1'], runs: [theirs.id], prompts: [], triggers: [], artifacts: 0, credits: 0 };
  expect([await holdings(acme), await holdings(rival)]).toEqual([ofAcme, ofRival]);
  await expect(rival.artifacts.get(put)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
  await expect(rival.run(mine.id).state()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  const operatorOnly = await server.clientWith(['*']);
  expect((await operatorOnly.runs()).length).toBe(0);
  await server.close();
  const again = await served({ store: server.store });
  const clients = [await again.clientWith(['*'], 'acme'), await again.clientWith(['*'], 'rival')];
  expect(await Promise.all(clients.map(holdings))).toEqual([ofAcme, ofRival]);
});

test('an event that one tenant publishes is no other’s, and no stream shows it', async () => {
  const server = await served();
  const [acme, rival] = [await server.clientWith(['*'], 'acme'), await server.clientWith(['*'], 'rival')];
  for (const client of [acme, rival]) {
    await client.register(silent);
    await client.triggers.create({ id: 'bell', type: 'event', event: 'rung', workflow: 'same' });
  }
  expect((await acme.publish('rung')).fired).toHaveLength(1);
  expect((await acme.runs()).length).toBe(1);
  expect(await rival.runs()).toEqual([]);
  const { key } = await server.keys.create({ name: 'reader', scopes: ['run:read'], tenant: 'rival' }, operator);
  const events = await server.ask('/v1/events', { headers: { authorization: `Bearer ${key}` } });
  expect(await events.json()).toEqual({ items: [], next: null });
});

test('[TN2] a tenant is made when a key of it is first used', async () => {
  const server = await served();
  const file = path.join(`${server.store}.tenants`, 'acme.db');
  const client = await server.clientWith(['*'], 'acme');
  expect(existsSync(file)).toBe(false);
  await client.runs();
  expect(existsSync(file)).toBe(true);
  expect(readdirSync(`${server.store}.tenants`).filter((name) => name.endsWith('.db'))).toEqual(['acme.db']);
});

const key = async (server: Served, tenant: string): Promise<string> =>
  (await server.keys.create({ name: 'test', scopes: ['*'], tenant }, operator)).key;

test('[TN1] what a tenant has under way goes on after a restart, before anybody asks for it', async () => {
  const server = await served();
  const client = await server.clientWith(['*'], 'acme');
  await client.register(greeting);
  const { id } = await client.start('greeting', { name: 'Ada' }, { delayMs: 300 });
  await server.close();
  const ended = new Promise<string>((resolve, reject) => {
    const onEvent = ({ type, runId }: { readonly type: string; readonly runId: string }): void => {
      if (type === 'workflow.completed') resolve(runId);
    };
    served({ store: server.store, onEvent }).catch(reject);
  });
  expect(await ended).toBe(id);
});

test('[TN3] [HT14] a tenant whose file is damaged keeps nobody else from starting, and is told of', async () => {
  const server = await served();
  await (await server.clientWith(['*'], 'acme')).runs();
  const damaged = await key(server, 'acme');
  const healthy = await key(server, 'rival');
  await server.close();
  writeFileSync(
    path.join(`${server.store}.tenants`, 'acme.db'),
    'this is no database, however one looks at it'.repeat(200),
  );
  const told: unknown[] = [];
  const again = await served({
    store: server.store,
    log: (level, entry) => void (level === 'error' && told.push(entry)),
  });
  expect(told).toMatchObject([{ message: 'A tenant cannot be opened', tenant: 'acme' }]);
  const ask = (by: string) => again.ask('/v1/runs', { headers: { authorization: `Bearer ${by}` } });
  expect((await ask(healthy)).status).toBe(200);
  const problem = await problemIn(await ask(damaged));
  expect(problem).toMatchObject({ status: 503, code: 'STORE_DAMAGED' });
  // Where it lies is nobody's business.
  expect(JSON.stringify(problem)).not.toContain('acme.db');
  expect((await ask(healthy)).status).toBe(200);
});
