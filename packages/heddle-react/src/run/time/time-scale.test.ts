import { expect, test } from 'vitest';
import { TimeScale } from './time-scale.ts';

const second = 1_000;
const day = 86_400 * second;

test('[W28] two days of waiting between two seconds of work take less than a tenth of the drawing', () => {
  const scale = new TimeScale({ from: 0, to: 2 * day + 2 * second }, [
    { from: 0, to: second },
    { from: second + 2 * day, to: 2 * day + 2 * second },
  ]);
  expect(scale.gaps).toHaveLength(1);
  const [gap] = scale.gaps;
  expect(gap).toMatchObject({ from: second, to: second + 2 * day });
  expect(gap!.end - gap!.start).toBeCloseTo(0.16 / 2.16);
  expect(scale.placeOf(second / 2)).toBeCloseTo(0.5 / 2.16);
  expect(scale.placeOf(second + day)).toBeCloseTo(0.5);
  expect(scale.placeOf(2 * day + 2 * second)).toBe(1);
});

test('[W28] short pauses are drawn as long as they lasted', () => {
  const scale = new TimeScale({ from: 0, to: 3_000 }, [
    { from: 0, to: 1_000 },
    { from: 1_500, to: 3_000 },
  ]);
  expect(scale.gaps).toEqual([]);
  for (const at of [0, 700, 1_200, 3_000]) expect(scale.placeOf(at)).toBeCloseTo(at / 3_000);
});

test('[W28] work that overlaps, or reaches beyond the whole, counts once', () => {
  const scale = new TimeScale({ from: 0, to: 100 * second }, [
    { from: 60 * second, to: 200 * second },
    { from: 0, to: 10 * second },
    { from: 5 * second, to: 20 * second },
  ]);
  expect(scale.gaps).toHaveLength(1);
  const [gap] = scale.gaps;
  expect(gap).toMatchObject({ from: 20 * second, to: 60 * second });
  expect(gap!.end - gap!.start).toBeCloseTo(4.8 / 64.8); // of 60 s that worked
});

test('[W28] a run in which nothing ever works, or that takes no time, has a scale all the same', () => {
  expect(new TimeScale({ from: 5, to: 5 }, []).placeOf(5)).toBe(0);
  const idle = new TimeScale({ from: 0, to: day }, []);
  expect(idle.placeOf(day / 2)).toBeCloseTo(0.5);
  expect(idle.placeOf(2 * day)).toBe(1);
});

test('[W28] every place leads back to its time', () => {
  const scale = new TimeScale({ from: 0, to: 10 * day }, [
    { from: 0, to: 40 },
    { from: day, to: day + 90 * second },
    { from: 3 * day, to: 3 * day + 1 },
  ]);
  for (const at of [0, 20, 40, day / 2, day, day + 30 * second, 2 * day, 3 * day, 9 * day, 10 * day])
    expect(scale.timeAt(scale.placeOf(at)) / day).toBeCloseTo(at / day, 6);
  expect(scale.timeAt(-1)).toBe(0);
  expect(scale.timeAt(2)).toBe(10 * day);
});

test('[W28] however many waits there are, work has most of the room', () => {
  const working = Array.from({ length: 100 }, (_, round) => ({ from: round * day, to: round * day + second }));
  const scale = new TimeScale({ from: 0, to: 100 * day }, working);
  expect(scale.gaps).toHaveLength(100);
  expect(scale.gaps.reduce((sum, { start, end }) => sum + end - start, 0)).toBeCloseTo(1 / 3);
});
