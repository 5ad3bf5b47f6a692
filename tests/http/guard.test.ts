// What is looked at before a request is: whose page sent it, by which name, how often.

import { expect, test } from 'vitest';
import { createApp } from '../../packages/heddle/src/http/app.ts';
import { publicBucket, RateLimits } from '../../packages/heddle/src/http/guard.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { problemIn, readProblem } from './problems.testsuite.ts';
import { connectTo, readAnswer } from './raw-socket.testsuite.ts';
import { greeting, served } from './server.testsuite.ts';

const page = 'https://app.example.com';
const json = { 'content-type': 'application/json' };

test('[GD1] a page of another origin may ask only if its origin was named; nothing is done for one that was not', async () => {
  const server = await served({ origins: [page] });
  const register = (origin: string) =>
    server.ask('/v1/definitions', { method: 'POST', headers: { ...json, origin }, body: JSON.stringify(greeting) });
  for (const origin of [
    'https://evil.example.com',
    'null',
    'http://127.0.0.1:1',
    `${page}.evil.com`,
    page.toUpperCase(),
  ]) {
    const response = await register(origin);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await problemIn(response)).toMatchObject({ status: 403, code: 'ORIGIN_FORBIDDEN' });
  }
  expect(await server.client.definitions()).toEqual([]);
  const allowed = await register(page);
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, page]);
  expect(allowed.headers.get('vary')).toBe('Origin');
  // A page of the server itself.
  expect((await register(server.url)).status).toBe(200);
});

test('[GD1] what a browser asks before it asks is answered for pages that may', async () => {
  const server = await served({ origins: [page] });
  const preflight = (origin: string) =>
    server.ask('/v1/runs', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
  const allowed = await preflight(page);
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, page]);
  expect(allowed.headers.get('access-control-allow-methods')).toContain('POST');
  expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization');
  const refused = await preflight('https://evil.example.com');
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect((await server.ask('/v1/runs', { method: 'OPTIONS' })).status).toBe(405);
});

test('[GD2] a server of this machine alone is not asked by the name of another', async () => {
  const server = await served();
  const asked = async (host: string) => {
    const connection = await connectTo(server.url);
    connection.send(`GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return readAnswer(await connection.untilClosed());
  };
  const { port } = new URL(server.url);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '10.0.0.1',
    '127.0.0.1.nip.io',
    '0',
  ]) {
    const { status, body } = await asked(host);
    expect(readProblem(body, status), host).toMatchObject({ status: 403, code: 'HOST_FORBIDDEN' });
  }
  for (const host of ['localhost', `localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'LOCALHOST'])
    expect((await asked(host)).status, host).toBe(200);
});

test('[GD3] a key that asks too often is told when to come again, and no other key is', async () => {
  const server = await served({ rate: { perSecond: 0.01, burst: 3 } });
  const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
  const keys = await Promise.all(['a', 'b'].map((name) => server.keys.create({ name, scopes: ['*'] }, operator)));
  const ask = (key: string | undefined) => server.ask('/v1/me', { headers: { authorization: `Bearer ${key}` } });
  const [first, second] = keys.map(({ key }) => key);
  const statuses = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await ask(first)).status);
  expect(statuses).toEqual([200, 200, 200]);
  const refused = await ask(first);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
  expect(await problemIn(refused)).toMatchObject({ status: 429, code: 'RATE_EXCEEDED', limit: 'rate' });
  expect((await ask(second)).status).toBe(200);
  // Whether the server is well may always be asked.
  for (let turn = 0; turn < 5; turn++) expect((await server.ask('/health')).status).toBe(200);
});

test('[GD7] names that somebody makes up do not give a key its rate back', () => {
  const rates = new RateLimits(new VirtualClock(), { perSecond: 1, burst: 1 });
  rates.take('key');
  for (let count = 0; count < 20_000; count += 1) {
    try {
      rates.take(publicBucket(`tenant-${count}`));
    } catch {
      // Its bucket is empty.
    }
  }
  expect(() => rates.take('key')).toThrow('at most 1 requests a second');
});

test('[HT2] what nobody foresaw is told to the operator, and to the caller in one sentence', async () => {
  const told: unknown[] = [];
  const app = createApp({
    engineOf: () => {
      throw new Error('password=hunter2');
    },
    onError: (error, { method, path }) => told.push([String(error), method, path]),
  });
  const response = await app.fetch(new Request('http://127.0.0.1/v1/runs'));
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL', status: 500, hint: 'The log of the server says what.' });
  expect(text).not.toContain('hunter2');
  expect(told).toEqual([['Error: password=hunter2', 'GET', '/v1/runs']]);
});
