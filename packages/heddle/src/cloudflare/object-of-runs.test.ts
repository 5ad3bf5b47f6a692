// Which commits of an object of runs set its alarm. What it does then is shown in workerd.

import { expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { makeCommit, makeRun } from '../hosts/store-fixtures.testsuite.ts';
import { watchEnds } from './object-of-runs.ts';

const record = { kind: 'deletion', key: 'run-a', value: '{}', dueAt: 1 };

test.each([
  ['that ends a run', { runs: [{ row: makeRun('run-a', { endedAt: 5 }), isNew: true }] }, true],
  ['of a run that goes on', { runs: [{ row: makeRun('run-a', { endedAt: null }), isNew: true }] }, false],
  ['that removes what is remembered of a run', { records: [{ ...record, value: null }] }, true],
  ['that remembers a run', { records: [record] }, false],
])('[DO30] a commit %s', (_, commit, isWatched) => {
  let watched = false;
  const store = watchEnds(memoryStore(), () => {
    watched = true;
  });
  void store.commit(makeCommit(commit));
  expect(watched).toBe(isWatched);
});
