import { expect, test } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { makeCommit, makeJournalRow, makeRun } from '../store-fixtures.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { owned } from './fresh-shard.testsuite.ts';

const { freshStore } = testFleets();
/** Longer than an entry of an index, in every form that texts have here. */
const long = (end: string, start = '織'): string => start.repeat(999) + end;

test('[PG9] keys, tags and records may be long, and hold any text', async () => {
  const store = await owned(await freshStore());
  const keys = ['a', 'b', '\0', '\ud800'].map((end) => ({
    scope: 'start',
    key: long(end),
    fingerprint: end.length.toString(),
    runId: 'r',
    at: 1,
  }));
  const tags = { [long('1')]: long('x'), [long('2')]: long('x') };
  const run = makeRun('r', { tags });
  await store.commit(
    makeCommit({
      keys,
      runs: [
        { row: run, isNew: true },
        { row: makeRun('other'), isNew: true },
      ],
    }),
  );
  for (const key of keys) expect(await store.findKey('start', key.key)).toStrictEqual(key);
  expect(await store.findKey('start', long('c'))).toBeNull();
  const found = async (query: object) => (await store.pageRuns({ limit: 9, ...query })).rows;
  expect(await found({ tags: { [long('1')]: long('x') } })).toStrictEqual([run]);
  expect(await found({ search: long('x') })).toStrictEqual([run]);
  // What begins alike is not the same.
  expect(await found({ tags: { [long('1')]: long('y') } })).toEqual([]);
  await store.deleteRuns({ runIds: ['r'], records: [] });
  expect(await store.findDamage()).toEqual([]);
});

test('[PG9] records with long keys are in the order of their keys, from any place, and due', async () => {
  const store = await owned(await freshStore());
  const names = ['z', long('b'), long(''), long('a'), 'a', long('ab'), long('\0'), long('c', 'é')].toSorted();
  const records = names.map((key, at) => ({ kind: 'note', key, value: String(at), dueAt: at }));
  await store.commit(makeCommit({ records: records.toReversed() }));
  const list = async (query: object) =>
    (await store.listRecords('note', { limit: 99, ...query })).map(({ key }) => key);
  expect(await list({})).toEqual(names);
  for (const name of names) {
    expect(await store.readRecord('note', name)).toStrictEqual(records[names.indexOf(name)]);
    expect(await list({ after: name })).toEqual(names.filter((other) => other > name));
    expect(await list({ prefix: name })).toEqual(names.filter((other) => other.startsWith(name)));
    expect(await list({ after: name, limit: 1 })).toEqual(names.filter((other) => other > name).slice(0, 1));
  }
  expect((await store.dueRecords('note', 9, 9)).map(({ key }) => key)).toEqual(names);
  await store.commit(makeCommit({ records: [{ kind: 'note', key: long('a'), value: null, dueAt: null }] }));
  expect(await list({})).toEqual(names.filter((name) => name !== long('a')));
});

test.each(['a\0', '\0', 'a\ud800', '\udfffa'])('[PG9] what no row can hold is not found: %j', async (text) => {
  const store: Store = await owned(await freshStore());
  await store.commit(makeCommit({ runs: [{ row: makeRun('a'), isNew: true }], journal: [makeJournalRow('a', 1)] }));
  expect(await store.readRun(text)).toBeNull();
  expect(await store.loadRun(text)).toBeNull();
  expect((await store.loadRuns!([text, 'a'])).map((found) => found !== null)).toEqual([false, true]);
  expect(await store.readJournal(text, 1, 9)).toEqual([]);
  expect(await store.findDefinition(text, null)).toBeNull();
  expect(await store.artifacts.get(text)).toBeNull();
  for (const query of [
    { search: text },
    { search: `${text}longer-than-8` },
    { workflow: text },
    { parentRunId: text },
    { statuses: [text] },
  ])
    expect((await store.pageRuns({ limit: 9, ...query })).rows).toEqual([]);
  expect((await store.pageRuns({ limit: 9, tags: { [text]: text } })).rows).toEqual([]);
});

test('[PG10] loads the runs of a turn in their order: whole, or the row of what has ended', async () => {
  const store = await owned(await freshStore());
  const rows = [
    makeRun('a', { seq: 3 }),
    makeRun('b', { seq: 1, endedAt: 5, status: 'completed', result: '{}' }),
    makeRun('c', { quarantine: 'why' }),
    makeRun('d', { seq: 1 }),
  ];
  const journal = [1, 2, 3].map((seq) => makeJournalRow('a', seq));
  await store.commit(
    makeCommit({
      runs: rows.map((row) => ({ row, isNew: true })),
      journal: [...journal, makeJournalRow('b', 1), makeJournalRow('d', 1)],
    }),
  );
  await store.saveSnapshot({ runId: 'a', seq: 2, chunks: ['1', '2', '3'] });
  const loaded = await store.loadRuns!(['d', 'none', 'a', 'b', 'c']);
  const withoutId = ({ runId: _, ...row }: (typeof journal)[number]) => row;
  expect(loaded).toStrictEqual([
    { row: rows[3], snapshot: null, journal: [withoutId(makeJournalRow('d', 1))] },
    null,
    { row: rows[0], snapshot: { runId: 'a', seq: 2, chunks: ['1', '2', '3'] }, journal: [withoutId(journal[2]!)] },
    rows[1],
    rows[2],
  ]);
});
