// HTTP input: what a node says of its request, and the request that it becomes. Secrets are put in here, for the host
// that the request goes to, and nowhere else. Rules OH11–OH13.

import type { Json, JsonObject } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Limits } from '../definition/limits.ts';
import type { ActionContext } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import { toBase64 } from '../secrets/cipher.ts';
import type { SecretReference } from '../secrets/secret.ts';
import type { HttpRequest } from './client.ts';
import { type Policy, parseHost } from './policy.ts';

type Value = string | number | boolean | SecretReference;

export interface HttpInput {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, Value>>;
  readonly query?: Readonly<Record<string, Value | readonly (string | number | boolean)[]>>;
  readonly body?: Json;
  readonly bodyBase64?: string;
  readonly bodyArtifact?: ObjectReference;
  readonly form?: Readonly<Record<string, Value>>;
  readonly bodySecrets?: Readonly<Record<string, SecretReference>>;
  readonly timeoutMs?: number;
  readonly followRedirects?: boolean;
  readonly maxBytes?: number;
  readonly expect?: 'json' | 'text' | 'bytes' | 'auto';
  readonly failOnStatus?: boolean;
}

const scalar = { type: ['string', 'number', 'boolean'] } as const;
const secret = {
  type: 'object',
  required: ['$secret'],
  properties: {
    $secret: { type: 'string' },
    format: { type: 'string', minLength: 2, maxLength: 1_000 },
    encode: { enum: ['base64'] },
  },
  additionalProperties: false,
} as const;
const value = { anyOf: [scalar, secret] } as const;

export const httpInputSchema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', minLength: 1, maxLength: 16_384 },
    method: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    headers: { type: 'object', maxProperties: 100, additionalProperties: value },
    query: {
      type: 'object',
      maxProperties: 1_000,
      additionalProperties: { anyOf: [scalar, secret, { type: 'array', items: scalar }] },
    },
    body: true,
    bodyBase64: { type: 'string' },
    bodyArtifact: { type: 'object', required: ['id', 'mimeType'] },
    form: { type: 'object', maxProperties: 1_000, additionalProperties: value },
    bodySecrets: { type: 'object', maxProperties: 100, additionalProperties: secret },
    timeoutMs: { type: 'integer', minimum: 1 },
    followRedirects: { type: 'boolean' },
    maxBytes: { type: 'integer', minimum: 1 },
    expect: { enum: ['json', 'text', 'bytes', 'auto'] },
    failOnStatus: { type: 'boolean' },
  },
  additionalProperties: false,
} as const;

const timeoutMsDefault = 30_000;

export interface RequestMaker {
  readonly context: ActionContext<HttpInput>;
  readonly policy: Policy;
  readonly limits: Limits;
}

export async function makeRequest({ context, policy, limits }: RequestMaker): Promise<HttpRequest> {
  const { input, signal } = context;
  const url = policy.readUrl(input.url);
  const reveal = revealer(context, url, policy);
  for (const [name, one] of Object.entries(input.query ?? {})) {
    // A value or a list of them, by the schema of the action.
    for (const part of Array.isArray(one) ? (one as readonly Value[]) : [one as Value])
      url.searchParams.append(name, await reveal(part));
  }
  const { body, contentType, holdsSecrets } = await makeBody(context, reveal);
  const headers = await makeHeaders(context, reveal, contentType);
  const hostHeaders = Object.entries(input.headers ?? {}).filter(([, one]) => typeof one === 'object');
  const { payloadBytesMax, artifactBytesMax } = limits;
  return {
    url,
    method: input.method ?? (body === null ? 'GET' : 'POST'),
    headers,
    hostHeaders: hostHeaders.map(([name]) => name.toLowerCase()),
    body,
    isBodyForHost: holdsSecrets,
    followRedirects: input.followRedirects ?? true,
    timeoutMs: Math.min(input.timeoutMs ?? timeoutMsDefault, limits.timeoutMsMax),
    bytesMax: Math.min(
      input.maxBytes ?? (input.expect === 'bytes' ? artifactBytesMax : payloadBytesMax),
      artifactBytesMax,
    ),
    signal,
  };
}

type Reveal = (value: Value) => Promise<string>;

/** OH11: a reference to a secret becomes its value here, for the host of the URL, over TLS. */
function revealer({ secrets }: RequestMaker['context'], url: URL, policy: Policy): Reveal {
  const host = parseHost(url);
  return async (one) => {
    if (typeof one !== 'object') return String(one);
    if (url.protocol !== 'https:' && !policy.allowsPlain(host)) {
      const message = `Expected https for a request with secret ${one.$secret}, but the URL of ${host} is http`;
      throw new ActionError(message, { code: 'SECRET_HOST_REFUSED', retryable: false });
    }
    const plain = await secrets.get(one.$secret, { host });
    const text = one.encode === 'base64' ? toBase64(new TextEncoder().encode(plain)) : plain;
    return one.format === undefined ? text : one.format.replace('{}', () => text);
  };
}

interface Body {
  readonly body: Uint8Array | null;
  readonly contentType: string | null;
  readonly holdsSecrets: boolean;
}

const kindsOfBody = ['body', 'bodyBase64', 'bodyArtifact', 'form'] as const;

/** OH12: a request has one body: JSON or text, bytes, an artifact, or the fields of a form. */
async function makeBody(context: RequestMaker['context'], reveal: Reveal): Promise<Body> {
  const { input } = context;
  const given = kindsOfBody.filter((kind) => input[kind] !== undefined);
  if (given.length > 1) throw invalid('one kind of body', given.join(' and '));
  const secrets = Object.entries(input.bodySecrets ?? {});
  const revealed: Record<string, string> = {};
  for (const [name, one] of secrets) revealed[name] = await reveal(one);
  const holdsSecrets = secrets.length > 0 || Object.values(input.form ?? {}).some((one) => typeof one === 'object');
  if (input.form !== undefined) {
    const fields = new URLSearchParams();
    for (const [name, one] of Object.entries(input.form)) fields.append(name, await reveal(one));
    for (const [name, text] of Object.entries(revealed)) fields.set(name, text);
    return encodeBody(fields.toString(), 'application/x-www-form-urlencoded', holdsSecrets);
  }
  if (secrets.length > 0) {
    if (!isObject(input.body)) throw invalid('"bodySecrets" beside a "body" that is an object', 'another body');
    return encodeBody(JSON.stringify({ ...input.body, ...revealed }), 'application/json', holdsSecrets);
  }
  if (input.bodyArtifact !== undefined) {
    const { bytes, mimeType } = await context.artifacts.get(input.bodyArtifact);
    return { body: bytes, contentType: mimeType, holdsSecrets };
  }
  if (input.bodyBase64 !== undefined)
    return { body: fromBase64(input.bodyBase64), contentType: 'application/octet-stream', holdsSecrets };
  if (input.body === undefined) return { body: null, contentType: null, holdsSecrets };
  if (typeof input.body === 'string') return encodeBody(input.body, 'text/plain; charset=utf-8', holdsSecrets);
  return encodeBody(JSON.stringify(input.body), 'application/json', holdsSecrets);
}

const encodeBody = (text: string, contentType: string, holdsSecrets: boolean): Body => ({
  body: new TextEncoder().encode(text),
  contentType,
  holdsSecrets,
});

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw invalid('"bodyBase64" to be base64', 'another text');
  }
}

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it keeps out
const valuePattern = /^[\t\x20-\x7e\x80-\xff]{0,16384}$/;
/** They say how the message is sent, which is the client's matter, or to whom, which is the URL's. */
const ownHeaders = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/;

/** OH13: every attempt of a task carries the same `Idempotency-Key`, unless the node has set one. */
async function makeHeaders(
  { input, idempotencyKey }: RequestMaker['context'],
  reveal: Reveal,
  contentType: string | null,
): Promise<Readonly<Record<string, string>>> {
  const headers = new Map<string, string>([
    ['user-agent', 'heddle'],
    ['accept', '*/*'],
    ['idempotency-key', idempotencyKey],
    ...(contentType === null ? [] : [['content-type', contentType] as const]),
  ]);
  for (const [name, one] of Object.entries(input.headers ?? {})) {
    const known = name.toLowerCase();
    if (!namePattern.test(name) || ownHeaders.test(known))
      throw invalid('a header that may be set', JSON.stringify(name.slice(0, 80)));
    const text = await reveal(one);
    if (!valuePattern.test(text)) throw invalid(`the header ${known} to be a line of Latin letters`, 'another text');
    headers.set(known, text);
  }
  return Object.fromEntries(headers);
}

function invalid(expected: string, found: string): ActionError {
  const message = `Expected ${expected} in the input of http.request, but found ${found}`;
  return new ActionError(message, { code: 'ACTION_INPUT_INVALID', retryable: false });
}
