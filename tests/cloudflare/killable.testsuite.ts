// Killable workerd: a runtime of the platform in a process of its own, with objects that lie in a folder. It is killed as a machine
// loses its power, and started anew on the same folder, with the same program or another version of it.
//
// Always true: what its actions tell arrives at a server of the test, which outlives it.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import { loadedEngine, operatorKey } from './workerd.testsuite.ts';

/** Where actions tell what they do. */
export class OutsideServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(answer: (request: Request) => Promise<Response>): Promise<OutsideServer> {
    const reply = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      const answered = await answer(new Request('http://outside/', { method: 'POST', body: await text(incoming) }));
      response.writeHead(answered.status).end();
    };
    // Who is killed while it tells something has told nothing.
    const server = createServer((incoming, response) => void reply(incoming, response).catch(() => response.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OutsideServer(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens on one
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export class KillableWorkerd {
  readonly url: string;
  readonly key = operatorKey;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async open(of: {
    readonly persist: string;
    readonly outside: OutsideServer;
    /** Which version of the program it is. */
    readonly older?: string;
  }): Promise<KillableWorkerd> {
    const { persist, outside, older } = of;
    const bindings = older === undefined ? {} : { OLDER: older };
    const options = {
      ...(await loadedEngine('faults.worker.ts', bindings)),
      cf: false,
      durableObjectsPersist: persist,
    };
    // With a group of its own, in which the runtime is too.
    const child = fork(fileURLToPath(new URL('workerd-process.mjs', import.meta.url)), { detached: true });
    child.send({ ...options, outside: outside.address });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (told) => resolve((told as { readonly url: string }).url)); // all that it tells
      child.once('exit', (code) => reject(new Error(`Expected a runtime for objects, but it ended with ${code}`)));
    });
    return new KillableWorkerd(url, child);
  }

  client(key = this.key): Client {
    return new Client(new Transport({ url: this.url, key, retries: 0 }));
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    process.kill(-Number(this.#child.pid), 'SIGKILL');
    await exited;
  }
}
