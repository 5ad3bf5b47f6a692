// Transport: asks a server by the table of operations. Answers are what it says; problems are thrown as the errors that
// the engine threw.
//
// Always true: only what may be done twice is sent twice.

import { HeddleError } from '../base/heddle-error.ts';
import type { ProblemDocument } from '../http/problem-document.ts';
import { type Route, routes, takeApart } from '../http/route.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';

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

/** What is said beside a request. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of operations that take bytes. */
  readonly bytes?: Uint8Array | undefined;
}

const retriesDefault = 2;
const firstDelayMs = 50;

export class Transport {
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
    const answer = await this.#send(route, request as object, options, (response) => readAnswer(route, response));
    return answer as AnswerOf<Name>; // the server answers by the same table
  }

  /** The open response of a stream of events. */
  open<Name extends OperationName>(name: Name, request: RequestOf<Name>, options: CallOptions = {}): Promise<Response> {
    return this.#send(routes[name], request as object, options, (response) => Promise.resolve(response));
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

  #init({ method }: Route, json: unknown, { bytes, headers = {}, signal }: CallOptions): RequestInit {
    const { key } = this.#options;
    const body = json === undefined ? bytes : JSON.stringify(json);
    return {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** Looking changes nothing, and neither does what is done twice under one key. */
function isRepeatable({ method, operation }: Route, request: object): boolean {
  const { repeatable } = operation;
  if (method === 'GET' || repeatable === true) return true;
  return repeatable !== undefined && (request as Readonly<Record<string, unknown>>)[repeatable] !== undefined;
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
  const { code, detail, pointer, limit, hint, problems, details } = JSON.parse(text) as ProblemDocument;
  return new HeddleError(code, detail, {
    ...(pointer === undefined ? {} : { pointer }),
    ...(limit === undefined ? {} : { limit }),
    hint,
    ...(problems === undefined ? {} : { problems }),
    ...(details === undefined ? {} : { details }),
  });
}

function connectionError(error: unknown, url: string, signal: AbortSignal | undefined): unknown {
  if (error instanceof HeddleError || signal?.aborted === true) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  const message = `Expected a Heddle server at ${url}, but it cannot be reached: ${cause}`;
  return new HeddleError('SERVER_UNREACHABLE', message, { cause: error });
}
