// A transaction pooler, as pgbouncer is one: whoever connects gets a connection of the server for a transaction at a time, and
// another one for the next. What somebody leaves behind on one, others find there.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { testServer } from './server.testsuite.ts';

export interface TransactionPooler {
  readonly url: string;
  /** How many transactions each connection of the server had. */
  readonly transactions: () => readonly number[];
}

interface Backend {
  readonly socket: Socket;
  client: Socket | null;
  transactions: number;
}

/** Of a message: its type, its length without the type, and what is in it. https://www.postgresql.org/docs/current/protocol.html */
type Message = readonly [type: string, bytes: Buffer];

const readyWhenIdle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);

export async function transactionPooler(backends: number): Promise<TransactionPooler> {
  const { folder } = await testServer();
  const free: Backend[] = [];
  const all: Backend[] = [];
  const waiting: { client: Socket; messages: Buffer[] }[] = [];
  let parameters = Buffer.alloc(0);

  const serve = (): void => {
    while (free.length > 0 && waiting.length > 0) {
      const [backend, next] = [free.shift()!, waiting.shift()!];
      backend.client = next.client;
      backend.transactions += 1;
      for (const message of next.messages) backend.socket.write(message);
    }
  };
  const release = (backend: Backend): void => {
    backend.client = null;
    free.push(backend);
    serve();
  };
  const openBackend = async (): Promise<void> => {
    const socket = connect(path.join(folder, '.s.PGSQL.5432'));
    const backend: Backend = { socket, client: null, transactions: 0 };
    all.push(backend);
    await new Promise<void>((resolve) => {
      let isOpen = false;
      socket.on(
        'data',
        messagesOf(([type, bytes]) => {
          if (isOpen) backend.client?.write(bytes);
          else if (type === 'S') parameters = Buffer.concat([parameters, bytes]);
          if (type !== 'Z' || String.fromCharCode(bytes.at(-1) ?? 0) !== 'I') return;
          if (isOpen) return release(backend);
          isOpen = true;
          release(backend);
          resolve();
        }),
      );
      socket.write(startUp({ user: 'postgres', database: 'postgres', client_encoding: 'UTF8' }));
    });
  };

  const server = createServer({ noDelay: true }, (client) => {
    let hasStarted = false;
    client.on('error', () => undefined);
    const take = messagesOf(([type, bytes]) => {
      if (type === 'X') return;
      const backend = all.find((each) => each.client === client);
      const before = waiting.find((each) => each.client === client);
      if (backend) backend.socket.write(bytes);
      else if (before) before.messages.push(bytes);
      else waiting.push({ client, messages: [bytes] });
      serve();
    });
    client.on('data', (bytes) => {
      if (hasStarted) return take(bytes);
      hasStarted = true; // the one message that has no type
      client.write(Buffer.concat([welcome, parameters, readyWhenIdle]));
    });
  });
  for (let at = 0; at < backends; at++) await openBackend();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const { socket } of all) socket.destroy();
  });
  const { port } = server.address() as AddressInfo; // it listens
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    transactions: () => all.map(({ transactions }) => transactions),
  };
}

/** Takes bytes as they come, and tells of whole messages. */
function messagesOf(tell: (message: Message) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      tell([String.fromCharCode(message[0] ?? 0), message]);
    }
  };
}

function startUp(parameters: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(parameters).flatMap(([name, value]) => [Buffer.from(`${name}\0${value}\0`)]);
  const body = Buffer.concat([Buffer.from([0, 3, 0, 0]), ...texts, Buffer.from([0])]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}
