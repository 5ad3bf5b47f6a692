import { expect, test } from 'vitest';
import type { Leases } from '../../actor/ports.ts';
import { describeFence } from '../fence.testsuite.ts';
import { describeLeases } from '../leases.testsuite.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { askServer } from './server.testsuite.ts';

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
