// OpenAPI: the contract as an OpenAPI 3.1 document, made of the very schemas that requests are checked with.

import { contract, operationNames } from './contract/contract.ts';
import { problemDocument } from './contract/parts.ts';
import { paramsOf, type Route } from './contract/route.ts';

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

  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const copy = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, this.refer(part)]));
    const { title } = schema as { readonly title?: unknown };
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
  for (const name of operationNames) {
    const route: Route = contract[name];
    const place = (paths[route.path] ??= {});
    place[route.method.toLowerCase()] = operationOf(name, route, components);
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
    tags: [...new Set<string>(operationNames.map((name) => contract[name].tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? name,
    })),
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

const tagDescriptions: Readonly<Record<string, string>> = {
  Definitions: 'Workflows as they are drawn: register, check, list, export.',
  Runs: 'Start, wait for, find and control runs.',
  'Inside a run': 'State, tokens, nodes, journal: how a run stands, and how it came to that.',
  Prompts: 'What runs ask of people, and the answers.',
  Events: 'Events from outside, and the journals of all runs.',
  Triggers: 'What starts runs by itself.',
  Credits: 'What organizations pay for their runs with.',
  Workers: 'Programs outside that do the work: lease tasks, keep them, finish them.',
  Artifacts: 'Bytes that runs hand on as references.',
  Secrets: 'Values that actions may send to named hosts, and nobody may see.',
  Webhooks: 'Where calls from outside come in.',
  Callbacks: 'Who is told of what happens to runs, and what was told.',
  Retention: 'How long runs are kept after they have ended.',
  Operations: 'For whoever operates the server.',
};

function operationOf(name: string, route: Route, components: Components): Operation {
  const { summary, description, tag, scope } = route;
  const needs = scope === 'public' ? 'Needs no key.' : scope === 'any' ? 'Any key.' : `Needs the scope \`${scope}\`.`;
  const parameters = [...pathParameters(route), ...headerParameters(route), ...queryParameters(route, components)];
  const body = requestBody(route, components);
  return {
    operationId: name,
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

function pathParameters({ path }: Route): readonly Schema[] {
  return paramsOf(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function headerParameters({ headers = {} }: Route): readonly Schema[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
}

function queryParameters({ query }: Route, components: Components): readonly Schema[] {
  const required = new Set<string>((query as { readonly required?: readonly string[] } | undefined)?.required);
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: components.refer(schema),
  }));
}

function requestBody({ body, takesBytes, bodyIsOptional }: Route, components: Components): Schema | null {
  if (takesBytes) return { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  if (body === undefined) return null;
  return { required: bodyIsOptional !== true, content: { 'application/json': { schema: components.refer(body) } } };
}

function response({ answer }: Route, components: Components): Schema {
  const description = 'It was done.';
  const of = (type: string, schema: unknown): Schema => ({ description, content: { [type]: { schema } } });
  if (answer === 'nothing') return { description };
  if (answer === 'bytes') return of('application/octet-stream', { type: 'string', format: 'binary' });
  if (answer === 'text') return of('text/plain', { type: 'string' });
  if (answer === 'events') return of('text/event-stream', { type: 'string' });
  return of('application/json', components.refer(answer));
}
