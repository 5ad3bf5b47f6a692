// Client: sends HTTP requests to where they may go. Every hop is checked anew, and connects to an address that was
// checked. Rules OH5–OH9.
//
// Always true: a name is resolved once for each hop, and the address that is connected to is one of that answer; what
// was given for one host is sent to no other.

import type { Clock } from '../actor/ports.ts';
import { ActionError } from '../executor/action-error.ts';
import { readAddress } from './address.ts';
import { type Policy, parseHost, parseUrl } from './policy.ts';
import { type HttpTransport, ResponseTooLarge, type WireResponse } from './transport.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are for the first host alone, besides those that always are. */
  readonly hostHeaders?: readonly string[];
  readonly body: Uint8Array | null;
  /** The body is for the first host alone. */
  readonly isBodyForHost?: boolean;
  readonly followRedirects: boolean;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse extends WireResponse {
  /** Where the answer came from. */
  readonly url: URL;
  readonly redirects: number;
}

type Hop = Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'>;

const redirectsMax = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization'];

export class HttpClient {
  readonly policy: Policy;
  readonly #transport: HttpTransport;
  readonly #clock: Clock;

  constructor(transport: HttpTransport, policy: Policy, clock: Clock) {
    this.#transport = transport;
    this.policy = policy;
    this.#clock = clock;
  }

  /** Fails with an `ActionError` that says whether trying again may help. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const deadline = new Deadline(request, this.#clock);
    try {
      return await this.#follow(request, deadline);
    } catch (error) {
      throw deadline.explain(error) ?? describeFailure(error, request);
    } finally {
      deadline.end();
    }
  }

  close(): void {
    this.#transport.close?.();
  }

  async #follow(request: HttpRequest, deadline: Deadline): Promise<HttpResponse> {
    let hop: Hop = request;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#exchange(hop, request.bytesMax, deadline);
      const { location } = response.headers;
      const isRedirect = redirectStatuses.has(response.status) && location !== undefined;
      if (!isRedirect || !request.followRedirects) return { ...response, url: hop.url, redirects };
      // OH7: redirects are followed by hand, at most five, each checked like a request of its own.
      if (redirects === redirectsMax) throw refuseRedirect(`at most ${redirectsMax} redirects`, 'there were more');
      hop = this.#redirect(request, hop, { status: response.status, location });
    }
  }

  async #exchange(hop: Hop, bytesMax: number, deadline: Deadline): Promise<WireResponse> {
    const host = parseHost(hop.url);
    // OH5: a name is resolved once, every address of the answer is checked, and only those are connected to.
    const addresses = readAddress(host) ? [host] : await deadline.race(this.#transport.resolve(host));
    if (addresses?.length === 0) throw new Error(`${host} has no address`);
    this.policy.checkAddresses(host, addresses ?? []);
    const asked = { ...hop, addresses: addresses ?? [], bytesMax, signal: deadline.signal };
    return deadline.race(this.#transport.send(asked));
  }

  #redirect(request: HttpRequest, hop: Hop, answer: { readonly status: number; readonly location: string }): Hop {
    const target = parseUrl(answer.location, hop.url);
    if (target === null) throw refuseRedirect('a redirect to a URL', 'it is none');
    const url = this.policy.readUrl(target.href);
    if (hop.url.protocol === 'https:' && url.protocol === 'http:')
      throw refuseRedirect('a redirect that stays with https', 'it leads to http');
    const isPost = hop.method !== 'GET' && hop.method !== 'HEAD';
    const becomesGet = answer.status === 303 ? isPost : answer.status <= 302 && hop.method === 'POST';
    const next = becomesGet ? withoutBody(hop) : hop;
    const isElsewhere = url.host !== hop.url.host;
    if (isElsewhere && next.body !== null && request.isBodyForHost === true)
      throw refuseRedirect(`a redirect within ${hop.url.host}, as the body holds secrets`, `it leads to ${url.host}`);
    // OH8: what was given for one host (credentials, cookies, secrets) is not sent to another.
    const headers = isElsewhere
      ? without(next.headers, [...credentialHeaders, ...(request.hostHeaders ?? [])])
      : next.headers;
    return { ...next, url, headers };
  }
}

/** OH9: a request has one time limit for all of it: names, hops, and an answer that comes a byte at a time. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #request: HttpRequest;
  readonly #cancelAlarm: () => void;
  readonly #stop: () => void;
  #isOver = false;

  constructor(request: HttpRequest, clock: Clock) {
    this.#request = request;
    this.#stop = () => this.#controller.abort(request.signal.reason);
    if (request.signal.aborted) this.#stop();
    request.signal.addEventListener('abort', this.#stop, { once: true });
    this.#cancelAlarm = clock.schedule(clock.now() + request.timeoutMs, () => {
      this.#isOver = true;
      this.#controller.abort(this.explain(null));
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** For what does not look at signals itself. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error); // the engine aborts with errors
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  explain(error: unknown): Error | null {
    const { signal, timeoutMs, url } = this.#request;
    if (signal.aborted) return error instanceof Error ? error : (signal.reason as Error); // as above
    if (!this.#isOver) return null;
    const message = `Expected ${url.host} to answer within ${timeoutMs} ms, but it did not`;
    return new ActionError(message, { code: 'HTTP_TIMEOUT' });
  }

  end(): void {
    this.#cancelAlarm();
    this.#request.signal.removeEventListener('abort', this.#stop);
  }
}

/** OH6: a connection that fails may be tried again; an answer that is too large may not. */
function describeFailure(error: unknown, { url, bytesMax }: HttpRequest): ActionError {
  if (error instanceof ActionError) return error;
  if (error instanceof ResponseTooLarge) {
    const message = `Expected at most ${bytesMax} bytes from ${url.host} (maxBytes), but there are more`;
    return new ActionError(message, { code: 'HTTP_TOO_LARGE', retryable: false });
  }
  const cause = error instanceof Error ? error.message || error.name : String(error);
  const message = `Expected ${url.host} to answer, but the connection failed: ${cause}`;
  return new ActionError(message, { code: 'HTTP_CONNECTION_FAILED', cause: error });
}

function refuseRedirect(expected: string, found: string): ActionError {
  return new ActionError(`Expected ${expected}, but ${found}`, { code: 'HTTP_REDIRECT_REFUSED', retryable: false });
}

const bodyHeaders = ['content-type', 'content-encoding', 'content-language', 'content-location'];

const withoutBody = (hop: Hop): Hop => ({
  ...hop,
  method: 'GET',
  body: null,
  headers: without(hop.headers, bodyHeaders),
});

function without(headers: Hop['headers'], names: readonly string[]): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
