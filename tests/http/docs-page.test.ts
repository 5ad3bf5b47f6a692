// The page to browse the API: no script, nothing from elsewhere, every link leads somewhere.

import { expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { JsonSchema } from '../../packages/heddle/src/definition/definition.ts';
import { compileCheck } from '../../packages/heddle/src/definition/schema.ts';
import { docsPage, sampleBody } from '../../packages/heddle/src/http/docs-page.ts';
import { makeOpenApi } from '../../packages/heddle/src/http/openapi.ts';
import { routes } from '../../packages/heddle/src/http/route.ts';
import { toJsonSchema } from '../../packages/heddle/src/operations/json-schema.ts';
import { type OperationName, operationNames } from '../../packages/heddle/src/operations/operations.ts';
import { served } from './server.testsuite.ts';

test('the page shows every route, runs no script and loads nothing', async () => {
  const { ask } = await served();
  const response = await ask('/docs');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const html = await response.text();
  expect(html).not.toMatch(/<script|javascript:|\son\w+=|<link|<img|<iframe|https?:\/\/(?!127\.0\.0\.1)/i);
  for (const name of operationNames) expect(html).toContain(`id="${name}"`);
});

test('[HT18] the examples of the page name the address under which the server was asked', async () => {
  const { ask, url } = await served();
  const html = await (await ask('/docs')).text();
  const examples = [...html.matchAll(/<pre>curl (?:-X [A-Z]+ )?(\S+) /g)].map(([, address = '']) => address);
  expect(examples.length).toBeGreaterThanOrEqual(operationNames.length);
  expect(new Set(examples.map((address) => new URL(address).origin))).toEqual(new Set([url]));
});

test('every link of the page leads to something that is there', async () => {
  const { ask } = await served();
  const html = await (await ask('/docs')).text();
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(5);
  const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  for (const link of links) {
    if (link.startsWith('#')) expect(ids, link).toContain(decodeURIComponent(link.slice(1)));
    else expect((await ask(link)).status, link).toBe(200);
  }
});

test('what is in the document is text on the page, whatever it is', () => {
  const document = makeOpenApi();
  const [path = '', place = {}] = Object.entries(document.paths)[0] ?? [];
  const evil = '<script>alert(1)</script>"\'&';
  const operations = Object.entries(place).map(
    ([method, operation]) => [method, { ...operation, summary: evil }] as const,
  );
  const html = docsPage(
    { ...document, paths: { ...document.paths, [path]: Object.fromEntries(operations) } },
    'http://127.0.0.1',
  );
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('the body of every example is one that its route takes', () => {
  const document = makeOpenApi();
  const operations = Object.values(document.paths).flatMap((place) => Object.values(place));
  const wrong: unknown[] = [];
  let checked = 0;
  for (const { operationId, requestBody } of operations) {
    const { content } = routes[operationId as OperationName];
    const body = 'of' in content ? toJsonSchema(content.of) : undefined;
    const [, json] = /-d '(.*)'$/.exec(sampleBody(requestBody, document) ?? '') ?? [];
    if (body === undefined || json === undefined) continue;
    checked += 1;
    const problems = compileCheck(body as JsonSchema)?.(JSON.parse(json) as Json) ?? [];
    if (problems.length > 0) wrong.push([operationId, json, problems]);
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(20);
});
