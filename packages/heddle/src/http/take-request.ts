// Take request: what came over the wire becomes the request of an operation, or is refused. Rules HT….
//
// Always true: a handler sees only what its operation's schema allows; no more bytes are read than the route may take.

import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { parseJson } from '../base/parse-json.ts';
import type { Problem } from '../base/problem.ts';
import type { Limits } from '../definition/limits.ts';
import { checkValue, type Fault } from '../operations/check-value.ts';
import type { BodyHold } from './body-room.ts';
import { RequestError } from './problem-document.ts';
import type { RequestLimits } from './request-limits.ts';
import { fromTexts, putTogether, type Route } from './route.ts';

export type Sent = Readonly<Record<string, unknown>>;

export interface Intake {
  readonly limits: RequestLimits;
  /** Of the engine. */
  readonly engineLimits: Limits;
  readonly hold: BodyHold;
  /** Absent: as a stream of the web. */
  readonly read: ReadBody | undefined;
}

/** All of a body, if it has at most so many bytes; else null, and no more is read. */
export type ReadBody = (bytesMax: number, hold: BodyHold) => Promise<Uint8Array | null>;

// -------------------------------------------------------------------------------------------------------- address

/** Ids and names in the address are as long as they may be, like all others. */
export function checkAddress({ address }: Route, params: Sent, limits: Limits): void {
  const problems = checkValue(address, params, limits);
  if (problems.length > 0) throw refusedBy(422, 'OPTION_INVALID', 'In the address: ', problems);
}

// ---------------------------------------------------------------------------------------------------------- query

/** Where a query is found. */
interface QueryContext {
  readonly parameters: URLSearchParams;
  readonly engine: { readonly limits: Limits };
}

const nothing: Sent = {};

/** HT3: a parameter that the route does not have, comes twice or has another type is refused, with its name. */
export function takeQuery(route: Route, { parameters, engine: { limits } }: QueryContext): Sent {
  if (route.takesAnyQuery || (parameters.size === 0 && !route.needsQuery)) return nothing;
  const { members } = route.query.kind;
  const query: Record<string, Json> = {};
  for (const name of new Set(parameters.keys())) {
    const texts = parameters.getAll(name);
    const kind = members.get(name)?.schema.kind;
    if (kind === undefined) throw invalidQuery([unknownParameter(name, [...members.keys()])]);
    if (texts.length > 1 && kind.type !== 'list' && kind.type !== 'map') throw invalidQuery([repeatedParameter(name)]);
    query[name] = fromTexts(kind, texts);
  }
  const problems = checkValue(route.query, query, limits);
  if (problems.length > 0) throw invalidQuery(problems);
  return putTogether(route.query, query);
}

function unknownParameter(name: string, known: readonly string[]): Problem {
  const list = known.length === 0 ? 'it takes none' : `known are ${known.join(', ')}`;
  const message = `Expected a parameter of this route, but found ${name.slice(0, 80)}; ${list}`;
  const hint = nearestHint(name, known);
  return { severity: 'error', code: 'UNKNOWN_PARAMETER', pointer: '', message, ...(hint ? { hint } : {}) };
}

function repeatedParameter(name: string): Problem {
  const message = `Expected the parameter ${name} once, but found it several times`;
  return { severity: 'error', code: 'REPEATED_PARAMETER', pointer: `/${name}`, message };
}

function invalidQuery(problems: readonly Problem[]): RequestError {
  return refusedBy(400, 'QUERY_INVALID', 'In the query: ', problems);
}

function refusedBy(status: number, code: string, where: string, problems: readonly Fault[]): RequestError {
  const [first] = problems;
  const { limit } = first ?? {};
  if (first !== undefined && limit !== undefined)
    return new RequestError(413, 'LIMIT_EXCEEDED', `${where}${first.message}`, { limit, pointer: first.pointer });
  return new RequestError(status, code, `${where}${first?.message ?? 'it is wrong'}`, {
    problems: problems.map(({ limit: _, refusal: __, ...problem }) => problem),
    ...(first === undefined ? {} : { pointer: first.pointer }),
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  });
}

/** The idempotency key may stand in the header that clients use for it, or in the body. */
export function withKey<Asked extends { readonly idempotencyKey?: string }>(request: Asked, key: string): Asked {
  if (key === request.idempotencyKey) return request;
  if (request.idempotencyKey === undefined) return { ...request, idempotencyKey: key };
  // HT13: one of the two would be ignored, and a start that was repeated with it would be another run.
  const message = 'Expected one idempotency key, but the header Idempotency-Key and the body say different ones';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/idempotencyKey' });
}

// ----------------------------------------------------------------------------------------------------------- body

export interface TakenBody {
  /** What it adds to the request. */
  readonly sent: Sent;
  readonly bytes: Uint8Array;
}

const noBytes = new Uint8Array();

export async function takeBody(route: Route, request: Request, intake: Intake): Promise<TakenBody> {
  const { content, operation } = route;
  if (content.type === 'none') return { sent: {}, bytes: noBytes };
  // Whoever has no key may send no more than a body, which is much less.
  const limit = operation.scope === 'public' ? 'bodyBytesMax' : 'artifactBytesMax';
  if (content.type === 'bytes') return { sent: {}, bytes: await readBytes(request, intake, limit) };
  if (route.isBodyOptional && isEmpty(request, intake.read)) return { sent: {}, bytes: noBytes };
  refuseType(request);
  const body = parse(decode(await readBytes(request, intake, 'bodyBytesMax')), intake.limits);
  const problems = checkValue(content.of, body, intake.engineLimits);
  if (problems.length > 0) throw refusedBy(422, 'REQUEST_INVALID', 'In the body: ', problems);
  if (content.type === 'whole') return { sent: { [content.member]: body }, bytes: noBytes };
  const members = body as Sent; // an object
  return { sent: route.names === undefined ? members : putTogether(content.of, members), bytes: noBytes };
}

/** HT4: a body is JSON in UTF-8, said so and not compressed. */
function refuseType(request: Request): void {
  const type = request.headers.get('content-type') ?? '';
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  const isJson = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
  if (isJson && encoding.toLowerCase() === 'identity') return;
  const found = isJson
    ? `content-encoding ${encoding.slice(0, 40)}`
    : `content type ${JSON.stringify(type.slice(0, 80))}`;
  throw new RequestError(415, 'CONTENT_TYPE_INVALID', `Expected JSON in UTF-8, not compressed, but found ${found}`, {
    hint: 'Send `Content-Type: application/json`.',
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true }); // it keeps nothing of a text that was decoded as a whole

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestError(400, 'ENCODING_INVALID', 'Expected a body in UTF-8, but some of its bytes are no character');
  }
}

/** HT5: a body within the limits on size and depth, without a key that comes twice. */
function parse(text: string, limits: RequestLimits): Json {
  const { jsonDepthMax: depthMax, jsonNodesMax: nodesMax, jsonKeysMax: keysMax } = limits;
  // Its bytes were counted when it was read.
  const bounds = { bytesMax: Infinity, depthMax, nodesMax, keysMax, limitName: 'bodyBytesMax' };
  const parsed = parseJson(text, { ...bounds, duplicateKeys: 'refuse' });
  if ('value' in parsed) return parsed.value;
  const { code, message, pointer, hint } = parsed.problem;
  const limit = limitsByCode.get(code);
  throw new RequestError(
    limit === undefined ? 400 : 413,
    limit === undefined ? 'JSON_INVALID' : 'LIMIT_EXCEEDED',
    message,
    {
      pointer,
      ...given({ limit, hint }),
    },
  );
}

const limitsByCode: ReadonlyMap<string, keyof RequestLimits> = new Map([
  ['TOO_DEEP', 'jsonDepthMax'],
  ['TOO_MANY_NODES', 'jsonNodesMax'],
  ['TOO_MANY_KEYS', 'jsonKeysMax'],
]);

function isEmpty(request: Request, read: ReadBody | undefined): boolean {
  const { headers } = request;
  if (headers.get('content-length') === '0') return true;
  // On a wire a body announces itself.
  if (read !== undefined) return headers.get('content-length') === null && headers.get('transfer-encoding') === null;
  return request.body === null;
}

type SizeLimit = 'bodyBytesMax' | 'artifactBytesMax';

/** HT6: no more is read than may be taken, whatever the length that was announced. */
async function readBytes(request: Request, { limits, read, hold }: Intake, limit: SizeLimit): Promise<Uint8Array> {
  const bytesMax = limits[limit];
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > bytesMax) throw tooLarge(bytesMax, limit);
  try {
    const bytes = await (read === undefined ? readStream(request, bytesMax, hold) : read(bytesMax, hold));
    if (bytes !== null) return bytes;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(400, 'BODY_INCOMPLETE', 'Expected a whole body, but the connection ended before it did');
  } finally {
    hold.end();
  }
  throw tooLarge(bytesMax, limit);
}

/** Null if there is more. */
async function readStream({ body }: Request, bytesMax: number, hold: BodyHold): Promise<Uint8Array | null> {
  if (body === null) return noBytes;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const late = new Promise<never>((_, reject) => {
    hold.expect(reject);
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return joined(parts, length);
      length += value.length;
      if (length > bytesMax) return null;
      hold.take(value.length);
      parts.push(value);
    }
  } finally {
    void reader.cancel().catch(() => undefined); // nobody reads the rest
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function tooLarge(bytesMax: number, limit: string): RequestError {
  const message = `Expected a body of at most ${bytesMax} bytes by the limit ${limit}, but it is larger`;
  return new RequestError(413, 'LIMIT_EXCEEDED', message, { limit, headers: { connection: 'close' } });
}
