// Follower: somebody who reads live events with one key, and remembers which.

import type { Server } from './server.ts';

export interface Followed {
  readonly type: string;
  readonly runId: string;
  readonly at: number;
}

interface Waiter {
  readonly isThere: (event: Followed) => boolean;
  readonly resolve: () => void;
}

export class Follower {
  readonly events: Followed[] = [];
  /** Signs of life since it was last set to 0. */
  heartbeats = 0;
  /** The problem that it ended with; null while it is open, or if there was none. */
  problem: string | null = null;
  readonly ended: Promise<void>;
  readonly #leaving = new AbortController();
  readonly #waiters = new Set<Waiter>();

  private constructor(response: Response) {
    this.ended = this.#read(response).catch(() => undefined); // left, or the server is gone
  }

  static async open(server: Server, path: string, key: string): Promise<Follower> {
    const response = await server.fetch(path, { key });
    if (!response.ok) throw new Error(`Expected a stream, but found ${response.status}: ${await response.text()}`);
    return new Follower(response);
  }

  /** Until such an event has come; not if the stream ends before. */
  until(isThere: (event: Followed) => boolean): Promise<void> {
    if (this.events.some(isThere)) return Promise.resolve();
    const come = new Promise<void>((resolve) => this.#waiters.add({ isThere, resolve }));
    return Promise.race([come, this.ended]);
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #read({ body }: Response): Promise<void> {
    if (body === null) return;
    let rest = '';
    const decoder = new TextDecoder();
    this.#leaving.signal.addEventListener('abort', () => void body.cancel().catch(() => undefined));
    for await (const part of body) {
      const blocks = (rest + decoder.decode(part as Uint8Array, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    if (block.startsWith(':')) this.heartbeats++;
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) return;
    if (/^event: error$/m.test(block)) this.problem = data;
    else this.#hear(JSON.parse(data) as Followed); // an event as the contract says
  }

  #hear(event: Followed): void {
    this.events.push(event);
    for (const waiter of this.#waiters) {
      if (!waiter.isThere(event)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}
