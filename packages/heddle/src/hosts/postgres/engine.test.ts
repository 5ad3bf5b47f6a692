import { expect, test } from 'vitest';
import type { Engine } from '../../engine/engine.ts';
import { openSharedFleet } from '../../fleet/open-shared-fleet.ts';
import { createEngine } from '../../index.ts';
import { cutConnection } from './cut-connection.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { testKey } from './fresh-shard.testsuite.ts';
import { postgres } from './open.ts';
import { askServer, testServer } from './server.testsuite.ts';
import { transactionPooler } from './transaction-pooler.testsuite.ts';

const { make } = testFleets();

const line = {
  id: 'line',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'step', outputMapping: { 'state.a': 'result.at' } },
    { id: 'w', wait: { seconds: 0.01 } },
    { id: 'b', action: 'step', outputMapping: { 'output.b': 'result.at' } },
  ],
  transitions: [
    { from: 'a', to: 'w' },
    { from: 'w', to: 'b' },
  ],
};

test('an engine on all shards of a fleet: starts, results, lists, events and an idempotency key', async () => {
  const { engine } = await openSharedFleet(await make(3), { actions: { step: async () => ({ at: 1 }) } });
  await engine.register(line);
  const runs = await Promise.all(
    Array.from({ length: 9 }, (_, at) => engine.start('line', { at }, { tags: { of: 'x' } })),
  );
  const results = await Promise.all(runs.map((run) => run.result()));
  expect(results.map(({ status, output }) => [status, output])).toEqual(runs.map(() => ['completed', { b: 1 }]));
  expect((await engine.runs({ tags: { of: 'x' } })).map(({ runId }) => runId).toSorted()).toEqual(
    runs.map(({ id }) => id).toSorted(),
  );
  const [one, same] = [
    await engine.start('line', {}, { idempotencyKey: 'k' }),
    await engine.start('line', {}, { idempotencyKey: 'k' }),
  ];
  expect(same.id).toBe(one.id);
  await one.result();
  const types: string[] = [];
  for await (const { type } of engine.run(one.id).events()) types.push(type);
  expect(types.at(-1)).toBe('workflow.completed');
  expect(await engine.audit()).toMatchObject({ runs: 10, problems: [] });
  await engine.close();
});

test('[PG3] an engine behind something that hands out connections for a transaction at a time', async () => {
  const pooler = await transactionPooler(3);
  const { engine } = await openSharedFleet(await make(2, { url: pooler.url }), {
    actions: { step: async () => ({ at: 2 }) },
  });
  await engine.register(line);
  const runs = await Promise.all(Array.from({ length: 6 }, (_, at) => engine.start('line', { at })));
  for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed', output: { b: 2 } });
  expect(await engine.runs()).toHaveLength(6);
  await engine.close();
  expect(Math.min(...pooler.transactions())).toBeGreaterThan(10);
});

test('[OW1] another process resumes what a process left that was cut off, once its lease is over', async () => {
  const { url, drop } = await cutConnection();
  const { schema, again, ...stores } = await make(2, { url });
  const errors: Error[] = [];
  const held = await openSharedFleet(stores, {
    actions: {
      step: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    },
    onError: (error) => errors.push(error),
  });
  await held.engine.register(line);
  const { id } = await held.engine.start('line', {});
  drop();
  const { url: direct } = await testServer();
  const other = await openSharedFleet(await again({ url: direct() }), { actions: { step: async () => ({ at: 3 }) } });
  // The database's clock says when a lease is over: here it is put forward.
  await askServer(
    `UPDATE ${schema}.processes SET lease_until = now() WHERE process IN (SELECT process FROM ${schema}.owners)`,
  );
  expect(await other.engine.run(id).result()).toMatchObject({ status: 'completed', output: { b: 3 } });
  await expect(held.engine.start('line', {})).rejects.toThrow();
  await held.engine.close({ graceMs: 0 });
  await other.engine.close();
  expect(errors.length).toBeGreaterThan(0);
});

test.each([1, 4])('[PG13] createEngine on a database that several processes share, with %i shards', async (shards) => {
  const { schema } = await make(shards);
  const { url } = await testServer();
  const store = postgres({ url: url(), schema, shards, secretKey: testKey });
  const engines = await Promise.all(
    [1, 2].map(() => createEngine({ store, actions: { step: async () => ({ at: 5 }) } })),
  );
  const [one, other] = engines as [Engine, Engine]; // so many
  await one.register(line);
  const { id } = await one.start('line', {}, { idempotencyKey: 'k' });
  expect((await other.start('line', {}, { idempotencyKey: 'k' })).id).toBe(id);
  expect(await other.run(id).result()).toMatchObject({ status: 'completed', output: { b: 5 } });
  await Promise.all(engines.map((engine) => engine.close()));
  const looking = await createEngine({ store, readOnly: true });
  expect(await looking.audit()).toMatchObject({ runs: 1, problems: [] });
  await expect(looking.start('line')).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
  await looking.close();
  const left = `SELECT 1 AS one FROM pg_stat_activity WHERE application_name LIKE 'heddle%' AND query LIKE '%${schema}%'`;
  await expect.poll(() => askServer(left)).toEqual([]);
});

test('an engine on one shard that it owns alone', async () => {
  const { openStore } = await make(1);
  const engine = await createEngine({ store: openStore(0), actions: { step: async () => ({ at: 4 }) } });
  await engine.register(line);
  expect(await (await engine.start('line', {})).result()).toMatchObject({ status: 'completed', output: { b: 4 } });
  await engine.close();
});
