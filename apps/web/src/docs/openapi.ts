// OpenAPI: the server's own description of its API, as the page of it needs it. Pure.
//
// Always true: examples follow from the schemas, so that they never describe another API than the server's.

import type { Json, JsonObject } from 'heddle';
import { isObject, objectOf } from '../json-objects.ts';

export interface ApiOperation {
  /** As the client calls it. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | null;
  readonly parameters: readonly Parameter[];
  /** The schema of a JSON body; null: it has none. */
  readonly body: Json | null;
  /** By status. */
  readonly answers: readonly ApiAnswer[];
  /** It answers with events as they come. */
  readonly isStream: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string | null;
  readonly schema: Json;
}

export interface ApiAnswer {
  readonly status: string;
  readonly description: string;
  readonly schema: Json | null;
}

const methods = ['get', 'post', 'put', 'delete'] as const;

export function operationsOf(document: Json): readonly ApiOperation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = objectAt(item, method);
      return Object.keys(operation).length === 0 ? [] : [operationOf({ method, path }, operation, document)];
    }),
  );
}

interface Door {
  readonly method: string;
  readonly path: string;
}

function operationOf({ method, path }: Door, operation: JsonObject, document: Json): ApiOperation {
  const { operationId, tags, summary, description, parameters, requestBody, responses } = operation;
  const answers = Object.entries(objectOf(responses)).map(([status, answer]): [string, JsonObject] => [
    status,
    referred(answer, document),
  ]);
  return {
    name: textOf(operationId) ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    tag: Array.isArray(tags) ? (textOf(tags[0]) ?? 'Other') : 'Other',
    summary: textOf(summary) ?? '',
    description: textOf(description),
    parameters: Array.isArray(parameters) ? parameters.map(parameterOf) : [],
    body: schemaIn(requestBody),
    answers: answers.map(([status, answer]) => ({
      status,
      description: textOf(answer['description']) ?? '',
      schema: schemaIn(answer),
    })),
    isStream: answers.some(([, answer]) => objectAt(answer, 'content')['text/event-stream'] !== undefined),
  };
}

function parameterOf(parameter: Json): Parameter {
  const { name, in: place, required, description, schema } = objectOf(parameter);
  return {
    name: textOf(name) ?? '',
    in: place === 'path' || place === 'header' ? place : 'query',
    isRequired: required === true,
    description: textOf(description) ?? textOf(objectOf(schema)['description']),
    schema: schema ?? {},
  };
}

/** Of JSON, or of a problem in JSON, which is how errors are told. */
function schemaIn(holder: Json | undefined): Json | null {
  const content = objectAt(holder, 'content');
  return (
    objectAt(content, 'application/json')['schema'] ?? objectAt(content, 'application/problem+json')['schema'] ?? null
  );
}

/** A value that fits a schema, as far as that can be seen: what is required, with its defaults and first choices. */
export function exampleOf(schema: Json, document: Json, depth = 0): Json {
  const {
    $ref,
    default: given,
    const: constant,
    enum: choices,
    examples,
    oneOf,
    anyOf,
    type,
    items,
  } = objectOf(schema);
  if (typeof $ref === 'string') return depth > 6 ? {} : exampleOf(resolve($ref, document), document, depth + 1);
  const told = given ?? constant ?? (Array.isArray(examples) ? examples[0] : undefined);
  if (told !== undefined) return told;
  const [first] = [choices, oneOf, anyOf].find((list) => Array.isArray(list)) ?? [];
  if (first !== undefined) return Array.isArray(choices) ? first : exampleOf(first, document, depth + 1);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return depth > 6 || items === undefined ? [] : [exampleOf(items, document, depth + 1)];
    case 'null':
      return null;
    default:
      return membersOf(objectOf(schema), document, depth);
  }
}

function membersOf({ properties, required }: JsonObject, document: Json, depth: number): Json {
  if (!isObject(properties) || depth > 6) return {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, document, depth + 1)]));
}

/** The schema with the parts that it names in place of their names, to a depth that people read. */
export function spelledOut(schema: Json, document: Json, depth = 0): Json {
  if (Array.isArray(schema)) return schema.map((each) => spelledOut(each, document, depth));
  if (!isObject(schema)) return schema;
  const { $ref } = schema;
  if (typeof $ref === 'string') return depth > 3 ? schema : spelledOut(resolve($ref, document), document, depth + 1);
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, spelledOut(part, document, depth)]));
}

/** What it is, or what it names. */
function referred(value: Json, document: Json): JsonObject {
  const { $ref } = objectOf(value);
  return objectOf(typeof $ref === 'string' ? resolve($ref, document) : value);
}

const resolve = (reference: string, document: Json): Json =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<Json>((found, key) => objectOf(found)[key] ?? {}, document);

const objectAt = (value: Json | undefined, name: string): JsonObject => objectOf(objectOf(value)[name]);
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
