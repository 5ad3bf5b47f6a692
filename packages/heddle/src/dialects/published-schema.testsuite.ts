// Published schema: the JSON Schema for editors, made from the tables of fields (`fields.ts` and those of the dialects).
// The file that is published, `schema/definition.schema.json`, is compared with it by `published-schema.test.ts`.
//
// It has each field under its own name only, but for the parts that a graph editor saves: of these it takes all that the
// parser takes in camelCase, and offers only what authors write.

import { assert } from '../base/assert.ts';
import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Dialect } from '../definition/graph.ts';
import type { Field, ObjectShape, Shape, TextShape } from '../definition/shape.ts';
import { chooseDialect, dialectShapes, dialects } from './published-schema-dialects.testsuite.ts';
import { reactFlowEdgeFields, reactFlowFields, reactFlowNodeFields } from './react-flow.ts';

/** The parts that are referred to, by name. */
type Shared = Map<string, { readonly of: ObjectShape['fields']; schema: Json }>;

export function makePublishedSchema(): JsonObject {
  const shared: Shared = new Map();
  const definitions = dialects.map((dialect): [Dialect, JsonObject] => {
    const title = `Heddle workflow definition, dialect ${dialect}`;
    return [dialect, { title, ...describeObject(dialectShapes[dialect], { dialect, shared }) }];
  });
  const parts = [...shared].map(([name, { schema }]): [string, Json] => [name, schema]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:heddle:definition',
    title: 'Heddle workflow definition',
    description: 'A graph workflow: nodes, the ways between them, and what they read and write.',
    examples: [example],
    type: 'object',
    properties: { dialect: { description: 'How it is drawn. Default: token.', enum: [...dialects] } },
    ...chooseDialect(),
    $defs: Object.fromEntries([...definitions, ...parts.toSorted(([left], [right]) => (left < right ? -1 : 1))]),
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

/** The parts being described, and in which dialect they were found. */
interface Book {
  readonly shared: Shared;
  readonly dialect: Dialect;
}

const drawing: ReadonlySet<Field> = new Set(
  [reactFlowFields, reactFlowNodeFields, reactFlowEdgeFields].flatMap((fields) => Object.values(fields)),
);

/** Whether graph editors save such a part. */
const isDrawn = ({ fields }: ObjectShape): boolean => Object.values(fields).some((field) => drawing.has(field));

/** The fields of a shape that authors write. */
export function publishedFields({ fields }: ObjectShape): [string, Field][] {
  return Object.entries(fields).filter(([, field]) => field.shorthand !== true);
}

/** The names of fields that only editors write. */
export function toleratedNames(shape: ObjectShape): string[] {
  if (!isDrawn(shape)) return [];
  const others = publishedFields(shape).flatMap(([, { aliases = [] }]) => aliases);
  return [...others, ...Object.keys(shape.fields).filter((name) => shape.fields[name]?.shorthand === true)];
}

function describeObject(shape: ObjectShape, book: Book): JsonObject {
  const fields = publishedFields(shape);
  const needed = fields.filter(([, field]) => field.required).map(([name, field]) => namesOf(name, field, shape));
  const required = needed.flatMap(([name, ...others]) => (name !== undefined && others.length === 0 ? [name] : []));
  const alternatives = shape.exactlyOne?.filter((name) => fields.some(([own]) => own === name)) ?? [];
  const choices = [alternatives, ...needed]
    .filter(({ length }) => length > 1)
    .map((names): JsonObject => ({ oneOf: names.map((name) => ({ required: [name] })) }));
  return {
    type: 'object',
    properties: { ...describeFields(fields, book), ...describeTolerated(shape, book) },
    ...given({ required: required.length === 0 ? undefined : required }),
    ...(choices.length > 1 ? { allOf: choices } : choices[0]),
    additionalProperties: false,
  };
}

function namesOf(name: string, { aliases = [] }: Field, owner: ObjectShape): readonly string[] {
  return isDrawn(owner) ? [name, ...aliases] : [name];
}

function describeFields(fields: readonly [string, Field][], book: Book): JsonObject {
  return Object.fromEntries(fields.map(([name, field]) => [name, describeField(field, book)]));
}

// Editors do not offer a field whose schema is `true`.
function describeTolerated(shape: ObjectShape, book: Book): JsonObject {
  const byAlias = publishedFields(shape).flatMap(([, field]) =>
    (field.aliases ?? []).map((name) => [name, field] as const),
  );
  const fields = new Map(byAlias);
  return Object.fromEntries(
    toleratedNames(shape).map((name): [string, Json] => {
      const field = fields.get(name);
      return [name, field === undefined ? true : describeAlias(name, field, book)];
    }),
  );
}

function describeAlias(name: string, field: Field, book: Book): JsonObject {
  const schema = describe(field.shape, book);
  // Editors save a handle that nobody named as null or empty.
  const taken = name.endsWith('Handle') ? { anyOf: [schema, { enum: [null, ''] }] } : schema;
  return { description: field.description, ...taken };
}

function describeField({ shape, description, examples }: Field, book: Book): JsonObject {
  return { description, ...describe(shape, book), ...given({ examples }) };
}

function describe(shape: Shape, book: Book): JsonObject {
  switch (shape.type) {
    case 'text':
      return describeText(shape);
    case 'number':
      return {
        type: shape.integer ? 'integer' : 'number',
        ...given({ minimum: shape.min, maximum: shape.max }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: [...shape.values] };
    case 'list':
      return {
        type: 'array',
        items: describe(shape.of, book),
        ...given({ minItems: shape.min }),
      };
    case 'map':
      return { type: 'object', additionalProperties: describe(shape.of, book) };
    case 'object':
      return refer(shape, book);
    case 'either':
      return describeEither(shape.of, book);
    case 'opaque':
      return {};
    case 'schema':
      return { type: ['object', 'boolean'] };
    case 'structured':
      return { type: 'object' };
  }
}

function describeText({ pattern, lengthMax }: TextShape): JsonObject {
  return {
    type: 'string',
    ...given({ pattern: pattern?.source, maxLength: lengthMax }),
  };
}

function describeEither(options: readonly Shape[], book: Book): JsonObject {
  const byType = options.flatMap((option) => {
    const type = option.type === 'object' ? option.fields['type']?.shape : undefined;
    return option.type === 'object' && type?.type === 'choice' ? [{ option, types: [...type.values] }] : [];
  });
  if (byType.length < options.length) return { anyOf: options.map((option) => describe(option, book)) };
  // Told apart by their type: an editor speaks only of the one that is meant.
  return {
    type: 'object',
    properties: { type: { description: 'What it does.', enum: byType.flatMap(({ types }) => types) } },
    required: ['type'],
    allOf: byType.map(({ option, types }) => ({
      if: { properties: { type: { enum: types } }, required: ['type'] },
      then: refer(option, book),
    })),
  };
}

function refer(shape: ObjectShape, { shared, dialect }: Book): JsonObject {
  const title = shape.what.replace(/^an? /, '').replace(/ \{.*/, '');
  // Parts of two dialects may have the same name, and so may two of one.
  const names = [title, `${dialect} ${title}`, `other ${dialect} ${title}`].map(toName);
  const isFree = (name: string): boolean => (shared.get(name)?.of ?? shape.fields) === shape.fields;
  const name = names.find(isFree);
  assert(name !== undefined, `Expected at most three parts to be called "${title}", but there are more`);
  if (!shared.has(name)) {
    const part = { of: shape.fields, schema: null as Json };
    shared.set(name, part);
    const capitalised = `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
    part.schema = { title: capitalised, ...describeObject(shape, { shared, dialect }) };
  }
  return { $ref: `#/$defs/${name}` };
}

const toName = (title: string): string => title.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
