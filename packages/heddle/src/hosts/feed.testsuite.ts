// The part of the stores' conformance suite that is about the journal of all runs, and about deleting runs from it.

import { expect, it } from 'vitest';
import type { FeedQuery, Store } from '../actor/ports.ts';
import { makeCommit, makeJournalRow, makeRun } from './store-fixtures.testsuite.ts';

export function describeFeed(store: () => Store, reopen: () => Promise<void>): void {
  const start = (runId: string, rows: number, workflow = 'w') =>
    store().commit(
      makeCommit({
        runs: [{ row: makeRun(runId, { workflow, seq: rows, tags: { of: runId } }), isNew: true }],
        journal: Array.from({ length: rows }, (_, index) => makeJournalRow(runId, index + 1)),
      }),
    );
  const feed = async (query: Partial<FeedQuery> = {}) => {
    const { rows, position } = await store().readFeed({ after: 0, limit: 100, ...query });
    return { found: rows.map(({ position: place, runId, seq }) => `${place} ${runId} ${seq}`), position };
  };

  it('[FD1] reads the rows of all runs in the order of their commits', async () => {
    expect(await feed()).toEqual({ found: [], position: 0 });
    expect(await store().feedEnd()).toBe(0);
    await start('run-b', 2);
    await start('run-a', 1);
    await store().commit(makeCommit({ journal: [makeJournalRow('run-b', 3), makeJournalRow('run-a', 2)] }));
    await reopen();
    const all = ['1 run-b 1', '2 run-b 2', '3 run-a 1', '4 run-b 3', '5 run-a 2'];
    expect(await feed()).toEqual({ found: all, position: 5 });
    expect(await feed({ after: 2, limit: 2 })).toEqual({ found: all.slice(2, 4), position: 4 });
    expect(await feed({ after: 5 })).toEqual({ found: [], position: 5 });
    expect(await feed({ after: 99 })).toEqual({ found: [], position: 99 });
    expect(await store().feedEnd()).toBe(5);
    const { rows } = await store().readFeed({ after: 3, limit: 1 });
    expect(rows).toStrictEqual([{ ...makeJournalRow('run-b', 3), position: 4, workflow: 'w', before: 'hash-2' }]);
  });

  it('[FD4] reads those of one workflow, looks at a bounded number of rows, and tells how far it came', async () => {
    await start('run-a', 1, 'rare');
    await start('run-b', 12_000, 'common');
    await start('run-c', 1, 'rare');
    expect(await feed({ workflow: 'common', limit: 2 })).toEqual({ found: ['2 run-b 1', '3 run-b 2'], position: 3 });
    const found: string[] = [];
    let pages = 0;
    for (let after = 0; after < (await store().feedEnd()); pages += 1) {
      const page = await feed({ workflow: 'rare', after, limit: 10 });
      found.push(...page.found);
      after = page.position;
    }
    expect(found).toEqual(['1 run-a 1', '12002 run-c 1']);
    expect(pages).toBe(3);
  });

  it('[FD5] never gives a position twice, whatever was deleted', async () => {
    await start('run-a', 2);
    await start('run-b', 3);
    for (const runId of ['run-b', 'run-a']) {
      await store().deleteRuns({ runIds: [runId], records: [] });
      expect(await store().deleteRemains(runId, 2)).toBe(false);
      expect(await store().deleteRemains(runId, 2)).toBe(true);
    }
    await reopen();
    expect(await feed()).toEqual({ found: [], position: 5 });
    await start('run-c', 1);
    expect(await feed()).toEqual({ found: ['6 run-c 1'], position: 6 });
    expect(await store().findDamage()).toEqual([]);
  });

  it('[KP5] deletes a run with all that is its own, and nothing of others', async () => {
    await start('run-a', 3);
    await start('run-b', 3);
    await store().saveSnapshot({ runId: 'run-a', seq: 2, chunks: ['{}'] });
    const key = { scope: 'start', fingerprint: 'f', at: 1 };
    const keys = [
      { ...key, key: 'a', runId: 'run-a' },
      { ...key, key: 'b', runId: 'run-b' },
    ];
    await store().commit(makeCommit({ keys }));
    const records = [{ kind: 'deletion', key: 'run-a', value: '{}', dueAt: 7 }];
    await store().deleteRuns({ runIds: ['run-a', 'run-none'], records });
    expect(await store().readRecord('deletion', 'run-a')).toMatchObject({ dueAt: 7 });
    expect([await store().readRun('run-a'), await store().loadRun('run-a')]).toEqual([null, null]);
    expect((await feed()).found).toEqual(['4 run-b 1', '5 run-b 2', '6 run-b 3']);
    expect(await store().deleteRemains('run-a', 10)).toBe(true);
    await store().deleteKeys('run-a');
    await reopen();
    expect(await store().readJournal('run-a', 1, 10)).toEqual([]);
    expect(await store().findKey('start', 'a')).toBeNull();
    expect(await store().findKey('start', 'b')).toStrictEqual(keys[1]);
    expect((await store().pageRuns({ limit: 9, tags: { of: 'run-a' } })).rows).toEqual([]);
    expect((await store().loadRun('run-b'))?.journal).toHaveLength(3);
    expect(await store().dueRuns(Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
    expect(await store().runsWithWork(null, 9)).toEqual(['run-b']);
    expect(await store().findDamage()).toEqual([]);
    await start('run-a', 1); // its name is free
    expect((await store().loadRun('run-a'))?.journal).toHaveLength(1);
  });
}
