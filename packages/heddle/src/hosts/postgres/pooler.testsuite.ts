// Pooler: as pgbouncer is one in transaction mode: whoever connects gets a connection of the server for a transaction at a time,
// and another one for the next. What somebody leaves behind on one, others find there.
//
// Always true: a connection whose client is gone in the midst of a transaction is closed; a client whose connection is gone, too.

import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface Pooler {
  readonly port: number;
  /** How many transactions each connection of the server had. */
  readonly transactions: () => readonly number[];
  readonly close: () => void;
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

/** With so many connections of the server, opened anew where they are lost. */
export async function openPooler(connectOn: () => Socket, backends: number): Promise<Pooler> {
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
    if (waiting.length > 0 && all.length < backends) void openBackend();
  };
  const release = (backend: Backend): void => {
    backend.client = null;
    free.push(backend);
    serve();
  };
  const lose = (backend: Backend): void => {
    for (const list of [all, free]) if (list.includes(backend)) list.splice(list.indexOf(backend), 1);
    backend.client?.destroy();
    // Who waits for a server that is away is refused, as by a real one.
    if (all.length === 0) for (const { client } of waiting.splice(0)) client.destroy();
  };
  const openBackend = async (): Promise<void> => {
    const socket = connectOn();
    const backend: Backend = { socket, client: null, transactions: 0 };
    all.push(backend);
    socket.on('error', () => undefined);
    socket.on('close', () => lose(backend));
    const hasParameters = parameters.length > 0; // of another one
    await new Promise<void>((resolve) => {
      let isOpen = false;
      socket.on(
        'data',
        messagesOf(([type, bytes]) => {
          if (isOpen) backend.client?.write(bytes);
          else if (type === 'S' && !hasParameters) parameters = Buffer.concat([parameters, bytes]);
          if (type !== 'Z' || String.fromCharCode(bytes.at(-1) ?? 0) !== 'I') return;
          if (isOpen) return release(backend);
          isOpen = true;
          release(backend);
          resolve();
        }),
      );
      socket.on('close', resolve);
      socket.write(startUp({ user: 'postgres', database: 'postgres', client_encoding: 'UTF8' }));
    });
  };

  const server = createServer({ noDelay: true }, (client) => {
    let hasStarted = false;
    client.on('error', () => undefined);
    client.on('close', () => {
      const at = waiting.findIndex((each) => each.client === client);
      if (at !== -1) waiting.splice(at, 1);
      all.find((each) => each.client === client)?.socket.destroy();
    });
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
  const { port } = server.address() as AddressInfo; // it listens
  return {
    port,
    transactions: () => all.map(({ transactions }) => transactions),
    close: () => {
      server.close();
      for (const { socket } of all) socket.destroy();
    },
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
