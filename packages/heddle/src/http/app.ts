// App: the engine over HTTP, on any runtime: a function from a Request to a Response. Rules HT… and AC….
//
// Always true: every operation is done by the engine or by one handler; nothing reaches either that the operation's schema or the
// scopes of the key do not allow; whatever happens, the answer is the promised one or a problem document.

import { type Context, Hono } from 'hono';
import type { Awaitable, Clock } from '../actor/ports.ts';
import { closedError } from '../actor/refusals.ts';
import { systemClock } from '../actor/system-clock.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type AnswerOf,
  type OperationName,
  operationNames,
  operationOf,
  type RequestOf,
} from '../operations/operations.ts';
import { refuseLost, unauthorized, whileWanted } from './access.ts';
import { type Answered, AnswerWatch } from './answer-watch.ts';
import { BodyRoom } from './body-room.ts';
import { type CallerOptions, callerOf } from './caller.ts';
import { docsPage } from './docs-page.ts';
import { EventStreams, type StreamOptions } from './event-stream.ts';
import { answerOrigin, corsHeaders, type GuardOptions, protect, publicBucket, RateLimits } from './guard.ts';
import { admit } from './handlers/admissions.ts';
import type { RequestContext } from './handlers/handler.ts';
import { handlers } from './handlers/handlers.ts';
import { makeOpenApi, type OpenApi } from './openapi.ts';
import { answerProblem, RequestError, storeFault, unforeseen } from './problem-document.ts';
import { withoutPlaces } from './refused-parts.ts';
import { defaultRequestLimits, type RequestLimits } from './request-limits.ts';
import { type Route, routes } from './route.ts';
import { addressOf, senderOf } from './sender.ts';
import { checkAddress, type ReadBody, type TakenBody, takeBody, takeQuery, withKey } from './take-request.ts';
import { narrowed } from './token-reach.ts';
import { answerPage, type FindWebFile } from './web-app.ts';

export interface AppOptions extends CallerOptions {
  /** The engine of a tenant; null if there is no such tenant. */
  readonly engineOf: (tenant: string) => Awaitable<Engine | null>;
  readonly guard?: GuardOptions;
  readonly limits?: Partial<RequestLimits>;
  readonly streams?: Partial<StreamOptions>;
  /** Figures for whoever asks with a key of this tenant. */
  readonly metrics?: (tenant: string) => Awaitable<string>;
  /** Makes a backup of a tenant's store where the server keeps them. */
  readonly backup?: (tenant: string) => Promise<{ readonly file: string }>;
  /** How a body is read where the runtime has a shorter way than a stream of the web; `fetch` is handed the bindings. */
  readonly readBody?: (bindings: object) => ReadBody;
  /** A request with a valid key has come; `fetch` was handed the bindings. */
  readonly onKnown?: (bindings: object) => void;
  /** The web app; absent: the API alone, which `/docs` shows. */
  readonly pages?: FindWebFile;
  /** What nobody foresaw. */
  readonly onError?: (error: unknown, request: { readonly method: string; readonly path: string }) => void;
  /** What every request came to. */
  readonly onAnswer?: (answered: Answered) => void;
  /** For what is about connections, not about runs. */
  readonly clock?: Clock;
}

export interface App {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  readonly streams: EventStreams;
  /** When no request can come any more: nothing of it keeps a process alive then. */
  readonly close: () => void;
}

export function createApp(options: AppOptions): App {
  const clock = options.clock ?? systemClock();
  const streams = new EventStreams(clock, options.streams);
  const rate = options.guard?.rate;
  const rates = rate === undefined ? null : new RateLimits(clock, rate);
  const watch = new AnswerWatch(clock, options.onAnswer);
  const limits = { ...defaultRequestLimits, ...options.limits };
  const room = new BodyRoom(clock, limits);
  const server: Server = { options, streams, rates, watch, limits, room };
  const hono = new Hono();
  for (const name of operationNames) {
    const { method, path } = routes[name];
    hono.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), answerer(name, server));
  }
  // Made when somebody asks for it: most processes of a platform end before anybody does.
  let made: OpenApi | null = null;
  const document = (): OpenApi => (made ??= makeOpenApi());
  hono.get('/openapi.json', () => new Response(JSON.stringify(document()), { headers: jsonHeaders }));
  const page = (request: Request) => (options.pages ? answerPage(request, options.pages) : null);
  hono.get(
    '/docs',
    async ({ req }) => (await page(req.raw)) ?? answerDocs(document(), addressOf(req.raw, options.guard ?? {})),
  );
  hono.notFound(async (context) => (await page(context.req.raw)) ?? answerProblem(refusePath(context)));
  hono.onError((error, { req: { method, path } }) => answerError(error, { method, path }, options));
  const answer = guarded(hono, options);
  const fetch: App['fetch'] = async (request, bindings) => protect(await answer(request, bindings));
  return { fetch: watch.around(fetch), streams, close: () => room.close() };
}

function guarded(hono: Hono, options: AppOptions): App['fetch'] {
  const { guard = {} } = options;
  return async (request, bindings) => {
    try {
      const address = addressOf(request, guard);
      const preflight = answerOrigin(request, address, guard);
      if (preflight) return preflight;
    } catch (error) {
      return answerError(error, { method: request.method, path: request.url }, options);
    }
    const response = await hono.fetch(request, bindings);
    if (request.headers.has('origin')) allowOrigin(response, corsHeaders(request, guard));
    return response;
  };
}

function allowOrigin(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
}

interface Server {
  readonly options: AppOptions;
  /** Null: everybody may ask as often as they like. */
  readonly rates: RateLimits | null;
  readonly streams: EventStreams;
  readonly watch: AnswerWatch;
  readonly limits: RequestLimits;
  readonly room: BodyRoom;
}

function answerer(name: OperationName, server: Server) {
  const route = routes[name];
  const { scope, answers } = route.operation;
  const handle = handlerOf(name);
  return async (hono: Context): Promise<Response> => {
    server.watch.note(hono.req.raw, { operation: name, tenant: null });
    const { access, isTenant } = await callerOf(
      { request: hono.req.raw, tenant: hono.req.param('tenant') },
      route,
      server.options,
    );
    if (scope !== 'public') server.options.onKnown?.(hono.env as object); // as `fetch` was handed it
    const cookies: string[] = [];
    const context = await contextOf(hono, route, { ...server, access, cookies });
    if (isTenant) server.watch.note(hono.req.raw, { operation: name, tenant: access.tenant });
    const query = takeQuery(route, context);
    // Nobody would read it, and it would stay open.
    if (answers.form === 'stream' && hono.req.raw.method === 'HEAD')
      return new Response(null, { headers: streamHeaders });
    const params = hono.req.param();
    if (route.params.length > 0) checkAddress(route, params, context.engine.limits);
    if (scope === 'public') await admit(name, { params, engine: context.engine, isTenant });
    const answer = await withBody(hono, { route, context, server }, ({ sent, bytes }) => {
      const asked = { ...sent, ...query, ...params };
      const key = route.takesKey ? hono.req.header('idempotency-key') : undefined;
      const request = key === undefined ? asked : withKey(asked, key);
      if (access.only === undefined) return handle(request, context, bytes);
      return narrowed(name, request, access.only, context.engine).then((allowed) => handle(allowed, context, bytes));
    });
    const { method, path } = hono.req;
    const report = (fault: HeddleError): void => server.options.onError?.(fault, { method, path });
    const response = answerOf(route, withoutPlaces(name, answer as AnswerOf<typeof name>, report)); // by its name
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    return response;
  };
}

/** HTTP's own, or the engine's. */
function handlerOf(name: OperationName): AnyHandler {
  const own = handlers[name] as AnyHandler | undefined; // each of its own types: the table holds them together
  if (own !== undefined) return own;
  const { takesBytes } = operationOf(name);
  return (request, context, bytes) => {
    const { engine, access, header } = context;
    const mimeType = takesBytes ? (header('content-type') ?? 'application/octet-stream') : undefined;
    const call = { tenant: access.tenant, ...(takesBytes ? { bytes, mimeType } : {}) };
    const checked = request as RequestOf<typeof name>; // by the table
    const { waitMs = 0 } = request as { readonly waitMs?: number }; // whatever waits says how long
    if (waitMs === 0) return engine.perform(name, checked, call);
    return whileWanted(context, (signal) => engine.perform(name, checked, { ...call, signal }));
  };
}

type AnyHandler = (request: unknown, context: RequestContext, bytes: Uint8Array) => Awaitable<unknown>;

interface Receiving {
  readonly route: Route;
  readonly context: RequestContext;
  readonly server: Server;
}

/** The body, if the route takes one; its bytes are counted for as long as they are needed. */
async function withBody<T>(
  hono: Context,
  { route, context, server }: Receiving,
  handle: (body: TakenBody) => Awaitable<T>,
): Promise<T> {
  const { room, limits, options } = server;
  const { access, engine } = context;
  const isPublic = route.operation.scope === 'public';
  const hold = room.open(isPublic ? null : (access.keyId ?? access.tenant));
  try {
    const read = options.readBody?.(hono.env as object); // as `fetch` was handed it
    const body = await takeBody(route, hono.req.raw, { limits, engineLimits: engine.limits, hold, read });
    refuseLost(access);
    // What was parsed is the handler's; bytes are held until they are handled.
    if (route.content.type !== 'bytes') hold.release();
    return await handle(body);
  } finally {
    hold.release();
  }
}

interface Surroundings extends Pick<Server, 'options' | 'streams' | 'rates'>, Pick<RequestContext, 'access'> {
  /** Those that go with the answer. */
  readonly cookies: string[];
}

async function contextOf(
  hono: Context,
  route: Route,
  { options, streams, rates, access, cookies }: Surroundings,
): Promise<RequestContext> {
  const header = (name: string): string | undefined => hono.req.header(name);
  // Whether the process is well may be asked by anybody at any time, and costs nothing.
  if (route.operation.scope !== 'public') rates?.take(access.keyId ?? access.tenant);
  else if (route.params.length > 0 || route.content.type !== 'none')
    rates?.take(publicBucket(hono.req.param('tenant') ?? ''));
  const engine = await options.engineOf(access.tenant);
  if (engine === null) throw unauthorized('Expected the key of a tenant, but its tenant is not there any more');
  const metrics = (): Awaitable<string> => options.metrics?.(access.tenant) ?? '';
  const { keys = null, backup = null } = options;
  const headers = (): Record<string, string> => Object.fromEntries(hono.req.raw.headers);
  return {
    engine,
    access,
    header,
    headers,
    get parameters() {
      const at = hono.req.url.indexOf('?');
      return new URLSearchParams(at === -1 ? '' : hono.req.url.slice(at + 1));
    },
    streams,
    keys,
    metrics,
    backup,
    get sender() {
      return senderOf(hono.req.raw, addressOf(hono.req.raw, options.guard ?? {}));
    },
    setCookie: (cookie) => void cookies.push(cookie),
    // Made when a handler asks for it: most do not, and it costs more than reading the request.
    get signal() {
      return hono.req.raw.signal;
    },
  };
}

function answerOf({ operation, status }: Route, answer: unknown): Response {
  const { form } = operation.answers;
  if (form === 'nothing') return new Response(null, { status });
  if (form === 'text') return new Response(answer as string, { status, headers: textHeaders }); // by its form
  if (form === 'stream') return streamAnswer(answer as ReadableStream<Uint8Array> | null); // by its form
  if (form === 'bytes') {
    const { bytes, mimeType } = answer as { readonly bytes: Uint8Array<ArrayBuffer>; readonly mimeType: string }; // by its form
    // A reference may say any text for a type; a header may not.
    const type = /^[\u0020-\u007e]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
    return new Response(bytes, { status, headers: { ...bytesHeaders, 'content-type': type } });
  }
  return new Response(JSON.stringify(answer), { status, headers: jsonHeaders });
}

function streamAnswer(stream: ReadableStream<Uint8Array> | null): Response {
  if (stream === null) return new Response(null, { status: 204 });
  return new Response(stream, { headers: streamHeaders });
}

function answerDocs(document: OpenApi, { origin }: URL): Response {
  return new Response(docsPage(document, origin), { headers: pageHeaders });
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};
const jsonHeaders = { 'content-type': 'application/json' };
const textHeaders = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
/** HT10: bytes that somebody has put are for downloading: no browser shows or runs them. */
const bytesHeaders = {
  'content-disposition': 'attachment',
  'content-security-policy': "default-src 'none'; sandbox",
};

const pages = ['/openapi.json', '/docs'].map((path) => ({ method: 'GET', path }));
const patterns = [...Object.values(routes), ...pages].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** HT11: an address that is known with another method says which; one that is not known is not found. */
function refusePath(context: Context): RequestError {
  const { path, method } = context.req;
  const methods = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map((known) => known.method))];
  if (methods.length === 0) {
    return new RequestError(
      404,
      'ROUTE_NOT_FOUND',
      `Expected an address of this API, but there is no ${path.slice(0, 200)}`,
      {
        hint: 'GET /openapi.json lists them; /docs shows them.',
      },
    );
  }
  const allow = methods.join(', ');
  const message = `Expected ${allow} for this address, but found ${method.slice(0, 20)}`;
  return new RequestError(405, 'METHOD_NOT_ALLOWED', message, { headers: { allow } });
}

type Asked = Parameters<NonNullable<AppOptions['onError']>>[1];

function answerError(error: unknown, asked: Asked, { onError }: AppOptions): Response {
  const isTold = error instanceof HeddleError && error.name !== 'StoreError';
  if (isTold) return answerProblem(error);
  // Somebody waited while the server ended: there is nothing for anybody to look into.
  if (error instanceof HeddleError && error.code === 'STORE_CLOSED') return answerProblem(closedError());
  onError?.(error, asked);
  return answerProblem(error instanceof HeddleError ? storeFault(error) : unforeseen());
}
