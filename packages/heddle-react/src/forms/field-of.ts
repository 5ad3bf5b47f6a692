// Fields: which control a JSON Schema is drawn as. What no control fits is written as JSON.
//
// Always true: a schema is only read; whether a value fits it is the server's to say.

import type { Json, JsonObject, JsonSchema } from 'heddle';

export type FieldShape =
  | { readonly kind: 'text'; readonly format: TextFormat; readonly maxLength?: number }
  | { readonly kind: 'number'; readonly isWhole: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | { readonly kind: 'several'; readonly choices: readonly Choice[] }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'group'; readonly members: readonly Member[] }
  | { readonly kind: 'list'; readonly item: JsonSchema }
  | { readonly kind: 'variants'; readonly variants: readonly Variant[] }
  | { readonly kind: 'json' };

export type TextFormat = 'line' | 'paragraph' | 'date' | 'date-time' | 'time' | 'email' | 'url' | 'password';

export interface Choice {
  readonly value: Json;
  readonly label: string;
}

export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export interface Variant {
  readonly label: string;
  readonly schema: JsonSchema;
}

export interface Field {
  readonly shape: FieldShape;
  readonly title?: string;
  readonly description?: string;
  /** Null is a value that it may have. */
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

/** Deeper than this, JSON: a schema may refer to itself. */
export const drawnDepthMax = 6;
/** More choices than this are written, not picked. */
const choicesMax = 500;
/** Texts that may be longer than this get several lines. */
const lineLengthMax = 120;

/** `root` is where `#/…` of a `$ref` points into. */
export function fieldOf(schema: JsonSchema, root: JsonSchema, depth = 0): Field {
  const given = resolved(schema, root);
  const { schema: plain, isNullable } = withoutNull(given);
  const { title, description } = plain;
  return {
    shape: depth > drawnDepthMax ? { kind: 'json' } : shapeOf(plain, root),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    isNullable,
    hasDefault: plain['default'] !== undefined,
  };
}

/** Follows references within the same schema; one that leads nowhere allows everything. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonObject {
  let found: Json | undefined = schema;
  const beside: JsonObject[] = [];
  for (let steps = 0; steps < 16 && isObject(found) && typeof found['$ref'] === 'string'; steps++) {
    const { $ref: reference, ...rest }: JsonObject = found;
    beside.unshift(rest);
    found = at(root, reference);
  }
  const own = isObject(found) && found['$ref'] === undefined ? found : {};
  return Object.assign({}, own, ...beside);
}

function at(root: JsonSchema, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.slice(1).split('/').slice(1);
  let found: Json | undefined = root;
  for (const key of keys)
    found = isObject(found) ? found[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return found;
}

function shapeOf(schema: JsonObject, root: JsonSchema): FieldShape {
  if (schema['const'] !== undefined) return { kind: 'constant', value: schema['const'] };
  const choices = choicesOf(schema, root);
  if (choices !== null) return choices.length > choicesMax ? { kind: 'json' } : { kind: 'choice', choices };
  const variants = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(variants)) return variantsOf(variants, root);
  const { type = 'object' } = schema;
  const draw = typeof type === 'string' ? shapes[type] : undefined;
  return draw?.(schema, root) ?? { kind: 'json' };
}

/** By type. */
const shapes: Readonly<Record<string, (schema: JsonObject, root: JsonSchema) => FieldShape>> = {
  string: textOf,
  number: numberOf,
  integer: numberOf,
  boolean: () => ({ kind: 'flag' }),
  array: listOf,
  object: groupOf,
};

/** An `enum`, or a `oneOf` of constants that have names. */
function choicesOf(schema: JsonObject, root: JsonSchema): readonly Choice[] | null {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => ({ value, label: labelOf(value) }));
  const options = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(options) || options.length === 0) return null;
  const choices = options.map((option) => {
    const { const: value, title } = isObject(option) ? resolved(option, root) : {};
    return value === undefined ? null : { value, label: typeof title === 'string' ? title : labelOf(value) };
  });
  return choices.every((choice) => choice !== null) ? choices : null;
}

/** A text as it is, everything else as JSON. */
export const labelOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function variantsOf(options: readonly Json[], root: JsonSchema): FieldShape {
  const variants = options.map((option, place) => {
    const schema = isSchema(option) ? option : true;
    const { title, type } = resolved(schema, root);
    const label =
      typeof title === 'string' ? title : typeof type === 'string' ? readable(type) : `Variant ${place + 1}`;
    return { label, schema };
  });
  return { kind: 'variants', variants };
}

const formats: Readonly<Record<string, TextFormat>> = {
  date: 'date',
  'date-time': 'date-time',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
  password: 'password',
  textarea: 'paragraph',
};

function textOf({ format, maxLength }: JsonObject): FieldShape {
  const isLong = typeof maxLength === 'number' && maxLength > lineLengthMax;
  const named = typeof format === 'string' ? formats[format] : undefined;
  return {
    kind: 'text',
    format: named ?? (isLong ? 'paragraph' : 'line'),
    ...(typeof maxLength === 'number' ? { maxLength } : {}),
  };
}

function numberOf({ type, minimum, maximum }: JsonObject): FieldShape {
  return {
    kind: 'number',
    isWhole: type === 'integer',
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  };
}

function listOf({ items, prefixItems, uniqueItems }: JsonObject, root: JsonSchema): FieldShape {
  if (prefixItems !== undefined || !isSchema(items) || items === false) return { kind: 'json' };
  const choices = uniqueItems === true ? choicesOf(resolved(items, root), root) : null;
  return choices === null ? { kind: 'list', item: items } : { kind: 'several', choices };
}

function groupOf({ properties, required, additionalProperties }: JsonObject): FieldShape {
  if (!isObject(properties) || Object.keys(properties).length === 0)
    return additionalProperties === false ? { kind: 'group', members: [] } : { kind: 'json' };
  const names = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: isSchema(schema) ? schema : true,
    isRequired: names.has(name),
  }));
  return { kind: 'group', members };
}

/** `type: ['string', 'null']`, or null as one of several schemas. */
function withoutNull(schema: JsonObject): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const { type, oneOf, anyOf } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null');
    const rest = others.length === 1 && others[0] !== undefined ? { type: others[0] } : { type: others };
    return { schema: { ...schema, ...rest }, isNullable: others.length < type.length };
  }
  const options = oneOf ?? anyOf;
  if (!Array.isArray(options)) return { schema, isNullable: false };
  const others = options.filter((option) => !(isObject(option) && option['type'] === 'null'));
  if (others.length === options.length) return { schema, isNullable: false };
  const { oneOf: _one, anyOf: _any, ...rest } = schema;
  const [only] = others;
  if (others.length === 1 && isObject(only)) return { schema: { ...rest, ...only }, isNullable: true };
  return { schema: { ...rest, oneOf: others }, isNullable: true };
}

/** `customerName` and `customer_name` as people write them. */
export function readable(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  const lower = words.replaceAll(/\b[A-Z][a-z]/g, (letters) => letters.toLowerCase());
  return lower === '' ? name : lower.charAt(0).toUpperCase() + lower.slice(1);
}

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'boolean' || isObject(value);
