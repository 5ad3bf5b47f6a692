import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asJson, type Json } from './json.ts';
import { shortJson } from './short-json.ts';

describe('the beginning of a JSON text', () => {
  test('is that of the whole text, however long it may be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 60 }), (value, lengthMax) => {
        const plain = asJson(JSON.parse(JSON.stringify(value)));
        expect(shortJson(plain, lengthMax)).toBe(JSON.stringify(plain).slice(0, lengthMax));
      }),
    );
  });

  test('takes no more of a value than it writes', () => {
    const read: number[] = [];
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const list = new Proxy(items, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read.push(Number(key));
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(shortJson(list, 10)).toBe('[0,1,2,3,4');
    expect(Math.max(...read)).toBeLessThan(10);
  });

  test('of a value that is nested deeper than the text is long is brackets', () => {
    let deep: Json = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(shortJson(deep, 5)).toBe('[[[[[');
  });
});
