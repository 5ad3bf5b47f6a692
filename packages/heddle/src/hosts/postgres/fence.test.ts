import { expect, onTestFinished, test } from 'vitest';
import type { Leases } from '../../actor/ports.ts';
import { describeFence } from '../fence.testsuite.ts';
import { describeLeases } from '../leases.testsuite.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { databaseLeases } from './leases.ts';
import { openPool } from './pool.ts';
import { askServer, testServer } from './server.testsuite.ts';

const { make, freshStore } = testFleets();

describeFence('PostgreSQL', async () => {
  const store = await freshStore();
  const note = (key: string) => ({ kind: 'note', key, value: '1', dueAt: null });
  return {
    fence: store.fence,
    write: async (stamp, name, contradicts = false) =>
      store.commit(
        makeCommit({
          records: [note(name)],
          runs: contradicts ? [{ row: makeRun('none'), isNew: false }] : [],
        }),
        stamp,
      ),
    written: async () => (await store.listRecords('note', { limit: 100 })).map(({ key }) => key),
  };
});

let fleet: Promise<readonly [string, Leases, Leases]> | null = null;

describeLeases('PostgreSQL', async () => {
  fleet ??= make(3).then(async ({ schema, leases, again }) => [schema, leases, (await again()).leases]);
  const [schema, one, two] = await fleet;
  await askServer(`UPDATE ${schema}.owners SET process = NULL; DELETE FROM ${schema}.processes`);
  return [one, two];
});

/** What is asked first is done, and not yet seen, when the other is asked; that waits. Answers with both. */
async function inTurn<First, Second>(first: (leases: Leases) => First, second: (leases: Leases) => Promise<Second>) {
  const { schema, leases } = await make(2);
  await leases.renew('a', 3_600_000);
  await leases.claim('a', 1);
  await leases.renew('a', 0);
  const { url } = await testServer();
  const pool = await openPool({ url: url(), connections: 1, answerMs: 60_000 });
  onTestFinished(() => pool.close());
  const database = pool.database(schema);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
  let later: Promise<Second> | null = null;
  const done = await database.transaction(async (read) => {
    const answer = await first(databaseLeases({ ...database, prefix: database.prefix, read }));
    later = second(leases);
    await expect.poll(() => askServer(waiting).then(({ length }) => length), { interval: 5 }).toBe(1);
    return answer;
  });
  return [done, await (later as unknown as Promise<Second>)] as const; // it has begun
}

test('[PG4] a renewal that waited for a claim knows that the shard is gone', async () => {
  const [granted, standing] = await inTurn(
    (leases) => leases.claim('b', 1),
    (leases) => Promise.resolve(leases.renew('a', 3_600_000)),
  );
  expect([granted, standing.owned]).toEqual([true, []]);
});

test('[PG4] a claim that waited for a renewal is not granted', async () => {
  const [standing, granted] = await inTurn(
    (leases) => leases.renew('a', 3_600_000),
    (leases) => Promise.resolve(leases.claim('b', 1)),
  );
  expect([standing.owned, granted]).toEqual([[1], false]);
});

test('[PG4] a renewal waits for no write', async () => {
  const { schema, leases } = await make(1);
  await leases.claim('a', 0);
  const { url } = await testServer();
  const pool = await openPool({ url: url(), connections: 1, answerMs: 60_000 });
  onTestFinished(() => pool.close());
  const database = pool.database(schema);
  const owned = await database.transaction(async (ask) => {
    await ask(`UPDATE ${schema}.shards SET commit_no = commit_no + 1`);
    return (await leases.renew('a', 3_600_000)).owned;
  });
  expect(owned).toEqual([0]);
});

test('[WR1] a write without a stamp is refused: no engine owns the shard', async () => {
  const store = await freshStore();
  const refusal = await refusalOf(() => store.commit(makeCommit({ runs: [] })));
  expect(refusal).toMatchObject({ code: 'STORE_UNWRITABLE', message: expect.stringContaining('Open an engine') });
});

test('[PG1] every kind of write is fenced, and raises the number', async () => {
  const store = await freshStore();
  const writes: readonly ((stamp: { owner: string; epoch: number; number: number }) => unknown)[] = [
    (stamp) =>
      store.commit(
        makeCommit({ runs: [{ row: makeRun('a'), isNew: true }], journal: [makeJournalRow('a', 1)] }),
        stamp,
      ),
    (stamp) => store.commit(makeCommit({}), stamp),
    (stamp) => store.saveSnapshot({ runId: 'a', seq: 1, chunks: ['{}'] }, stamp),
    (stamp) => store.saveDefinition({ id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 1 }, stamp),
    (stamp) => store.artifacts.remove('none', stamp),
    (stamp) => store.deleteRuns({ runIds: ['a'], records: [] }, stamp),
    (stamp) => store.deleteRemains('a', 10, stamp),
    (stamp) => store.deleteKeys('a', stamp),
  ];
  const { epoch } = await store.fence.take('me');
  for (const [at, write] of writes.entries()) {
    const stamp = { owner: 'me', epoch, number: at + 1 };
    for (const wrong of [{ owner: 'other' }, { epoch: epoch - 1 }, { number: at + 2 }, { number: at }])
      expect((await refusalOf(() => write({ ...stamp, ...wrong }))).code).toBe('STORE_FENCED');
    await write(stamp);
    expect(await store.fence.raise('other')).toBeNull();
  }
  expect((await store.fence.raise('me'))?.number).toBe(writes.length);
});
