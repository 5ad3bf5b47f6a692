import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { accepted } from './definitions.testsuite.ts';
import { definitionShape } from './fields.ts';
import { defaultLimits } from './limits.ts';
import { parseDefinition } from './parse.ts';
import { makePublishedSchema, publishedFields } from './published-schema.testsuite.ts';
import { compileSchema } from './schema.ts';
import type { ObjectShape, Shape } from './shape.ts';

const file = new URL('../../schema/definition.schema.json', import.meta.url);
if (process.env['UPDATE_SCHEMA']) writeFileSync(file, `${JSON.stringify(makePublishedSchema(), null, 2)}\n`);
const published = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;

test('the published schema is the one that the field table makes (UPDATE_SCHEMA=1 writes it)', () => {
  expect(published).toEqual(makePublishedSchema());
});

test('the published schema has the fields of the parser, in every part', () => {
  const defs = published['$defs'] as Record<string, JsonObject>;
  const parts = objectsOf(definitionShape).filter((shape) => shape !== definitionShape);
  const namesOf = (schema: JsonObject): string[] => Object.keys(schema['properties'] as JsonObject).toSorted();
  expect(namesOf(published)).toEqual(fieldNames(definitionShape));
  expect(Object.values(defs).map(namesOf).map(String).toSorted()).toEqual(parts.map(fieldNames).map(String).toSorted());
});

function fieldNames(shape: ObjectShape): string[] {
  return publishedFields(shape)
    .map(([name]) => name)
    .toSorted();
}

/** The shape and every object shape inside it that is published, each once. */
function objectsOf(root: ObjectShape): ObjectShape[] {
  const found = new Set<ObjectShape>();
  const queue: Shape[] = [root];
  for (let shape = queue.pop(); shape !== undefined; shape = queue.pop()) {
    if (shape.type === 'list' || shape.type === 'map') queue.push(shape.of);
    if (shape.type === 'either') queue.push(...shape.of);
    if (shape.type !== 'object' || found.has(shape)) continue;
    found.add(shape);
    queue.push(...publishedFields(shape).map(([, field]) => field.shape));
  }
  return [...found];
}

describe('what the parser accepts, the published schema accepts', () => {
  const compiled = compileSchema(published);
  test.each(accepted)('$name', ({ definition }) => {
    expect(parseDefinition(definition, { limits: defaultLimits }).definition).not.toBeNull();
    expect('check' in compiled && compiled.check(definition as unknown as Json)).toEqual([]);
  });

  test('and an unknown field it refuses', () => {
    const wrong = { id: 'w', initialNode: 'a', nodes: [{ id: 'a', retries: 3 }] };
    expect('check' in compiled && compiled.check(wrong)).toEqual([
      {
        severity: 'error',
        code: 'SCHEMA_MISMATCH',
        pointer: '/nodes/0/retries',
        message: 'Expected /nodes/0/retries to be absent, but found 3',
      },
    ]);
  });
});
