import { describe, expect, test } from 'vitest';
import { runIdMaker } from './run-id.ts';

describe('run ids', () => {
  test('[RI1] they sort by the time of their making, and within one process each after the one before', () => {
    let now = 1_700_000_000_000;
    const make = runIdMaker({ now: () => now });
    const ids: string[] = [];
    for (let n = 0; n < 5_000; n++) {
      if (n % 100 === 0) now += n % 300 === 0 ? -50 : 7;
      ids.push(make());
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(5_000);
    expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
  });

  test('[RI1] two processes do not meet', () => {
    const [one, two] = [runIdMaker({ now: () => 5 }), runIdMaker({ now: () => 5 })];
    expect(one().slice(0, 10)).toBe(two().slice(0, 10));
    expect(one()).not.toBe(two());
  });
});
