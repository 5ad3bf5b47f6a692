import { expect, test } from 'vitest';
import { shrink } from './shrink.ts';

test('[SM6] what does not matter is removed or made zero', async () => {
  const choices = Array.from({ length: 60 }, (_, index) => index + 1);
  const fails = async (tried: readonly number[]) => tried.includes(17) && tried.indexOf(41) > tried.indexOf(17) + 1;
  expect(await shrink(choices, fails, 2_000)).toEqual([17, 0, 41]);
});

test('[SM6] with few tries the best so far is the answer', async () => {
  let tries = 0;
  const fails = async (tried: readonly number[]) => {
    tries++;
    return tried.length >= 10;
  };
  const best = await shrink(
    Array.from({ length: 100 }, () => 1),
    fails,
    12,
  );
  expect(tries).toBe(12);
  expect(best.length).toBeLessThan(100);
  expect(best.length).toBeGreaterThanOrEqual(10);
});
