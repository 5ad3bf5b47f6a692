// The part of the stores' conformance suite that is about lists of runs, page by page, and about counting them.

import { expect, it } from 'vitest';
import type { RunPageQuery, RunPlace, RunRow, Store } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { makeCommit, makeRun } from './store-fixtures.testsuite.ts';

const at = 1_760_000_000_000;
const prefix = '01JABCDEF';

/** Sixty runs, two of each millisecond, of two workflows, three statuses and two teams; every tenth is a sub-run. */
const rows: readonly RunRow[] = Array.from({ length: 60 }, (_, index) => {
  const isChild = index % 10 === 9;
  return makeRun(`${prefix}${String((index * 37) % 60).padStart(3, '0')}`, {
    createdAt: at + Math.floor(index / 2),
    workflow: index % 3 === 0 ? 'orders' : 'orders.ship',
    status: ['running', 'failed', 'completed'][index % 4] ?? 'waiting',
    tags: index % 2 === 0 ? { team: 'red', customer: String(index % 5) } : { team: 'blue' },
    parentRunId: isChild ? `${prefix}000` : null,
    ...given({ rootRunId: isChild ? `${prefix}000` : undefined }),
    quarantine: index % 7 === 6 ? 'a reason' : null,
  });
});

const byAge = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.runId < b.runId ? 1 : -1));

const cases: readonly [Omit<RunPageQuery, 'limit'>, (row: RunRow) => boolean][] = [
  [{}, () => true],
  [{ workflow: 'orders' }, (row) => row.workflow === 'orders'],
  [{ statuses: ['failed'] }, (row) => row.status === 'failed'],
  [{ statuses: ['failed', 'waiting', 'failed'] }, (row) => ['failed', 'waiting'].includes(row.status)],
  [{ statuses: [] }, () => false],
  [
    { workflow: 'orders', statuses: ['running', 'completed'] },
    (row) => row.workflow === 'orders' && ['running', 'completed'].includes(row.status),
  ],
  [{ createdAfter: at + 5 }, (row) => row.createdAt >= at + 5],
  [{ createdBefore: at + 9 }, (row) => row.createdAt < at + 9],
  [
    { workflow: 'orders', createdAfter: at + 5, createdBefore: at + 9 },
    (row) => row.workflow === 'orders' && row.createdAt >= at + 5 && row.createdAt < at + 9,
  ],
  [{ tags: { team: 'red' } }, (row) => row.tags['team'] === 'red'],
  [
    { tags: { team: 'red', customer: '2' }, statuses: ['running'] },
    (row) => row.tags['customer'] === '2' && row.status === 'running',
  ],
  [{ parentRunId: `${prefix}000` }, (row) => row.parentRunId === `${prefix}000`],
  [{ rootRunId: `${prefix}000` }, (row) => row.parentRunId !== null],
  [{ isQuarantined: true }, (row) => row.quarantine !== null],
  [{ isQuarantined: true, statuses: ['failed'] }, (row) => row.quarantine !== null && row.status === 'failed'],
  [{ search: 'blue' }, (row) => row.tags['team'] === 'blue'],
  [{ search: 'orders' }, () => true],
  [{ search: 'orders.' }, (row) => row.workflow === 'orders.ship'],
  [{ search: `${prefix}00` }, (row) => row.runId.startsWith(`${prefix}00`)],
  [{ search: `${prefix}007` }, (row) => row.runId === `${prefix}007`],
  [{ search: '01J' }, () => false],
  [{ search: 'red', statuses: ['running'] }, (row) => row.tags['team'] === 'red' && row.status === 'running'],
];

export function describePages(store: () => Store): void {
  const fill = async () => {
    await store().commit(makeCommit({ runs: rows.map((row) => ({ row, isNew: true })) }));
    const definition = { version: 1, hash: 'h', body: '{}', createdAt: at };
    for (const id of ['orders', 'orders.ship', 'other']) await store().saveDefinition({ ...definition, id });
  };
  const readAll = async (query: Omit<RunPageQuery, 'limit'>, limit: number): Promise<string[]> => {
    const found: string[] = [];
    for (let after: RunPlace | null | undefined; after !== null; ) {
      const page = await store().pageRuns({ ...query, limit, ...given({ after }) });
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      found.push(...page.rows.map(({ runId }) => runId));
      after = page.next;
    }
    return found;
  };

  it.each(cases)('[LS1] pages through %j newest first, without a gap or a repeat', async (query, isWanted) => {
    await fill();
    const expected = byAge.filter(isWanted).map(({ runId }) => runId);
    expect(await readAll(query, 7)).toEqual(expected);
    expect(await readAll(query, 1_000)).toEqual(expected);
  });

  it('[LS2] looks at a bounded number of runs for a page, and finds the one among many all the same', async () => {
    const many = Array.from({ length: 4_500 }, (_, index) =>
      makeRun(`many-${index}`, {
        createdAt: at + index,
        tags: { team: 'red' },
        status: index === 0 ? 'failed' : 'running',
      }),
    );
    await store().commit(makeCommit({ runs: many.map((row) => ({ row, isNew: true })) }));
    const query = { tags: { team: 'red' }, statuses: ['failed'], createdAfter: at };
    expect(await readAll(query, 50)).toEqual(['many-0']);
    expect((await store().pageRuns({ ...query, limit: 50, createdAfter: at + 1 })).rows).toEqual([]);
  });

  it('[LS2] a page of large results is short, and each run comes once', async () => {
    const result = JSON.stringify({ output: 'x'.repeat(1_500_000) });
    const large = Array.from({ length: 7 }, (_, index) =>
      makeRun(`large-${index}`, { createdAt: at + index, status: 'completed', result }),
    );
    await store().commit(makeCommit({ runs: large.map((row) => ({ row, isNew: true })) }));
    const first = await store().pageRuns({ limit: 1_000, createdAfter: at });
    expect(first.rows).toHaveLength(3);
    expect(await readAll({ createdAfter: at }, 1_000)).toEqual(large.map(({ runId }) => runId).toReversed());
  });

  it('[LS4] searches for the beginning of an id or a workflow, or the value of a tag, and nothing else', async () => {
    await fill();
    expect(await readAll({ search: 'rders' }, 9)).toEqual([]);
    expect(await readAll({ search: prefix.slice(0, 7) }, 9)).toEqual([]);
    expect(await readAll({ search: 're' }, 9)).toEqual([]);
    expect(await readAll({ search: 'team' }, 9)).toEqual([]);
    expect(await readAll({ search: `${prefix}01`, workflow: 'orders' }, 9)).toEqual(
      byAge
        .filter(({ runId, workflow }) => runId.startsWith(`${prefix}01`) && workflow === 'orders')
        .map(({ runId }) => runId),
    );
  });

  it('[OV2] outlines root runs, newest first, of all workflows or of one, a page at a time', async () => {
    await fill();
    const outlines = (of: (row: RunRow) => boolean) =>
      byAge
        .filter((row) => row.parentRunId === null && of(row))
        .map(({ runId, workflow, status, createdAt, endedAt }) => ({ runId, workflow, status, createdAt, endedAt }));
    expect(await store().outlineRuns({ limit: 100 })).toStrictEqual(outlines(() => true));
    const first = await store().outlineRuns({ limit: 5, workflow: 'orders' });
    const rest = await store().outlineRuns({ limit: 100, workflow: 'orders', after: first.at(-1)! });
    expect([...first, ...rest]).toStrictEqual(outlines(({ workflow }) => workflow === 'orders'));
    expect(first).toHaveLength(5);
  });

  it('[LS3] goes on behind a run that is no more, whatever came meanwhile', async () => {
    await fill();
    const first = await store().pageRuns({ limit: 10 });
    const gone = first.rows.slice(-1).map(({ runId }) => runId);
    await store().deleteRuns({ runIds: gone, records: [] });
    await store().commit(makeCommit({ runs: [{ row: makeRun('run-new', { createdAt: at + 999 }), isNew: true }] }));
    const second = await store().pageRuns({ limit: 100, after: first.next! });
    expect(second.rows.map(({ runId }) => runId)).toEqual(byAge.slice(10).map(({ runId }) => runId));
    expect(second.next).toBeNull();
  });

  it('[LS5] counts the runs of each status, up to a bound', async () => {
    await fill();
    const statuses = ['running', 'failed', 'waiting', 'cancelled'];
    expect(await store().countRuns({ statuses, upTo: 100 })).toEqual({
      byStatus: { running: 15, failed: 15, waiting: 15, cancelled: 0 },
      quarantined: 8,
    });
    const few = await store().countRuns({ statuses, upTo: 3, workflow: 'orders' });
    expect(few).toEqual({ byStatus: { running: 3, failed: 3, waiting: 3, cancelled: 0 }, quarantined: 3 });
  });

  it('pages through definitions, of all workflows or of one', async () => {
    const row = (id: string, version: number) => ({ id, version, hash: `${id}${version}`, body: '{}', createdAt: 1 });
    const all = [row('a', 1), row('a', 2), row('a', 10), row('b', 1)];
    for (const each of all) await store().saveDefinition(each);
    expect(await store().listDefinitions({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await store().listDefinitions({ limit: 2, after: { id: 'a', version: 2 } })).toEqual(all.slice(2));
    expect(await store().listDefinitions({ limit: 9, id: 'a', after: { id: 'a', version: 1 } })).toEqual(
      all.slice(1, 3),
    );
    expect(await store().listDefinitions({ limit: 9, id: 'c' })).toEqual([]);
  });
}
