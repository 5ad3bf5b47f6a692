// Wire client: the operations over HTTP with nothing but `fetch`: for browsers, and what `Transport` stands on. It checks
// no request, as the server does that, so that it carries no schema; types say what may be asked.
//
// Always true: only what may be done twice is sent twice; an answer that is no success is thrown as an error with a code.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { takeApart } from '../http/take-apart.ts';
import { wires } from '../http/wire.ts';
import type { CallOptions, ItemOf, StreamName } from '../operations/carrier.ts';
import type { Bytes } from '../operations/operation.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import { errorOf, readAnswer, readBytes, unreachable } from './answers.ts';
import { pause } from './pause.ts';
import { readStream, type StreamState } from './read-stream.ts';

export interface WireOptions {
  /** Where the server is: `http://127.0.0.1:4100`. Default: where the page came from. */
  readonly url?: string;
  /** An API key, if the server asks for one. */
  readonly key?: string;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FollowOptions {
  /** Only what comes after this event, by its id. Without one, the stream of all runs begins with what comes. */
  readonly after?: string;
  /** Ends the reading, also while it waits. */
  readonly signal?: AbortSignal;
  /** Keep trying until the signal, however long the server is gone; otherwise six times in a row. */
  readonly forever?: boolean;
  /** Told whenever the connection is lost, and when it is there (again). */
  readonly onState?: (state: StreamState) => void;
}

/** How a request is sent. */
export interface SendOptions extends CallOptions {
  /** How often in all, when the connection breaks. Default: once. */
  readonly tries?: number;
}

/** Operations that answer with bytes. */
export type BytesName = { [Name in OperationName]: AnswerOf<Name> extends Bytes ? Name : never }[OperationName];
/** Operations that answer with one value, or with nothing. */
export type CallName = Exclude<OperationName, BytesName | StreamName>;

/** A look is repeated so often when the connection breaks. */
const looksMax = 3;
const firstDelayMs = 50;

export class WireClient {
  /** Where the server is; empty: where the page came from. */
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;

  constructor({ url = '', key, headers, fetch: own }: WireOptions = {}) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
    this.#fetch = own ?? ((input, init) => fetch(input, init));
  }

  /** Asks, and answers with what the operation promises. */
  async call<Name extends CallName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const answer = await this.send(name, request, { ...options, tries: triesOf(name) }, readAnswer);
    return answer as AnswerOf<Name>; // the server answers by the same table
  }

  /** The same, for what answers with bytes. */
  download<Name extends BytesName>(name: Name, request: RequestOf<Name>, options: CallOptions = {}): Promise<Bytes> {
    return this.send(name, request, { ...options, tries: triesOf(name) }, readBytes);
  }

  /** What there is after an event, and then what comes; without gap or repeat when the connection breaks. */
  async *follow<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    { after, ...options }: FollowOptions = {},
  ): AsyncGenerator<ItemOf<Name>> {
    const { signal } = options;
    const open = (from: string | undefined) =>
      this.send(name, { ...request, after: from }, { signal }, (response) => Promise.resolve(response));
    for await (const { name: kind, data } of readStream(open, after, options)) {
      if (kind === 'message') yield JSON.parse(data) as ItemOf<Name>; // as the server wrote it
    }
  }

  /** One request, and whatever its answer is read as. */
  async send<Answer>(
    name: OperationName,
    request: unknown,
    options: SendOptions,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { bytes, signal, tries = 1 } = options;
    const members = request as Readonly<Record<string, unknown>>; // by the names of the table
    const { address, body } = takeApart(wires[name], members, { hasBytes: bytes !== undefined });
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#fetch(`${this.url}${address}`, this.#init(name, body, options));
        // An answer that breaks off is a connection that broke.
        if (response.ok) return await read(response);
        throw await errorOf(response);
      } catch (error) {
        if (error instanceof HeddleError || signal?.aborted === true) throw error;
        if (attempt >= tries) throw unreachable(error, this.url);
        await pause(firstDelayMs * 2 ** attempt, signal);
      }
    }
  }

  #init(name: OperationName, json: unknown, { bytes, mimeType, signal }: CallOptions): RequestInit {
    const body = json === undefined ? bytes : JSON.stringify(json);
    const type = json === undefined ? mimeType : 'application/json';
    return {
      method: wires[name].method,
      headers: { ...this.#headers, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }), // no shared memory is sent
      ...given({ signal }),
    };
  }
}

const triesOf = (name: OperationName): number => (wires[name].method === 'GET' ? looksMax : 1);
