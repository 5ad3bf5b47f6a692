// Transport: asks a server by the contract. Answers are what the contract says; problems are thrown as the errors that
// the engine threw.
//
// Always true: only what may be done twice is sent twice.

import { HeddleError } from '../base/heddle-error.ts';
import { type Contract, contract, type OperationName } from '../http/contract/contract.ts';
import type { AnswerOf, RequestOf, Route } from '../http/contract/route.ts';
import type { ProblemDocument } from '../http/problem-document.ts';

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

type Given<T> = T extends undefined ? { readonly body?: undefined } : { readonly body: T };
type ParamsOf<R extends Route> = keyof RequestOf<R>['params'] extends never
  ? { readonly params?: undefined }
  : { readonly params: RequestOf<R>['params'] };

/** What a caller says: parameters and body where the route has them. */
export type Call<Name extends OperationName> = ParamsOf<Contract[Name]> &
  Given<RequestOf<Contract[Name]>['body']> & {
    readonly query?: RequestOf<Contract[Name]>['query'];
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
    /** It may be sent again although the route as such may not: it has an idempotency key. */
    readonly mayRepeat?: boolean;
  };

type QueryValue = string | number | boolean;

interface AnyCall {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly mayRepeat?: boolean | undefined;
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

  /** Asks, and answers with what the route promises. */
  async call<Name extends OperationName>(name: Name, call: Call<Name>): Promise<AnswerOf<Contract[Name]>> {
    const route: Route = contract[name];
    const answer = await this.#send(route, call, (response) => readAnswer(route, response));
    return answer as AnswerOf<Contract[Name]>; // the server answers by the same contract
  }

  /** The open response of a stream of events. */
  open<Name extends OperationName>(name: Name, call: Call<Name>): Promise<Response> {
    return this.#send(contract[name], call, (response) => Promise.resolve(response));
  }

  async #send<Answer>(route: Route, call: AnyCall, read: (response: Response) => Promise<Answer>): Promise<Answer> {
    const mayRepeat = route.method === 'GET' || route.isRepeatable === true || call.mayRepeat === true;
    const tries = mayRepeat ? (this.#options.retries ?? retriesDefault) + 1 : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#fetch(this.#address(route, call), this.#init(route, call));
        // An answer that breaks off is a connection that broke.
        if (response.ok) return await read(response);
        throw await errorOf(response);
      } catch (error) {
        if (error instanceof HeddleError || call.signal?.aborted === true || attempt >= tries) {
          throw connectionError(error, this.#options.url, call.signal);
        }
        await pause(firstDelayMs * 2 ** attempt, call.signal);
      }
    }
  }

  #address({ path }: Route, { params = {}, query = {} }: AnyCall): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      const values = value === undefined ? [] : [value].flat();
      for (const one of values) parameters.append(name, String(one));
    }
    const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
    return `${this.#options.url}${filled}${search}`;
  }

  #init(route: Route, { body, headers = {}, signal }: AnyCall): RequestInit {
    const { key } = this.#options;
    const hasJson = route.takesBytes !== true && body !== undefined;
    return {
      method: route.method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(hasJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: hasJson ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer>) }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
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

async function readAnswer({ answer }: Route, response: Response): Promise<unknown> {
  if (answer === 'nothing') return undefined;
  if (answer === 'text') return response.text();
  if (answer === 'events') return response.body;
  if (answer !== 'bytes') return response.json();
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
  const { code, detail, pointer, limit, problems, details } = JSON.parse(text) as ProblemDocument;
  return new HeddleError(code, detail, {
    ...(pointer === undefined ? {} : { pointer }),
    ...(limit === undefined ? {} : { limit }),
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
