// Server: the server process as its tenants reach it: over HTTP, with keys.
//
// Always true: whatever is asked of it, an answer above 499 is a violation, unless it is one of the refusals by a limit.

import { LineProcess } from '../kill/line-process.ts';
import type { Line, Order } from './protocol.ts';
import type { Tally } from './tally.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Key {
  readonly id: string;
  readonly key: string;
}

/** What is asked. A body that is no text or bytes is sent as JSON. */
export interface Asking {
  readonly method?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Longer than anything takes on any machine: what has not come by then does not come. */
const patienceMs = 300_000;

export class Server {
  readonly url: string;
  readonly tally: Tally;
  readonly #process: LineProcess<Order, Line>;
  readonly #operatorKey: string;

  private constructor(process: LineProcess<Order, Line>, tally: Tally, ready: Extract<Line, { type: 'ready' }>) {
    this.#process = process;
    this.tally = tally;
    this.url = ready.url;
    this.#operatorKey = ready.operatorKey;
  }

  static async open(program: string, file: string, tally: Tally): Promise<Server> {
    const process = new LineProcess<Order, Line>(program);
    const ready = new Promise<Extract<Line, { type: 'ready' }>>((resolve, reject) => {
      process.listen((line) => {
        if (line.type === 'ready') resolve(line);
        if (line.type === 'broken') tally.violate(`Expected nothing to break, but the server reports ${line.message}`);
      });
      void process.ended.then((ending) => reject(new Error(`The server ended: ${JSON.stringify(ending)}`)));
    });
    process.order({ type: 'serve', file });
    return new Server(process, tally, await ready);
  }

  async kill(): Promise<void> {
    this.#process.signal('SIGKILL');
    await this.#process.ended;
  }

  /** The most memory that it had at one time. */
  bytesMost(): Promise<number> {
    return new Promise((resolve) => {
      const stop = this.#process.listen((line) => {
        if (line.type !== 'measured') return;
        stop();
        resolve(line.bytes);
      });
      this.#process.order({ type: 'measure' });
    });
  }

  /** The answer before its body was read. */
  async fetch(path: string, { method, key = null, headers = {}, body }: Asking = {}): Promise<Response> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': isRaw ? 'text/plain' : 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    if (response.status >= 500 && !response.headers.has('retry-after'))
      this.tally.violate(`Expected no fault of the server, but ${method} ${path} was answered ${response.status}`);
    return response;
  }

  async ask(path: string, asking: Asking = {}): Promise<Answer> {
    const response = await this.fetch(path, asking);
    return { status: response.status, text: await response.text() };
  }

  /** What must work. */
  async must<T>(path: string, asking: Asking): Promise<T> {
    const { status, text } = await this.ask(path, asking);
    if (status >= 300) throw new Error(`Expected ${path} to work, but it was answered ${status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T; // as the contract says
  }

  keyFor(tenant: string, scopes: readonly string[] = ['*'], name = 'proof'): Promise<Key> {
    return this.must('/v1/keys', { key: this.#operatorKey, body: { name, scopes, tenant } });
  }

  async revoke(id: string): Promise<void> {
    await this.must(`/v1/keys/${id}`, { method: 'DELETE', key: this.#operatorKey });
  }

  /** Answers with when the old one ends. */
  async rotate(id: string, graceMs: number): Promise<number> {
    await this.must(`/v1/keys/${id}/rotate`, { key: this.#operatorKey, body: { graceMs } });
    const { items } = await this.must<{ readonly items: readonly { id: string; expiresAt: number | null }[] }>(
      '/v1/keys?limit=1000',
      { key: this.#operatorKey },
    );
    return items.find((item) => item.id === id)?.expiresAt ?? 0;
  }
}
