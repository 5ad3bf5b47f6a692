// Request: what somebody filled in for an operation: as an address, as a line for curl, as a call of the client. Pure.

import type { ApiOperation } from './openapi.ts';

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

export function curlFor(request: FilledRequest, origin: string): string {
  const { operation, body } = request;
  const parts = ['curl'];
  if (operation.method !== 'GET') parts.push(`-X ${operation.method}`);
  parts.push(quoted(`${origin}${addressFor(request)}`), `-H ${quoted('authorization: Bearer YOUR_KEY')}`);
  if (body !== '') parts.push(`-H ${quoted('content-type: application/json')}`, `-d ${quoted(oneLine(body))}`);
  return parts.join(' ');
}

export function clientCodeFor({ operation, parameters, body }: FilledRequest, origin: string): string {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
  const request = { ...given, ...parsed(body) };
  return [
    "import { WireClient } from 'heddle/wire';",
    '',
    `const client = new WireClient({ url: ${JSON.stringify(origin)}, key: process.env.HEDDLE_KEY });`,
    `const answer = await client.call(${JSON.stringify(operation.name)}, ${JSON.stringify(request, null, 2)});`,
  ].join('\n');
}

function parsed(text: string): object | null {
  try {
    return JSON.parse(text) as object; // spread: only an object adds members
  } catch {
    return null;
  }
}

function oneLine(body: string): string {
  const value = parsed(body);
  return value === null ? body : JSON.stringify(value);
}
