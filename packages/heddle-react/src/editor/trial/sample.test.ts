// Samples: values that fit their schemas, as the engine itself judges.

import type { JsonSchema } from 'heddle';
import { createTestEngine } from 'heddle/testing';
import { expect, test } from 'vitest';
import { sampleOf } from './sample.ts';

const tree = {
  $ref: '#/$defs/tree',
  $defs: {
    tree: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    },
  },
};

const schemas: readonly (readonly [string, JsonSchema, unknown])[] = [
  ['anything', true, {}],
  [
    'an object',
    { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } },
    { name: 'name', age: 1 },
  ],
  ['an example', { type: 'object', examples: [{ a: 1 }] }, { a: 1 }],
  ['a constant', { properties: { kind: { const: 'a' } } }, { kind: 'a' }],
  ['a choice', { properties: { kind: { enum: ['x', 'y'] } } }, { kind: 'x' }],
  ['a default', { properties: { n: { type: 'number', default: 5 } } }, { n: 5 }],
  [
    'bounds',
    { properties: { n: { type: 'number', minimum: 3 }, m: { type: 'integer', exclusiveMinimum: 3 } } },
    { n: 3, m: 4 },
  ],
  ['a step', { properties: { n: { type: 'integer', multipleOf: 5, minimum: 11 } } }, { n: 15 }],
  ['an upper bound', { properties: { n: { type: 'integer', maximum: -2 } } }, { n: -2 }],
  [
    'lengths',
    { properties: { t: { type: 'string', minLength: 3 }, u: { type: 'string', maxLength: 0 } } },
    { t: 't··', u: '' },
  ],
  ['a format', { properties: { mail: { type: 'string', format: 'email' } } }, { mail: 'ada@example.com' }],
  ['a list', { properties: { l: { type: 'array', items: { type: 'boolean' }, minItems: 2 } } }, { l: [true, true] }],
  ['alternatives', { oneOf: [{ type: 'object', properties: { a: { const: 1 } } }, { type: 'null' }] }, { a: 1 }],
  ['parts', { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] }, { a: 1, b: 2 }],
];

for (const [what, schema, expected] of schemas)
  test(`a sample of ${what} is always the same, and fits`, async () => {
    expect(sampleOf(schema)).toEqual(expected);
    await fits(schema);
  });

test('a schema that refers to itself has a sample, which ends', async () => {
  expect(sampleOf(tree)).toMatchObject({ name: 'name', children: [{ name: 'name' }] });
  await fits(tree);
});

/** An action that gives the sample is not refused for it. */
async function fits(schema: JsonSchema): Promise<void> {
  const { engine, settle } = await createTestEngine({
    actions: { give: { output: schema, run: () => sampleOf(schema) } },
  });
  await engine.register({ id: 'giving', initialNode: 'give', nodes: [{ id: 'give', action: 'give' }] });
  const run = await engine.start('giving');
  await settle();
  expect(await run.summary()).toMatchObject({ status: 'completed', error: undefined });
  await engine.close();
}
