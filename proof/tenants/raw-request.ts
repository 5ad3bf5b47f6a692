// RawRequest: a request that is sent piece by piece, as no client would: its body comes late, or never.

import { connect, type Socket } from 'node:net';
import type { Server } from './server.ts';

export interface RawHead {
  readonly path: string;
  readonly key?: string;
  /** As it is announced. */
  readonly length: number;
  readonly type?: string;
}

export class RawRequest {
  readonly #socket: Socket;
  #received = '';
  #isClosed = false;
  #look: () => void = () => undefined;

  constructor({ url }: Server, { path, key, length, type = 'application/json' }: RawHead) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (part: string) => this.#hear(part));
    this.#socket.on('error', () => undefined); // a connection that breaks is closed, too
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#look();
    });
    const lines = [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
      `Content-Type: ${type}`,
      `Content-Length: ${length}`,
      'Expect: 100-continue',
    ];
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  send(bytes: string | Uint8Array): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  /** Until the server wants the body, or refuses it: what has come. */
  begun(): Promise<string> {
    return this.#until(() => /^HTTP\/1\.1 \d/.test(this.#received));
  }

  /** The status of the answer; 0 if there was none. */
  async answered(): Promise<number> {
    const ofAnswer = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 ([2-5]\d\d)/;
    const received = await this.#until(() => ofAnswer.test(this.#received));
    return Number(ofAnswer.exec(received)?.[1] ?? 0);
  }

  leave(): void {
    this.#socket.destroy();
  }

  #hear(part: string): void {
    this.#received += part;
    this.#look();
  }

  #until(isThere: () => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (isThere() || this.#isClosed) resolve(this.#received);
      };
      this.#look();
    });
  }
}
