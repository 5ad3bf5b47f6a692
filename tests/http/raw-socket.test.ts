// What never becomes a request: broken HTTP, headers without end, connections that break in the middle.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogEntry } from '../../packages/heddle/src/server/log.ts';
import { problemIn, readProblem } from './problems.testsuite.ts';
import { connectTo, readAnswer } from './raw-socket.testsuite.ts';
import { greeting, type Served, served } from './server.testsuite.ts';

const host = 'Host: 127.0.0.1\r\n';

async function refusal({ url }: Served, sent: string | Uint8Array) {
  const connection = await connectTo(url);
  connection.send(sent);
  const { status, body } = readAnswer(await connection.untilClosed());
  return readProblem(body, status);
}

test('[SV5] what is no HTTP is answered with a problem document, and the server goes on', async () => {
  const server = await served();
  const nonsense = [
    'hello\r\n\r\n',
    'GET\r\n\r\n',
    'FETCH /v1/runs HTTP/1.1\r\n\r\n',
    `GET /v1/runs HTTP/9.9\r\n${host}\r\n`,
    `GET /v1/runs HTTP/1.1\r\n${host}bad header\r\n\r\n`,
    `POST /v1/runs HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `POST /v1/runs HTTP/1.1\r\n${host}Content-Length: -5\r\n\r\n`,
    new Uint8Array([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]),
  ];
  for (const sent of nonsense)
    expect(await refusal(server, sent)).toMatchObject({
      status: 400,
      code: 'HTTP_INVALID',
      type: 'urn:heddle:problem:HTTP_INVALID',
    });
  const long = 'x'.repeat(40_000);
  for (const sent of [`GET /${long} HTTP/1.1\r\n${host}\r\n`, `GET / HTTP/1.1\r\n${host}X-Long: ${long}\r\n\r\n`])
    expect(await refusal(server, sent)).toMatchObject({ status: 431, code: 'LIMIT_EXCEEDED', limit: 'headerBytesMax' });
  expect((await server.ask('/health')).status).toBe(200);
});

test('what no client of ours would ask for is answered, or the connection ends', async () => {
  const server = await served();
  const expectation = `POST /v1/runs HTTP/1.1\r\n${host}Expect: a miracle\r\nConnection: close\r\n\r\n`;
  expect(await refusal(server, expectation)).toMatchObject({ status: 417, code: 'EXPECTATION_INVALID' });
  const upgrade = `GET /v1/nothing HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: close, Upgrade\r\n\r\n`;
  expect(await refusal(server, upgrade)).toMatchObject({ status: 404 });
  const tunnel = await connectTo(server.url);
  tunnel.send(`CONNECT example.com:80 HTTP/1.1\r\n${host}\r\n`);
  expect(await tunnel.untilClosed()).toBe('');
  expect((await server.ask('/health')).status).toBe(200);
});

test('a request without a name to be asked by, or with one that is none, is refused', async () => {
  const server = await served();
  for (const sent of [
    'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: 1s7.0.0.1\r\nConnection: close\r\n\r\n',
    'GET /health HTTP/1.0\r\n\r\n',
    'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
  ])
    expect(await refusal(server, sent)).toMatchObject({ status: 400, code: 'ADDRESS_INVALID' });
  const absolute = `GET http://evil.example/health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  expect(await refusal(server, absolute)).toMatchObject({ status: 403, code: 'HOST_FORBIDDEN' });
});

test('requests with a few wrong bytes get an answer or none, but nothing unforeseen goes wrong', async () => {
  const told: LogEntry[] = [];
  const server = await served({ log: (level, entry) => void (level === 'error' && told.push(entry)) });
  const head = `POST /v1/runs?limit=1 HTTP/1.1\r\n${host}Authorization: Bearer x\r\nContent-Type: application/json\r\n`;
  const whole = Buffer.from(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
  const place = fc.nat({ max: whole.length - 1 });
  const wrong = fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(wrong, async (bytes) => {
      const sent = Buffer.from(whole);
      for (const [at, byte] of bytes) sent[at] = byte;
      const connection = await connectTo(server.url);
      connection.socket.end(sent);
      const { status, body } = readAnswer(await connection.untilClosed());
      if (status >= 400) readProblem(body, status);
    }),
    { numRuns: 400, seed: 20_260_101 },
  );
  expect(told).toEqual([]);
  expect((await server.ask('/health')).status).toBe(200);
});

test('[SV5] headers that do not come in time end the connection', async () => {
  const server = await served({ connections: { headersTimeoutMs: 50 } });
  const sent = `GET /health HTTP/1.1\r\n${host}X-Slow: `;
  expect(await refusal(server, sent)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
});

test('half a request and then nothing: nothing is started, nobody is told of an unforeseen error', async () => {
  const told: LogEntry[] = [];
  const server = await served({ log: (level, entry) => void (level === 'error' && told.push(entry)) });
  await server.client.register(greeting);
  const body = JSON.stringify({ workflow: 'greeting' });
  const head = `POST /v1/runs HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
  for (const sent of [head, `${head}${body}`, `${head}${body.slice(0, 5)}`, 'POST /v1/r']) {
    const connection = await connectTo(server.url);
    connection.send(sent);
    connection.socket.end();
    await connection.untilClosed();
  }
  const chunked = await connectTo(server.url);
  chunked.send(
    `POST /v1/runs HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"wor`,
  );
  chunked.socket.end();
  await chunked.untilClosed();
  expect(await server.client.runs()).toEqual([]);
  await server.close();
  expect(told).toEqual([]);
});

test('a long address and long words in it are refused by what they are', async () => {
  const server = await served();
  const long = 'x'.repeat(8_000);
  expect(await problemIn(await server.ask(`/v1/runs/${long}`))).toMatchObject({ status: 422, code: 'OPTION_INVALID' });
  expect(await problemIn(await server.ask(`/v1/runs?search=${long}`))).toMatchObject({
    status: 400,
    pointer: '/search',
  });
  expect(await problemIn(await server.ask(`/${long}`))).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
  const answer = await problemIn(await server.ask(`/v1/runs/${long}`));
  expect(JSON.stringify(answer).length).toBeLessThan(1_000);
});
