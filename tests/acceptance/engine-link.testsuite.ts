// The links to the programs that hold engines for the tests of this process (`engine-operations.mjs`): a process that serves
// them over HTTP, and Durable Objects in their runtime. Each is started once, when the first test asks for it.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { objectHeader, startObjects } from '../workerd.testsuite.ts';

/** The engine that is asked, and the store that it stands on. */
export interface Place {
  readonly tenant: string;
  readonly storeId: string;
}

export interface EngineLink {
  /** Where the HTTP API of all engines is. */
  readonly url: string;
  /** Asks the HTTP API of an engine. What the engine told of itself until it answered has been heard then. */
  fetch(place: Place, input: string, init?: RequestInit): Promise<Response>;
  /** Who asks knows what the operation answers. */
  ask<Answer>(operation: string, place: Place, argument?: object): Promise<Answer>;
  listen(tenant: string, listener: (event: EngineEvent) => void): () => void;
}

export interface EngineEvent {
  readonly type: 'error' | 'trace' | 'broken';
  readonly tenant: string;
  readonly first: unknown;
  readonly second: unknown;
  readonly message?: string;
}

/** What an engine tells of itself after it has come to rest. */
export interface Standing {
  /** Tasks that wait for a worker, by action. */
  readonly waiting: readonly (readonly [string, number])[];
  /** Tasks that were handed to workers since the engine was opened. */
  readonly leased: number;
  readonly nextAt: number | null;
  readonly feedEnd: number;
}

interface Performed {
  readonly answer?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
}

function answerOf({ answer, error }: Performed): unknown {
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return answer;
}

class Listeners {
  readonly #listeners = new Map<string, (event: EngineEvent) => void>();

  readonly listen = (tenant: string, listener: (event: EngineEvent) => void): (() => void) => {
    this.#listeners.set(tenant, listener);
    return () => this.#listeners.delete(tenant);
  };

  tell(event: EngineEvent): void {
    if (event.type === 'broken') throw new Error(`Expected the server to foresee this, but: ${event.message}`);
    this.#listeners.get(event.tenant)?.(event);
  }
}

type Message =
  | EngineEvent
  | ({ readonly type: 'answer'; readonly id: number } & Performed)
  | { readonly type: 'listening'; readonly url: string };

/** A process of its own. */
class ServerLink implements EngineLink {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (performed: Performed) => void>();
  readonly #listeners = new Listeners();
  readonly listen = this.#listeners.listen;
  #lastId = 0;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on('message', (message: Message) => this.#take(message));
  }

  static async start(): Promise<ServerLink> {
    const child = fork(fileURLToPath(new URL('http-server.mjs', import.meta.url)));
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message: Message) => message.type === 'listening' && resolve(message.url));
      child.once('exit', (code) => reject(new Error(`Expected a server process, but it ended with ${code}`)));
    });
    child.unref();
    child.channel?.unref();
    return new ServerLink(child, url);
  }

  fetch(_: Place, input: string, init?: RequestInit): Promise<Response> {
    return fetch(input, init);
  }

  async ask<Answer>(operation: string, place: Place, argument: object = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#child.channel?.ref();
    const performed = await new Promise<Performed>((resolve) => {
      this.#asked.set(id, resolve);
      this.#child.send({ id, operation, argument: { ...place, ...argument } });
    });
    return answerOf(performed) as Answer; // as the port says
  }

  #take(message: Message): void {
    if (message.type === 'listening') return;
    if (message.type !== 'answer') return this.#listeners.tell(message);
    this.#asked.get(message.id)?.(message);
    this.#asked.delete(message.id);
    if (this.#asked.size === 0) this.#child.channel?.unref();
  }
}

/** Objects in Cloudflare's runtime, one a store. An engine that is closed is aborted with its object. */
class ObjectLink implements EngineLink {
  readonly url: string;
  readonly #listeners = new Listeners();
  readonly listen = this.#listeners.listen;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<ObjectLink> {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const file = fileURLToPath(new URL('engine-object.mjs', import.meta.url));
    const text = `import { EngineObject } from ${JSON.stringify(file)};`;
    return new ObjectLink(await startObjects('EngineObject', { text, folder }));
  }

  async fetch(place: Place, input: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set(objectHeader, place.storeId);
    const response = await fetch(input, { ...init, headers });
    if (response.headers.has('x-told')) await this.ask('listen', place);
    return response;
  }

  async ask<Answer>(operation: string, place: Place, argument: object = {}): Promise<Answer> {
    const response = await this.#send(operation, place, argument);
    if (!response.ok) throw new Error(`Expected the object to ${operation}, but: ${await response.text()}`);
    const { told, ...performed } = (await response.json()) as Performed & { readonly told: readonly EngineEvent[] }; // its form
    for (const event of told) this.#listeners.tell(event);
    if (operation === 'close' || operation === 'forget') await (await this.#send('abort', place, {})).text();
    return answerOf(performed) as Answer; // as the port says
  }

  #send(operation: string, place: Place, argument: object): Promise<Response> {
    const headers = { [objectHeader]: place.storeId, 'x-operation': operation };
    return fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ ...place, ...argument }) });
  }
}

const starts = { http: () => ServerLink.start(), object: () => ObjectLink.start() };
const started: Partial<Record<keyof typeof starts, Promise<EngineLink>>> = {};

export type Elsewhere = keyof typeof starts;

export function linkTo(kind: Elsewhere): Promise<EngineLink> {
  started[kind] ??= starts[kind]();
  return started[kind];
}
