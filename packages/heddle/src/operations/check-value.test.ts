import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import { checkValue } from './check-value.ts';
import { toJsonSchema } from './json-schema.ts';
import { choice, flag, json, list, map, number, object, optional, orNull, text, whole } from './schema.ts';

interface Sample {
  readonly id: string;
  readonly count?: number;
  readonly isDone?: boolean;
  readonly size?: number;
  readonly color?: 'red' | 'blue';
  readonly tags?: Readonly<Record<string, string>>;
  readonly parts?: readonly { readonly name: string }[];
  readonly until?: number | null;
  readonly data?: unknown;
}

const schema = object<Omit<Sample, 'data'> & { readonly data?: null }>(
  {
    id: text('Its id.'),
    count: optional(whole('How many.', { max: 'leaseTasksMax' })),
    isDone: optional(flag()),
    size: optional(number()),
    color: optional(choice(['red', 'blue'])),
    tags: optional(map(text('A mark.'))),
    parts: optional(list(object<{ readonly name: string }>({ name: text('Its name.') }), 'Its parts.', 2)),
    until: optional(orNull(whole('When.'))),
    data: optional(json() as never), // any JSON, whatever the type says
  },
  'Sample',
);

const wrongIn = (value: unknown) =>
  checkValue(schema, value, defaultLimits).map(({ code, pointer }) => [code, pointer]);
const messagesFor = (value: unknown) => checkValue(schema, value, defaultLimits).map(({ message }) => message);

describe('checkValue', () => {
  test('what fits has no problems; a member that is undefined is absent', () => {
    const right = { id: 'a', count: 1, isDone: false, size: 0.5, color: 'red', tags: { a: 'b' }, until: null };
    expect(wrongIn({ ...right, parts: [{ name: 'x' }], data: [{ any: 'thing' }] })).toEqual([]);
    expect(wrongIn({ id: 'a', count: undefined, surplus: undefined })).toEqual([]);
  });

  test.each([
    [{ count: 0 }, '/count', 'Expected count to be a whole number from 1 to 1000, but found 0'],
    [
      { count: 1_001 },
      '/count',
      'Expected count to be a whole number from 1 to 1000 by the limit leaseTasksMax, but found 1001',
    ],
    [{ count: '1' }, '/count', 'Expected count to be a whole number from 1 to 1000, but found "1"'],
    [{ isDone: 'yes' }, '/isDone', 'Expected isDone to be true or false, but found "yes"'],
    [{ size: Number.NaN }, '/size', 'Expected size to be a number, but found NaN'],
    [{ color: 'green' }, '/color', 'Expected color to be one of red, blue, but found "green"'],
    [{ id: '' }, '/id', 'Expected id to be a text of 1 to 1000 characters, but found an empty text'],
    [{ id: 'x'.repeat(1_001) }, '/id', 'Expected id to be a text of 1 to 1000 characters, but found 1001 characters'],
    [{ tags: [] }, '/tags', 'Expected tags to be an object, but found a list'],
    [{ tags: { a: 1 } }, '/tags/a', 'Expected tags.a to be a text of 1 to 1000 characters, but found 1'],
    [{ parts: [{ name: 'x' }, {}] }, '/parts/1', 'Expected parts[1] to have name, but it is missing'],
    [{ parts: [1, 2, 3] }, '/parts', 'Expected parts to be a list of 0 to 2, but found 3'],
    [{ until: 'later' }, '/until', 'Expected until to be a whole number from 1 on, or null, but found "later"'],
  ])('%o is refused at its place', (members, pointer, message) => {
    const [problem, ...others] = checkValue(schema, { id: 'a', ...members }, defaultLimits);
    expect(problem).toMatchObject({ severity: 'error', pointer, message });
    expect(others).toEqual([]);
  });

  test('a bound that is a limit follows the limits of the engine', () => {
    const limits = { ...defaultLimits, leaseTasksMax: 5 };
    expect(checkValue(schema, { id: 'a', count: 7 }, limits)).toMatchObject([{ limit: 'leaseTasksMax' }]);
  });

  test('an unknown name comes first, with the one that was probably meant', () => {
    const [problem, ...others] = checkValue(schema, { idd: 'a' }, defaultLimits);
    expect(problem).toMatchObject({ code: 'UNKNOWN_FIELD', pointer: '/idd', hint: 'Did you mean "id"?' });
    expect(others).toMatchObject([{ code: 'MISSING_FIELD', pointer: '' }]);
    expect(messagesFor({ id: 'a', somethingElse: 1 })).toEqual([
      'Expected a known name, but found somethingElse; known are id, count, isDone, size, color, tags, parts, until, data',
    ]);
  });

  test('names that reach into prototypes are unknown like any other', () => {
    expect(wrongIn(JSON.parse('{"id":"a","__proto__":1,"constructor":1}'))).toEqual([
      ['UNKNOWN_FIELD', '/constructor'],
      ['UNKNOWN_FIELD', '/__proto__'],
    ]);
    expect(wrongIn({ id: 'a', tags: JSON.parse('{"__proto__":"x"}') as unknown })).toEqual([['WRONG_VALUE', '/tags']]);
  });

  test.each([null, [], 'text', 7, new Map(), undefined])('%o is no object', (value) => {
    expect(wrongIn(value)).toEqual([['WRONG_VALUE', '']]);
  });

  test('of very much that is wrong a part is told', () => {
    const tags = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`tag${index}`, index]));
    expect(checkValue(schema, { id: 'a', tags }, defaultLimits)).toHaveLength(20);
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`name${index}`, index]));
    expect(checkValue(schema, { id: 'a', ...names }, defaultLimits)).toHaveLength(20);
    const long = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}`.padEnd(1_001, '-'), 'x']));
    expect(checkValue(schema, { id: 'a', tags: long }, defaultLimits)).toHaveLength(20);
  });
});

test('a schema is JSON Schema for others, limits by their defaults', () => {
  expect(toJsonSchema(schema)).toMatchObject({
    type: 'object',
    title: 'Sample',
    required: ['id'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 1_000, description: 'Its id.' },
      count: { type: 'integer', minimum: 1, maximum: defaultLimits.leaseTasksMax },
      tags: { type: 'object', additionalProperties: { type: 'string' } },
      until: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
      parts: { type: 'array', maxItems: 2 },
    },
  });
});
