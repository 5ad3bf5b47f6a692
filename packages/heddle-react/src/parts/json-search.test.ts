import { expect, test } from 'vitest';
import { findInJson, hasValues } from './json-search.ts';

const value = {
  orders: [
    { id: 'A-1', total: 12 },
    { id: 'B-2', total: null },
  ],
  note: 'about A-1',
};

test('a text is found in names and in values, with where it stands', () => {
  expect(findInJson(value, 'a-1', 10)).toEqual({
    found: [
      { path: 'orders[0].id', value: 'A-1' },
      { path: 'note', value: 'about A-1' },
    ],
    isCut: false,
  });
  expect(findInJson(value, 'total', 10).found.map(({ path }) => path)).toEqual(['orders[0].total', 'orders[1].total']);
  expect(findInJson(value, 'null', 10).found).toEqual([{ path: 'orders[1].total', value: null }]);
});

test('what is found beyond the bound is said to be cut', () => {
  const many = Array.from({ length: 300_000 }, (_, n) => n);
  expect(findInJson(many, '1', 5)).toMatchObject({ found: { length: 5 }, isCut: true });
  expect(findInJson(many, '299999', 5)).toEqual({ found: [], isCut: true });
});

test('nesting of any depth is looked into', () => {
  let deep: object = { end: 'here' };
  for (let depth = 0; depth < 20_000; depth++) deep = { a: deep };
  expect(findInJson(deep as never, 'here', 5).found).toHaveLength(1);
});

test('how many values there are is counted no further than asked', () => {
  expect(hasValues(value, 5)).toBe(true);
  expect(hasValues(value, 6)).toBe(false);
});
