// Read call: what came with a call, as data that triggers can read. Rules WH6–WH8.

import { copyToJson } from '../base/check-json.ts';
import { sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';
import { readPath } from '../base/path.ts';
import type { Limits } from '../definition/limits.ts';
import type { WebhookTrigger } from '../triggers/trigger.ts';
import type { SignedCall } from './verify.ts';

/** WH6: a body is JSON or a form, as its content type says, else a text; none is null. */
export function readBody({ headers, rawBody }: SignedCall, limits: Limits): Json {
  if (rawBody.length === 0) return null;
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const text = decode(rawBody);
  if (type === 'application/x-www-form-urlencoded') return readForm(text, limits);
  if (type !== 'application/json' && !type.endsWith('+json')) return text;
  const bounds = { bytesMax: limits.payloadBytesMax, depthMax: limits.jsonDepthMax, limitName: 'payloadBytesMax' };
  const parsed = parseJson(text, { ...bounds, duplicateKeys: 'refuse' });
  if ('value' in parsed) return parsed.value;
  throw new HeddleError('WEBHOOK_BODY_INVALID', `In the body: ${parsed.problem.message}`, {
    problems: [parsed.problem],
  });
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
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? value : [...[known].flat(), value]);
  }
  const { payloadBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
  const checked = copyToJson(Object.fromEntries(fields), { bytesMax, depthMax, limitName: 'payloadBytesMax' });
  if (checked.ok) return checked.value;
  throw new HeddleError('WEBHOOK_BODY_INVALID', `In the body: ${checked.message}`, { pointer: checked.pointer });
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
 * else signature and body themselves. Null for a public webhook without any: every call is a new one.
 */
export function readDeliveryId(trigger: WebhookTrigger, call: SignedCall, body: Json): string | null {
  const id = idByScheme(trigger, call, body) ?? headerOf(call, trigger.deliveryIdHeader);
  if (typeof id === 'string' && id !== '') return id.length <= idLengthMax ? id : sha256Hex(id);
  if (trigger.verify === undefined) return null;
  const signature = headerOf(call, signatureHeaders[trigger.verify.scheme] ?? trigger.verify.header) ?? '';
  return sha256Hex(`${signature}\n${sha256Hex(call.rawBody)}`);
}

const idLengthMax = 128;

const signatureHeaders: Readonly<Record<string, string>> = {
  github: 'x-hub-signature-256',
  stripe: 'stripe-signature',
  slack: 'x-slack-signature',
  heddle: 'heddle-signature',
};

function idByScheme({ verify }: WebhookTrigger, call: SignedCall, body: Json): Json | undefined {
  switch (verify?.scheme) {
    case 'github':
      return headerOf(call, 'x-github-delivery');
    case 'stripe':
    case 'heddle':
      return readPath(body, ['id']);
    case 'slack':
      return readPath(body, ['event_id']);
    case 'hmac':
    case undefined:
      return undefined;
  }
}

const headerOf = ({ headers }: SignedCall, name: string | undefined): string | undefined =>
  name === undefined ? undefined : headers[name.toLowerCase()];
