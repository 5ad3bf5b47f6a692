// Route: an operation as it goes over HTTP, for whoever is asked: the request that `take-apart.ts` took apart into path,
// query and body is put together again, by the schemas of the same table.

import { assert } from '../base/assert.ts';
import type { Json } from '../base/json.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type OperationName, operationNames, operationOf } from '../operations/operations.ts';
import { type AnyMember, type AnySchema, type Kind, type ObjectKind, objectKind } from '../operations/schema.ts';
import { isInBody } from './take-apart.ts';
import { type Wire, wires } from './wire.ts';

export interface Route extends Omit<Wire, 'status'> {
  readonly name: OperationName;
  readonly operation: AnyOperation;
  readonly status: 200 | 201 | 202 | 204;
  /** The names of its path's parameters, in order. */
  readonly params: readonly string[];
  /** What they are. */
  readonly address: AnySchema;
  readonly query: SentObject;
  /** Something of it must be there. */
  readonly needsQuery: boolean;
  /** An idempotency key may also stand in a header. */
  readonly takesKey: boolean;
  readonly content: Content;
  /** Whether a body may be left out: nothing in it must be there. */
  readonly isBodyOptional: boolean;
}

/** What a body holds. */
export type Content =
  | { readonly type: 'none' }
  | { readonly type: 'bytes' }
  | { readonly type: 'members'; readonly of: SentObject }
  | { readonly type: 'whole'; readonly member: string; readonly of: AnySchema };

/** Members of a request by the names that they travel under: a schema of its own. */
export interface SentObject extends AnySchema {
  readonly kind: ObjectKind<SentMember>;
}

export interface SentMember extends AnyMember {
  /** In the request. */
  readonly member: string;
}

function makeRoute(name: OperationName): Route {
  const operation = operationOf(name);
  const wire = wires[name];
  const params = [...wire.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
  const sent = sentOf(operation, wire, params);
  const inBody = isInBody(wire, operation.takesBytes === true);
  const query = inBody ? nothingSent : sent;
  const content = contentOf(operation, wire, inBody ? sent : nothingSent);
  return {
    status: 200,
    ...wire,
    name,
    operation,
    params,
    takesKey: wire.headers?.['Idempotency-Key'] !== undefined,
    address: addressOf(operation, params),
    query,
    needsQuery: query.kind.required > 0,
    content,
    isBodyOptional: content.type === 'members' && content.of.kind.required === 0,
  };
}

function addressOf({ takes: { kind } }: AnyOperation, params: readonly string[]): AnySchema {
  const members = kind.type === 'object' ? [...kind.members].filter(([member]) => params.includes(member)) : [];
  return { kind: objectKind(new Map(members), true) };
}

const nothingSent: SentObject = { kind: objectKind<SentMember>(new Map(), false) };

/** What travels beside the path. */
function sentOf({ takes }: AnyOperation, { names, body }: Wire, params: readonly string[]): SentObject {
  const { kind, title, about } = takes;
  if (kind.type !== 'object') return nothingSent;
  const sent = [...kind.members].filter(([member]) => !params.includes(member) && member !== body);
  const members = new Map(sent.map(([member, field]) => [names?.[member] ?? member, { ...field, member }]));
  return { kind: objectKind(members, kind.isOpen, kind.oneOf), title, about };
}

function contentOf({ takes, takesBytes }: AnyOperation, { body }: Wire, sent: SentObject): Content {
  if (takesBytes) return { type: 'bytes' };
  if (body !== undefined) return { type: 'whole', member: body, of: memberOf(takes, body) };
  return sent.kind.members.size > 0 || sent.kind.isOpen ? { type: 'members', of: sent } : { type: 'none' };
}

function memberOf({ kind }: AnySchema, name: string): AnySchema {
  const member = kind.type === 'object' ? kind.members.get(name) : undefined;
  assert(member, `Expected the request to have the member ${name} that is its body, but it has none`);
  return member.schema;
}

// Made of all names.
export const routes = Object.fromEntries(operationNames.map((name) => [name, makeRoute(name)])) as {
  readonly [Name in OperationName]: Route;
};

/** Texts of the query as what their kind says. One that is none of it stays as it is, and is refused. */
export function fromTexts(kind: Kind, texts: readonly string[]): Json {
  if (kind.type === 'list') return texts.map((text) => fromText(kind.of.kind, text));
  if (kind.type === 'map') return Object.fromEntries(texts.map(entryOf));
  return fromText(kind, texts[0] ?? '');
}

function fromText(kind: Kind, text: string): Json {
  if ((kind.type === 'whole' || kind.type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind.type === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Without `=` it has no name, which is refused. */
function entryOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return at < 1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Members that travelled under other names, as the request has them. */
export function putTogether({ kind }: SentObject, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [kind.members.get(name)?.member ?? name, value]),
  );
}
