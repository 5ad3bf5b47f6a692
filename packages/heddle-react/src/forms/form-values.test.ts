import { expect, test } from 'vitest';
import { initialValue, missingMembers, pointerTo, problemsAt, variantOf, withItem, withMember } from './form-values.ts';

test('a form begins with defaults and constants, and with required groups', () => {
  const schema = {
    type: 'object',
    required: ['kind', 'address'],
    properties: {
      kind: { const: 'order' },
      amount: { type: 'number', default: 3 },
      note: { type: 'string' },
      address: { type: 'object', properties: { country: { type: 'string', default: 'DE' } } },
      other: { type: 'object', properties: { country: { type: 'string', default: 'DE' } } },
    },
  };
  expect(initialValue(schema)).toEqual({ kind: 'order', amount: 3, address: { country: 'DE' } });
});

test('a schema that refers to itself has a beginning', () => {
  const schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
  expect(initialValue(schema)).toMatchObject({ next: { next: {} } });
});

test('a member is set in place, added at the end, and taken away', () => {
  expect(Object.entries(withMember({ a: 1, b: 2 }, 'a', 3))).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  expect(withMember(undefined, 'a', 1)).toEqual({ a: 1 });
  expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withMember({}, '__proto__', 1)).toEqual(JSON.parse('{ "__proto__": 1 }'));
  expect(withItem([1, 2], 1, undefined)).toEqual([1, null]);
});

test('a variant is found by its constant, then by its type', () => {
  const variants = [
    { label: 'Card', schema: { type: 'object', properties: { by: { const: 'card' }, number: { type: 'string' } } } },
    { label: 'Cash', schema: { type: 'object', properties: { by: { const: 'cash' } } } },
    { label: 'Text', schema: { type: 'string' } },
  ];
  expect(variantOf(variants, { by: 'cash' }, true)).toBe(1);
  expect(variantOf(variants, 'later', true)).toBe(2);
  expect(variantOf(variants, 7, true)).toBe(-1);
  expect(variantOf(variants, undefined, true)).toBe(-1);
});

test('problems are found by their pointers; a missing member is told at the member', () => {
  const problems = [
    { pointer: '', message: 'Expected the value to have "a/b", but "a/b" is missing' },
    { pointer: '/c', message: 'Expected a number' },
  ];
  const members = [
    { name: 'a/b', schema: true, isRequired: true },
    { name: 'c', schema: true, isRequired: true },
    { name: 'd', schema: true, isRequired: false },
  ] as const;
  expect(pointerTo('/x', 'a/b~')).toBe('/x/a~1b~0');
  expect(problemsAt(problems, '/c')).toEqual([problems[1]]);
  expect(missingMembers(members, { c: 1 }, problemsAt(problems, ''))).toEqual(['a/b']);
  expect(missingMembers(members, {}, [])).toEqual([]);
});
