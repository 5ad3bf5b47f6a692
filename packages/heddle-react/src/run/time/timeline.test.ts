import { expect, test } from 'vitest';
import { TimeScale } from './time-scale.ts';
import { type Bar, barsOf, rowsOf, type Viewport } from './timeline-rows.ts';
import { partsOf, type TimelineSpan, timesOf, workingStretches } from './timeline-span.ts';
import { panned, showing, wholeWindow, zoomed } from './timeline-window.ts';

function span(token: number, node: string, over: Partial<TimelineSpan> = {}): TimelineSpan {
  const { readyAt = 0, startedAt = readyAt, endedAt = readyAt + 10 } = over;
  const attempts = [{ attempt: 1, startedAt: startedAt ?? readyAt, endedAt, outcome: 'completed' }];
  return {
    token,
    node,
    pathId: 'root',
    status: 'completed',
    readyAt,
    startedAt,
    endedAt,
    attempt: 1,
    attempts,
    ...over,
  };
}

const retried = span(1, 'score', {
  readyAt: 100,
  startedAt: 150,
  endedAt: 900,
  attempt: 2,
  attempts: [
    { attempt: 1, startedAt: 150, endedAt: 250, outcome: 'failed' },
    { attempt: 2, startedAt: 650, endedAt: 850, outcome: 'completed' },
  ],
});

test('[W28] a visit is cut into queue, work and waiting, and failed attempts are marked', () => {
  expect(partsOf(retried, 2_000)).toEqual([
    { from: 100, to: 150, kind: 'queued', isFailed: false },
    { from: 150, to: 250, kind: 'working', isFailed: true },
    { from: 250, to: 650, kind: 'waiting', isFailed: false },
    { from: 650, to: 850, kind: 'working', isFailed: false },
    { from: 850, to: 900, kind: 'waiting', isFailed: false },
  ]);
  expect(timesOf(retried, 2_000)).toEqual({ queuedMs: 50, workedMs: 300, waitedMs: 450 });
  expect(workingStretches([retried], 2_000)).toEqual([
    { from: 150, to: 250 },
    { from: 650, to: 850 },
  ]);
});

test('[W28] an attempt that failed at once still has its mark', () => {
  const failed = span(1, 'a', { endedAt: 0, attempts: [{ attempt: 1, startedAt: 0, endedAt: 0, outcome: 'failed' }] });
  expect(partsOf(failed, 5)).toEqual([{ from: 0, to: 0, kind: 'working', isFailed: true }]);
});

test('[W28] what lives is drawn until now; what nobody took yet is in the queue', () => {
  const queued = span(1, 'a', { readyAt: 10, startedAt: null, endedAt: null, attempts: [], status: 'ready' });
  expect(partsOf(queued, 30)).toEqual([{ from: 10, to: 30, kind: 'queued', isFailed: false }]);
});

test('[W28] rows: nodes by their first visit; branches below them in the order of their numbers, when open', () => {
  const spans = [
    span(4, 'join', { readyAt: 50 }),
    span(3, 'work', { pathId: 'root.split.10', readyAt: 5 }),
    span(2, 'work', { pathId: 'root.split.2', readyAt: 6 }),
    span(1, 'split'),
  ];
  const shown = (open: string[]): unknown[] =>
    rowsOf(spans, new Set(open)).map(({ node, pathId, isOpen, spans: own }) => [node, pathId, isOpen, own.length]);
  expect(shown([])).toEqual([
    ['split', null, null, 1],
    ['work', null, false, 2],
    ['join', null, null, 1],
  ]);
  expect(shown(['work'])).toEqual([
    ['split', null, null, 1],
    ['work', null, true, 2],
    ['work', 'root.split.2', null, 1],
    ['work', 'root.split.10', null, 1],
    ['join', null, null, 1],
  ]);
});

const viewportOf = (to: number, window = wholeWindow): Viewport => ({
  scale: new TimeScale({ from: 0, to }, [{ from: 0, to }]),
  window,
  width: 1_000,
  now: to,
});

const shownBars = (bars: readonly Bar[]): unknown[] =>
  bars.map(({ left, width, spans, look }) => [Math.round(left), Math.round(width), spans.length, look]);

test('[W28] narrow bars are wide enough to be met, and those that cover each other are one cluster', () => {
  const spans = [
    span(1, 'a', { readyAt: 0, endedAt: 1 }),
    span(2, 'a', { readyAt: 2, endedAt: 3, status: 'failed' }),
    span(3, 'a', { readyAt: 500, endedAt: 700 }),
    span(4, 'a', { readyAt: 700, endedAt: 900 }),
  ];
  expect(shownBars(barsOf(spans, viewportOf(1_000)))).toEqual([
    [0, 6, 2, 'failed'],
    [500, 200, 1, 'done'],
    [700, 200, 1, 'done'],
  ]);
  const close = barsOf(spans, viewportOf(1_000, { start: 0, end: 0.01 }));
  expect(shownBars(close)).toEqual([
    [0, 100, 1, 'done'],
    [200, 100, 1, 'failed'],
  ]);
});

test('[W28] a row of ten thousand visits is a bounded number of bars', () => {
  const spans = Array.from({ length: 10_000 }, (_, token) => span(token, 'a', { readyAt: token, endedAt: token + 1 }));
  const bars = barsOf(spans, viewportOf(10_000));
  expect(bars.length).toBeLessThanOrEqual(1_000 / 6 + 1);
  expect(bars.reduce((sum, bar) => sum + bar.spans.length, 0)).toBe(10_000);
});

test('[W28] the window is zoomed around a place that stays, and never leaves the scale', () => {
  expect(zoomed(wholeWindow, 2, 0.25)).toEqual({ start: 0.125, end: 0.625 });
  expect(zoomed(zoomed(wholeWindow, 2, 0.25), 0.1, 0.25)).toEqual(wholeWindow);
  expect(panned({ start: 0.5, end: 1 }, 0.5)).toEqual({ start: 0.5, end: 1 });
  expect(panned({ start: 0.5, end: 1 }, -0.5)).toEqual({ start: 0.25, end: 0.75 });
  expect(showing({ start: 0, end: 0.5 }, 0.1, 0.2)).toEqual({ start: 0, end: 0.5 });
  expect(showing({ start: 0, end: 0.5 }, 0.7, 0.8)).toEqual({ start: 0.5, end: 1 });
});
