// The web app as a server hands it out: what is a page, what is a file, and what is none of both.

import { get } from 'node:http';
import { expect, test } from 'vitest';
import { served } from './server.testsuite.ts';

const asPage = { headers: { accept: 'text/html,application/xhtml+xml' } };

test('[WA1] a page allows its own scripts and styles alone, and no frame around it', async () => {
  const { ask } = await served();
  const { headers } = await ask('/', asPage);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]),
  );
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('[WA2] every address that is none of the API leads browsers to the app; programs are told that it is none', async () => {
  const { ask } = await served();
  const page = await (await ask('/', asPage)).text();
  expect(page).toContain('<div id="root">');
  for (const address of ['/runs', '/runs/abc', '/workflows/x/edit', '/answer/default/secret']) {
    expect(await (await ask(address, asPage)).text(), address).toBe(page);
    expect((await ask(address)).status, address).toBe(404);
  }
  expect(await (await ask('/docs', asPage)).text()).toBe(page);
  expect((await ask('/v1/nothing', asPage)).status).toBe(404);
  expect((await ask('/runs', { ...asPage, method: 'POST' })).status).toBe(404);
  expect((await ask('/../package.json', asPage)).headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('[WA2] files are compressed for whoever takes that, and kept for ever where their names change with them', async () => {
  const { ask, url } = await served();
  const page = await (await ask('/', asPage)).text();
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  const whole = await ask(script, { headers: { 'accept-encoding': 'identity' } });
  expect(whole.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await ask('/', asPage)).headers.get('cache-control')).toBe('no-cache');
  const encodings = await new Promise((resolve) => {
    get(`${url}${script}`, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      resolve(response.headers['content-encoding']);
      response.destroy();
    });
  });
  expect(encodings).toBe('gzip');
  expect(await (await ask(script)).text()).toBe(await whole.text());
});

test('a server without the web app shows the API at /docs, and has no other page', async () => {
  const { ask } = await served({ web: false });
  expect((await ask('/docs', asPage)).status).toBe(200);
  expect((await ask('/', asPage)).status).toBe(404);
});
