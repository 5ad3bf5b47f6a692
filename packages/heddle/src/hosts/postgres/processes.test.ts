import { afterEach, describe, expect, test } from 'vitest';
import { shardOf } from '../../base/shard.ts';
import type { EngineOptions } from '../../engine/engine.ts';
import { openSharedFleet, type SharedFleet } from '../../fleet/open-shared-fleet.ts';
import { cutConnection } from './cut-connection.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import type { PostgresOptions, PostgresStores } from './open.ts';
import { askServer, testServer } from './server.testsuite.ts';
import { transactionPooler } from './transaction-pooler.testsuite.ts';

const { make } = testFleets();
const opened: SharedFleet[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ engine }) => engine.close({ graceMs: 0 })));
});

const work = { id: 'work', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };

async function open(stores: PostgresStores, options: EngineOptions = {}): Promise<SharedFleet> {
  const fleet = await openSharedFleet(stores, { workers: true, ...options });
  opened.push(fleet);
  return fleet;
}

const ownedBy = ({ owned }: SharedFleet): readonly number[] => [0, 1].filter((shard) => owned(shard) !== null);

/** When it is so; nothing tells of it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Two engines on pools of their own, each with one of two shards. */
async function makeTwo(options?: PostgresOptions, ofOwner = options) {
  const directUrl = (await testServer()).url();
  const { schema, again } = await make(2);
  const [asker, owner] = [
    await open(await again(options ?? { directUrl })),
    await open(await again(ofOwner ?? { directUrl })),
  ];
  await until(() => [asker, owner].every((process) => ownedBy(process).length === 1));
  await asker.engine.register(work);
  return { schema, asker, owner };
}

/** A start in a shard of the other, from here. */
async function startThere({ engine }: SharedFleet, { owned }: SharedFleet): Promise<string> {
  for (;;) {
    const { id } = await engine.start('work');
    if (owned(shardOf(id)) !== null) return id;
  }
}

describe.each([
  ['[PG12] that tell each other', false],
  ['[PG3] behind a pooler, which look for themselves', true],
])('[OW6] [OW9] two processes %s', (_, isPooled) => {
  test('a start, a task, an end and the events, in shards of the other', async () => {
    const { asker, owner } = await makeTwo(isPooled ? { url: (await transactionPooler(8)).url } : undefined);
    const id = await startThere(asker, owner);
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of asker.engine.run(id).events()) types.push(type);
    })();
    const ended = asker.engine.run(id).result();
    const tasks = await asker.engine.tasks.lease({ actions: ['work'], max: 20, waitMs: 10_000 });
    expect(tasks.map(({ runId }) => runId)).toContain(id);
    const finished = await asker.engine.tasks.finish(tasks.map(({ lease }) => ({ lease, output: 1 })));
    expect(finished.every(({ applied }) => applied)).toBe(true);
    expect(await ended).toMatchObject({ status: 'completed' });
    await reading;
    expect([types.at(0), types.at(-1)]).toEqual(['workflow.started', 'workflow.completed']);
    const keyed = [asker, owner].map(({ engine }) => engine.start('work', {}, { idempotencyKey: 'k' }));
    expect(new Set((await Promise.all(keyed)).map((run) => run.id)).size).toBe(1);
  });
});

test('[OW5] [OW7] [OW9] who waits at one process has its answer although the other was cut off', async () => {
  const { url, drop } = await cutConnection();
  const { schema, asker, owner } = await makeTwo(undefined, { url, directUrl: url });
  const id = await startThere(asker, owner);
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of asker.engine.run(id).events()) types.push(type);
  })();
  const ended = asker.engine.run(id).result();
  const gone = ownedBy(owner);
  drop();
  // The database's clock says when a lease is over: here it is put forward.
  await askServer(
    `UPDATE ${schema}.processes SET lease_until = now() WHERE process IN
       (SELECT process FROM ${schema}.owners WHERE shard IN (${gone.join(',')}))`,
  );
  await until(() => ownedBy(asker).length === 2);
  const tasks = await asker.engine.tasks.lease({ actions: ['work'], max: 20, waitMs: 10_000 });
  await asker.engine.tasks.finish(tasks.map(({ lease }) => ({ lease, output: 1 })));
  expect(await ended).toMatchObject({ status: 'completed' });
  await reading;
  expect([types.at(0), types.at(-1)]).toEqual(['workflow.started', 'workflow.completed']);
});

test('[PG11] a server that fails forgets the calls, and who has asked is told', async () => {
  const { schema, asker, owner } = await makeTwo();
  const id = await startThere(asker, owner);
  const ended = asker.engine.run(id).result();
  // As after a crash: what is not logged is empty.
  await askServer(`TRUNCATE ${schema}.calls, ${schema}.askers`);
  const tasks = await owner.engine.tasks.lease({ actions: ['work'], max: 20, waitMs: 10_000 });
  await owner.engine.tasks.finish(tasks.map(({ lease }) => ({ lease, output: 1 })));
  expect(await ended).toMatchObject({ status: 'completed' });
});
