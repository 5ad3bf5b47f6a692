import { describe, expect, test } from 'vitest';
import { problemsInWords } from './problem-words.ts';

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 0, maximum: 30 },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    count: { $ref: '#/$defs/count' },
    remark: { type: 'string', minLength: 3, maxLength: 10 },
    tags: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 2 } },
    code: { type: 'string', pattern: '^[A-Z]+$' },
  },
  $defs: { count: { type: 'integer', multipleOf: 5 } },
};

const told = (pointer: string): string => `Expected ${pointer} to be another thing, but found this one`;
const words = (value: object, ...pointers: readonly string[]): readonly string[] =>
  problemsInWords(
    pointers.map((pointer) => ({ pointer, message: told(pointer) })),
    schema,
    value as never, // JSON, as written below
  ).map(({ message }) => message);

describe('[W38] what is wrong with a field, said to whoever fills it in', () => {
  test.each([
    [{ amount: 45 }, '/amount', 'Enter 30 or less.'],
    [{ amount: -1 }, '/amount', 'Enter 0 or more.'],
    [{ amount: 'many' }, '/amount', 'Enter a number.'],
    [{ share: 0 }, '/share', 'Enter more than 0.'],
    [{ share: 1 }, '/share', 'Enter less than 1.'],
    [{ count: 2.5 }, '/count', 'Enter a whole number.'],
    [{ count: 7 }, '/count', 'Enter a multiple of 5.'],
    [{ remark: 'far too long' }, '/remark', 'Enter 10 characters or fewer; there are 12.'],
    [{ remark: '👋👋' }, '/remark', 'Enter 3 characters or more; there are 2.'],
    [{ remark: '' }, '/remark', 'Fill this in.'],
    [{ tags: [] }, '/tags', 'Give 1 or more.'],
    [{ tags: ['a', 'b', 'c'] }, '/tags', 'Give 2 or fewer; there are 3.'],
    [{ tags: ['abc'] }, '/tags/0', 'Enter 2 characters or fewer; there are 3.'],
  ])('%j at %s', (value, pointer, expected) => {
    expect(words(value, pointer)).toEqual([expected]);
  });

  test('what has no words of its own is said as the server said it, without the pointer', () => {
    expect(words({ code: 'a' }, '/code', '', '/unknown/0')).toEqual([
      'Expected this to be another thing, but found this one',
      told(''),
      told('/unknown/0'),
    ]);
  });
});
