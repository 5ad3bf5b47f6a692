// Relay: something between store and server that lets all bytes pass, and does to a write what it is told.

import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What becomes of a write: it never arrives; it is done, and not answered; it arrives when `deliver` says. */
export type Fate = 'lost' | 'lost-answer' | 'late';

export interface Relay {
  readonly url: string;
  /** Of the next writes, one for each. */
  readonly fates: Fate[];
  /** What was late arrives now; answers when the server has done it. */
  readonly deliver: () => Promise<void>;
  /** All connections that there are end; answers with how many. */
  readonly cut: () => number;
  /** Nothing passes any more. */
  readonly drop: () => void;
}

/** A statement with a fence. */
const isWrite = (bytes: Buffer): boolean => bytes.includes('SET commit_no = ');
/** The type of the message by which the server says that it has done all that it was asked. */
const isReady = (bytes: Buffer): boolean => bytes.at(-6) === 'Z'.charCodeAt(0);

/** `onFate`: a write has had its fate. */
export async function openRelay(
  connectOn: () => Socket,
  onFate: (fate: Fate) => void = () => undefined,
): Promise<Relay> {
  const fates: Fate[] = [];
  const late: (() => Promise<void>)[] = [];
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    const upstream = connectOn();
    let isCut = false;
    upstream.on('data', (bytes) => !isCut && client.write(bytes));
    client.on('data', (bytes) => {
      const fate = isWrite(bytes) ? fates.shift() : undefined;
      if (fate === undefined) return void upstream.write(bytes);
      isCut = true;
      onFate(fate);
      if (fate === 'lost') return void upstream.destroy();
      const send = async (): Promise<void> => {
        await whenReady(upstream, () => upstream.write(bytes));
        upstream.destroy();
      };
      if (fate === 'lost-answer') return void send().then(() => client.destroy());
      late.push(send);
      client.destroy();
    });
    for (const [here, there] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      here.on('error', () => undefined);
      here.on('close', () => !(isCut && here === client) && there.destroy());
    }
  });
  const cut = (): number => {
    const count = open.size;
    for (const client of open) client.destroy();
    return count;
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    fates,
    deliver: async () => {
      for (const send of late.splice(0)) await send();
    },
    cut,
    drop: () => {
      server.close();
      cut();
    },
  };
}

function whenReady(upstream: Socket, send: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (upstream.destroyed) return resolve();
    upstream.on('data', (bytes) => isReady(bytes) && resolve());
    upstream.on('close', () => resolve());
    send();
  });
}
