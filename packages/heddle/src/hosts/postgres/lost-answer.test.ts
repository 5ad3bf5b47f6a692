import { expect, test } from 'vitest';
import { systemClock } from '../../actor/system-clock.ts';
import { type FencedStore, ownStore } from '../../actor/write-queue.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { cutConnection } from './cut-connection.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { askServer } from './server.testsuite.ts';

const { make } = testFleets();
const commitOf = (runId: string) =>
  makeCommit({ runs: [{ row: makeRun(runId), isNew: true }], journal: [makeJournalRow(runId, 1)] });

async function cutFleet() {
  const cut = await cutConnection();
  const fleet = await make(1, { url: cut.url });
  const store = fleet.openStore(0) as FencedStore; // it has one
  return { ...cut, ...fleet, store };
}

test.each([
  ['lost', []],
  ['lost-answer', ['a']],
  ['late', []],
] as const)('[PG2] a write whose answer does not come is in doubt: %s', async (fate, stored) => {
  const { store, fates, deliver } = await cutFleet();
  const { epoch } = await store.fence.take('me');
  fates.push(fate);
  const refusal = await refusalOf(() => store.commit(commitOf('a'), { owner: 'me', epoch, number: 1 }));
  expect(refusal.code).toBe('STORE_IN_DOUBT');
  // Raised, whatever is on its way is dead for ever.
  expect(await store.fence.raise('me')).toEqual({ epoch: epoch + 1, number: stored.length });
  await deliver();
  expect((await store.pageRuns({ limit: 9 })).rows.map(({ runId }) => runId)).toEqual(stored);
  expect(await store.feedEnd()).toBe(stored.length);
});

test('[PG2] an engine learns what became of each, and goes on', async () => {
  const { store: inner, fates, deliver } = await cutFleet();
  const { store } = await ownStore({ store: inner, clock: systemClock(), owner: 'me' });
  fates.push('lost-answer');
  await store.commit(commitOf('a'));
  fates.push('lost');
  expect((await refusalOf(() => store.commit(commitOf('b')))).code).toBe('STORE_FAILED');
  fates.push('late');
  expect((await refusalOf(() => store.commit(commitOf('c')))).code).toBe('STORE_FAILED');
  await store.commit(commitOf('d'));
  await deliver();
  await store.commit(commitOf('b'));
  expect(
    (await store.readFeed({ after: 0, limit: 9 })).rows.map(({ position, runId }) => `${position} ${runId}`),
  ).toEqual(['1 a', '2 d', '3 b']);
});

test('[PG2] a write on a connection that the server ends is in doubt', async () => {
  const { schema, store } = await cutFleet();
  const { epoch } = await store.fence.take('me');
  // It stands in the midst of the write until it is ended.
  await askServer(`CREATE FUNCTION ${schema}.stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
    CREATE TRIGGER stand BEFORE INSERT ON ${schema}.runs FOR EACH ROW EXECUTE FUNCTION ${schema}.stand()`);
  const writing = refusalOf(() => store.commit(commitOf('a'), { owner: 'me', epoch, number: 1 }));
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%${schema}%'`;
  await expect.poll(() => askServer(end).then(({ length }) => length), { interval: 5 }).toBe(1);
  expect((await writing).code).toBe('STORE_IN_DOUBT');
  expect(await store.fence.raise('me')).toEqual({ epoch: epoch + 1, number: 0 });
});

test.each([
  ['disk_full', 'STORE_FULL'],
  ['read_only_sql_transaction', 'STORE_UNWRITABLE'],
  ['unique_violation', 'STORE_CONFLICT'],
  ['deadlock_detected', 'STORE_FAILED'],
] as const)('[PG2] a write that the server refuses was not done: %s', async (condition, code) => {
  const { schema, store } = await cutFleet();
  const { epoch } = await store.fence.take('me');
  await askServer(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ${condition}; END';
    CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.journal FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`);
  const stamp = { owner: 'me', epoch, number: 1 };
  expect((await refusalOf(() => store.commit(commitOf('a'), stamp))).code).toBe(code);
  expect((await store.pageRuns({ limit: 9 })).rows).toEqual([]);
  await askServer(`DROP TRIGGER refuse ON ${schema}.journal`);
  await store.commit(commitOf('a'), stamp);
  expect(await store.feedEnd()).toBe(1);
});
