// What bad input gets, on every route that could be given it: a problem document that says what is wrong and where, and
// the server goes on.

import { afterEach, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import { type Route } from '../../packages/heddle/src/http/route.ts';
import { toJsonSchema } from '../../packages/heddle/src/operations/json-schema.ts';
import { type Call, type Content, callsOf, initOf } from './calls.testsuite.ts';
import { problemIn } from './problems.testsuite.ts';
import { makeWorld, type World } from './world.testsuite.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly maximum?: number;
}

let world: World;

/** A world in which requests are as a valid key sends them. */
async function open(options: Parameters<typeof makeWorld>[0] = {}): Promise<readonly Call[]> {
  world = await makeWorld(options);
  // Named with their own tenant, or nothing else of them is looked at.
  return callsOf(world.ids).map((call) => ({ ...call, path: call.path.replace('/rival/', `/${world.tenant}/`) }));
}

afterEach(async () => {
  expect((await world.server.ask('/health')).status).toBe(200);
});

const send = (call: Call, init: Parameters<typeof initOf>[1] = {}, path = call.path): Promise<Response> =>
  world.server.ask(path, initOf(call, { ...init, headers: { authorization: `Bearer ${world.key}`, ...init.headers } }));

/** What the routes answered, where it is not what was expected. */
async function unlike(
  calls: readonly Call[],
  ask: (call: Call) => Promise<Response>,
  expected: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const call of calls) {
    const response = await ask(call);
    const problem = response.ok ? { status: response.status } : await problemIn(response);
    if (response.ok) await response.body?.cancel();
    const shown = Object.fromEntries(
      Object.keys(expected).map((name) => [name, Reflect.get(problem, name) as unknown]),
    );
    if (JSON.stringify(shown) !== JSON.stringify(expected)) found.push({ name: call.name, ...shown });
  }
  return found;
}

const takesJson = ({ content }: Route): boolean => content.type === 'members' || content.type === 'whole';
const taking = (calls: readonly Call[]) => calls.filter(({ route }) => takesJson(route));
const queryShape = ({ query }: Route): Shape => toJsonSchema(query);
const bodyShape = ({ content }: Route): Shape => ('of' in content ? toJsonSchema(content.of) : {});

test('[HT11] an address that is known with another method says with which; one that is not known is not found', async () => {
  const calls = await open();
  const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
  const wrong: unknown[] = [];
  for (const { path, route } of calls) {
    const [plain = ''] = path.split('?');
    const known = calls.filter((other) => other.path.split('?')[0] === plain).map((other) => other.route.method);
    for (const method of others.filter((other) => !known.some((one) => one === other))) {
      const response = await world.server.ask(plain, { method });
      const { code } = await problemIn(response);
      const allow = response.headers.get('allow')?.split(', ') ?? [];
      if (response.status === 405 && code === 'METHOD_NOT_ALLOWED' && allow.includes(route.method)) continue;
      // Words of one address are ids of another: GET /v1/runs/cancel is a run.
      if (response.status !== 401) wrong.push({ plain, method, code, allow });
    }
  }
  expect(wrong).toEqual([]);
  for (const path of [
    '/',
    '/v1',
    '/v1/',
    '/v1/runs/',
    '/v2/runs',
    '/v1/runs/a/b',
    '//v1/runs',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
  ])
    expect(await problemIn(await world.server.ask(path))).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
  const posted = await world.server.ask('/openapi.json', { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
});

test('[HT4] a body that is not said to be JSON in UTF-8, or is compressed, is refused', async () => {
  const calls = taking(await open());
  const expected = { status: 415, code: 'CONTENT_TYPE_INVALID', hint: 'Send `Content-Type: application/json`.' };
  for (const type of ['text/plain', 'application/xml', 'application/json; charset=latin1', 'application/jsonx', ''])
    expect(
      await unlike(calls, (call) => send(call, { headers: { 'content-type': type }, body: '{}' }), expected),
    ).toEqual([]);
  const gzip = { headers: { 'content-encoding': 'gzip' }, body: new Uint8Array([31, 139, 8, 0]) };
  expect(await unlike(calls, (call) => send(call, gzip), expected)).toEqual([]);
});

test('[HT5] a body that is no JSON, has a key twice or is too deep is refused', async () => {
  const calls = taking(await open());
  const said = (body: Content, expected: Readonly<Record<string, unknown>>) =>
    unlike(calls, (call) => send(call, { body }), expected);
  const invalid = { status: 400, code: 'JSON_INVALID' };
  for (const body of [
    '{',
    '{"a":1,}',
    'NaN',
    "{'a':1}",
    '{"a":1}x',
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":1}}',
    '"\\ud800',
  ])
    expect(await said(body, invalid), body).toEqual([]);
  expect(
    await said(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), { status: 400, code: 'ENCODING_INVALID' }),
  ).toEqual([]);
  const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
  expect(await said(deep, { status: 413, code: 'LIMIT_EXCEEDED', limit: 'jsonDepthMax' })).toEqual([]);
  const needing = calls.filter(({ route }) => !route.isBodyOptional);
  expect(await unlike(needing, (call) => send(call, { body: '' }), invalid)).toEqual([]);
});

test('[HT22] a body of too many values or different keys is refused by its limit', async () => {
  const calls = taking(await open({ limits: { jsonNodesMax: 200, jsonKeysMax: 100 } }));
  const ofKeys = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1])));
  const cases = [
    [`[${'1,'.repeat(300)}1]`, 'jsonNodesMax'],
    [ofKeys(101), 'jsonKeysMax'],
  ] as const;
  for (const [body, limit] of cases) {
    const refusal = { status: 413, code: 'LIMIT_EXCEEDED', limit };
    expect(await unlike(calls, (call) => send(call, { body }), refusal), limit).toEqual([]);
  }
});

test('[HT6] a body that is too large is refused, announced or not', async () => {
  const limits = { payloadBytesMax: 2_000, definitionBytesMax: 2_000, artifactBytesMax: 4_000 };
  const calls = await open({ limits });
  const large = 'x'.repeat(5_000);
  const chunked = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(large)),
    });
  const isChunked = { duplex: 'half' } as const;
  const parts = [
    { of: taking(calls), limit: 'bodyBytesMax' },
    {
      of: calls.filter(({ route }) => route.content.type === 'bytes' && route.operation.scope !== 'public'),
      limit: 'artifactBytesMax',
    },
    {
      of: calls.filter(({ route }) => route.content.type === 'bytes' && route.operation.scope === 'public'),
      limit: 'bodyBytesMax',
    },
  ];
  for (const { of, limit } of parts) {
    const expected = { status: 413, code: 'LIMIT_EXCEEDED', limit };
    expect(of.length).toBeGreaterThan(0);
    expect(await unlike(of, (call) => send(call, { body: JSON.stringify(large) }), expected)).toEqual([]);
    // A sender that never ends.
    const endless = (call: Call) =>
      world.server.ask(call.path, {
        ...initOf(call, { body: chunked(), headers: { authorization: `Bearer ${world.key}` } }),
        ...isChunked,
      });
    expect(await unlike(of, endless, expected)).toEqual([]);
  }
});

test('[HT3] a query parameter that is unknown, comes twice or has another type is refused, with its name', async () => {
  const calls = await open();
  const wrong: unknown[] = [];
  const see = async (call: Call, query: string, pointer: string): Promise<void> => {
    const problem = await problemIn(await send(call, {}, `${call.path.split('?')[0]}?${query}`));
    if (problem.status !== 400 || problem.code !== 'QUERY_INVALID' || problem.pointer !== pointer)
      wrong.push({ name: call.name, query, ...problem });
  };
  for (const call of calls) {
    if (call.route.operation.scope === 'public') continue;
    await see(call, 'surplus=1', '');
    await see(call, '__proto__=1', '');
    const properties = Object.entries(queryShape(call.route).properties ?? {});
    for (const [name, { type }] of properties) {
      if (type !== 'array') await see(call, `${name}=1&${name}=1`, `/${name}`);
      if (type === 'integer')
        for (const value of ['x', '1.5', '', '1e3', '0x1']) await see(call, `${name}=${value}`, `/${name}`);
      if (type === 'boolean') await see(call, `${name}=yes`, `/${name}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('[HT17] a name that is nearly right is answered with the right one', async () => {
  await open();
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
  const look = (path: string) => world.server.ask(path, { headers });
  const start = (body: object) => world.server.ask('/v1/runs', { method: 'POST', headers, body: JSON.stringify(body) });
  const hintOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as JsonObject)['hint'];
  expect([
    await hintOf(await start({ workflw: 'x' })),
    await hintOf(await start({ workflow: 'x', inptu: {} })),
    await hintOf(await look('/v1/runs?stats=failed')),
    await hintOf(await start({ workflow: 1, somethingElse: 1 })),
  ]).toEqual(['Did you mean "workflow"?', 'Did you mean "input"?', 'Did you mean "status"?', undefined]);
});

test('[HT7] a cursor that the list has not given is refused', async () => {
  const calls = await open();
  const paged = calls.filter(({ route }) => 'limit' in (queryShape(route).properties ?? {}));
  expect(paged.length).toBeGreaterThan(10);
  const plain = ({ path }: Call): string => path.split('?')[0] ?? '';
  const page = async (call: Call, query: string): Promise<JsonObject & { readonly next?: string | null }> =>
    (await (await send(call, {}, `${plain(call)}?${query}`)).json()) as JsonObject & { readonly next?: string | null };
  const cursors = ['!', '../../etc', '🙂', 'null', '{"a":1}', '99999999999999999999.1'];
  for (const call of paged) cursors.push((await page(call, 'limit=1')).next ?? '');
  const wrong: unknown[] = [];
  for (const call of paged) {
    for (const after of new Set(cursors)) {
      const answer = await page(call, `after=${encodeURIComponent(after)}`);
      // Where a cursor is the last key itself, any key is one: the answer is what comes behind it.
      const isAnswer = Array.isArray(answer['items']);
      const isRefusal = answer['status'] === 400 || answer['code'] === 'OPTION_INVALID';
      if (!isAnswer && !isRefusal) wrong.push({ name: call.name, after, ...answer });
    }
  }
  expect(wrong).toEqual([]);
});

const wrongFor = ({ type, enum: choices, anyOf }: Shape): Json | undefined => {
  if (choices !== undefined) return 'surely none of them';
  if (anyOf !== undefined) return { neither: [] };
  if (Array.isArray(type)) return { neither: [] };
  return (
    { string: 7, integer: 1.5, number: '1', boolean: 'true', array: {}, object: [], undefined }[String(type)] ??
    undefined
  );
};

test('a member that the route does not know, or of another type, is refused with its place', async () => {
  const calls = taking(await open());
  const wrong: unknown[] = [];
  const see = async (call: Call, body: Json, pointer: string): Promise<void> => {
    const problem = await problemIn(await send(call, { body: JSON.stringify(body) }));
    if (problem.status !== 422 || problem.code !== 'REQUEST_INVALID' || problem.pointer !== pointer)
      wrong.push({ name: call.name, body, ...problem });
  };
  for (const call of calls) {
    const { properties, required = [] } = bodyShape(call.route);
    if (properties === undefined) continue;
    const right = (call.body ?? {}) as JsonObject;
    for (const body of [null, [], 'text', 1]) await see(call, body, '');
    await see(call, { ...right, surplus: 1 }, '/surplus');
    for (const name of required) {
      const { [name]: _, ...rest } = right;
      await see(call, rest, '');
    }
    for (const [name, shape] of Object.entries(properties)) {
      const value = wrongFor(shape);
      if (value !== undefined) await see(call, { ...right, [name]: value }, `/${name}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('names of inherited members are names like others', async () => {
  const calls = taking(await open());
  const wrong: unknown[] = [];
  for (const call of calls) {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const response = await send(call, { body: `{${JSON.stringify(name)}: {"isAdmin": true}}` });
      if (response.ok && call.name === 'validateDefinition') continue;
      const problem = await problemIn(response);
      if (problem.status !== 422 && problem.status !== 400) wrong.push({ name: call.name, ...problem });
    }
  }
  expect(wrong).toEqual([]);
  expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
});
