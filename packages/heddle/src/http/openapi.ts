// OpenAPI: the operations as an OpenAPI 3.1 document, made of the very schemas that requests are checked with.

import { toJsonSchema } from '../operations/json-schema.ts';
import { tags } from '../operations/operation.ts';
import type { AnySchema } from '../operations/schema.ts';
import { problemDocument } from './problem-document.ts';
import { type Route, routes } from './route.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: Schema;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: Schema };
  readonly [name: string]: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly [name: string]: unknown;
}

/** Schemas with a title become components, so that generated clients have names for them. */
class Components {
  readonly schemas: Record<string, Schema> = {};

  refer(schema: AnySchema): unknown {
    return this.#refer(toJsonSchema(schema));
  }

  #refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.#refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const copy = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, this.#refer(part)]));
    const { title } = schema as { readonly title?: unknown }; // any object may have one
    if (typeof title !== 'string') return copy;
    this.schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  }
}

/** Of the API, as its paths begin: `/v1`. A program that serves it has a version of its own. */
const apiVersion = '1';

export function makeOpenApi(): OpenApi {
  const components = new Components();
  const problem = components.refer(problemDocument);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of Object.values(routes)) {
    const place = (paths[route.path] ??= {});
    place[route.method.toLowerCase()] = operationOf(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heddle',
      version: apiVersion,
      description: 'A durable execution engine for graph workflows.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      responses: {
        Problem: {
          description: 'What is wrong, as RFC 9457 has it.',
          content: { 'application/problem+json': { schema: problem } },
        },
      },
    },
  } as OpenApi; // its schemas are JSON Schema
}

function operationOf(route: Route, components: Components): Operation {
  const { summary, description, tag, scope } = route.operation;
  const needs = scope === 'public' ? 'Needs no key.' : scope === 'any' ? 'Any key.' : `Needs the scope \`${scope}\`.`;
  const parameters = [...pathParameters(route), ...headerParameters(route), ...queryParameters(route, components)];
  const body = requestBody(route, components);
  return {
    operationId: route.name,
    summary,
    description: description === undefined ? needs : `${description} ${needs}`,
    tags: [tag],
    ...(scope === 'public' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      [route.status]: response(route, components),
      ...(route.mayBeOver ? { '204': { description: 'There is nothing more to come: do not come back.' } } : {}),
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  };
}

function pathParameters({ params }: Route): readonly Schema[] {
  return params.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function headerParameters({ headers = {} }: Route): readonly Schema[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
}

function queryParameters({ query }: Route, components: Components): readonly Schema[] {
  return [...query.kind.members].map(([name, { schema, isOptional }]) => ({
    name,
    in: 'query',
    required: !isOptional,
    schema: components.refer(asSent(schema)),
  }));
}

/** A map travels as a list of `key=value`. */
function asSent({ kind, about }: AnySchema): AnySchema {
  if (kind.type !== 'map') return { kind, about };
  const pair: AnySchema = { kind: { type: 'text', min: 1, max: Number.POSITIVE_INFINITY, pattern: /^[^=]+=/ } };
  return {
    kind: { type: 'list', of: pair, min: 0, max: Number.POSITIVE_INFINITY },
    about: `${about} Each written \`key=value\`.`,
  };
}

function requestBody(route: Route, components: Components): Schema | null {
  const { content } = route;
  if (content.type === 'none') return null;
  if (content.type === 'bytes')
    return { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  return {
    required: !route.isBodyOptional,
    content: { 'application/json': { schema: components.refer(content.of) } },
  };
}

function response({ operation }: Route, components: Components): Schema {
  const { answers } = operation;
  const description = 'It was done.';
  const of = (type: string, schema: unknown): Schema => ({ description, content: { [type]: { schema } } });
  if (answers.form === 'nothing') return { description };
  if (answers.form === 'bytes') return of('application/octet-stream', { type: 'string', format: 'binary' });
  if (answers.form === 'text') return of('text/plain', { type: 'string' });
  if (answers.form === 'stream') return of('text/event-stream', { type: 'string' });
  return of('application/json', answers.of === undefined ? {} : components.refer(answers.of));
}
