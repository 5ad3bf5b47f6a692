import { expect, test } from 'vitest';
import { type OverlapInput, planOccurrences } from './overlap.ts';

const plan = (given: Partial<OverlapInput>) =>
  planOccurrences({ overlap: 'skip', due: [], queued: [], isBusy: false, queuedMax: 3, ...given });

test('[TR7] allow: all start, whatever is under way', () => {
  const expected = { start: [1, 2], queued: [], skipped: [] };
  expect(plan({ overlap: 'allow', due: [1, 2] })).toEqual(expected);
  expect(plan({ overlap: 'allow', due: [1, 2], isBusy: true })).toEqual(expected);
});

test('[TR8] skip: the newest starts, if nothing is under way', () => {
  expect(plan({ due: [1, 2, 3] })).toEqual({ start: [3], queued: [], skipped: [1, 2] });
  expect(plan({ due: [1, 2, 3], isBusy: true })).toEqual({ start: [], queued: [], skipped: [1, 2, 3] });
  expect(plan({})).toEqual({ start: [], queued: [], skipped: [] });
});

test('[TR9] queue: the oldest starts, if nothing is under way; the others wait', () => {
  expect(plan({ overlap: 'queue', due: [3], queued: [1, 2] })).toEqual({ start: [1], queued: [2, 3], skipped: [] });
  expect(plan({ overlap: 'queue', due: [3], queued: [1, 2], isBusy: true })).toEqual({
    start: [],
    queued: [1, 2, 3],
    skipped: [],
  });
  expect(plan({ overlap: 'queue', queued: [1] })).toEqual({ start: [1], queued: [], skipped: [] });
});

test('[TR9] queue: at most so many wait, later ones pass', () => {
  expect(plan({ overlap: 'queue', due: [4, 5], queued: [1, 2, 3], isBusy: true })).toEqual({
    start: [],
    queued: [1, 2, 3],
    skipped: [4, 5],
  });
  expect(plan({ overlap: 'queue', due: [1, 2, 3, 4, 5] })).toEqual({ start: [1], queued: [2, 3, 4], skipped: [5] });
});
