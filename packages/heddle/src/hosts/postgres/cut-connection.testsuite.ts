// A connection that is cut: something between store and server that lets all bytes pass, and does to a statement what a test says.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { testServer } from './server.testsuite.ts';

/** What becomes of a write: it never arrives; it is done, and not answered; it arrives when `deliver` says. */
export type Fate = 'lost' | 'lost-answer' | 'late';

export interface CutConnection {
  readonly url: string;
  /** Of the next writes, one for each. */
  readonly fates: Fate[];
  /** What was late arrives now; answers when the server has done it. */
  readonly deliver: () => Promise<void>;
  /** Nothing passes any more. */
  readonly drop: () => void;
}

/** A statement with a fence. */
const isWrite = (bytes: Buffer): boolean => bytes.includes('SET commit_no = ');
/** The type of the message by which the server says that it has done all that it was asked. */
const isReady = (bytes: Buffer): boolean => bytes.at(-6) === 'Z'.charCodeAt(0);

export async function cutConnection(): Promise<CutConnection> {
  const { folder } = await testServer();
  const fates: Fate[] = [];
  const late: (() => Promise<void>)[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer({ noDelay: true }, (client) => {
    open.add(client);
    const upstream = connect(path.join(folder, '.s.PGSQL.5432'));
    let isCut = false;
    upstream.on('data', (bytes) => !isCut && client.write(bytes));
    client.on('data', (bytes) => {
      const fate = isWrite(bytes) ? fates.shift() : undefined;
      if (fate === undefined) return void upstream.write(bytes);
      isCut = true;
      if (fate === 'lost') return void upstream.destroy();
      const send = (): Promise<void> => whenReady(upstream, () => upstream.write(bytes));
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
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    fates,
    deliver: async () => {
      for (const send of late.splice(0)) await send();
    },
    drop: () => {
      server.close();
      for (const client of open) client.destroy();
    },
  };
}

function whenReady(upstream: Socket, send: () => void): Promise<void> {
  return new Promise((resolve) => {
    upstream.on('data', (bytes) => isReady(bytes) && resolve());
    upstream.on('close', () => resolve());
    send();
  });
}
