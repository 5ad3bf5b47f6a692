// Transport: the carrier over HTTP: asks a server by the table of operations. Answers are what it says; problems are thrown
// as the errors that the engine threw.
//
// Always true: only what may be done twice is sent twice; what is no JSON is refused here, as an engine does it, instead of
// being changed on its way.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ProblemDocument } from '../http/problem-document.ts';
import { type Route, routes, takeApart } from '../http/route.ts';
import type {
  CallOptions,
  Carrier,
  ItemOf,
  ListedOf,
  ListName,
  ReadOptions,
  StreamName,
  Wanted,
} from '../operations/carrier.ts';
import { checkRequest } from '../operations/check-request.ts';
import { tokensPerPage } from '../operations/inside.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import { eachItem, everyItem } from '../operations/pages.ts';
import { itemsPerRequestMax, type Page, type Paging } from '../operations/parts.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import { readStream } from './read-stream.ts';
import { sentLimits, toSent } from './sent-json.ts';

export interface TransportOptions {
  /** Where the server is: `http://127.0.0.1:4100`. */
  readonly url: string;
  /** An API key, if the server asks for one. */
  readonly key?: string;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
  /** How often a request that may be repeated is sent again when the connection breaks. Default: 2. */
  readonly retries?: number;
}

const retriesDefault = 2;
const firstDelayMs = 50;
/** How long one request waits for the end of a run, before another asks again. */
const waitMs = 30_000;

export class Transport implements Carrier {
  readonly #options: TransportOptions;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Asks, and answers with what the operation promises. */
  async call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const route = routes[name];
    checkRequest(name, request, sentLimits);
    const sent = toSent(route.operation.takes, request) as object; // a request is one
    const answer = await this.#send(route, sent, options, (response) => readAnswer(route, response));
    return answer as AnswerOf<Name>; // the server answers by the same table
  }

  list<Name extends ListName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after' | 'limit'>,
    wanted: Wanted = {},
  ): Promise<readonly ListedOf<Name>[]> {
    const { after, limit, ...unknown } = wanted;
    const ask = (page: Paging) =>
      this.call(name, { ...unknown, ...request, ...page } as RequestOf<Name>) as Promise<Page<ListedOf<Name>>>; // one of the lists
    // What is no limit, the table refuses.
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
      return ask(wanted).then(({ items }) => items);
    return everyItem(ask, wanted, name === 'listTokens' ? tokensPerPage : itemsPerRequestMax);
  }

  read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    { after, follow = true, signal }: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    checkRequest(name, { ...request, after }, sentLimits);
    if (follow) return this.#follow(name, request, { after, signal });
    const ask = (page: Paging) => this.call(pagesOf[name], { ...request, ...page } as never, { signal }); // of the same items
    return eachItem(
      ask as (page: Paging) => Promise<Page<ItemOf<Name>>>, // each stream has a list of the same items
      after === undefined ? {} : { after },
      itemsPerRequestMax,
    );
  }

  async *#follow<Name extends StreamName>(
    name: Name,
    request: object,
    {
      after = beginnings[name],
      signal,
    }: { readonly after: string | undefined; readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<ItemOf<Name>> {
    const open = (from: string | undefined) => {
      const sent = from === undefined ? request : { ...request, after: from };
      return this.#send(routes[name], sent, { signal }, (response) => Promise.resolve(response));
    };
    for await (const { name: kind, data } of readStream(open, after)) {
      if (kind === 'message') yield JSON.parse(data) as ItemOf<Name>; // as the server wrote it
    }
  }

  async waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun> {
    for (;;) {
      const run = await this.call('waitForRun', { runId, waitMs }, { signal });
      if (run.ended) return run;
    }
  }

  async #send<Answer>(
    route: Route,
    request: object,
    options: CallOptions,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { address, body } = takeApart(route, request as Readonly<Record<string, unknown>>); // by the names of the table
    const tries = isRepeatable(route, request) ? (this.#options.retries ?? retriesDefault) + 1 : 1;
    const { signal } = options;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#fetch(`${this.#options.url}${address}`, this.#init(route, body, options));
        // An answer that breaks off is a connection that broke.
        if (response.ok) return await read(response);
        throw await errorOf(response);
      } catch (error) {
        if (error instanceof HeddleError || signal?.aborted === true || attempt >= tries) {
          throw connectionError(error, this.#options.url, signal);
        }
        await pause(firstDelayMs * 2 ** attempt, signal);
      }
    }
  }

  #init({ method }: Route, json: unknown, { bytes, mimeType, signal }: CallOptions): RequestInit {
    const { key } = this.#options;
    const body = json === undefined ? bytes : JSON.stringify(json);
    return {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(mimeType === undefined ? {} : { 'content-type': mimeType }),
      },
      ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }), // no shared memory is sent
      ...given({ signal }),
    };
  }
}

/** What is there of a stream, a page at a time. */
const pagesOf = {
  streamRunEvents: 'listRunEvents',
  streamRunTrace: 'listRunTrace',
  streamEvents: 'listEvents',
} as const;

/** Where a stream begins if nobody says: that of all runs would begin with what comes. */
const beginnings = { streamRunEvents: undefined, streamRunTrace: undefined, streamEvents: 'start' } as const;

/** Looking changes nothing, and neither does what is done twice under one key. */
function isRepeatable({ method, operation }: Route, request: object): boolean {
  const { repeatable } = operation;
  if (method === 'GET' || repeatable === true) return true;
  return repeatable !== undefined && (request as Readonly<Record<string, unknown>>)[repeatable] !== undefined; // by a name of the table
}

/** Until the time is up, or nobody wants the answer any more: the next try finds that. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}

async function readAnswer({ operation }: Route, response: Response): Promise<unknown> {
  const { form } = operation.answers;
  if (form === 'nothing') return undefined;
  if (form === 'text') return response.text();
  if (form === 'json') return response.json();
  const mimeType = response.headers.get('content-type') ?? 'application/octet-stream';
  return { bytes: new Uint8Array(await response.arrayBuffer()), mimeType };
}

async function errorOf(response: Response): Promise<HeddleError> {
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  if (!isProblem) {
    const message = `Expected an answer of Heddle, but found status ${response.status}: ${text.slice(0, 200)}`;
    return new HeddleError('SERVER_UNKNOWN', message);
  }
  const { code, detail, pointer, limit, hint, problems, details } = JSON.parse(text) as ProblemDocument; // its content type says so
  return new HeddleError(code, detail, {
    ...given({ pointer, limit }),
    hint,
    ...given({ problems, details }),
  });
}

function connectionError(error: unknown, url: string, signal: AbortSignal | undefined): unknown {
  if (error instanceof HeddleError || signal?.aborted === true) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  const message = `Expected a Heddle server at ${url}, but it cannot be reached: ${cause}`;
  return new HeddleError('SERVER_UNREACHABLE', message, { cause: error });
}
