// The link to the server process of the HTTP host: one process for all tests of this one, asked one thing at a time.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ServerEvent {
  readonly type: 'error' | 'trace' | 'broken';
  readonly tenant: string;
  readonly first: unknown;
  readonly second: unknown;
  readonly message?: string;
}

interface Message extends Omit<ServerEvent, 'type'> {
  readonly type: ServerEvent['type'] | 'answer' | 'listening';
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  readonly port: number;
}

/** What a server process tells of itself after it has come to rest. */
export interface Standing {
  /** Tasks that wait for a worker, by action. */
  readonly waiting: readonly (readonly [string, number])[];
  /** Tasks that were handed to workers since the engine was opened. */
  readonly leased: number;
  readonly nextAt: number | null;
  readonly feedEnd: number;
}

export class ServerLink {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<string, (event: ServerEvent) => void>();
  #lastId = 0;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    child.on('message', (message: Message) => this.#take(message));
  }

  static async start(): Promise<ServerLink> {
    const child = fork(fileURLToPath(new URL('http-server.mjs', import.meta.url)));
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', ({ port: listening }: Message) => resolve(listening));
      child.once('exit', (code) => reject(new Error(`Expected a server process, but it ended with ${code}`)));
    });
    child.unref();
    child.channel?.unref();
    return new ServerLink(child, port);
  }

  ask<Answer>(operation: string, argument: object): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      // Who asks knows what the operation answers.
      this.#asked.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.#child.send({ id, operation, argument });
    });
  }

  listen(tenant: string, listener: (event: ServerEvent) => void): () => void {
    this.#listeners.set(tenant, listener);
    return () => this.#listeners.delete(tenant);
  }

  #take({ type, id, answer, error, ...event }: Message): void {
    if (type === 'listening') return;
    if (type === 'broken') throw new Error(`Expected the server to foresee this, but: ${event.message}`);
    if (type !== 'answer') return this.#listeners.get(event.tenant)?.({ type, ...event });
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#child.channel?.unref();
    if (error === undefined) asked?.resolve(answer);
    else asked?.reject(Object.assign(new Error(error.message), error));
  }
}
