// Take apart: a request as it travels over HTTP: what the path names in the path, the others in the query or in the body.
// It needs no schema: how a value is written in a query follows from the value.

import type { Wire } from './wire.ts';

/** A request, taken apart. */
export interface Parts {
  /** With its parameters filled in, and the query. */
  readonly address: string;
  /** What goes as JSON; undefined if there is none. */
  readonly body: unknown;
}

type Members = Readonly<Record<string, unknown>>;

export function takeApart(wire: Wire, request: Members, { hasBytes = false } = {}): Parts {
  const beside: [name: string, value: unknown][] = [];
  for (const [member, value] of Object.entries(request)) {
    if (value === undefined || member === wire.body || wire.path.includes(`{${member}}`)) continue;
    beside.push([wire.names?.[member] ?? member, value]);
  }
  const path = wire.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(request[name] ?? '')));
  if (isInBody(wire, hasBytes))
    return { address: path, body: beside.length === 0 ? undefined : Object.fromEntries(beside) };
  return {
    address: `${path}${queryOf(beside)}`,
    body: wire.body === undefined ? undefined : request[wire.body],
  };
}

/** Whether the members that the path does not name are the body: it may be one of them as a whole, or bytes instead. */
export function isInBody({ method, body }: Wire, hasBytes: boolean): boolean {
  return (method === 'POST' || method === 'PUT') && body === undefined && !hasBytes;
}

function queryOf(members: readonly (readonly [name: string, value: unknown])[]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of members) for (const text of textsOf(value)) parameters.append(name, text);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/** Lists are repeated, and so are maps, as `key=value`. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([key, one]) => `${key}=${textOf(one)}`);
  return [textOf(value)];
}

/** Scalars as they are; whoever sends anything else is refused by the server. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
