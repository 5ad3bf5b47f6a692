import type { RunEvent } from 'heddle/journal';
import { expect, test } from 'vitest';
import { type ComparedRun, compareRuns } from './compare-runs.ts';
import type { TimelineSpan } from './timeline-span.ts';

interface Step {
  readonly token: number;
  readonly node: string;
  readonly from?: number;
  readonly pathId?: string;
  readonly output?: number;
  readonly ms?: number;
}

/** One visit after the other, each with its output. */
function run(steps: readonly Step[]): ComparedRun {
  let at = 0;
  const events: object[] = [];
  const spans = steps.map(({ token, node, from, pathId = 'root', output = 0, ms = 10 }): TimelineSpan => {
    events.push({ type: 'token.created', token, node, from, branch: [0, 0] });
    events.push({ type: 'task.dispatched', token, attempt: 1, dispatch: 1, input: { from } });
    events.push({ type: 'task.completed', token, output });
    const times = { readyAt: at, startedAt: at, endedAt: at + ms };
    at += ms;
    const attempts = [{ attempt: 1, startedAt: times.startedAt, endedAt: times.endedAt, outcome: 'completed' }];
    return { token, node, pathId, status: 'completed', ...times, attempt: 1, attempts };
  });
  return { spans, events: events as RunEvent[], now: at }; // what of them is read
}

const check = { token: 1, node: 'check', output: 1_200 };

test('[W34] the same twice has no difference', () => {
  const steps = [check, { token: 2, node: 'ship', from: 1 }];
  const { visits, firstDifference } = compareRuns(run(steps), run(steps));
  expect(visits.map(({ node, aspects }) => [node, aspects])).toEqual([
    ['check', []],
    ['ship', []],
  ]);
  expect(firstDifference).toBeNull();
});

test('[W34] the first difference is where an output led to another route; what only one run has stands in its place', () => {
  const first = run([check, { token: 2, node: 'review', from: 1 }, { token: 3, node: 'end', from: 2 }]);
  const second = run([
    { ...check, output: 400 },
    { token: 2, node: 'cheap', from: 1 },
    { token: 3, node: 'end', from: 2 },
  ]);
  const { visits, firstDifference } = compareRuns(first, second);
  expect(visits.map(({ node, first: a, second: b }) => [node, a !== null, b !== null])).toEqual([
    ['check', true, true],
    ['cheap', false, true],
    ['review', true, false],
    ['end', true, true],
  ]);
  expect(firstDifference).toMatchObject({ node: 'check', aspects: ['output', 'route'] });
  expect(firstDifference?.first?.next).toBe('review');
  expect(firstDifference?.second?.next).toBe('cheap');
});

test('[W34] visits are aligned by path and count, not by when they came', () => {
  const branch = (token: number, index: number, output: number): Step => ({
    token,
    node: 'score',
    pathId: `root.split.${index}`,
    output,
  });
  const { visits } = compareRuns(run([branch(1, 0, 5), branch(2, 1, 6)]), run([branch(1, 1, 6), branch(2, 0, 5)]));
  expect(visits.map(({ pathId, aspects }) => [pathId, aspects])).toEqual([
    ['root.split.0', []],
    ['root.split.1', []],
  ]);
});

test('[W34] a loop that went round once more is one visit more; work that took much longer is told last', () => {
  const loop = (ms: number): Step[] => [
    { ...check, ms },
    { token: 2, node: 'check', from: 1, output: 1 },
  ];
  const { visits, firstDifference } = compareRuns(
    run(loop(10)),
    run([...loop(900), { token: 3, node: 'check', from: 2 }]),
  );
  expect(visits.map(({ visit, aspects }) => [visit, aspects])).toEqual([
    [1, ['duration']],
    [2, ['route']],
    [3, ['route']],
  ]);
  expect(firstDifference?.visit).toBe(2);
});
