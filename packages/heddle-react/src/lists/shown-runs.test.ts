import type { RunSummary } from 'heddle';
import { expect, test } from 'vitest';
import { elapsedMs, shownRuns } from './shown-runs.ts';

const run = (runId: string, createdAt: number, status: RunSummary['status'] = 'running'): RunSummary =>
  ({ runId, createdAt, endedAt: null, status }) as RunSummary; // the rest is not looked at

test('a list that nobody works with shows what there is', () => {
  const fresh = [run('b', 2), run('a', 1)];
  expect(shownRuns([run('a', 1)], fresh, false)).toEqual({ rows: fresh, news: 0 });
  expect(shownRuns(null, fresh, true)).toEqual({ rows: fresh, news: 0 });
  expect(shownRuns([], fresh, true)).toEqual({ rows: fresh, news: 0 });
});

test('rows that somebody works with stay where they are, up to date, and what is new is counted', () => {
  const last = [run('b', 2), run('a', 1)];
  const fresh = [run('d', 4), run('c', 3), run('b', 2, 'completed')];
  expect(shownRuns(last, fresh, true)).toEqual({ rows: [run('b', 2, 'completed'), run('a', 1)], news: 2 });
});

test('runs that move up because others have left are not new', () => {
  const last = [run('c', 3), run('b', 2)];
  expect(shownRuns(last, [run('c', 3), run('a', 1)], true)).toEqual({ rows: last, news: 0 });
});

test('a run that has not ended takes as long as it has taken', () => {
  expect(elapsedMs(run('a', 10), 25)).toBe(15);
  expect(elapsedMs({ ...run('a', 10), endedAt: 12 }, 25)).toBe(2);
});
