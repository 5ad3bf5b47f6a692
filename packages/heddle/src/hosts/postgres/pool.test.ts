import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openPool } from './pool.ts';

/** A message of a server: its type, then its length and what is in it. */
function message(type: string, ...texts: readonly string[]): Buffer {
  const body = Buffer.from(texts.join(''), 'latin1');
  const head = Buffer.from([type.charCodeAt(0), 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test('[PG8] a server that ends a connection with the words by which it opens it refuses what was asked, and no more', async () => {
  const farewell = message('E', 'SFATAL\0', 'VFATAL\0', 'C57P01\0', 'Mthe server ends\0', '\0');
  const welcome = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I'), farewell]);
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', () => client.end(welcome));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const pool = await openPool({ url, connections: 1, answerMs: 1_000 });
  onTestFinished(() => pool.close());
  await expect(pool.database('heddle').read('SELECT 1')).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
