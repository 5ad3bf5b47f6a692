// http.request: the built-in action that calls other services. Rules OH14–OH16.

import type { Clock } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';
import type { Limits } from '../definition/limits.ts';
import type { ActionContext, ActionObject } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import { readRetryAfter } from '../executor/retry-after.ts';
import type { HttpClient, HttpResponse } from './client.ts';
import { type HttpInput, httpInputSchema, makeRequest } from './http-input.ts';

export interface HttpRequestOptions {
  /** Null: this runtime has none. */
  readonly client: HttpClient | null;
  readonly clock: Clock;
  readonly limits: Limits;
}

export function makeHttpRequest({ client, clock, limits }: HttpRequestOptions): ActionObject {
  return {
    input: httpInputSchema,
    async run(untyped) {
      if (client === null) throw notAvailable();
      const context = untyped as unknown as ActionContext<HttpInput>; // its schema has said so
      const response = await client.send(await makeRequest({ context, policy: client.policy, limits }));
      if (context.input.failOnStatus !== false && response.status >= 400) throw refusedBy(response, clock.now());
      return {
        status: response.status,
        headers: shownHeaders(response),
        body: await readBody(response, context, limits),
        url: shownUrl(response),
        redirects: response.redirects,
      };
    },
  };
}

/** OH16: without sockets that can be held to an address there is no http.request. */
function notAvailable(): ActionError {
  const message =
    'Expected a runtime on which http.request can choose the address that it connects to, but this one cannot; register an action of your own that calls fetch';
  return new ActionError(message, { code: 'NOT_AVAILABLE', retryable: false });
}

const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
const shownLengthMax = 2_000;

/** OH14: 408, 425, 429 and 5xx may be tried again, no sooner than `Retry-After` says; any other status from 400 on may not. */
function refusedBy({ status, headers, body, url }: HttpResponse, now: number): ActionError {
  const text = new TextDecoder().decode(body.subarray(0, shownLengthMax));
  const shown = body.length > shownLengthMax ? `${text}…` : text;
  const retryAfterMs = readRetryAfter({ headers }, now);
  return new ActionError(`Expected ${url.host} to answer with a status below 400, but it answered ${status}`, {
    code: 'HTTP_STATUS',
    retryable: status >= 500 || passingStatuses.has(status),
    ...given({ retryAfterMs: retryAfterMs ?? undefined }),
    details: { status, body: shown },
  });
}

/** Cookies are credentials, and those are not kept. */
function shownHeaders({ headers }: HttpResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'set-cookie' && name !== '__proto__'));
}

/** Without what a query may hold of secrets that were encoded in ways of its own. */
const shownUrl = ({ url }: HttpResponse): string => `${url.origin}${url.pathname}`;

/** OH15: JSON is read within the limits, text as UTF-8; what is neither becomes an artifact, and its reference the body. */
async function readBody(
  { body, headers }: HttpResponse,
  { input, artifacts }: ActionContext<HttpInput>,
  limits: Limits,
): Promise<Json> {
  if (body.length === 0) return null;
  const type = headers['content-type'] ?? '';
  const { expect = 'auto' } = input;
  const kind = expect === 'auto' ? kindOf(type) : expect;
  if (kind === 'bytes') return artifacts.put(body, mimeTypeOf(type));
  const text = new TextDecoder().decode(body);
  if (kind === 'text') return text;
  const parsed = parseJson(text, {
    bytesMax: limits.payloadBytesMax,
    depthMax: limits.jsonDepthMax,
    nodesMax: limits.jsonNodesMax,
    keysMax: limits.jsonKeysMax,
    limitName: 'payloadBytesMax',
  });
  if ('value' in parsed) return parsed.value;
  const message = `Expected the answer to be JSON, but: ${parsed.problem.message}`;
  throw new ActionError(message, { code: 'HTTP_BODY_INVALID', retryable: false });
}

function kindOf(contentType: string): 'json' | 'text' | 'bytes' {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  const isText = type.startsWith('text/') || type.endsWith('+xml') || textTypes.has(type);
  return isText ? 'text' : 'bytes';
}

const textTypes: ReadonlySet<string> = new Set([
  'application/xml',
  'application/javascript',
  'application/x-www-form-urlencoded',
  'application/x-ndjson',
]);

const mimeTypeOf = (contentType: string): string =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(contentType)?.[0].slice(0, 200) ?? 'application/octet-stream';
