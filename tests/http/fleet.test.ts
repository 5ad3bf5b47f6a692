// A server on a fleet of files: what it answers is what it answers on one file; tenants, backups and figures are of all shards.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createEngine, type FeedEvent } from '../../packages/heddle/src/index.ts';
import { serve } from '../../packages/heddle/src/server/serve.ts';
import { greeting, newFolder, type Served, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';

const shards = 3;
const newFleet = () => ({ folder: path.join(newFolder(), 'fleet'), shards });
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => /^shard-\d\d\.db$/.test(name));

async function startSome({ client }: Pick<Served, 'client'>, count: number): Promise<readonly string[]> {
  await client.register(greeting);
  const runs = Array.from({ length: count }, () => client.start('greeting', { name: 'Ada' }));
  return Promise.all(
    runs.map(async (starting) => {
      const run = await starting;
      await run.result();
      return run.id;
    }),
  );
}

test('[TN2] each tenant has a fleet of its own, with as many shards, beside that of the default tenant; all are there again', async () => {
  const fleet = newFleet();
  const first = await served({ fleet });
  const acme = await first.clientWith(['*'], 'acme');
  const operator = await first.clientWith(['*']);
  const [mine, theirs] = [await startSome({ client: acme }, 4), await startSome({ client: operator }, 5)];
  expect([filesIn(fleet.folder), filesIn(`${fleet.folder}.tenants/acme`)].map(({ length }) => length)).toEqual([3, 3]);
  const listed = async (client: Served['client']) => (await client.runs()).map(({ runId }) => runId).toSorted();
  expect([await listed(acme), await listed(operator)]).toEqual([mine.toSorted(), theirs.toSorted()]);
  await expect(acme.run(theirs[0] ?? '').state()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await first.close();

  // What a copy left that was killed is no tenant; how many shards there are the folder says.
  mkdirSync(`${fleet.folder}.tenants/other.new`);
  const again = await served({ fleet: { folder: fleet.folder } });
  const [acmeAgain, other] = [await again.clientWith(['*'], 'acme'), await again.clientWith(['*'], 'other')];
  expect(await listed(acmeAgain)).toEqual(mine.toSorted());
  expect(await listed(other)).toEqual([]);
  expect(filesIn(`${fleet.folder}.tenants/other`)).toHaveLength(3);
  expect(readdirSync(`${fleet.folder}.tenants/other.new`)).toEqual([]);
});

test('[SH15] threads are refused, and nothing is made', async () => {
  const fleet = newFleet();
  const threaded = { ...fleet, threads: true };
  await expect(serve({ store: threaded, port: 0 })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('leave threads out') as string,
  });
  expect(existsSync(fleet.folder)).toBe(false);
  await served({ fleet: { ...fleet, threads: false } as typeof fleet });
});

test('[TN3] a tenant whose fleet is not whole keeps nobody else from starting', async () => {
  const fleet = newFleet();
  const first = await served({ fleet });
  await startSome({ client: await first.clientWith(['*'], 'acme') }, 1);
  await first.close();
  rmSync(`${fleet.folder}.tenants/acme/shard-01.db`);
  const again = await served({ fleet });
  const [acme, operator] = [await again.clientWith(['*'], 'acme'), await again.clientWith(['*'])];
  await expect(acme.runs()).rejects.toMatchObject({ status: 503 });
  expect(await operator.runs()).toEqual([]);
});

/** A server on a fleet that has lost its second shard, and what it tells whoever operates it. */
async function servedWithout(): Promise<{
  readonly server: Served;
  readonly leases: readonly string[];
  readonly log: string[];
}> {
  const fleet = newFleet();
  const whole = await served({ fleet });
  const { client } = whole;
  await client.register(greeting);
  await client.register({ id: 'out', initialNode: 'a', nodes: [{ id: 'a', action: 'out' }], transitions: [] });
  for (let n = 0; n < 3; n++) await client.start('out');
  const leased = await client.tasks.lease({ actions: ['out'], max: 3, leaseMs: 600_000 });
  await whole.close();
  rmSync(`${fleet.folder}/shard-01.db`);
  const log: string[] = [];
  const server = await served({ fleet, log: (_, entry) => void log.push(JSON.stringify(entry)) });
  return { server, leases: leased.map(({ lease }) => lease), log };
}

test('[HT14] [SH14] of what a missing shard refuses among several, callers learn the code; the log says where it lies', async () => {
  const { server, leases, log } = await servedWithout();
  const said = log.splice(0).join();
  expect(said).toContain('shard-01.db is not there');
  const post = async (address: string, body: object) => {
    const answer = await server.ask(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect([address, answer.status]).toEqual([address, 200]);
    expect(text).toContain('"code":"STORE_MISSING","message":"Expected the store to do this, but it cannot now"');
    expect(text).not.toContain(server.store);
    expect(text).not.toContain('shard-');
    expect(log.splice(0).join()).toContain('shard-01.db is not there');
  };
  const runs = Array.from({ length: 12 }, (_, n) => ({ workflow: 'greeting', idempotencyKey: `k${n}` }));
  const tasks = leases.map((lease) => ({ lease }));
  await post('/v1/runs/start', { runs });
  await post('/v1/tasks/heartbeat', { tasks });
  await post('/v1/tasks/finish', { tasks: leases.map((lease) => ({ lease, output: {} })) });
  await post('/v1/tasks/release', { tasks });
});

test('[SH14] a server that lacks a shard is ready, for the others go on', async () => {
  const { server } = await servedWithout();
  expect((await server.ask('/ready')).status).toBe(200);
  expect((await server.ask('/v1/runs')).status).toBe(503);
});

test('[SV6] [SV7] a backup is a folder that opens as the fleet; what was cut off is removed by the next server', async () => {
  const fleet = newFleet();
  const first = await served({ fleet });
  const runIds = await startSome(first, 4);
  const name = await first.client.backup();
  const folder = `${fleet.folder}.backups`;
  expect(readdirSync(folder)).toEqual([name]);
  const copy = await createEngine({ store: { folder: path.join(folder, name) }, readOnly: true });
  expect((await copy.runs()).map(({ runId }) => runId).toSorted()).toEqual(runIds.toSorted());
  expect((await copy.audit()).problems).toEqual([]);
  await copy.close();
  await first.close();
  mkdirSync(path.join(folder, 'default-cut-off.new'));
  await served({ fleet });
  expect(readdirSync(folder)).toEqual([name]);
});

test('[SE2] [SH7] a reader of all events that comes back with its Last-Event-ID is given each of the others once', async () => {
  const fleet = newFleet();
  const first = await served({ fleet });
  await startSome(first, 4);
  const { items } = (await (await first.ask('/v1/events?limit=100')).json()) as {
    readonly items: readonly FeedEvent[];
  };
  const nameOf = ({ runId, id }: Pick<FeedEvent, 'runId' | 'id'>) => `${runId} ${id}`;
  const had = items.slice(0, Math.floor(items.length / 2));
  await first.close();
  const again = await served({ fleet });
  const reader = await readEvents(`${again.url}/v1/events/stream`, { 'last-event-id': had.at(-1)?.feedId ?? '' });
  expect(reader.response.status).toBe(200);
  const rest: string[] = [];
  await reader.until(({ data }) => rest.push(nameOf(data as unknown as FeedEvent)) === items.length - had.length);
  expect([...had.map(nameOf), ...rest].toSorted()).toEqual(items.map(nameOf).toSorted());
  // [SE6] a place that nothing was ever committed at, in any shard
  for (const id of ['99.0', ',99.0', ',,,1.0', 'x', ''])
    expect((await again.ask('/v1/events/stream', { headers: { 'last-event-id': id } })).status).toBe(400);
});

test('[MT7] figures of runs are of the whole fleet, those of a store of each shard', async () => {
  const server = await served({ fleet: newFleet() });
  await startSome(server, 6);
  const text = await (await server.ask('/metrics')).text();
  expect(text).toContain('heddle_runs{tenant="default",status="completed"} 6\n');
  for (const shard of [0, 1, 2]) {
    expect(text).toMatch(
      new RegExp(`^heddle_store_bytes\\{tenant="default",shard="${shard}",part="file"\\} [1-9]`, 'm'),
    );
    expect(text).toContain(`heddle_timer_lag_seconds{tenant="default",shard="${shard}"} 0\n`);
    expect(text).toMatch(new RegExp(`^heddle_journal_rows_total\\{tenant="default",shard="${shard}"\\} [1-9]`, 'm'));
  }
});

test('[MT9] what cannot be read of one tenant keeps nobody from the figures of the others, and is said', async () => {
  const fleet = newFleet();
  const first = await served({ fleet });
  await startSome({ client: await first.clientWith(['*'], 'acme') }, 1);
  await first.close();
  rmSync(`${fleet.folder}.tenants/acme/shard-01.db`);
  const again = await served({ fleet });
  await startSome({ client: await again.clientWith(['*']) }, 2);
  const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
  const { key } = await again.keys.create({ name: 'scrape', scopes: ['operate'] }, operator);
  const answer = await again.ask('/metrics', { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toContain('heddle_store_readable{tenant="acme"} 0\n');
  expect(text).toContain('heddle_store_readable{tenant="default"} 1\n');
  expect(text).toContain('heddle_runs{tenant="default",status="completed"} 2\n');
  expect(text).not.toContain('heddle_runs{tenant="acme"');
  expect(text).toContain('process_resident_memory_bytes');
});

test('health, readiness, OpenAPI and keys are those of one store', async () => {
  const [file, fleet] = [await served(), await served({ fleet: newFleet() })];
  for (const address of ['/health', '/ready', '/openapi.json']) {
    const [one, other] = await Promise.all(
      [file, fleet].map(async ({ ask, url }) => {
        const answer = await ask(address);
        return [answer.status, (await answer.text()).replaceAll(url, '')];
      }),
    );
    expect([address, other]).toEqual([address, one]);
  }
  const { key } = await fleet.keys.create(
    { name: 'one', scopes: ['run:read'] },
    { tenant: 'default', scopes: new Set(['*']), keyId: null },
  );
  expect((await fleet.ask('/v1/runs')).status).toBe(401);
  expect((await fleet.ask('/v1/runs', { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});
