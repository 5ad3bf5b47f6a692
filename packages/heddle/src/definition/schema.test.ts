import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import type { JsonSchema } from './definition.ts';
import { compileSchema } from './schema.ts';

function check(schema: JsonSchema, value: Json): string[] {
  const compiled = compileSchema(schema);
  if (!('check' in compiled)) throw new Error(compiled.problem.message);
  return compiled.check(value).map(({ pointer, message }) => `${pointer}: ${message}`);
}

function refusal(schema: JsonSchema): string {
  const compiled = compileSchema(schema);
  return 'problem' in compiled
    ? `${compiled.problem.code} ${compiled.problem.pointer}: ${compiled.problem.message}`
    : '';
}

const withProto = JSON.parse('{"__proto__": 1}') as Json;

describe('what is wrong with a value', () => {
  const rows: readonly {
    name: string;
    schema: JsonSchema;
    good: readonly Json[];
    bad: readonly [Json, ...string[]][];
  }[] = [
    { name: 'true', schema: true, good: [null, 1], bad: [] },
    { name: 'false', schema: false, good: [], bad: [[1, ': Expected the value to be absent, but found 1']] },
    {
      name: 'type',
      schema: { type: ['string', 'null'] },
      good: ['a', null],
      bad: [[1, ': Expected the value to be of type string or null, but found 1']],
    },
    {
      name: 'integer',
      schema: { type: 'integer' },
      good: [1, 2.0],
      bad: [[1.5, ': Expected the value to be of type integer, but found 1.5']],
    },
    {
      name: 'required and properties, with a pointer that needs escapes',
      schema: { required: ['a', 'b'], properties: { 'x/y': { type: 'number' } } },
      good: [{ a: 1, b: 2 }, 'not an object'],
      bad: [
        [{ a: 1 }, ': Expected the value to have "b", but "b" is missing'],
        [{ a: 1, b: 1, 'x/y': 'z' }, '/x~1y: Expected /x~1y to be of type number, but found the text "z"'],
      ],
    },
    {
      name: 'required __proto__ means an own property',
      schema: { required: ['__proto__', 'toString'], properties: { valueOf: { type: 'number' } } },
      good: [JSON.parse('{"__proto__": 1, "toString": 2}') as Json],
      bad: [
        [{}, ': Expected the value to have "__proto__", "toString", but "__proto__", "toString" are missing'],
        [withProto, ': Expected the value to have "toString", but "toString" is missing'],
      ],
    },
    {
      name: '$ref with siblings, recursive',
      schema: {
        $ref: '#/$defs/tree',
        maxProperties: 2,
        $defs: { tree: { properties: { kid: { $ref: '#/$defs/tree' }, n: { type: 'number' } } } },
      },
      good: [{ n: 1, kid: { n: 2, kid: { n: 3 } } }],
      bad: [
        [{ kid: { kid: { n: 'x' } } }, '/kid/kid/n: Expected /kid/kid/n to be of type number, but found the text "x"'],
      ],
    },
    {
      name: '$anchor, and a pointer with escapes',
      schema: {
        allOf: [{ $ref: '#here' }, { $ref: '#/$defs/a~1b%25' }],
        $defs: { x: { $anchor: 'here', minimum: 1 }, 'a/b%': { maximum: 2 } },
      },
      good: [1, 2],
      bad: [[0, ': Expected the value to be >= 1, but found 0']],
    },
    {
      name: 'unevaluatedProperties sees through allOf and if',
      schema: {
        allOf: [{ properties: { a: true } }],
        if: { required: ['b'] },
        // oxlint-disable-next-line unicorn/no-thenable
        then: { properties: { b: true } },
        unevaluatedProperties: false,
      },
      good: [{ a: 1 }, { a: 1, b: 2 }],
      bad: [[{ a: 1, c: 2 }, ': Expected the value to be without "c", but found an object']],
    },
    {
      name: 'additionalProperties',
      schema: {
        properties: { a: true },
        patternProperties: { '^x-': { type: 'number' } },
        additionalProperties: false,
      },
      good: [{ a: 1, 'x-b': 2 }],
      bad: [[{ b: 1 }, '/b: Expected /b to be absent, but found 1']],
    },
    {
      name: 'const and enum compare by content',
      schema: { properties: { c: { const: { a: [1] } }, e: { enum: [[1], 'x', null] } } },
      good: [{ c: { a: [1] }, e: [1] }, { e: null }],
      bad: [
        [{ c: { a: [2] } }, '/c: Expected /c to be {"a":[1]}, but found an object'],
        [{ e: 'y' }, '/e: Expected /e to be one of [[1],"x",null], but found the text "y"'],
      ],
    },
    {
      name: 'format is checked',
      schema: { format: 'date-time' },
      good: ['2030-01-01T00:00:00Z', 5],
      bad: [['yesterday', ': Expected the value to match format "date-time", but found the text "yesterday"']],
    },
    { name: 'a format that nobody knows is an annotation', schema: { format: 'colour' }, good: ['x'], bad: [] },
    {
      name: '[DF45] patterns, with unicode',
      schema: { pattern: '^\\p{L}+\\u0041$' },
      good: ['éA', 3],
      bad: [['1A', ': Expected the value to match the pattern ^\\p{L}+\\u0041$, but found the text "1A"']],
    },
    {
      name: 'uniqueItems compares by content',
      schema: { uniqueItems: true },
      good: [[1, '1', { a: 1, b: 2 }], 'x'],
      bad: [
        [
          [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
          ': Expected the value to have unique items, but found a list',
        ],
      ],
    },
    {
      name: 'prefixItems and items',
      schema: { prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 },
      good: [['a', 1, 2]],
      bad: [
        [['a', 'b'], '/1: Expected /1 to be of type number, but found the text "b"'],
        [[], ': Expected the value not to have fewer than 1 items, but found a list'],
      ],
    },
    {
      name: 'anyOf',
      schema: { anyOf: [{ type: 'string' }, { minimum: 3 }] },
      good: ['a', 3],
      bad: [
        [
          1,
          ': Expected the value to be of type string, but found 1',
          ': Expected the value to be >= 3, but found 1',
          ': Expected the value to match a schema in anyOf, but found 1',
        ],
      ],
    },
  ];

  test.each(rows)('$name', ({ schema, good, bad }) => {
    for (const value of good) expect(check(schema, value)).toEqual([]);
    for (const [value, ...problems] of bad) expect(check(schema, value)).toEqual(problems);
  });

  test('a million equal items are refused at once', () => {
    expect(
      check(
        { uniqueItems: true },
        Array.from({ length: 300_000 }, () => 1),
      ),
    ).toHaveLength(1);
  });
});

describe('what is wrong with a schema', () => {
  test.each<[string, JsonSchema, string]>([
    ['[DF46] a reference to elsewhere', { $ref: 'other.json' }, 'REMOTE_REFERENCE /$ref'],
    ['[DF46] a reference to nothing', { $ref: '#/$defs/x' }, 'INVALID_SCHEMA /$ref'],
    ['[DF46] an anchor that is not there', { items: { $ref: '#x' } }, 'INVALID_SCHEMA /items/$ref'],
    ['[DF46] an id inside', { $id: 'a', properties: { a: { $id: 'b' } } }, 'INVALID_SCHEMA /properties/a/$id'],
    ['[DF45] look-around', { pattern: '(?=a)b' }, 'PATTERN_NOT_ALLOWED /pattern'],
    ['[DF45] a back reference', { pattern: '(a)\\1' }, 'PATTERN_NOT_ALLOWED /pattern'],
    ['[DF45] a broken pattern', { pattern: '(' }, 'PATTERN_NOT_ALLOWED /pattern'],
    [
      '[DF45] names by a pattern with groups',
      { patternProperties: { '(a+)+$': true } },
      'PATTERN_NOT_ALLOWED /patternProperties/(a+)+$',
    ],
    [
      '[DF45] names by two repetitions',
      { patternProperties: { '^a*a*$': true } },
      'PATTERN_NOT_ALLOWED /patternProperties/^a*a*$',
    ],
    ['a keyword of the wrong kind', { properties: [] }, 'INVALID_SCHEMA /properties'],
    ['a required that is no list', { items: { required: 'a' } }, 'INVALID_SCHEMA /items/required'],
    ['a type that is none', { type: 'text' }, 'INVALID_SCHEMA /type'],
    ['a part that is no schema', { properties: { a: 'string' } }, 'INVALID_SCHEMA /properties/a'],
    ['[DF47] a schema that is itself', { $ref: '#' }, 'INVALID_SCHEMA '],
    [
      '[DF47] a schema in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      'INVALID_SCHEMA ',
    ],
  ])('%s', (_, schema, expected) => {
    expect(refusal(schema).split(': ')[0]).toBe(expected);
  });

  test('[DF56] everything that is wrong is told, each at its place, also behind a reference by name', () => {
    const compiled = compileSchema({
      $ref: '#tree',
      properties: { a: { type: 'strnig' }, b: { minLength: -1 } },
      $defs: { t: { $anchor: 'tree', items: 'x' }, 'u/v': { $ref: '#/$defs/u%2Fw' }, 'u/w': { not: 5 } },
    });
    const places = 'problems' in compiled ? compiled.problems.map(({ pointer }) => pointer).toSorted() : [];
    expect(places).toEqual(['/$defs/t/items', '/$defs/u~1w/not', '/properties/a/type', '/properties/b/minLength']);
  });

  test('words of JavaScript in a schema are words', () => {
    const words = { toString: 1, valueOf: { constructor: null } };
    expect(check({ enum: [words, 'a'], allOf: [{ toString: true }] }, words)).toEqual([]);
    expect(check({ required: ['toString'], dependencies: { a: ['valueOf'] } }, { a: 1 })).toHaveLength(2);
  });

  test('[DF45] a pattern of property names that the validator could not compile is refused', () => {
    const expected = 'PATTERN_NOT_ALLOWED /patternProperties/a\\@: Expected a simple pattern for property names';
    expect(refusal({ patternProperties: { 'a\\@': false } })).toContain(expected);
  });

  test('too many schemas inside each other', () => {
    let deep: JsonSchema = true;
    for (let level = 0; level < 5_000; level += 1) deep = { not: deep };
    expect(refusal(deep)).toContain('TOO_DEEP /not/not/not');
  });
});

test('[DF47] a schema that doubles its work at every level is stopped', () => {
  const $defs: Record<string, JsonSchema> = { d0: { type: 'number' } };
  for (let level = 1; level <= 40; level += 1) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { properties: { a: { allOf: [{ $ref }, { $ref }] } } };
  }
  const compiled = compileSchema({ $ref: '#/$defs/d40', $defs });
  let value: Json = 1;
  for (let level = 0; level < 40; level += 1) value = { a: value };
  const problems = 'check' in compiled ? compiled.check(value) : [];
  expect(problems.map(({ code }) => code)).toEqual(['SCHEMA_FAILED']);
});

test('[DF45] a text that would make a backtracking matcher run for ever is matched at once', () => {
  expect(check({ pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`)).toHaveLength(1);
});

test('no code is generated', () => {
  const original = globalThis.Function;
  globalThis.Function = (() => {
    throw new Error('Expected no code from text, but Function was called');
  }) as unknown as FunctionConstructor;
  try {
    expect(check({ type: 'object', required: ['a'] }, {})).toHaveLength(1);
  } finally {
    globalThis.Function = original;
  }
});
