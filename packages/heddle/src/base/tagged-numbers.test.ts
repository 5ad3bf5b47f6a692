import { expect, test } from 'vitest';
import { tagNumbers, untagNumbers } from './tagged-numbers.ts';

const deep = { a: [1, Number.NaN, { b: Number.POSITIVE_INFINITY }], c: Number.NEGATIVE_INFINITY, d: 'NaN', e: null };
const tagged = {
  a: [1, { $number: 'NaN' }, { b: { $number: 'Infinity' } }],
  c: { $number: '-Infinity' },
  d: 'NaN',
  e: null,
};

test('NaN and infinities become tags and come back, at any depth', () => {
  expect(tagNumbers(deep)).toEqual(tagged);
  expect(untagNumbers(tagged)).toEqual(deep);
  expect(untagNumbers(JSON.parse(JSON.stringify(tagNumbers(deep))))).toEqual(deep);
  expect([tagNumbers(Number.NaN), untagNumbers({ $number: 'NaN' })]).toEqual([{ $number: 'NaN' }, Number.NaN]);
});

test('what has none of them stays the same', () => {
  const plain = { a: [1, { b: 'x' }], c: { d: [] } };
  expect(tagNumbers(plain)).toBe(plain);
  expect(untagNumbers(plain)).toBe(plain);
  for (const other of [undefined, null, 'x', 1, true]) expect(tagNumbers(other)).toBe(other);
  for (const almost of [{ $number: 'seven' }, { $number: 'NaN', more: 1 }, { $number: 1 }])
    expect(untagNumbers(almost)).toBe(almost);
  expect(tagNumbers(deep)).toEqual(tagged); // and what was changed is a copy
  expect(deep.c).toBe(Number.NEGATIVE_INFINITY);
});

test('what is no plain data is left alone, and circles end', () => {
  const date = new Date(Number.NaN);
  expect(tagNumbers({ date })).toEqual({ date });
  const circle: Record<string, unknown> = { nan: Number.NaN };
  Object.assign(circle, { left: circle, right: [circle, circle] });
  expect(tagNumbers(circle, { depthMax: 200, membersMax: 1_000 })).toMatchObject({ nan: { $number: 'NaN' } });
  expect(tagNumbers([[[Number.NaN]]], { depthMax: 2, membersMax: 9 })).toEqual([[[Number.NaN]]]);
});
