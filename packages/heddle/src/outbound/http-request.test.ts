// http.request against real servers on loopback.

import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTestEngine } from '../testing/test-engine.ts';
import { type VirtualClock, virtualStart } from '../testing/virtual-clock.ts';
import { afterTest, answerJson, fetching, serve } from './http.testsuite.ts';
import { nodeTransport } from './node/transport.ts';
import type { HttpTransport } from './transport.ts';

test('[OH13] a request, its answer, and the key that all attempts of it carry', async () => {
  const { url, seen } = await serve(answerJson({ id: 7 }, 201));
  const { fetch } = await fetching();
  const outcome = await fetch({
    url: `${url}/things?a=1`,
    query: { b: 'x y', list: [1, 2] },
    headers: { 'X-Tag': 'yes' },
    body: { name: 'thing' },
  });
  expect(outcome).toMatchObject({
    status: 'completed',
    output: { status: 201, body: { id: 7 }, url: `${url}/things`, redirects: 0 },
  });
  const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = seen;
  expect([method, path, body]).toEqual(['POST', '/things?a=1&b=x+y&list=1&list=2', '{"name":"thing"}']);
  expect([headers['x-tag'], headers['content-type'], headers['content-length']]).toEqual([
    'yes',
    'application/json',
    '16',
  ]);
  expect(headers['idempotency-key']).toMatch(/^.+\/\d+$/);
});

test('[OH13] a key that the node sets is kept', async () => {
  const { url, seen } = await serve(answerJson({}));
  const { fetch } = await fetching();
  await fetch({ url, headers: { 'idempotency-key': 'mine' } });
  expect(seen[0]?.headers['idempotency-key']).toBe('mine');
});

test.each([
  ['text', { body: 'hello' }, 'text/plain; charset=utf-8', 'hello'],
  ['bytes', { bodyBase64: 'aGVsbG8=' }, 'application/octet-stream', 'hello'],
  ['a form', { form: { a: 'x y', n: 1 } }, 'application/x-www-form-urlencoded', 'a=x+y&n=1'],
])('[OH12] a body of %s', async (_, request, contentType, sent) => {
  const { url, seen } = await serve(answerJson({}));
  const { fetch } = await fetching();
  await fetch({ url, ...request });
  expect([seen[0]?.headers['content-type'], seen[0]?.body]).toEqual([contentType, sent]);
});

test('[OH12] two bodies are refused, as are headers that say how a message is sent', async () => {
  const { fetch } = await fetching();
  const url = 'http://127.0.0.1:9/';
  expect(await fetch({ url, body: 'a', form: {} })).toMatchObject({ code: 'ACTION_INPUT_INVALID' });
  expect(await fetch({ url, headers: { Host: 'other' } })).toMatchObject({ code: 'ACTION_INPUT_INVALID' });
  expect(await fetch({ url, headers: { a: 'x\r\ny: z' } })).toMatchObject({ code: 'ACTION_INPUT_INVALID' });
  expect(await fetch({ url, unknown: 1, method: 'TRACE' })).toMatchObject({ code: 'ACTION_INPUT_INVALID' });
});

test('[OH15] JSON, text, nothing and bytes', async () => {
  const { url } = await serve(({ path }, response) => {
    if (path === '/none') return void response.writeHead(204).end();
    const type = { '/text': 'text/plain', '/json': 'application/problem+json', '/bytes': 'image/png' }[path] ?? '';
    response.writeHead(200, { 'content-type': type, 'set-cookie': 'a=b' }).end('{"a":1}');
  });
  const { fetch, engine } = await fetching();
  const bodyOf = async (path: string, more: object = {}) =>
    ((await fetch({ url: `${url}${path}`, ...more })).output as { body: { id: string; mimeType: string } }).body;
  expect(await bodyOf('/none')).toBeNull();
  expect(await bodyOf('/text')).toBe('{"a":1}');
  expect(await bodyOf('/text', { expect: 'json' })).toEqual({ a: 1 });
  expect(await bodyOf('/json')).toEqual({ a: 1 });
  const reference = await bodyOf('/bytes');
  expect(reference.mimeType).toBe('image/png');
  expect(new TextDecoder().decode((await engine.artifacts.get(reference)).bytes)).toBe('{"a":1}');
  const { output } = await fetch({ url: `${url}/json` });
  expect(JSON.stringify(output)).not.toContain('set-cookie');
});

test('[OH15] what is no JSON, or too deep, is refused where JSON is expected', async () => {
  const { url } = await serve(({ path }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(path === '/deep' ? '['.repeat(5_000) : '{');
  });
  const { fetch } = await fetching();
  expect(await fetch({ url })).toMatchObject({ status: 'failed', code: 'HTTP_BODY_INVALID' });
  expect((await fetch({ url: `${url}/deep` })).message).toContain('jsonDepthMax');
});

/** Moves on to the time at which the next attempt is due, once it is known. */
async function passTo(clock: VirtualClock, dueAt: number): Promise<void> {
  while (clock.nextAt !== dueAt) await new Promise((resolve) => setImmediate(resolve));
  await clock.advanceTo(dueAt);
}

test.each([
  [400, false],
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
])('[OH14] status %d: tried again: %s', async (status, isTriedAgain) => {
  const { url, seen } = await serve((_, response) => void response.writeHead(status, { 'retry-after': '7' }).end('no'));
  const { engine, clock } = await fetching();
  const retry = { maxAttempts: 2, initialDelayMs: 1 };
  const node = { id: 'send', action: 'http.request', retry, inputMapping: { url: 'input.url' } };
  await engine.register({ id: 'again', initialNode: 'send', nodes: [node] });
  const run = await engine.start('again', { url });
  const dueAt = clock.now() + 7_000;
  if (isTriedAgain) await passTo(clock, dueAt);
  const { error } = await run.result();
  expect([error?.code, error?.details, seen.length]).toEqual([
    'HTTP_STATUS',
    { status, body: 'no' },
    isTriedAgain ? 2 : 1,
  ]);
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('[OH14] failOnStatus: false answers with the status', async () => {
  const { url } = await serve(answerJson({ why: 'no' }, 404));
  const { fetch } = await fetching();
  expect(await fetch({ url, failOnStatus: false })).toMatchObject({ output: { status: 404, body: { why: 'no' } } });
});

test.each([
  ['no URL', 'nonsense', 'HTTP_URL_REFUSED'],
  ['another protocol', 'file:///etc/passwd', 'HTTP_URL_REFUSED'],
  ['another one', 'ftp://example.com/', 'HTTP_URL_REFUSED'],
  ['a password', 'http://user:pass@example.com/', 'HTTP_URL_REFUSED'],
  ['a user', 'http://user@example.com/', 'HTTP_URL_REFUSED'],
])('[OH2] %s is refused', async (_, url, code) => {
  const { fetch } = await fetching({ allowPrivate: [] });
  expect(await fetch({ url })).toMatchObject({ status: 'failed', code });
});

test('[OH2] ports can be named', async () => {
  const { url, port } = await serve(answerJson({}));
  const { fetch } = await fetching({ ports: [443, port] });
  expect(await fetch({ url })).toMatchObject({ status: 'completed' });
  expect(await fetch({ url: 'http://127.0.0.1/' })).toMatchObject({ code: 'HTTP_URL_REFUSED' });
});

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://10.0.0.1/',
])('[OH3] the address in %s is refused, however it is spelled', async (url) => {
  const { fetch } = await fetching({ allowPrivate: [] });
  expect(await fetch({ url })).toMatchObject({ status: 'failed', code: 'HTTP_ADDRESS_REFUSED' });
});

test('[OH3] one private address among public ones refuses the name', async () => {
  const { fetch } = await fetching({ allowPrivate: [], names: { 'mixed.example': ['1.1.1.1', '10.0.0.1'] } });
  const outcome = await fetch({ url: 'http://mixed.example/' });
  expect([outcome.code, outcome.message]).toEqual([
    'HTTP_ADDRESS_REFUSED',
    'Expected a public address, but 10.0.0.1, an address of mixed.example, is not (private); the option http.allowPrivate of the engine (heddle serve --allow-private) can allow it',
  ]);
});

test('[OH5] a name that changes its address is resolved once, and connects to what was checked', async () => {
  const { url, port, seen } = await serve(answerJson({ ok: true }));
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  let asked = 0;
  const transport = nodeTransport({ resolve: async () => answers[asked++] ?? [] });
  const { fetch } = await fetching({ transport, allowPrivate: ['127.0.0.1'] });
  expect(await fetch({ url: `http://rebind.example:${port}/` })).toMatchObject({ status: 'completed' });
  expect(asked).toBe(1);
  expect(seen[0]?.headers.host).toBe(`rebind.example:${port}`);
  // A connection to it is open; the name now points elsewhere, and is refused all the same.
  expect(await fetch({ url: `http://rebind.example:${port}/` })).toMatchObject({ code: 'HTTP_ADDRESS_REFUSED' });
  expect([asked, seen.length, url.length > 0]).toEqual([2, 1, true]);
});

test('[OH4] hosts, blocks and wildcards can be allowed', async () => {
  const { port } = await serve(answerJson({}));
  const names = { 'one.intranet.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
  for (const allowPrivate of [['*.intranet.example'], ['127.0.0.0/8'], ['one.intranet.example']]) {
    const { fetch } = await fetching({ allowPrivate, names });
    expect(await fetch({ url: `http://one.intranet.example:${port}/` })).toMatchObject({ status: 'completed' });
  }
  const { fetch } = await fetching({ allowPrivate: ['*.intranet.example'], names });
  expect(await fetch({ url: `http://other.example:${port}/` })).toMatchObject({ code: 'HTTP_ADDRESS_REFUSED' });
});

test('[OP9] options of http that are wrong are refused when the engine is made', async () => {
  for (const http of [{ allowPrivate: ['10.0.0.0/99'] }, { allowPrivate: 'x' }, { ports: [0] }, { other: 1 }]) {
    await expect(createTestEngine({ http: http as object })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  }
});

test('[OH7] redirects are followed, and told of', async () => {
  const { url, seen } = await serve(({ path }, response) => {
    if (path === '/a') response.writeHead(302, { location: '/b' }).end();
    else if (path === '/b') response.writeHead(307, { location: `${url}/c` }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
  });
  const { fetch } = await fetching();
  const outcome = await fetch({ url: `${url}/a`, method: 'POST', body: 'x' });
  expect(outcome).toMatchObject({ output: { url: `${url}/c`, redirects: 2, body: 'there' } });
  expect(seen.map(({ method, body }) => [method, body])).toEqual([
    ['POST', 'x'],
    ['GET', ''],
    ['GET', ''],
  ]);
  const first = await fetch({ url: `${url}/a`, followRedirects: false });
  expect(first).toMatchObject({ output: { status: 302, redirects: 0 } });
});

test('[OH7] a redirect to a private address, for ever, or to another protocol is refused', async () => {
  const { url } = await serve(({ path }, response) => {
    const location = { '/private': 'http://10.0.0.1/', '/file': 'file:///etc/passwd', '/user': 'http://a:b@1.1.1.1/' }[
      path
    ];
    response.writeHead(308, { location: location ?? '/loop' }).end();
  });
  const { fetch } = await fetching();
  expect(await fetch({ url: `${url}/private` })).toMatchObject({ code: 'HTTP_ADDRESS_REFUSED' });
  expect(await fetch({ url: `${url}/file` })).toMatchObject({ code: 'HTTP_URL_REFUSED' });
  expect(await fetch({ url: `${url}/user` })).toMatchObject({ code: 'HTTP_URL_REFUSED' });
  expect(await fetch({ url: `${url}/loop` })).toMatchObject({ code: 'HTTP_REDIRECT_REFUSED' });
});

test('[OH8] credentials and secrets stay with their host', async () => {
  const target = await serve(answerJson({}));
  const names = { 'first.example': ['127.0.0.1'], 'second.example': ['127.0.0.1'] };
  const first = await serve(({ path }, response) => {
    const location = path === '/within' ? '/there' : `http://second.example:${target.port}/`;
    response.writeHead(path === '/there' ? 200 : 307, { location }).end();
  });
  const { fetch, engine } = await fetching({ names, allowPrivate: ['*.example'] });
  await engine.secrets.set('token', 'abcdefgh-12345678', { hosts: ['first.example'] });
  const headers = { authorization: 'Basic eDp5', cookie: 'a=b', 'x-key': { $secret: 'token' }, 'x-other': 'stays' };
  await fetch({ url: `http://first.example:${first.port}/`, headers });
  const sent = target.seen[0]?.headers ?? {};
  expect([sent.authorization, sent.cookie, sent['x-key'], sent['x-other']]).toEqual([
    undefined,
    undefined,
    undefined,
    'stays',
  ]);
  await fetch({ url: `http://first.example:${first.port}/within`, headers });
  expect(first.seen.map((one) => one.headers['x-key'])).toEqual(Array.from({ length: 3 }, () => 'abcdefgh-12345678'));
  const withBody = { method: 'POST', body: {}, bodySecrets: { key: { $secret: 'token' } } };
  expect(await fetch({ url: `http://first.example:${first.port}/`, ...withBody })).toMatchObject({
    code: 'HTTP_REDIRECT_REFUSED',
  });
});

test('[OH6, OH10] an answer that is too large, also when it is unpacked, is refused', async () => {
  const { url } = await serve(({ path }, response) => {
    const bytes = Buffer.alloc(2_000_000, 'a');
    if (path === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
    else response.writeHead(200).end(bytes);
  });
  const { fetch } = await fetching();
  expect(await fetch({ url, maxBytes: 1_000_000 })).toMatchObject({ code: 'HTTP_TOO_LARGE' });
  expect(await fetch({ url: `${url}/gzip`, maxBytes: 1_000_000 })).toMatchObject({ code: 'HTTP_TOO_LARGE' });
  expect(await fetch({ url: `${url}/gzip`, maxBytes: 2_000_000, expect: 'text' })).toMatchObject({
    status: 'completed',
  });
});

test('[OH6] a connection that is refused or reset, and a name without an address, may be tried again', async () => {
  const server = createSocketServer((socket) => socket.on('data', () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => new Promise((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const { fetch } = await fetching({ names: {} });
  expect(await fetch({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
  expect(await fetch({ url: 'http://127.0.0.1:1/' })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
  expect(await fetch({ url: 'http://nowhere.example/' })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
});

test('[OH6] a server that changes to another protocol has not answered', async () => {
  const server = createSocketServer((socket) => {
    socket.on('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => new Promise((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const { fetch } = await fetching();
  expect(await fetch({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
});

test.each(['gzip', 'deflate', 'br'])(
  '[OH17] an answer without a body that says that it is packed by %s',
  async (packed) => {
    const { url } = await serve(({ path }, response) => {
      const headers = { 'content-encoding': packed, 'content-type': 'application/json' };
      if (path === '/moved') response.writeHead(302, { ...headers, location: '/announced' }).end();
      else if (path === '/announced') response.writeHead(202, { ...headers, 'content-length': '0' }).end();
      else if (path === '/cut') response.writeHead(200, headers).end(gzipSync('{"a":1}').subarray(0, 12));
      else response.writeHead(200, headers).end();
    });
    const { fetch } = await fetching();
    expect(await fetch({ url })).toMatchObject({ output: { status: 200, body: null } });
    expect(await fetch({ url: `${url}/moved` })).toMatchObject({ output: { status: 202, body: null, redirects: 1 } });
    // What is there must be whole.
    expect(await fetch({ url: `${url}/cut` })).toMatchObject({ code: 'HTTP_CONNECTION_FAILED' });
  },
);

/** Something that happens once, and can be waited for. */
function signal(): { readonly give: () => void; readonly given: Promise<void> } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give: () => give(), given };
}

test('[OH9] an answer that comes a byte at a time is cut off at the time limit', async () => {
  const reached = signal();
  const { url } = await serve((_, response) => {
    response.writeHead(200).write('a');
    reached.give();
  });
  const { engine, clock } = await fetching();
  const run = await engine.start('call', { url, timeoutMs: 5_000 });
  await reached.given;
  await clock.advance(5_000);
  expect((await run.result()).error).toMatchObject({
    code: 'HTTP_TIMEOUT',
    message: `Expected ${url.slice(7)} to answer within 5000 ms, but it did not`,
  });
});

test('[OH9] a run that is cancelled closes the connection', async () => {
  const reached = signal();
  const closed = signal();
  const { url } = await serve((_, response) => {
    response.on('close', closed.give);
    reached.give();
  });
  const { engine } = await fetching();
  const run = await engine.start('call', { url });
  await reached.given;
  await run.cancel('enough');
  await closed.given;
  expect((await run.result()).status).toBe('cancelled');
});

test('connections are kept open and used again', async () => {
  const { url, sockets, seen } = await serve(answerJson({}));
  const { fetch } = await fetching();
  for (let call = 0; call < 3; call += 1) await fetch({ url });
  expect([seen.length, sockets()]).toEqual([3, 1]);
});

test('[OH16] without a transport there is no http.request, and the failure says what to do', async () => {
  const { engine } = await createTestEngine();
  const node = { id: 'send', action: 'http.request', inputMapping: { url: '"https://example.com/"' } };
  const { problems } = await engine.register({ id: 'call', initialNode: 'send', nodes: [node] });
  const { error } = await (await engine.start('call')).result();
  expect([problems, error?.code]).toEqual([[], 'NOT_AVAILABLE']);
  await engine.close();
});

test('[OH7] a redirect from https to http is refused', async () => {
  const transport: HttpTransport = {
    resolve: async () => ['1.1.1.1'],
    send: async () => ({ status: 301, headers: { location: 'http://a.example/' }, body: new Uint8Array() }),
  };
  const { fetch, clock } = await fetching({ transport });
  expect(await fetch({ url: 'https://a.example/' })).toMatchObject({
    code: 'HTTP_REDIRECT_REFUSED',
    message: 'Expected a redirect that stays with https, but it leads to http',
  });
  expect(clock.now()).toBe(virtualStart);
});
