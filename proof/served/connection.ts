// Connection: the client's way to one server while it lives, over HTTP. What breaks is no answer; the client asks again.
//
// Always true: once it is cut, nothing that was asked over it can reach a server any more.

import { type Client, connect, HeddleError } from '../../packages/heddle/src/client.ts';
import type { Askable } from '../kill/client.ts';
import { perform } from '../kill/perform.ts';
import type { Answer, Operation, Question } from '../kill/protocol.ts';

export class Connection implements Askable {
  readonly #client: Client;
  readonly #underWay = new Set<AbortController>();
  readonly #violate: (violation: string) => void;

  constructor(url: string, violate: (violation: string) => void) {
    this.#violate = violate;
    // A request that broke is the client's own business: it repeats it under the same key.
    this.#client = connect({ url, retries: 0, fetch: (input, init) => this.#fetch(input, init) });
  }

  cut(): void {
    for (const request of this.#underWay) request.abort();
  }

  async ask(ask: Operation | Question): Promise<Answer | null> {
    try {
      return { value: await perform(this.#client, ask, () => this.#client.backup()) };
    } catch (error) {
      if (!(error instanceof HeddleError)) return this.#ignoreBreak(ask, error);
      const { code, message } = error;
      if (code === 'SERVER_UNREACHABLE') return null;
      return { refusal: { code, message } };
    }
  }

  async #fetch(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const request = new AbortController();
    this.#underWay.add(request);
    try {
      const response = await fetch(input, { ...init, signal: request.signal });
      if (response.status >= 500) judgeFault(response.status, await response.clone().text(), this.#violate);
      return response;
    } finally {
      this.#underWay.delete(request);
    }
  }

  /** Cut by us, or in the midst of an answer: the server has died. */
  #ignoreBreak({ type }: Operation | Question, error: unknown): null {
    const isBreak = error instanceof Error && (error.name === 'AbortError' || error.message === 'terminated');
    if (!isBreak)
      this.#violate(`Expected ${type} to be answered or the connection to break, but found ${String(error)}`);
    return null;
  }
}

/** A server that closes says so; nothing else may go wrong with one. */
export function judgeFault(status: number, text: string, violate: (violation: string) => void): void {
  if (!(status === 503 && text.includes('"ENGINE_CLOSED"')))
    violate(`Expected no fault of the server, but it answered ${status}: ${text.slice(0, 500)}`);
}
