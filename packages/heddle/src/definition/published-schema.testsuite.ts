// Published schema: the JSON Schema for editors, made from the table in `fields.ts`. The file that is published,
// `schema/definition.schema.json`, is compared with it by `published-schema.test.ts`.

import type { Json, JsonObject } from '../base/json.ts';
import { definitionShape } from './fields.ts';
import type { Field, ObjectShape, Shape, TextShape } from './shape.ts';

export function makePublishedSchema(): JsonObject {
  const shared = new Map<string, Json>();
  const { properties, ...rest } = describeObject(definitionShape, shared);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:heddle:definition',
    title: 'Heddle workflow definition',
    description: 'A graph workflow: nodes, the transitions between them, and what they read and write.',
    examples: [example],
    ...rest,
    properties: properties ?? {},
    $defs: Object.fromEntries([...shared].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

const example: Json = {
  id: 'greet',
  initialNode: 'hello',
  nodes: [
    {
      id: 'hello',
      action: 'core.echo',
      inputMapping: { text: "'Hello ' + input.name" },
      outputMapping: { 'output.text': 'result.text' },
    },
  ],
};

/** The fields of a shape that authors of the native dialect write. */
export function publishedFields({ fields }: ObjectShape): [string, Field][] {
  return Object.entries(fields).filter(([, field]) => field.shorthand !== true && field.shape.type !== 'unavailable');
}

function describeObject(shape: ObjectShape, shared: Map<string, Json>): JsonObject {
  const fields = publishedFields(shape);
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  const choices = shape.exactlyOne?.filter((name) => fields.some(([field]) => field === name));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, describeField(field, shared)])),
    ...(required.length === 0 ? {} : { required }),
    ...(choices === undefined ? {} : { oneOf: choices.map((name) => ({ required: [name] })) }),
    additionalProperties: false,
  };
}

function describeField({ shape, description, examples }: Field, shared: Map<string, Json>): JsonObject {
  return { description, ...describe(shape, shared), ...(examples === undefined ? {} : { examples }) };
}

function describe(shape: Shape, shared: Map<string, Json>): JsonObject {
  switch (shape.type) {
    case 'text':
      return describeText(shape);
    case 'number':
      return {
        type: shape.integer ? 'integer' : 'number',
        ...(shape.min === undefined ? {} : { minimum: shape.min }),
        ...(shape.max === undefined ? {} : { maximum: shape.max }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: [...shape.values] };
    case 'list':
      return {
        type: 'array',
        items: describe(shape.of, shared),
        ...(shape.min === undefined ? {} : { minItems: shape.min }),
      };
    case 'map':
      return { type: 'object', additionalProperties: describe(shape.of, shared) };
    case 'object':
      return refer(shape, shared);
    case 'either':
      return { anyOf: shape.of.map((option) => describe(option, shared)) };
    case 'opaque':
      return {};
    case 'schema':
      return { type: ['object', 'boolean'] };
    case 'structured':
      return { type: 'object' };
    case 'unavailable':
      return { not: {} };
  }
}

function describeText({ pattern, lengthMax }: TextShape): JsonObject {
  return {
    type: 'string',
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(lengthMax === undefined ? {} : { maxLength: lengthMax }),
  };
}

function refer(shape: ObjectShape, shared: Map<string, Json>): JsonObject {
  const title = shape.what.replace(/^an? /, '').replace(/ \{.*/, '');
  const name = title.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
  if (!shared.has(name)) {
    shared.set(name, null);
    shared.set(name, { title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...describeObject(shape, shared) });
  }
  return { $ref: `#/$defs/${name}` };
}
