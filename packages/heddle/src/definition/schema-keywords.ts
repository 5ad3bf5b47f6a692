// Schema keywords: what each keyword of JSON Schema 2020-12 (and the older ones still in use) takes, so that a
// mistake in a schema is found when it is registered instead of being ignored.

import type { Json } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import { describeJson } from './shape.ts';

type SchemaKind = 'schema' | 'schemas' | 'schemaOrSchemas' | 'schemaMap';
type ValueKind = 'type' | 'count' | 'number' | 'positive' | 'names' | 'namesMap' | 'list' | 'boolean' | 'text';
type Kind = SchemaKind | ValueKind;

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...named(
    'schema',
    'not if then else additionalProperties unevaluatedProperties unevaluatedItems propertyNames contains additionalItems',
  ),
  ...named('schemas', 'allOf anyOf oneOf prefixItems'),
  ...named('schemaOrSchemas', 'items'),
  ...named('schemaMap', 'properties patternProperties $defs definitions dependentSchemas dependencies'),
  ...named('type', 'type'),
  ...named('count', 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'),
  ...named('number', 'minimum maximum exclusiveMinimum exclusiveMaximum'),
  ...named('positive', 'multipleOf'),
  ...named('names', 'required'),
  ...named('namesMap', 'dependentRequired'),
  ...named('list', 'enum'),
  ...named('boolean', 'uniqueItems'),
  ...named('text', 'pattern format $ref $dynamicRef $anchor $dynamicAnchor $id $schema $comment title description'),
]);

function named(kind: Kind, keywords: string): [string, Kind][] {
  return keywords.split(' ').map((keyword) => [keyword, kind]);
}

const typeNames = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const isTypeName = (value: Json): boolean => typeNames.some((name) => name === value);

const isNames = (value: Json): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');

const expectations: Readonly<Record<ValueKind, { what: string; fits: (value: Json) => boolean }>> = {
  type: {
    what: `a type or a list of types (${typeNames.join(', ')})`,
    fits: (value) => isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
  },
  count: {
    what: 'a whole number of at least 0',
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
  },
  number: { what: 'a number', fits: (value) => typeof value === 'number' },
  positive: { what: 'a number above 0', fits: (value) => typeof value === 'number' && value > 0 },
  names: { what: 'a list of property names', fits: isNames },
  namesMap: {
    what: 'an object of lists of property names',
    fits: (value) => isJsonObject(value) && Object.values(value).every(isNames),
  },
  list: { what: 'a list', fits: (value) => Array.isArray(value) },
  boolean: { what: 'true or false', fits: (value) => typeof value === 'boolean' },
  text: { what: 'a text', fits: (value) => typeof value === 'string' },
};

const schemaKinds: Readonly<Record<SchemaKind, { what: string; parts: (value: Json) => Parts }>> = {
  schema: { what: 'a schema', parts: () => 'one' },
  schemas: { what: 'a list of schemas', parts: (value) => (Array.isArray(value) ? 'list' : 'wrong') },
  schemaOrSchemas: { what: 'a schema or a list of them', parts: (value) => (Array.isArray(value) ? 'list' : 'one') },
  schemaMap: { what: 'an object of schemas', parts: (value) => (isJsonObject(value) ? 'map' : 'wrong') },
};

type Parts = 'one' | 'list' | 'map' | 'wrong';

const isSchemaKind = (kind: Kind): kind is SchemaKind => Object.hasOwn(schemaKinds, kind);

/** What is wrong with the value of a keyword; null if nothing, or if the keyword is not one of JSON Schema. */
export function checkKeyword(keyword: string, value: Json): string | null {
  const kind = kinds.get(keyword);
  if (kind === undefined) return null;
  const { what } = isSchemaKind(kind) ? schemaKinds[kind] : expectations[kind];
  const fits = isSchemaKind(kind) ? schemaKinds[kind].parts(value) !== 'wrong' : expectations[kind].fits(value);
  return fits ? null : `Expected "${keyword}" to be ${what}, but found ${describeJson(value)}`;
}

/** How schemas stand in the (right) value of a keyword. */
export function partsOf(keyword: string, value: Json): 'none' | Exclude<Parts, 'wrong'> {
  const kind = kinds.get(keyword);
  if (kind === undefined || !isSchemaKind(kind)) return 'none';
  const parts = schemaKinds[kind].parts(value);
  return parts === 'wrong' ? 'none' : parts;
}
