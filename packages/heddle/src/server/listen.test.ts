// Bodies of requests whose senders do not wait.

import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../actor/system-clock.ts';
import { BodyRoom } from '../http/body-room.ts';
import { defaultRequestLimits } from '../http/request-limits.ts';
import { readBody } from './listen.ts';

/** A request of ten bytes, of which these are sent; then the connection is closed, and the server has heard of it. */
async function abandoned(sent: string): Promise<IncomingMessage> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const asked = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n${sent}`);
  const incoming = await asked;
  const closed = new Promise((resolve) => incoming.once('close', resolve));
  incoming.on('error', () => undefined); // that it was aborted
  socket.destroy();
  await closed;
  return incoming;
}

test.each([
  ['in the midst', '12345'],
  ['with its last byte', '1234567890'],
])('[HT6] a body that is read after its sender went away, %s, is not waited for', async (_, sent) => {
  const incoming = await abandoned(sent);
  const hold = new BodyRoom(systemClock(), defaultRequestLimits).open('key');
  onTestFinished(() => hold.release());
  await expect(readBody({ incoming })(100, hold)).rejects.toThrow('the connection was closed');
});
