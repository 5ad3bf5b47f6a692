// Read call: what came with a call, as data that triggers can read. Rules WH6–WH8.

import { copyToJson } from '../base/check-json.ts';
import { sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';
import { readPath } from '../base/path.ts';
import type { Limits } from '../definition/limits.ts';
import type { Verification, WebhookTrigger } from '../triggers/trigger.ts';
import { type SignedCall, signedLead } from './verify.ts';

/** WH6: a body is JSON or a form, as its content type says, else a text; none is null. */
export function readBody(call: SignedCall, limits: Limits): Json {
  const { rawBody } = call;
  if (rawBody.length === 0) return null;
  const type = typeOf(call);
  const text = decode(rawBody);
  if (type === 'application/x-www-form-urlencoded') return readForm(text, limits);
  if (!isJson(type)) return text;
  const parsed = parse(text, limits);
  if ('value' in parsed) return parsed.value;
  throw new HeddleError('WEBHOOK_BODY_INVALID', `In the body: ${parsed.problem.message}`, {
    problems: [parsed.problem],
  });
}

const typeOf = ({ headers }: SignedCall): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

function parse(text: string, limits: Limits) {
  const { payloadBytesMax: bytesMax, jsonDepthMax: depthMax, jsonNodesMax: nodesMax, jsonKeysMax: keysMax } = limits;
  const bounds = { bytesMax, depthMax, nodesMax, keysMax, limitName: 'payloadBytesMax' };
  return parseJson(text, { ...bounds, duplicateKeys: 'refuse' });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HeddleError('WEBHOOK_BODY_INVALID', 'Expected a body in UTF-8, but found other bytes');
  }
}

/** A name that comes several times has a list. */
function readForm(text: string, limits: Limits): Json {
  const fields = new Map<string, string | string[]>();
  if (countLetter('&', text) >= limits.jsonNodesMax) throw tooMany('fields', 'jsonNodesMax', limits);
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    // A list that is there grows: to copy it for each value would take hours for a body that is allowed.
    if (Array.isArray(known)) known.push(value);
    else fields.set(name, known === undefined ? value : [known, value]);
    if (fields.size > limits.jsonKeysMax) throw tooMany('different names', 'jsonKeysMax', limits);
  }
  const { payloadBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
  const checked = copyToJson(Object.fromEntries(fields), { bytesMax, depthMax, limitName: 'payloadBytesMax' });
  if (checked.ok) return checked.value;
  throw new HeddleError('WEBHOOK_BODY_INVALID', `In the body: ${checked.message}`, { pointer: checked.pointer });
}

function countLetter(letter: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at !== -1; at = text.indexOf(letter, at + 1)) count += 1;
  return count;
}

function tooMany(what: string, limit: 'jsonNodesMax' | 'jsonKeysMax', limits: Limits): HeddleError {
  const message = `In the body: Expected at most ${limits[limit]} ${what} (${limit}), but found more`;
  return new HeddleError('LIMIT_EXCEEDED', message, { limit });
}

const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-hub-signature',
  'x-hub-signature-256',
  'stripe-signature',
  'x-slack-signature',
  'heddle-signature',
]);

/** WH7: headers that prove or identify the caller are not handed on. */
export function shownHeaders(
  { verify }: WebhookTrigger,
  headers: SignedCall['headers'],
): Readonly<Record<string, string>> {
  const own = verify?.header?.toLowerCase();
  const shown = Object.entries(headers).filter(
    ([name]) => !secretHeaders.has(name) && name !== own && name !== '__proto__',
  );
  return Object.fromEntries(shown);
}

/**
 * WH8: what tells one delivery from another: the id that the scheme signs or sends, else the header that the trigger names,
 * else what was signed: not the signature, which can be written in several ways. Null for a public webhook without any:
 * every call is a new one.
 */
export function readDeliveryId(
  { verify, deliveryIdHeader }: WebhookTrigger,
  call: SignedCall,
  { body, limits }: { readonly body: Json; readonly limits: Limits },
): string | null {
  const id = idByScheme(verify, call, () => signedJson(call, body, limits)) ?? readHeader(call, deliveryIdHeader);
  if (typeof id === 'string' && id !== '') return id.length <= idLengthMax ? id : sha256Hex(id);
  if (verify === undefined) return null;
  return sha256Hex(`${signedLead(verify, call.headers)}\n${sha256Hex(call.rawBody)}`);
}

const idLengthMax = 128;

/** The content type is not signed: whoever calls again with another one must not be taken for somebody else. */
function signedJson(call: SignedCall, body: Json, limits: Limits): Json {
  if (isJson(typeOf(call))) return body;
  const parsed = parse(new TextDecoder().decode(call.rawBody), limits);
  return 'value' in parsed ? parsed.value : null;
}

function idByScheme(verify: Verification | undefined, call: SignedCall, json: () => Json): Json | undefined {
  switch (verify?.scheme) {
    case 'github':
      return readHeader(call, 'x-github-delivery');
    case 'stripe':
    case 'heddle':
      return readPath(json(), ['id']);
    case 'slack':
      return readPath(json(), ['event_id']);
    case 'hmac':
    case undefined:
      return undefined;
  }
}

const readHeader = ({ headers }: SignedCall, name: string | undefined): string | undefined =>
  name === undefined ? undefined : headers[name.toLowerCase()];
