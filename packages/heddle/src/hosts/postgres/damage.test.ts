// What the store does with rows that somebody changed.

import { expect, test } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { makeCommit, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { owned } from './fresh-shard.testsuite.ts';
import { askServer } from './server.testsuite.ts';

const { make } = testFleets();

async function harmed(sql: (schema: string) => string): Promise<Store> {
  const { schema, openStore } = await make(1);
  const store = await owned(openStore(0));
  const runs = ['run-a', 'run-b'].map((runId) => ({ row: makeRun(runId, { tags: { team: runId } }), isNew: true }));
  const outboxAdded = ['m-1', 'm-2'].map((id) => ({ id, to: 'run-a', message: '{}' }));
  const keys = [{ scope: 'start', key: 'k', fingerprint: 'f', runId: 'run-a', at: 1 }];
  const records = ['a', 'b'].map((key) => ({ kind: 'note', key, value: '1', dueAt: 1 }));
  await store.commit(makeCommit({ runs, outboxAdded, keys, records }));
  await store.saveDefinition({ id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 5 });
  expect(await store.findDamage()).toEqual([]);
  await askServer(`SET search_path = ${schema}; ${sql(schema)}`);
  return store;
}

test.each([
  ['runs', "UPDATE runs SET status = 'completed' WHERE run_id = 'run-a'", (store: Store) => store.readRun('run-a')],
  ['runs', "UPDATE runs SET head = 'x' WHERE run_id = 'run-a'", (store: Store) => store.loadRuns!(['run-a'])],
  ['keys', "UPDATE keys SET run_id = 'run-b'", (store: Store) => store.findKey('start', 'k')],
  ['definitions', "UPDATE definitions SET body = '[]'", (store: Store) => store.findDefinition('w', null)],
  ['records', "UPDATE records SET value = '2' WHERE head = 'a'", (store: Store) => store.readRecord('note', 'a')],
] as const)('[DM1] a row of %s that was changed is not believed: %s', async (table, sql, read) => {
  const store = await harmed(() => sql);
  const refusal = await refusalOf(() => read(store));
  expect(refusal).toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringContaining(`of its table ${table}`) });
  const found = await store.findDamage();
  expect(found.map(({ runId }) => runId)).toEqual([table === 'runs' ? 'run-a' : null]);
});

test('[DM1] in lists a run that was changed is set aside, a record has no value, a message is none, and nothing of them is due', async () => {
  const store = await harmed(
    () => `UPDATE runs SET workflow = 'x' WHERE run_id = 'run-a';
      UPDATE records SET value = '2' WHERE head = 'a'; UPDATE outbox SET message = '[]' WHERE id = 'm-1'`,
  );
  const listed = (await store.pageRuns({ limit: 9 })).rows.find(({ runId }) => runId === 'run-a');
  expect(listed?.quarantine).toContain('does not match its checksum');
  const notes = await store.listRecords('note', { limit: 9 });
  expect(notes.map(({ key, value }) => [key, value])).toEqual([
    ['a', ''],
    ['b', '1'],
  ]);
  expect((await store.dueRecords('note', 9, 9)).map(({ key }) => key)).toEqual(['b']);
  expect((await store.readOutbox(null, 9)).map(({ message }) => message)).toEqual(['', '{}']);
  expect(await store.findDamage()).toHaveLength(3);
});

test('tags that are not those of their runs are found', async () => {
  const store = await harmed(() => "DELETE FROM tags WHERE run_id = 'run-b'");
  expect(await store.findDamage()).toMatchObject([{ message: expect.stringContaining('its table tags') }]);
});
