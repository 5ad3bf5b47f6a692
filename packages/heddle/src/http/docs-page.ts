// Docs page: the OpenAPI document for people, as one page without any script.

import type { OpenApi, Operation } from './openapi.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** HT18: its examples name the address under which the server was asked. */
export function docsPage(document: OpenApi, origin: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, place]) =>
    Object.entries(place).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const section = (tag: string): string => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>${own.map((one) => operationHtml(one, document, origin)).join('')}`;
  };
  const links = tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(' ');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heddle API</title><style>${style}</style><header><h1>Heddle API</h1><nav>${links}
<a href="/openapi.json">openapi.json</a></nav></header><main>${tags.map(section).join('')}
<h2>Schemas</h2>${schemasHtml(document)}</main></html>`;
}

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationHtml({ path, method, operation }: Shown, document: OpenApi, origin: string): string {
  const parameters = (operation['parameters'] ?? []) as readonly Parameter[]; // `makeOpenApi` wrote it
  const rows = parameters.map(({ name, in: place, required, schema }) => rowHtml(name, place, { required, schema }));
  const { requestBody } = operation;
  const body = requestBody === undefined ? '' : jsonHtml('Body', requestBody);
  return `<details id="${escape(operation.operationId)}"><summary><b class="${method}">${method}</b> <code>${escape(path)}</code> ${prose(operation.summary)}</summary>
<p>${prose(operation.description)}</p>${tableHtml([...rows, ...bodyRows(requestBody, document)])}<pre>${escape(curlOf(method, `${origin}${path}`, sampleBody(requestBody, document)))}</pre>
${body}${jsonHtml('Answers', operation['responses'])}</details>`;
}

const tableHtml = (rows: readonly string[]): string => (rows.length === 0 ? '' : `<table>${rows.join('')}</table>`);

function rowHtml(
  name: string,
  place: string,
  { required, schema }: { readonly required: boolean; readonly schema: Schema },
): string {
  const { description, type = '' } = schema;
  const what = description === undefined ? escape(String(type)) : prose(description);
  return `<tr><td><code>${escape(name)}</code></td><td>${place}${required ? '' : ', optional'}</td><td>${what}</td></tr>`;
}

// ------------------------------------------------------------------------------------------------------------------ body

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
}

/** The schema of a body of JSON; null if it is bytes, or there is none. */
function bodySchema(requestBody: unknown, document: OpenApi): Schema | null {
  const { content = {} } = (requestBody ?? {}) as { readonly content?: Readonly<Record<string, { schema?: Schema }>> }; // `makeOpenApi` wrote it
  const schema = content['application/json']?.schema;
  return schema === undefined ? null : resolved(schema, document);
}

function resolved(schema: Schema, { components }: OpenApi): Schema {
  const name = schema.$ref?.slice('#/components/schemas/'.length);
  return name === undefined ? schema : (components.schemas[name] as Schema); // as `Components` put it there
}

function bodyRows(requestBody: unknown, document: OpenApi): readonly string[] {
  const { properties = {}, required = [] } = bodySchema(requestBody, document) ?? {};
  return Object.entries(properties).map(([name, schema]) =>
    rowHtml(name, 'body', { required: required.includes(name), schema: resolved(schema, document) }),
  );
}

/** How a body is sent, with what it must have; null if there is none. */
export function sampleBody(requestBody: unknown, document: OpenApi): string | null {
  if (requestBody === undefined) return null;
  const schema = bodySchema(requestBody, document);
  if (schema === null) return "-H 'content-type: application/octet-stream' --data-binary @FILE";
  return `-H 'content-type: application/json' -d '${JSON.stringify(sampleOf(schema, 'value', document))}'`;
}

/** Something that fits, with what must be there alone. */
function sampleOf(given: Schema, name: string, document: OpenApi): unknown {
  const schema = resolved(given, document);
  const { const: only, enum: choices, anyOf, oneOf, items, properties = {}, minimum = 1 } = schema;
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0];
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0], name, document);
  const [type] = [schema.type ?? 'object'].flat();
  if (type === 'string') return name.toUpperCase();
  if (type === 'integer' || type === 'number') return minimum;
  if (type === 'boolean') return true;
  if (type === 'array') return [sampleOf(items ?? {}, name, document)];
  const required = [...(schema.required ?? []), ...(oneOf?.[0]?.required ?? [])];
  return Object.fromEntries(required.map((key) => [key, sampleOf(properties[key] ?? {}, key, document)]));
}

function curlOf(method: string, url: string, body: string | null): string {
  const filled = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const how = method === 'GET' ? '' : ` -X ${method}`;
  return `curl${how} ${filled} -H "authorization: Bearer $HEDDLE_KEY"${body === null ? '' : ` ${body}`}`;
}

// ------------------------------------------------------------------------------------------------------------------ text

function schemasHtml({ components }: OpenApi): string {
  const entries = Object.entries(components.schemas).map(([name, schema]) => jsonHtml(name, schema));
  return entries.join('');
}

function jsonHtml(title: string, value: unknown): string {
  return `<details><summary>${escape(title)}</summary><pre>${escape(JSON.stringify(value, null, 2))}</pre></details>`;
}

/** What stands between backticks is code. */
function prose(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:0 auto;max-width:60rem;padding:1rem}
nav a{margin-right:.8rem}details{border:1px solid #8884;border-radius:.4rem;margin:.4rem 0;padding:.4rem .8rem}
summary{cursor:pointer}pre{overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.6rem;border-radius:.3rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}
b.GET{color:#07c}b.POST{color:#070}b.PUT{color:#a60}b.DELETE{color:#c33}`;
