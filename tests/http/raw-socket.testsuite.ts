// A connection as bytes: for what no HTTP client would send, or would not leave alone.

import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawConnection {
  readonly socket: Socket;
  readonly send: (text: string | Uint8Array) => void;
  /** All that came, when the other side has ended or broken it. */
  readonly untilClosed: () => Promise<string>;
  /** All that came, once a text is in it. */
  readonly until: (text: string) => Promise<string>;
}

export function connectTo(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let received = '';
  let look = (): void => undefined;
  let isClosed = false;
  socket.setEncoding('utf8');
  socket.on('data', (part: string) => {
    received += part;
    look();
  });
  socket.on('error', () => undefined); // a broken connection is closed, too
  socket.on('close', () => {
    isClosed = true;
    look();
  });
  const when = (isThere: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        if (isThere()) resolve(received);
      };
      look();
    });
  const connection: RawConnection = {
    socket,
    send: (text) => void socket.write(text),
    untilClosed: () => when(() => isClosed),
    until: (text) => when(() => received.includes(text) || isClosed),
  };
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection));
    socket.once('error', reject);
  });
}

/** Status and body of the first answer. */
export function readAnswer(received: string): { readonly status: number; readonly body: string } {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [, length = ''] = /^content-length: (\d+)$/im.exec(head) ?? [];
  const body = Buffer.from(rest.join('\r\n\r\n'));
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  return { status, body: (length === '' ? body : body.subarray(0, Number(length))).toString() };
}
