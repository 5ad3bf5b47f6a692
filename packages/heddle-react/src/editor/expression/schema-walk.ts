// Schema walk: what a JSON Schema says of the members and items of a value. For completion, and for samples.
//
// Always true: it follows references inside the schema itself, and no further than `stepsMax`: a schema may refer to itself.

import type { JsonObject, JsonSchema } from 'heddle';

const stepsMax = 32;

/** A schema and the document that its references point into. */
export interface PlacedSchema {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

export const placed = (schema: JsonSchema): PlacedSchema => ({ schema, root: schema });

/** The schemas that a value has to fit, or may fit, at once: references and combinations taken apart. */
export function partsOf({ schema, root }: PlacedSchema): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  const pending: JsonSchema[] = [schema];
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const next = pending.shift();
    if (next === undefined) break;
    if (!isObject(next)) continue;
    parts.push(next);
    const { $ref, allOf, anyOf, oneOf } = next;
    if (typeof $ref === 'string') pending.push(referred(root, $ref));
    // Members of the keywords are schemas.
    for (const list of [allOf, anyOf, oneOf]) if (Array.isArray(list)) pending.push(...(list as JsonSchema[]));
  }
  return parts;
}

export interface SchemaMember {
  readonly name: string;
  readonly schema: PlacedSchema;
  readonly isRequired: boolean;
}

export function membersOf(place: PlacedSchema): readonly SchemaMember[] {
  const members = new Map<string, SchemaMember>();
  for (const part of partsOf(place)) {
    const { properties, required } = part;
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      const isRequired = Array.isArray(required) && required.includes(name);
      // A member of `properties` is a schema.
      members.set(name, { name, schema: { schema: schema as JsonSchema, root: place.root }, isRequired });
    }
  }
  return [...members.values()];
}

/** What the items of a list are; null where nothing is known. */
export function itemsOf(place: PlacedSchema): PlacedSchema | null {
  for (const { items } of partsOf(place))
    if (isObject(items) || items === true) return { schema: items, root: place.root };
  return null;
}

/** `text`, `number`, `list` …: in a word, as people read it; undefined where nothing is known. */
export function typeWord(place: PlacedSchema): string | undefined {
  const types = partsOf(place).flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
  const words = types.flatMap((type) => (typeof type === 'string' ? [typeWords[type] ?? type] : []));
  return words.length === 0 ? undefined : [...new Set(words)].join(' or ');
}

const typeWords: Readonly<Record<string, string>> = { string: 'text', integer: 'number', array: 'list' };

/** `#/$defs/address` */
function referred(root: JsonSchema, reference: string): JsonSchema {
  if (!reference.startsWith('#')) return true;
  const keys = reference.split('/').slice(1);
  let at: unknown = root;
  for (const key of keys) {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isObject(at) ? at : true;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
