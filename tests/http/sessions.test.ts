// Sessions of browsers: a key becomes a cookie, which lets in pages of the server itself and nobody else, for as long as
// the key does.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../packages/heddle/src/base/hash.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { ApiKeys } from '../../packages/heddle/src/http/api-keys.ts';
import type { NewKey, Session } from '../../packages/heddle/src/operations/access.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { problemIn, readProblem } from './problems.testsuite.ts';
import { connectTo, readAnswer } from './raw-socket.testsuite.ts';
import { greeting, type Served, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';
import { operator } from './world.testsuite.ts';

const json = { 'content-type': 'application/json' };
const waiting = { id: 'waiting', initialNode: 'a', nodes: [{ id: 'a', input: true }], transitions: [] };
const hourMs = 3_600_000;

const signIn = (server: Served, key: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  server.ask('/v1/session', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ key }) });

/** What a browser keeps of an answer. */
const cookieIn = (response: Response): string => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

type PageInit = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

interface SignedIn {
  readonly server: Served;
  readonly made: NewKey;
  readonly cookie: string;
  /** As a page of the server asks. */
  readonly asPage: (at: string, init?: PageInit) => Promise<Response>;
}

async function signedIn(options: Parameters<typeof served>[0] = {}, scopes = ['*']): Promise<SignedIn> {
  const server = await served(options);
  const made = await server.keys.create({ name: 'test', scopes }, operator);
  const cookie = cookieIn(await signIn(server, made.key));
  const asPage: SignedIn['asPage'] = (at, { headers, ...init } = {}) =>
    server.ask(at, { ...init, headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers } });
  return { server, made, cookie, asPage };
}

test('[AC15][AC16] a key becomes a session with its rights, which is signed out of', async () => {
  const { server, made, cookie, asPage } = await signedIn({}, ['run:read', 'definition:write']);
  const identity = { tenant: 'default', scopes: ['run:read', 'definition:write'], keyId: made.id, only: null };
  expect(await (await asPage('/v1/me')).json()).toEqual({ ...identity, via: 'session' });
  const answer = (await (await signIn(server, made.key)).json()) as Session;
  expect(answer).toEqual({ ...identity, via: 'session', expiresAt: expect.any(Number) });
  const register = { method: 'POST', headers: json, body: JSON.stringify(greeting) };
  expect((await asPage('/v1/definitions', register)).status).toBe(200);
  expect(await problemIn(await asPage('/v1/runs', { ...register, body: '{"workflow":"greeting"}' }))).toMatchObject({
    code: 'SCOPE_MISSING',
  });
  const out = await asPage('/v1/session', { method: 'DELETE' });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([
    204,
    'heddle_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0',
  ]);
  // Also for whoever has kept a copy of the cookie.
  expect(await problemIn(await server.ask('/v1/me', { headers: { cookie } }))).toMatchObject({
    status: 401,
    code: 'KEY_INVALID',
    detail: 'Expected a valid session, but this one has ended',
  });
  expect((await server.ask('/v1/me', { headers: { authorization: `Bearer ${made.key}` } })).status).toBe(200);
});

test('[AC15] whoever has no valid key gets no session, and no cookie', async () => {
  const server = await served();
  const { key } = await server.keys.create({ name: 'test', scopes: ['*'] }, operator);
  const ended = await server.keys.create({ name: 'test', scopes: ['*'], expiresAt: 1 }, operator);
  const session = cookieIn(await signIn(server, key)).replace('heddle_session=', '');
  for (const wrong of [`${key.slice(0, -4)}AAAA`, 'hdl_nobody', ended.key, session]) {
    const refused = await signIn(server, wrong);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(await problemIn(refused)).toMatchObject({
      status: 401,
      code: 'KEY_INVALID',
      detail: 'Expected a valid key, but this one opens nothing',
    });
  }
});

test('[AC17] a session is worth nothing where a key is expected, and a key nothing as a cookie', async () => {
  const { server, made, cookie } = await signedIn();
  const bearer = cookie.replace('heddle_session=', 'Bearer ');
  expect((await server.ask('/v1/me', { headers: { authorization: bearer } })).status).toBe(401);
  const forged = [`heddle_session=${made.key}`, 'heddle_session=', `x${cookie}`, cookie.replace('hds_', 'hdl_')];
  for (const cookies of [...forged, cookie.slice(0, -1), `${cookie}x`])
    expect((await server.ask('/v1/me', { headers: { cookie: cookies } })).status, cookies).toBe(401);
  expect((await server.ask('/v1/me', { headers: { cookie: `theme=dark; ${cookie}; a=b` } })).status).toBe(200);
});

test('[AC16] a key in `Authorization` goes before the session', async () => {
  const { server, cookie } = await signedIn();
  const other = await server.keys.create({ name: 'other', scopes: ['run:read'] }, operator);
  const headers = { cookie, authorization: `Bearer ${other.key}` };
  expect(await (await server.ask('/v1/me', { headers })).json()).toMatchObject({ keyId: other.id, via: 'key' });
  const wrong = await server.ask('/v1/me', { headers: { cookie, authorization: 'Bearer hdl_nobody' } });
  expect(wrong.status).toBe(401);
});

test('[AC17][GD9] the cookie is `Secure` where the browser came over TLS, and only a known proxy is believed', async () => {
  const flags = 'HttpOnly; SameSite=Strict; Path=/; Max-Age=3600';
  const cookieOf = async (behindProxy: boolean, proto: string): Promise<string> => {
    const server = await served({ behindProxy, sessionMs: hourMs });
    const { key } = await server.keys.create({ name: 'test', scopes: ['*'] }, operator);
    const answer = await signIn(server, key, { 'x-forwarded-proto': proto });
    return (answer.headers.get('set-cookie') ?? '').replace(/^heddle_session=hds_[0-9a-z]{16}_[\w-]{32}; /, '');
  };
  expect(await cookieOf(true, 'https')).toBe(`${flags}; Secure`);
  expect(await cookieOf(true, 'http')).toBe(flags);
  expect(await cookieOf(false, 'https')).toBe(flags);
});

test('[GD9] behind a proxy that ends TLS, a page of the server has the origin that its browser knows', async () => {
  const { server, cookie } = await signedIn({ behindProxy: true });
  const origin = server.url.replace('http:', 'https:');
  const register = (headers: Readonly<Record<string, string>>) =>
    server.ask('/v1/definitions', {
      method: 'POST',
      headers: { ...json, cookie, origin, ...headers },
      body: JSON.stringify(greeting),
    });
  expect((await register({ 'x-forwarded-proto': 'https' })).status).toBe(200);
  expect(await problemIn(await register({}))).toMatchObject({ code: 'ORIGIN_FORBIDDEN' });
});

const page = 'https://app.example.com';

const csrf = 'CSRF_REFUSED';

const senders: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['says nothing of itself', {}, csrf],
  ['is typed by a person', { 'sec-fetch-site': 'none' }, csrf],
  ['is of another site', { 'sec-fetch-site': 'cross-site' }, 'ORIGIN_FORBIDDEN'],
  ['is of the same site and another origin', { 'sec-fetch-site': 'same-site' }, 'ORIGIN_FORBIDDEN'],
  ['is of an origin that was named', { origin: page }, csrf],
  ['is of an origin that was named, and of the same site', { origin: page, 'sec-fetch-site': 'same-site' }, csrf],
];

test.each(senders)('[AC18] nothing is changed by a session for a page that %s', async (_, headers, code) => {
  const { server, cookie, made } = await signedIn({ origins: [page] });
  const register = (more: Readonly<Record<string, string>>) =>
    server.ask('/v1/definitions', {
      method: 'POST',
      headers: { ...json, ...headers, ...more },
      body: JSON.stringify(greeting),
    });
  expect(await problemIn(await register({ cookie }))).toMatchObject({ status: 403, code });
  expect(await server.engine.definitions()).toEqual([]);
  const out = await server.ask('/v1/session', { method: 'DELETE', headers: { ...headers, cookie } });
  expect(out.status).toBe(403);
  // Sessions go on, and so do keys, which no page has without being given it.
  expect((await server.ask('/v1/me', { headers: { cookie } })).status).toBe(200);
  if ('origin' in headers) expect((await register({ authorization: `Bearer ${made.key}` })).status).toBe(200);
});

test('[AC18] a page of the server may do everything, by what its browser says of it', async () => {
  const { server, cookie } = await signedIn();
  for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: server.url }, { origin: server.url }])
    expect(
      (
        await server.ask('/v1/definitions', {
          method: 'POST',
          headers: { ...json, cookie, ...headers },
          body: JSON.stringify(greeting),
        })
      ).status,
    ).toBe(200);
});

test('[AC18] no page of another origin sees anything by a session, also one that was named', async () => {
  const { server, cookie } = await signedIn({ origins: [page] });
  for (const headers of [{ origin: page }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    expect(await problemIn(await server.ask('/v1/runs', { headers: { cookie, ...headers } }))).toMatchObject({
      status: 403,
      code: 'CSRF_REFUSED',
    });
});

test('[AC18] nobody is signed in by a page of others', async () => {
  const { server, made } = await signedIn({ origins: [page] });
  for (const headers of [{ origin: page }, { origin: page, 'sec-fetch-site': 'same-site' }]) {
    const refused = await signIn(server, made.key, headers);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(await problemIn(refused)).toMatchObject({ status: 403, code: 'CSRF_REFUSED' });
  }
  expect((await signIn(server, made.key, { origin: server.url, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
});

test('[GD8] where nobody needs a key, a page of another site changes nothing, whatever it says of itself', async () => {
  const server = await served();
  const register = async (headers: readonly string[]) => {
    const body = JSON.stringify(greeting);
    const connection = await connectTo(server.url);
    const host = server.url.replace('http://', '');
    const head = ['POST /v1/definitions HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', ...headers];
    connection.send(`${[...head, `Content-Length: ${body.length}`, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
    return readAnswer(await connection.untilClosed());
  };
  const foreign = [['Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-site'], ['Origin: null']];
  for (const headers of [...foreign, ['Sec-Fetch-Site: cross-site', 'Origin: null']]) {
    const { status, body } = await register(headers);
    expect(readProblem(body, status)).toMatchObject({ status: 403, code: 'ORIGIN_FORBIDDEN' });
  }
  expect(await server.engine.definitions()).toEqual([]);
  for (const headers of [[], ['Sec-Fetch-Site: same-origin', `Origin: ${server.url}`], ['Sec-Fetch-Site: none']])
    expect((await register(headers)).status).toBe(200);
  // Looking is as it was: a link in another page opens it.
  expect((await server.ask('/v1/me', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
});

const losses: readonly (readonly [string, (all: SignedIn) => Promise<unknown>])[] = [
  ['its key is revoked', ({ server, made }) => server.keys.revoke(made.id, operator)],
  ['its key is rotated out', ({ server, made }) => server.keys.rotate(made.id, 0, operator)],
  ['it is signed out of', ({ asPage }) => asPage('/v1/session', { method: 'DELETE' })],
];

test.each(losses)(
  '[AC16] a session ends when %s, also for a stream that is open and a call that waits',
  async (_, lose) => {
    const all = await signedIn();
    const { server, cookie } = all;
    await server.engine.register(waiting);
    const run = await server.engine.start('waiting');
    const reader = await readEvents(`${server.url}/v1/runs/${run.id}/events/stream`, { cookie });
    await reader.until(({ data }) => data['type'] === 'workflow.suspended');
    const waits = server.ask(`/v1/runs/${run.id}/result?waitMs=60000`, { headers: { cookie } });
    await server.ask('/health');
    await lose(all);
    await run.cancel('it is late');
    const left = await reader.rest();
    expect(left.map(({ id, name }) => [id, name])).toEqual([[null, 'error']]);
    expect(readProblem(JSON.stringify(left[0]?.data), 401)).toMatchObject({ code: 'KEY_INVALID' });
    expect((await waits).status).toBe(401);
    expect((await server.ask('/v1/me', { headers: { cookie } })).status).toBe(401);
  },
);

test('[AC15][AC16] a session ends at its time and with its key, is noticed then, and is removed', async () => {
  const clock = new VirtualClock();
  const store = memoryStore();
  const keys = new ApiKeys(store, clock, { sessionMs: hourMs });
  const expiresAt = clock.now() + 1_500;
  const [lasting, ending] = [
    await keys.create({ name: 'lasting', scopes: ['*'] }, operator),
    await keys.create({ name: 'ending', scopes: ['*'], expiresAt }, operator),
  ];
  const start = clock.now();
  const lostAt: number[][] = [];
  const texts: string[] = [];
  for (const { key } of [lasting, ending]) {
    const session = await keys.signIn(key);
    const lost: number[] = [];
    session?.access.grant?.onLoss(() => lost.push(clock.now() - start));
    lostAt.push(lost);
    texts.push(session?.text ?? '');
  }
  await clock.advance(2 * hourMs);
  expect(lostAt).toEqual([[hourMs], [1_500]]);
  // Nobody waits any more: no timer is left.
  expect(clock.nextAt).toBeNull();
  for (const text of texts) expect(await keys.sessions.authenticate(text)).toBeNull();
  await keys.signIn(lasting.key);
  expect((await store.listRecords('session', { limit: 10 })).length).toBe(1);
});

test('[AC16] a session that another process ended is noticed within a second', async () => {
  const clock = new VirtualClock();
  const store = memoryStore();
  const [here, elsewhere] = [new ApiKeys(store, clock), new ApiKeys(store, clock)];
  const { key } = await here.create({ name: 'test', scopes: ['*'] }, operator);
  const session = await here.signIn(key);
  let lost = 0;
  session?.access.grant?.onLoss(() => lost++);
  await clock.advance(5_000);
  expect(lost).toBe(0);
  await elsewhere.sessions.end(session?.access.sessionId ?? '');
  await clock.advance(1_000);
  expect([lost, await here.sessions.authenticate(session?.text ?? '')]).toEqual([1, null]);
});

test('[AC15] no file holds the text of a session, only its hash', async () => {
  const { server, cookie } = await signedIn();
  await server.close();
  const text = cookie.replace('heddle_session=', '');
  const bytes = readdirSync(path.dirname(server.store), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
    .join('');
  expect([bytes.includes(text.slice(-32)), bytes.includes(sha256Hex(text))]).toEqual([false, true]);
});

test('[GD3] signing in has a rate of its own, which costs no key anything', async () => {
  const server = await served({ rate: { perSecond: 0.01, burst: 3 } });
  const { key } = await server.keys.create({ name: 'test', scopes: ['*'] }, operator);
  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn++) statuses.push((await signIn(server, 'hdl_nobody')).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await server.ask('/v1/me', { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

test('[HT23] every answer tells browsers not to guess, frame, run, keep or tell of it', async () => {
  const server = await served();
  await server.engine.register(greeting);
  const { id } = await server.engine.start('greeting', { name: 'Ada' });
  const paths = ['/health', '/metrics', '/docs', '/openapi.json', '/v1/runs', '/v1/nowhere', '/v1/runs/none'];
  for (const at of [...paths, `/v1/runs/${id}/events/stream`]) {
    const { headers, body } = await server.ask(at);
    await body?.cancel();
    const policy = headers.get('content-security-policy') ?? '';
    expect([policy.startsWith("default-src 'none'"), policy.includes("frame-ancestors 'none'")], at).toEqual([
      true,
      true,
    ]);
    expect(Object.fromEntries(headers), at).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
  const connection = await connectTo(server.url);
  connection.send('this is no HTTP\r\n\r\n');
  expect(await connection.untilClosed()).toContain('x-frame-options: DENY');
});
