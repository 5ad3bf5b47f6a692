// Sample: a value that fits a JSON Schema, the same for the same schema. For pins that nobody has set, and for try-outs.
//
// Always true: what a schema gives as an example is taken first; where a schema says little, so does the sample; it ends,
// also where a schema refers to itself.

import type { Json, JsonObject, JsonSchema } from 'heddle';
import { membersOf, partsOf } from '../expression/schema-walk.ts';

export interface SampleOptions {
  /** What references in the schema point into. Default: the schema itself. */
  readonly root?: JsonSchema;
  /** What the value is called, for texts. */
  readonly name?: string;
}

const depthMax = 6;

export function sampleOf(schema: JsonSchema | undefined, { root, name = 'text' }: SampleOptions = {}): Json {
  return schema === undefined ? {} : sampleAt({ schema, root: root ?? schema, name, depth: 0 });
}

interface Place {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly name: string;
  readonly depth: number;
}

function sampleAt(place: Place): Json {
  // All parts at once: of alternatives the first is taken where they differ.
  const facts = Object.assign({}, ...partsOf(firstAlternative(place)).toReversed()) as JsonObject; // of schemas
  const given = givenValue(facts);
  if (given !== undefined) return given;
  switch (typeOf(facts)) {
    case 'object':
      return sampleObject(place);
    case 'array':
      return sampleList(facts, place);
    case 'string':
      return sampleText(facts, place.name);
    case 'integer':
    case 'number':
      return sampleNumber(facts);
    case 'boolean':
      return true;
    case 'null':
    case undefined:
      return place.depth === 0 ? {} : null;
  }
}

function firstAlternative(place: Place): Place {
  const { schema } = place;
  if (typeof schema !== 'object') return place;
  const { anyOf, oneOf, ...rest } = schema;
  const [first] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []));
  if (first === undefined) return place;
  const others = Array.isArray(rest['allOf']) ? rest['allOf'] : [];
  const alternative = first as Json; // of a list of schemas
  return { ...place, schema: { ...rest, allOf: [...others, alternative] } };
}

function givenValue({ const: fixed, enum: choices, default: usual, examples }: JsonObject): Json | undefined {
  const [choice] = Array.isArray(choices) ? choices : [];
  const [example] = Array.isArray(examples) ? examples : [];
  return fixed ?? example ?? usual ?? choice;
}

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;
type Type = (typeof types)[number];

function typeOf({ type, properties, items }: JsonObject): Type | undefined {
  const [named] = Array.isArray(type) ? type : [type];
  if (properties !== undefined && named === undefined) return 'object';
  if (items !== undefined && named === undefined) return 'array';
  return types.find((known) => known === named);
}

/** Deep inside only what is required: a schema may refer to itself. */
function sampleObject(place: Place): JsonObject {
  const { root, depth } = place;
  const members = membersOf(firstAlternative(place)).filter(({ isRequired }) => isRequired || depth < depthMax / 2);
  if (depth >= depthMax) return {};
  return Object.fromEntries(
    members.map(({ name, schema }) => [name, sampleAt({ schema: schema.schema, root, name, depth: depth + 1 })]),
  );
}

function sampleList({ items, minItems }: JsonObject, { root, name, depth }: Place): Json {
  if (depth >= depthMax) return [];
  const count = Math.min(typeof minItems === 'number' ? Math.max(1, minItems) : 1, 100);
  // The value of `items` is a schema.
  const item = () => sampleAt({ schema: (items ?? true) as JsonSchema, root, name, depth: depth + 1 });
  return Array.from({ length: count }, item);
}

const formats: Readonly<Record<string, string>> = {
  date: '2030-01-01',
  'date-time': '2030-01-01T09:00:00Z',
  time: '09:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleText({ format, minLength, maxLength }: JsonObject, name: string): string {
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known !== undefined) return known;
  const long = name.padEnd(typeof minLength === 'number' ? minLength : 0, '·');
  return typeof maxLength === 'number' ? long.slice(0, maxLength) : long;
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: JsonObject): number {
  const step = typeof multipleOf === 'number' ? multipleOf : 1;
  if (typeof minimum === 'number') return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMinimum === 'number') return Math.floor(exclusiveMinimum / step + 1) * step;
  if (typeof maximum === 'number') return Math.min(step, Math.floor(maximum / step) * step);
  if (typeof exclusiveMaximum === 'number') return Math.min(step, Math.ceil(exclusiveMaximum / step - 1) * step);
  return step;
}
