// Pages of runs while another connection writes.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeCommit, makeRun } from '../store-fixtures.testsuite.ts';
import type { SqlDriver } from './driver.ts';
import { openSqliteDriver, openSqliteStore } from './open.ts';
import { preparePageRuns } from './page-runs.ts';

/** Calls back after every read of several rows. */
function withPauses(driver: SqlDriver, pause: () => void): SqlDriver {
  return {
    ...driver,
    prepare: <Row extends object>(sql: string) => {
      const statement = driver.prepare<Row>(sql);
      const all: typeof statement.all = (...values) => {
        const rows = statement.all(...values);
        pause();
        return rows;
      };
      return { ...statement, all };
    },
  };
}

it.each(['pageRuns', 'outlineRuns'] as const)(
  '[LS11] %s: a run whose status changes between two reads of a page is on it once',
  async (list) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'heddle-pages-'));
    const file = path.join(folder, 'heddle.db');
    const store = await openSqliteStore(file, { writerThread: 'never' });
    const ended = makeRun('run-a', { status: 'completed', createdAt: 1 });
    const before = makeRun('run-b', { status: 'running', createdAt: 2 });
    await store.commit(makeCommit({ runs: [ended, before].map((row) => ({ row, isNew: true })) }));
    const reader = await openSqliteDriver(file, { readOnly: true });
    const end = (): void => {
      const row = { ...before, status: 'completed', seq: before.seq + 1 };
      void store.commit(makeCommit({ runs: [{ row, isNew: false, before }] }));
    };
    const found = preparePageRuns(withPauses(reader, end))[list]({ limit: 10 });
    expect(('rows' in found ? found.rows : found).map(({ runId }) => runId)).toEqual(['run-b', 'run-a']);
    reader.close();
    await store.close();
    await rm(folder, { recursive: true });
  },
);
