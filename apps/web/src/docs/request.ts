// Request: what somebody filled in for an operation, or what a page has asked: as an address, as a line for curl, as a call of the
// client. Pure.

import type { Json, JsonObject } from 'heddle';
import { objectOf } from '../json-objects.ts';
import type { ApiOperation, Parameter } from './openapi.ts';

export interface FilledRequest {
  readonly operation: ApiOperation;
  /** By the names of the parameters; empty: not given. */
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON; empty: none. */
  readonly body: string;
}

export function addressFor({ operation: { path, parameters: known }, parameters }: FilledRequest): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place } of known) {
    const value = parameters[name] ?? '';
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query' && value !== '') query.append(name, value);
  }
  return query.size === 0 ? address : `${address}?${query}`;
}

/** In a shell: everything between single quotes is taken as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const keyHeader = 'authorization: Bearer YOUR_KEY';

export function curlFor(request: FilledRequest, origin: string): string {
  const { operation, body } = request;
  const parts = ['curl'];
  if (operation.method !== 'GET') parts.push(`-X ${operation.method}`);
  parts.push(quoted(`${origin}${addressFor(request)}`), `-H ${quoted(keyHeader)}`);
  if (body !== '') parts.push(`-H ${quoted('content-type: application/json')}`, `-d ${quoted(oneLine(body))}`);
  return parts.join(' ');
}

export function clientCodeFor({ operation, parameters, body }: FilledRequest, origin: string): string {
  const given = operation.parameters.flatMap((parameter) => {
    const value = parameters[parameter.name] ?? '';
    return value === '' ? [] : [[parameter.name, typed(parameter, [value])] as const];
  });
  return clientCode(operation, { ...Object.fromEntries(given), ...parsed(body) }, origin);
}

/** What a page has asked, as the operation that it was; null if it was none. */
export interface MadeRequest {
  readonly operation: ApiOperation;
  /** Path and query. */
  readonly address: string;
  /** As the client takes it. */
  readonly request: JsonObject;
}

export function madeRequest(operations: readonly ApiOperation[], address: string): MadeRequest | null {
  const { pathname, searchParams } = new URL(address, 'http://server');
  for (const operation of operations) {
    const inPath = operation.method === 'GET' ? pathParameters(operation.path, pathname) : null;
    if (inPath === null) continue;
    const given = operation.parameters.flatMap((parameter) => {
      const values = parameter.in === 'path' ? (inPath.get(parameter.name) ?? []) : searchParams.getAll(parameter.name);
      return values.length === 0 ? [] : [[parameter.name, typed(parameter, values)] as const];
    });
    return { operation, address, request: Object.fromEntries(given) };
  }
  return null;
}

export const madeCurl = ({ address }: MadeRequest, origin: string): string =>
  `curl ${quoted(`${origin}${address}`)} -H ${quoted(keyHeader)}`;

export const madeClientCode = ({ operation, request }: MadeRequest, origin: string): string =>
  clientCode(operation, request, origin);

/** By name; null if the path is another one. */
function pathParameters(template: string, path: string): ReadonlyMap<string, readonly string[]> | null {
  const [wanted, found] = [template.split('/'), path.split('/')];
  if (wanted.length !== found.length) return null;
  const values = new Map<string, readonly string[]>();
  for (const [place, part] of wanted.entries()) {
    const text = found[place] ?? '';
    if (part.startsWith('{')) values.set(part.slice(1, -1), [decodeURIComponent(text)]);
    else if (part !== text) return null;
  }
  return values;
}

/** A text of an address as the value that its schema asks for. */
function typed({ schema }: Parameter, values: readonly string[]): Json {
  const { type } = objectOf(schema);
  const [first = ''] = values;
  if (type === 'array') return [...values];
  if (type === 'boolean') return first === 'true';
  return (type === 'integer' || type === 'number') && first.trim() !== '' && Number.isFinite(Number(first))
    ? Number(first)
    : first;
}

function clientCode({ name, isStream }: ApiOperation, request: JsonObject, origin: string): string {
  const call = `(${JSON.stringify(name)}, ${JSON.stringify(request, null, 2)})`;
  return [
    "import { WireClient } from 'heddle/wire';",
    '',
    `const client = new WireClient({ url: ${JSON.stringify(origin)}, key: process.env.HEDDLE_KEY });`,
    isStream
      ? `for await (const event of client.follow${call}) console.log(event);`
      : `const answer = await client.call${call};`,
  ].join('\n');
}

function parsed(text: string): JsonObject | null {
  try {
    return JSON.parse(text) as JsonObject; // spread: only an object adds members
  } catch {
    return null;
  }
}

function oneLine(body: string): string {
  const value = parsed(body);
  return value === null ? body : JSON.stringify(value);
}
