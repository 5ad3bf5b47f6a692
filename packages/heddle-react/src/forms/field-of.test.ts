import type { JsonSchema } from 'heddle';
import { describe, expect, test } from 'vitest';
import { type FieldShape, fieldOf, readable } from './field-of.ts';

const shapeOf = (schema: JsonSchema): FieldShape => fieldOf(schema, schema).shape;

describe('the control for a schema', () => {
  const table: readonly [string, JsonSchema, FieldShape][] = [
    ['a text', { type: 'string' }, { kind: 'text', format: 'line' }],
    ['a long text', { type: 'string', maxLength: 2_000 }, { kind: 'text', format: 'paragraph', maxLength: 2_000 }],
    ['a moment', { type: 'string', format: 'date-time' }, { kind: 'text', format: 'date-time' }],
    ['a format that nobody knows', { type: 'string', format: 'iban' }, { kind: 'text', format: 'line' }],
    [
      'a number with bounds',
      { type: 'integer', minimum: 1, maximum: 5 },
      { kind: 'number', isWhole: true, min: 1, max: 5 },
    ],
    ['yes or no', { type: 'boolean' }, { kind: 'flag' }],
    [
      'words',
      { enum: ['low', 2] },
      {
        kind: 'choice',
        choices: [
          { value: 'low', label: 'low' },
          { value: 2, label: '2' },
        ],
      },
    ],
    [
      'constants with titles',
      { oneOf: [{ const: 'a', title: 'The first' }, { const: 'b' }] },
      {
        kind: 'choice',
        choices: [
          { value: 'a', label: 'The first' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
    ['a constant', { const: 7 }, { kind: 'constant', value: 7 }],
    ['a list', { type: 'array', items: { type: 'string' } }, { kind: 'list', item: { type: 'string' } }],
    [
      'a set of words',
      { type: 'array', uniqueItems: true, items: { enum: ['a'] } },
      { kind: 'several', choices: [{ value: 'a', label: 'a' }] },
    ],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, { kind: 'json' }],
    [
      'an object',
      { type: 'object', required: ['a'], properties: { a: true, b: { type: 'string' } } },
      {
        kind: 'group',
        members: [
          { name: 'a', schema: true, isRequired: true },
          { name: 'b', schema: { type: 'string' }, isRequired: false },
        ],
      },
    ],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, { kind: 'json' }],
    ['anything', true, { kind: 'json' }],
    ['several types', { type: ['string', 'number'] }, { kind: 'json' }],
  ];
  test.each(table)('of %s', (_, schema, shape) => expect(shapeOf(schema)).toEqual(shape));

  test('is that of the other type where null is allowed', () => {
    expect(fieldOf({ type: ['string', 'null'] }, true)).toMatchObject({ shape: { kind: 'text' }, isNullable: true });
    const schema = { title: 'Age', anyOf: [{ type: 'integer' }, { type: 'null' }] };
    expect(fieldOf(schema, schema)).toMatchObject({ shape: { kind: 'number' }, isNullable: true, title: 'Age' });
  });

  test('is found behind references, with what stands beside them', () => {
    const root = { $defs: { 'a/b': { type: 'boolean', title: 'Old' } } };
    expect(fieldOf({ $ref: '#/$defs/a~1b', title: 'New' }, root)).toMatchObject({
      shape: { kind: 'flag' },
      title: 'New',
    });
    expect(fieldOf({ $ref: '#/$defs/gone' }, root).shape).toEqual({ kind: 'json' });
  });

  test('is JSON for a schema that refers to nothing but itself', () => {
    const root = { $ref: '#' };
    expect(fieldOf(root, root).shape).toEqual({ kind: 'json' });
  });

  test('is JSON from some depth on', () => {
    expect(fieldOf({ type: 'string' }, true, 7).shape).toEqual({ kind: 'json' });
  });
});

test.each([
  ['customerName', 'Customer name'],
  ['customer_name', 'Customer name'],
  ['VAT', 'VAT'],
  ['_', '_'],
])('%s reads as %s', (name, words) => expect(readable(name)).toBe(words));
