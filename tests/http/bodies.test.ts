// Bodies that are large, slow or many: what is looked up before they are read, and how much of them is held at once.

import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { createApp } from '../../packages/heddle/src/http/app.ts';
import { BodyRoom } from '../../packages/heddle/src/http/body-room.ts';
import { defaultRequestLimits } from '../../packages/heddle/src/http/request-limits.ts';
import { listen, readBody } from '../../packages/heddle/src/server/listen.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { readProblem } from './problems.testsuite.ts';
import { connectTo, type RawConnection, readAnswer } from './raw-socket.testsuite.ts';
import { eventually, greeting, type Served, served } from './server.testsuite.ts';
import { operator } from './world.testsuite.ts';

const hook = { id: 'hook', type: 'webhook', workflow: 'greeting', public: true, input: { name: '"Ada"' } } as const;

async function hooked(options: Parameters<typeof served>[0] = {}): Promise<Served> {
  const server = await served(options);
  await server.engine.register(greeting);
  await server.engine.triggers.create(hook);
  return server;
}

const headOf = (path: string, length: number, ...more: readonly string[]): string =>
  [
    `${more.find((line) => line === 'PUT') ?? 'POST'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more.filter((line) => line !== 'PUT'),
  ].join('\r\n');

/** A request of which the body comes later; the server has begun to wait for it. */
async function begun(server: { readonly url: string }, head: string): Promise<RawConnection> {
  const connection = await connectTo(server.url);
  connection.send(`${head}\r\nExpect: 100-continue\r\n\r\n`);
  await connection.until('100 Continue');
  await (await fetch(`${server.url}/health`)).text();
  return connection;
}

/** The refusal among what came. */
async function refusalIn(connection: RawConnection) {
  const received = await connection.until('"code"');
  const { status, body } = readAnswer(received.slice(received.search(/HTTP\/1\.1 [45]/)));
  return { ...readProblem(body, status), received };
}

test('[HT21] what needs no key and is not there is refused before its body is read', async () => {
  const server = await hooked();
  await server.engine.triggers.create({ ...hook, id: 'off' });
  await server.engine.triggers.disable('off');
  const length = 8_000_000;
  const cases: readonly (readonly [string, number, string])[] = [
    [headOf('/v1/webhooks/default/none', length), 404, 'WEBHOOK_NOT_FOUND'],
    [headOf('/v1/webhooks/nobody/hook', length), 404, 'WEBHOOK_NOT_FOUND'],
    [headOf('/v1/webhooks/default/off', length), 404, 'WEBHOOK_NOT_FOUND'],
    [headOf('/v1/webhooks/default/hook', length, 'PUT'), 405, 'WEBHOOK_METHOD_NOT_ALLOWED'],
    [headOf('/v1/replies/default/no.secret', length), 404, 'PROMPT_NOT_FOUND'],
    [headOf('/v1/replies/nobody/no.secret', length), 404, 'PROMPT_NOT_FOUND'],
  ];
  for (const [head, status, code] of cases) {
    const connection = await connectTo(server.url);
    connection.send(`${head}\r\n\r\n`); // and nothing of the body
    expect(await refusalIn(connection), head).toMatchObject({ status, code });
  }
});

test('[GD4] callers without a key have so many bodies under way, and no more', async () => {
  const server = await hooked({ requests: { publicBodiesMax: 2 } });
  const head = headOf('/v1/webhooks/default/hook', 2);
  const held = [await begun(server, head), await begun(server, head)];
  const refused = await connectTo(server.url);
  refused.send(`${head}\r\n\r\n{}`);
  const refusal = await refusalIn(refused);
  expect(refusal).toMatchObject({ status: 503, code: 'LIMIT_EXCEEDED', limit: 'publicBodiesMax' });
  expect(refusal.received.toLowerCase()).toContain('retry-after: 5');
  // One that goes away makes room; so does one that has come.
  held[0]?.socket.destroy();
  held[1]?.send('{}');
  await held[1]?.until('accepted');
  await eventually(async () => {
    const call = { method: 'POST', body: '{}' };
    expect((await server.ask('/v1/webhooks/default/hook', call)).status).toBe(202);
  });
  for (const connection of [await begun(server, head), await begun(server, head)]) {
    connection.send('{}');
    expect(await connection.until('accepted')).toContain('HTTP/1.1 202');
  }
});

test('[GD4][GD5] what is more than the room is refused while it comes: without a key, and with one', async () => {
  const server = await hooked({ requests: { publicBodyBytesMax: 50_000, keyBodyBytesMax: 70_000 } });
  const { key } = await server.keys.create({ name: 'test', scopes: ['*'] }, operator);
  const bodyOf = (length: number): string =>
    JSON.stringify({ workflow: 'greeting', input: { name: 'x'.repeat(length) } });
  const by = `Authorization: Bearer ${key}`;
  const open = await begun(server, headOf('/v1/webhooks/default/hook', 100_000));
  open.send(bodyOf(60_000));
  expect(await refusalIn(open)).toMatchObject({ status: 503, limit: 'publicBodyBytesMax' });
  const large = await begun(server, headOf('/v1/runs', 100_000, by));
  large.send(bodyOf(80_000));
  const refusal = await refusalIn(large);
  expect(refusal).toMatchObject({ status: 429, code: 'LIMIT_EXCEEDED', limit: 'keyBodyBytesMax' });
  expect(refusal.received.toLowerCase()).toContain('retry-after: 5');
  const small = await begun(server, headOf('/v1/runs', bodyOf(60_000).length, by));
  small.send(bodyOf(60_000));
  expect(await small.until('runId')).toContain('HTTP/1.1 201');
});

test('[GD6] a body that does not come in time is refused, sooner without a key, and its connection ends', async () => {
  const { engine } = await createTestEngine();
  onTestFinished(() => engine.close({ graceMs: 0 }));
  await engine.register(greeting);
  await engine.triggers.create(hook);
  const clock = new VirtualClock();
  const app = createApp({ engineOf: () => engine, readBody, clock });
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close());
  const open = await begun(listening, headOf('/v1/webhooks/default/hook', 10));
  const keyed = await begun(listening, headOf('/v1/runs', 10));
  for (const connection of [open, keyed]) connection.send('{');
  await clock.advance(19_000);
  open.send(' ');
  await clock.advance(2_000);
  expect(await refusalIn(open)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  await open.untilClosed();
  await clock.advance(280_000);
  expect(await refusalIn(keyed)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  // Nothing is left to wait for.
  expect(clock.nextAt).toBeNull();
});

test('[GD6] so is one that is read as a stream of the web', async () => {
  const { engine } = await createTestEngine();
  onTestFinished(() => engine.close({ graceMs: 0 }));
  const clock = new VirtualClock();
  const app = createApp({ engineOf: () => engine, clock });
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([123])) });
  const headers = { 'content-type': 'application/json' };
  const asked = app.fetch(new Request('http://x/v1/runs', { method: 'POST', headers, body, duplex: 'half' }));
  await clock.advance(301_000);
  expect((await asked).status).toBe(408);
});

test('[GD4][GD5] what was counted is given back, also after a refusal, and once', () => {
  const limits = { ...defaultRequestLimits, keyBodyBytesMax: 10, publicBodyBytesMax: 5 };
  const clock = new VirtualClock();
  const room = new BodyRoom(clock, limits);
  const [first, second, open, other] = [room.open('a'), room.open('a'), room.open(null), room.open('b')];
  other.take(10);
  first.take(8);
  expect(() => second.take(3)).toThrow('keyBodyBytesMax');
  open.take(5);
  expect(() => open.take(1)).toThrow('publicBodyBytesMax');
  expect([room.bytesOf('a'), room.bytesOf(null)]).toEqual([11, 6]);
  for (const hold of [second, second, open]) hold.release();
  expect([room.bytesOf('a'), room.bytesOf(null)]).toEqual([8, 0]);
  for (const hold of [first, other]) hold.release();
  expect([room.bytesOf('a'), clock.nextAt]).toEqual([0, null]);
});

test('[SV9] of connections without a key the oldest idle one makes room; those with a key or a request stay', async () => {
  const server = await hooked({ connections: { publicConnectionsMax: 2, introductionMs: 0 } });
  const { key } = await server.keys.create({ name: 'test', scopes: ['*'] }, operator);
  const ask = async (path: string, ...lines: readonly string[]): Promise<RawConnection> => {
    const connection = await connectTo(server.url);
    connection.send(`${[`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...lines].join('\r\n')}\r\n\r\n`);
    expect(await connection.until('}')).toContain('200 OK');
    return connection;
  };
  const known = await ask('/v1/me', `Authorization: Bearer ${key}`);
  const busy = await connectTo(server.url);
  busy.send(`${headOf('/v1/webhooks/default/hook', 2)}\r\nExpect: 100-continue\r\n\r\n`);
  await busy.until('100 Continue');
  const oldest = await ask('/health');
  const newest = await ask('/health');
  await oldest.untilClosed();
  busy.send('{}');
  expect(await busy.until('accepted')).toContain('HTTP/1.1 202');
  expect([known.socket.destroyed, newest.socket.destroyed]).toEqual([false, false]);
});

test('[SV9] a new connection has time to bring its key, however many come at once', async () => {
  const server = await hooked({ connections: { publicConnectionsMax: 2 } });
  const connections: RawConnection[] = [];
  for (let count = 0; count < 10; count += 1) connections.push(await connectTo(server.url));
  for (const connection of connections) connection.send('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  for (const connection of connections) expect(await connection.until('}')).toContain('200 OK');
});

test('[SV8] there are at most so many connections; one more is told so', async () => {
  const server = await hooked({ connections: { connectionsMax: 2 } });
  const [first] = [await connectTo(server.url), await connectTo(server.url)];
  first.send('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await first.until('ok');
  const third = await connectTo(server.url);
  const received = await third.untilClosed();
  const { status, body } = readAnswer(received);
  expect(readProblem(body, status)).toMatchObject({ status: 503, limit: 'connectionsMax' });
  expect(received).toContain('retry-after: 5');
  first.socket.destroy();
  await eventually(async () => expect((await server.ask('/health')).status).toBe(200));
});

test.each([200, 40, 500])(
  '[HT5] what an engine takes comes over HTTP too, whatever its jsonDepthMax: %s',
  async (jsonDepthMax) => {
    const server = await served({ store: 'memory', ...(jsonDepthMax === 200 ? {} : { limits: { jsonDepthMax } }) });
    const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as Json;
    await server.engine.register({ id: 'deep', initialNode: 'a', nodes: [{ id: 'a', wait: { seconds: 60 } }] });
    const run = await server.client.start('deep', { value: nested(jsonDepthMax - 1) });
    const snapshot = await run.snapshot();
    await expect(server.client.restore(snapshot)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    const refusal = { code: 'LIMIT_EXCEEDED', limit: 'jsonDepthMax' };
    await expect(server.client.start('deep', { value: nested(jsonDepthMax) })).rejects.toMatchObject(refusal);
    await expect(server.client.start('deep', { value: nested(jsonDepthMax + 100) })).rejects.toMatchObject(refusal);
  },
);
