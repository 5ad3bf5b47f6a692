import { RunFold } from 'heddle/journal';
import { describe, expect, test } from 'vitest';
import { branchValues } from './branch-values.ts';
import { executionOf } from './execution.ts';
import { journalOf, pricing, roundsThenFanOut } from './journals.testsuite.ts';
import { branchesOf, findBranches, sortBranches, type Visit, visitOfSpan, visitsIn } from './visits.ts';

const { drawing, events } = await journalOf(roundsThenFanOut, { items: [0, 1, 2, 3] }, pricing);
const fold = new RunFold({ drawing });
for (const event of events) fold.add(event);
const visits = Array.from(fold.spans(), visitOfSpan);
const group = fold.groups()[0]?.instance ?? 0;

const visit = (token: number, place: Partial<Visit>): Visit => ({
  token,
  node: 'n',
  from: null,
  group: 0,
  index: 0,
  pathId: 'root',
  status: 'completed',
  readyAt: token,
  startedAt: token,
  endedAt: token + 1,
  attempt: 1,
  childRunId: null,
  error: null,
  listedAfter: null,
  ...place,
});

describe('branches', () => {
  test('each is as its last visit has ended; its error is told', () => {
    expect(branchesOf(visits, group).map(({ index, look, node }) => [index, look, node])).toEqual([
      [0, 'done', 'price'],
      [1, 'done', 'price'],
      [2, 'failed', 'price'],
      [3, 'done', 'price'],
    ]);
    expect(branchesOf(visits, group)[2]?.error).toEqual({ code: 'NO_PRICE', message: 'No price for 2' });
  });

  test('what happens in fan-outs inside of a branch counts for it, and what follows the join does not', () => {
    const nested = [
      visit(1, {}),
      visit(2, { from: 1, group: 1, index: 0 }),
      visit(3, { from: 1, group: 1, index: 1 }),
      visit(4, { from: 2, group: 2, index: 0, status: 'dispatched', endedAt: null, node: 'inner' }),
      visit(5, { from: 2, group: 2, index: 1 }),
      visit(6, { from: 1 }),
    ];
    expect(branchesOf(nested, 1).map(({ index, look, node, visits: count }) => [index, look, node, count])).toEqual([
      [0, 'active', 'inner', 3],
      [1, 'done', 'n', 1],
    ]);
    expect(visitsIn(nested, 1, 0).map(({ token }) => token)).toEqual([2, 4, 5]);
  });

  test('are found by number, node, status or error, and sorted by any column both ways', () => {
    const rows = branchesOf(visits, group);
    const found = (search: string, look: 'failed' | null = null) =>
      findBranches(rows, search, look).map(({ index }) => index);
    expect([found('#3'), found('NO_PRICE'), found('price'), found('', 'failed'), found('nothing')]).toEqual([
      [3],
      [2],
      [0, 1, 2, 3],
      [2],
      [],
    ]);
    const sorted = (by: 'index' | 'status', isDescending: boolean) =>
      sortBranches(rows, { by, isDescending }, 0).map(({ index }) => index);
    expect([sorted('status', false), sorted('index', true)]).toEqual([
      [2, 0, 1, 3],
      [3, 2, 1, 0],
    ]);
  });

  test('10,000 of them are searched and sorted in one go', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => visit(n + 2, { from: 1, group: 1, index: n }));
    const rows = branchesOf([visit(1, {}), ...many], 1);
    expect(sortBranches(findBranches(rows, '#9999', null), { by: 'duration', isDescending: true }, 0)).toHaveLength(1);
  });

  test('have an item and what was written in them', () => {
    expect(branchValues(events, group, 3)).toEqual({ item: 3, writes: { 'state.price': 30 } });
    expect(branchValues(events, group, 2)).toEqual({ item: 2, writes: {} });
  });
});

describe('one execution', () => {
  test('has its input, output, attempts and error from the journal', () => {
    const [failed] = visitsIn(visits, group, 2);
    const [done] = visitsIn(visits, group, 3);
    expect(executionOf(events, done?.token ?? 0)).toMatchObject({
      input: { n: 3 },
      output: { price: 30 },
      attempts: [{ attempt: 1, outcome: 'completed' }],
    });
    expect(executionOf(events, failed?.token ?? 0)).toMatchObject({
      input: { n: 2 },
      error: { code: 'NO_PRICE', message: 'No price for 2' },
      attempts: [{ attempt: 1, outcome: 'failed' }],
    });
  });

  test('tells only what had happened by the moment', () => {
    const token = visitsIn(visits, group, 3)[0]?.token ?? 0;
    const dispatched = events.findIndex((event) => event.type === 'task.dispatched' && event.token === token);
    expect(executionOf(events.slice(0, dispatched + 1), token)).toMatchObject({ attempts: [{ outcome: 'running' }] });
    expect(executionOf(events.slice(0, dispatched), token)).toEqual({ attempts: [], steps: [] });
  });
});
