// JSON Schema: a schema as others read it, in the OpenAPI document.

import { given } from '../base/given.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { AnySchema, Bound, Kind } from './schema.ts';

export type JsonSchemaOf = Readonly<Record<string, unknown>>;

export function toJsonSchema({ kind, about, title }: AnySchema): JsonSchemaOf {
  return {
    ...kindToJson(kind),
    ...given({ title, description: about }),
  };
}

function kindToJson(kind: Kind): JsonSchemaOf {
  switch (kind.type) {
    case 'json':
      return kind.as === undefined ? {} : kindToJson(kind.as);
    case 'null':
      return { type: 'null' };
    case 'flag':
      return { type: 'boolean' };
    case 'number':
      return { type: 'number' };
    case 'choice':
      return { type: 'string', enum: [...kind.of] };
    case 'text':
      return {
        type: 'string',
        ...(kind.min === 0 ? {} : { minLength: kind.min }),
        ...bound('maxLength', kind.max),
        ...(kind.pattern === undefined ? {} : { pattern: kind.pattern.source }),
      };
    case 'whole':
      return { type: 'integer', ...bound('minimum', kind.min), ...bound('maximum', kind.max) };
    case 'list':
      return {
        type: 'array',
        items: toJsonSchema(kind.of),
        ...(kind.min === 0 ? {} : { minItems: kind.min }),
        ...bound('maxItems', kind.max),
      };
    case 'map':
      return { type: 'object', additionalProperties: toJsonSchema(kind.of) };
    case 'either':
      return { anyOf: kind.of.map(toJsonSchema) };
    case 'object':
      return objectToJson(kind);
  }
}

function objectToJson({ members, isOpen, oneOf }: Extract<Kind, { type: 'object' }>): JsonSchemaOf {
  const entries = [...members];
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(entries.length === 0 && isOpen
      ? {}
      : { properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, toJsonSchema(schema)])) }),
    ...(isOpen ? {} : { additionalProperties: false }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((name) => ({ required: [name] })) }),
  };
}

/** A limit is told by its default: a server may have set another. */
function bound(name: string, value: Bound): JsonSchemaOf {
  const number = typeof value === 'number' ? value : defaultLimits[value];
  return Number.isFinite(number) && Math.abs(number) < Number.MAX_SAFE_INTEGER ? { [name]: number } : {};
}
