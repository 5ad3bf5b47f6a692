// Secrets: kept encrypted, given out for their hosts, and taken out of everything that comes back.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import type { ActionContext } from '../executor/action.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createEngine, type Engine } from '../index.ts';
import { answerJson, fetching, serve } from '../outbound/http.testsuite.ts';
import { createTestEngine } from '../testing/test-engine.ts';
import { virtualStart } from '../testing/virtual-clock.ts';
import { Scrubber } from './scrubber.ts';

const value = 'top+secret/value 42ü';

test('[SK2] a secret is listed without its value, and each new value is a new version', async () => {
  const { engine, store, clock } = await createTestEngine();
  const hosts = ['api.example.com', '*.example.org'];
  await engine.secrets.set('token', value, { hosts });
  await clock.advance(5);
  await engine.secrets.set('token', 'another value');
  await engine.secrets.set('a.b', value);
  expect(await engine.secrets.list()).toEqual([
    { name: 'a.b', hosts: [], version: 1, createdAt: virtualStart + 5, updatedAt: virtualStart + 5 },
    { name: 'token', hosts: [], version: 2, createdAt: virtualStart, updatedAt: virtualStart + 5 },
  ]);
  expect(JSON.stringify(await store.listRecords('secret', { limit: 10 }))).not.toContain('secret/value');
  expect([await engine.secrets.remove('token'), await engine.secrets.remove('token')]).toEqual([true, false]);
  await engine.close();
});

test.each([
  ['a name', ['1token', value], {}],
  ['a short value', ['token', '1234567'], {}],
  ['no value', ['token', undefined as unknown as string], {}],
  ['a URL as host', ['token', value], { hosts: ['https://example.com'] }],
  ['a host with a port', ['token', value], { hosts: ['example.com:443'] }],
  ['a wildcard inside', ['token', value], { hosts: ['api.*.com'] }],
] as const)('[SK1] %s that does not do is refused', async (_, [name, text], options) => {
  const { engine } = await createTestEngine();
  await expect(engine.secrets.set(name, text, options)).rejects.toMatchObject({ code: 'SECRET_INVALID' });
  expect(await engine.secrets.list()).toEqual([]);
  await engine.close();
});

test('[SK2] there are at most secretsMax', async () => {
  const { engine } = await createTestEngine({ limits: { secretsMax: 1 } });
  await engine.secrets.set('one', value);
  await engine.secrets.set('one', value);
  await expect(engine.secrets.set('two', value)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'secretsMax' });
  await engine.close();
});

/** An action that asks for a secret and does something with it. */
async function using(act: (secret: string) => unknown, host = 'api.example.com') {
  const events: string[] = [];
  const made = await createTestEngine({
    onEvent: (event) => events.push(JSON.stringify(event)),
    actions: { use: async ({ secrets }) => act(await secrets.get('token', { host })) },
  });
  await made.engine.secrets.set('token', value, { hosts: ['api.example.com', '*.example.org'] });
  await made.engine.register({
    id: 'use',
    initialNode: 'use',
    nodes: [{ id: 'use', action: 'use', outputMapping: { 'output.got': 'result' } }],
  });
  const { output, error } = await (await made.engine.start('use')).result();
  await made.engine.close();
  return { output: (output as { got?: unknown } | undefined)?.got, error, events };
}

test.each([
  ['api.example.com', true],
  ['API.example.com', true],
  ['deep.below.example.org', true],
  ['example.org', false],
  ['evilexample.org', false],
  ['other.example.com', false],
])('[SK3] for the host %s it is given out: %s', async (host, isGiven) => {
  const { error, output } = await using((secret) => secret.length, host);
  expect(isGiven ? output : error?.code).toBe(isGiven ? value.length : 'SECRET_HOST_REFUSED');
});

test('[SK3] without a host it is refused', async () => {
  const { error } = await using((secret) => secret.length, null as unknown as string);
  expect(error?.code).toBe('SECRET_HOST_REFUSED');
});

test.each(['base64', 'base64url'] as const)('[SK6] what is left of %s is the same for any secret', (encoding) => {
  const secrets = ['abcdefgh', 'Zy~9/+?=', '\u0001\u007fx\u0000yz\u0002\u0003', 'ABCDEFGH'];
  for (let length = 8; length < 11; length += 1) {
    for (const [before, after] of ['', 'x', 'xy', 'xyz'].flatMap((lead) =>
      ['', '!', '!!', '!!!'].map((end) => [lead, end]),
    )) {
      const left = secrets.map((secret) => {
        const long = secret.padEnd(length, secret);
        const scrubber = new Scrubber();
        scrubber.add('token', long);
        const text = `"${Buffer.from(`${before}${long}${after}`).toString(encoding)}"`;
        const clean = scrubber.text(text);
        expect(new TextDecoder().decode(scrubber.bytes(new TextEncoder().encode(text)))).toBe(clean);
        return clean;
      });
      expect(new Set(left).size, `${before} ${length} ${after}: ${left.join(' ')}`).toBe(1);
    }
  }
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['itself', value],
  ['base64', base64(value)],
  ['base64 behind one byte', base64(`x${value}`)],
  ['base64 behind two bytes', base64(`xy${value}`)],
  ['base64 inside', base64(`user:${value}:end`)],
  ['base64url', Buffer.from(value).toString('base64url')],
  ['a URL', encodeURIComponent(value)],
  ['a form', new URLSearchParams({ a: value }).toString()],
  ['JSON in JSON', JSON.stringify(JSON.stringify({ value }))],
  ['hex', Buffer.from(value).toString('hex')],
])('[SK5] %s is taken out of what an action returns, throws and publishes', async (_, form) => {
  const returned = await using(() => ({ deep: [{ [`key ${form}`]: `a ${form} b` }] }));
  expect(JSON.stringify(returned.output)).toContain('[secret token]');
  const thrown = await using(() => {
    throw Object.assign(new Error(`no: ${form}`), { details: { form } });
  });
  expect(thrown.error?.message).toContain('[secret token]');
  for (const told of [...returned.events, ...thrown.events, JSON.stringify(thrown.error)]) {
    expect(told).not.toContain(form);
    expect(told).not.toContain(value);
  }
});

/** With something of everything that servers escape. */
const odd = `p!a's(s)~"w/o\\r+d&<ü> 9`;

test.each([
  ['a query', `/?key=p%21a%27s%28s%29%7E%22w%2Fo%5Cr%2Bd%26%3C%C3%BC%3E+9`],
  ['a query in small letters', `/?key=p%21a%27s%28s%29%7e%22w%2fo%5cr%2bd%26%3c%c3%bc%3e+9`],
  ['a path', `/p%21a%27s%28s%29%7E%22w%2Fo%5Cr%2Bd%26%3C%C3%BC%3E%209`],
  ['JSON of Python', String.raw`{"key": "p!a's(s)~\"w/o\\r+d&<\u00fc> 9"}`],
  ['JSON of PHP', String.raw`{"key":"p!a's(s)~\"w\/o\\r+d&<\u00fc> 9"}`],
  ['JSON of Go', String.raw`{"key":"p!a's(s)~\"w/o\\r+d\u0026\u003cü\u003e 9"}`],
  ['JSON of .NET', String.raw`{"key":"p!a\u0027s(s)~\u0022w/o\\r\u002Bd\u0026\u003C\u00FC\u003E 9"}`],
  ['HTML', `<p>p!a's(s)~"w/o\\r+d&amp;&lt;ü&gt; 9</p>`],
  ['HTML of an attribute', `<p a="p!a&#39;s(s)~&quot;w/o\\r+d&amp;&lt;ü&gt; 9">`],
  ['HTML of Python', `<p>p!a&#x27;s(s)~&quot;w/o\\r+d&amp;&lt;ü&gt; 9</p>`],
])('[SK5] a secret is taken out as %s writes it', (_, text) => {
  const scrubber = new Scrubber();
  scrubber.add('token', odd);
  expect(scrubber.text(text)).toMatch(/^[^9]*\[secret token\][^9]*$/);
  expect(new TextDecoder().decode(scrubber.bytes(new TextEncoder().encode(text)))).toBe(scrubber.text(text));
});

test('[SK5] a server that repeats the address that it was asked for gives no secret away', async () => {
  const { url, seen } = await serve(({ path: asked }, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end(`<pre>Cannot GET ${asked}</pre>`);
  });
  const { engine, fetch } = await fetching();
  await engine.secrets.set('token', odd, { hosts: ['127.0.0.1'] });
  const outcome = await fetch({ url, query: { key: { $secret: 'token' } }, failOnStatus: false });
  expect(new URL(`${url}${seen[0]?.path}`).searchParams.get('key')).toBe(odd);
  expect(outcome).toMatchObject({ output: { body: '<pre>Cannot GET /?key=[secret token]</pre>' } });
});

test('[SK5] a message that is cut inside a secret shows none of it', async () => {
  const { error } = await using((secret) => {
    throw new Error(`${'x'.repeat(3_990)}${secret}`);
  });
  expect(error?.message.endsWith('x[secret token]…')).toBe(true);
});

test('[SK5] the stack, the causes and the parts of what was thrown do not hold it', async () => {
  const { error, events } = await using((secret) => {
    const cause = new AggregateError([new Error(`part ${secret}`)], `cause ${secret}`);
    throw new Error(`no ${secret}`, { cause });
  });
  expect(error?.thrown?.stack).toContain('no [secret token]');
  expect(error?.thrown?.cause).toMatchObject({
    message: 'cause [secret token]',
    errors: [{ message: 'part [secret token]' }],
  });
  for (const told of [JSON.stringify(error), ...events]) expect(told).not.toContain(value);
});

test('[SK5] events and artifacts of an action that was given a secret do not hold it', async () => {
  const seen: unknown[] = [];
  const { engine, store } = await createTestEngine({
    actions: {
      use: async ({ secrets, publish, artifacts }) => {
        const secret = await secrets.get('token', { host: 'api.example.com' });
        await publish('used', { secret }, { ttlMs: 1_000 });
        const bytes = await artifacts.put(new TextEncoder().encode(`a ${secret} b`), 'text/plain');
        return { bytes, text: await artifacts.put(`${secret}!`, 'text/plain') };
      },
    },
  });
  await engine.secrets.set('token', value, { hosts: ['api.example.com'] });
  await engine.register({
    id: 'use',
    initialNode: 'use',
    nodes: [
      { id: 'use', action: 'use', outputMapping: { 'output.bytes': 'result.bytes', 'output.text': 'result.text' } },
    ],
  });
  const { output } = await (await engine.start('use')).result();
  for (const reference of Object.values(output as Record<string, { id: string; mimeType: string }>))
    seen.push(new TextDecoder().decode((await engine.artifacts.get(reference)).bytes));
  expect(seen).toEqual(['a [secret token] b', '[secret token]!']);
  expect(JSON.stringify(await store.listRecords('event', { limit: 10 }))).not.toContain('secret/value');
  await engine.close();
});

const recordOf = (text: string) =>
  sideCommit({ records: [{ kind: 'secret', key: 'token', value: text, dueAt: null }] });

test('[SK4] with another key, or other hosts, a secret does not open', async () => {
  const store = memoryStore();
  const first = await createTestEngine({ store });
  await first.engine.secrets.set('token', value, { hosts: ['api.example.com'] });
  const [row] = await store.listRecords('secret', { limit: 1 });
  const altered = (row?.value ?? '').replace('api.example.com', 'evil.example.com');
  const otherKey = memoryStore();
  await otherKey.commit(recordOf(row?.value ?? ''));
  const read = async (one: Store, host: string) => {
    const { engine } = await createTestEngine({
      store: one,
      actions: { use: async ({ secrets }) => ({ length: (await secrets.get('token', { host })).length }) },
    });
    await engine.register({ id: 'use', initialNode: 'use', nodes: [{ id: 'use', action: 'use' }] });
    return (await (await engine.start('use')).result()).error;
  };
  expect(await read(otherKey, 'api.example.com')).toMatchObject({ code: 'SECRET_UNREADABLE' });
  await store.commit(recordOf(altered));
  expect(await read(store, 'evil.example.com')).toMatchObject({ code: 'SECRET_UNREADABLE' });
  await first.engine.secrets.set('token', value, { hosts: ['api.example.com'] });
  expect(await read(store, 'api.example.com')).toBeUndefined();
});

test('[SK4] with another key file a secret does not open, until it is set again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'heddle-secrets-'));
  const store = path.join(folder, 'heddle.db');
  const actions = {
    use: async ({ secrets }: ActionContext) => ({ got: (await secrets.get('token', { host: 'a.example' })).length }),
  };
  const use = async (prepare: (engine: Engine) => Promise<unknown>) => {
    const engine = await createEngine({ store, actions });
    await prepare(engine);
    await engine.register({ id: 'use', initialNode: 'use', nodes: [{ id: 'use', action: 'use' }] });
    const { error, status } = await (await engine.start('use')).result();
    await engine.close();
    return error?.code ?? status;
  };
  const set = (engine: Engine) => engine.secrets.set('token', value, { hosts: ['a.example'] });
  const nothing = async () => undefined;
  const outcomes = [await use(set), await use(nothing)];
  await rm(`${store}.key`);
  outcomes.push(await use(nothing), await use(set));
  expect(outcomes).toEqual(['completed', 'completed', 'SECRET_UNREADABLE', 'completed']);
  const names = await readdir(folder);
  for (const name of names.filter((one) => !one.endsWith('artifacts')))
    expect((await readFile(path.join(folder, name))).includes(value)).toBe(false);
  await rm(folder, { recursive: true });
});

test('[OH11] a reference is resolved when it is sent, and is all that is ever stored', async () => {
  const { url, seen } = await serve(({ headers }, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`you sent ${headers.authorization}`);
  });
  const { engine, fetch } = await fetching();
  await engine.secrets.set('token', 'abcdefgh 12345678', { hosts: ['127.0.0.1'] });
  const outcome = await fetch({
    url,
    headers: { authorization: { $secret: 'token', format: 'Bearer {}' } },
    query: { key: { $secret: 'token' } },
    body: { a: 1 },
    bodySecrets: { client_secret: { $secret: 'token', encode: 'base64' } },
  });
  expect(outcome).toMatchObject({ output: { body: 'you sent Bearer [secret token]', url: `${url}/` } });
  expect(seen[0]).toMatchObject({
    path: '/?key=abcdefgh+12345678',
    body: JSON.stringify({ a: 1, client_secret: base64('abcdefgh 12345678') }),
    headers: { authorization: 'Bearer abcdefgh 12345678' },
  });
});

test('[OH11] data that looks like a reference, in a body, stays data', async () => {
  const { url, seen } = await serve(answerJson({}));
  const { engine, fetch } = await fetching();
  await engine.secrets.set('token', 'abcdefgh12345678', { hosts: ['127.0.0.1'] });
  await fetch({ url, body: { comment: { $secret: 'token' } } });
  expect(seen[0]?.body).toBe('{"comment":{"$secret":"token"}}');
});

test('[OH4, OH11] a secret goes to no other host, and not without TLS', async () => {
  const names = { 'api.example.com': ['1.1.1.1'] };
  const { engine, fetch } = await fetching({ names });
  await engine.secrets.set('token', 'abcdefgh12345678', { hosts: ['api.example.com'] });
  const headers = { authorization: { $secret: 'token' } };
  expect(await fetch({ url: 'http://127.0.0.1:9/', headers })).toMatchObject({ code: 'SECRET_HOST_REFUSED' });
  expect(await fetch({ url: 'http://api.example.com/', headers })).toMatchObject({
    code: 'SECRET_HOST_REFUSED',
    message: 'Expected https for a request with secret token, but the URL of api.example.com is http',
  });
  expect(await fetch({ url: 'http://127.0.0.1:9/', headers: { a: { $secret: 'none' } } })).toMatchObject({
    code: 'SECRET_NOT_FOUND',
  });
});

test('a scrubber without secrets changes nothing, and the longer of two is taken first', () => {
  const scrubber = new Scrubber();
  expect([scrubber.isEmpty, scrubber.text('abcdefgh')]).toEqual([true, 'abcdefgh']);
  scrubber.add('short', 'abcdefgh');
  scrubber.add('long', 'abcdefghijkl');
  expect(scrubber.text('abcdefghijkl abcdefgh')).toBe('[secret long] [secret short]');
});
