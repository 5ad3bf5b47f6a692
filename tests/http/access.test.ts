// The route table: every operation × who asks. The table of calls is typed by the operations: a route that it
// does not know does not compile, and the first test fails.

import { expect, test } from 'vitest';
import { operationNames } from '../../packages/heddle/src/operations/operations.ts';
import { scopes } from '../../packages/heddle/src/operations/scope.ts';
import { type Call, callsOf, initOf } from './calls.testsuite.ts';
import { problemIn } from './problems.testsuite.ts';
import { asking, everything, makeWorld, operator, type World } from './world.testsuite.ts';

/** Asks every route with what a caller says of themselves: the names of those that did not answer as expected. */
async function wrong(
  world: World,
  calls: readonly Call[],
  authorizationOf: (call: Call) => Promise<string | null> | string | null,
  expected: { readonly status: number; readonly code: string },
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const call of calls) {
    const authorization = await authorizationOf(call);
    const headers = authorization === null ? {} : { authorization };
    const response = await world.server.ask(call.path, initOf(call, { headers }));
    const { status } = response;
    if (status < 400) {
      found.push({ name: call.name, status });
      await response.body?.cancel();
      continue;
    }
    const { code } = await problemIn(response);
    if (status !== expected.status || code !== expected.code) found.push({ name: call.name, status, code });
  }
  return found;
}

test('the table knows how to call every operation', async () => {
  const { ids } = await makeWorld();
  const calls = callsOf(ids);
  expect(calls.map(({ name }) => name)).toEqual(operationNames);
  expect(calls.filter(({ path }) => path.includes('/-'))).toEqual([]);
});

test('[AC1] every route refuses whoever has no valid key, whatever they send for one, and nothing happens', async () => {
  const world = await makeWorld();
  const calls = callsOf(world.ids).filter(({ route }) => route.operation.scope !== 'public');
  const before = await everything(world);
  const expired = await world.keyWith(['*'], 'acme', 1);
  const made = await world.server.keys.create({ name: 'gone', scopes: ['*'], tenant: 'acme' }, operator);
  await world.server.keys.revoke(made.id, operator);
  const wrongSecret = `${world.key.slice(0, -4)}AAAA`;
  const nobodys = [
    null,
    'Bearer hdl_nobody',
    `Bearer ${wrongSecret}`,
    `Bearer ${expired}`,
    `Bearer ${made.key}`,
    world.key,
    `Basic ${btoa(`key:${world.key}`)}`,
    'Bearer',
    `Bearer ${world.key} ${world.key}`,
  ];
  for (const authorization of nobodys) {
    const refused = { status: 401, code: 'KEY_INVALID' };
    expect(await wrong(world, calls, () => authorization, refused), authorization ?? 'none').toEqual([]);
  }
  const listed = await everything(world);
  expect({ ...(listed as object), keys: null }).toEqual({ ...(before as object), keys: null });
});

test('[AC2] every route refuses a key that has all scopes but the one it needs, and nothing happens', async () => {
  const world = await makeWorld();
  const calls = callsOf(world.ids).filter(
    ({ route }) => route.operation.scope !== 'public' && route.operation.scope !== 'any',
  );
  const keys = new Map<string, string>();
  for (const scope of scopes) keys.set(scope, await world.keyWith(scopes.filter((other) => other !== scope)));
  const before = await everything(world);
  const authorizationOf = ({ route }: Call) => `Bearer ${keys.get(route.operation.scope)}`;
  expect(await wrong(world, calls, authorizationOf, { status: 403, code: 'SCOPE_MISSING' })).toEqual([]);
  expect(await everything(world)).toEqual(before);
});

/** What whoever makes a token must have; other routes for any key need none of it. */
const tokenScopes = ['run:read', 'definition:read', 'prompt:read', 'artifact:read'];

test('[AC2] the scope that a route needs is enough for it', async () => {
  const world = await makeWorld();
  const refused: unknown[] = [];
  for (const call of callsOf(world.ids)) {
    if (call.route.operation.scope === 'public') continue;
    const { scope } = call.route.operation;
    const key = await world.keyWith(scope === 'any' ? tokenScopes : [scope]);
    const response = await world.server.ask(call.path, initOf(call, { headers: { authorization: `Bearer ${key}` } }));
    await response.body?.cancel();
    if (response.status === 401 || (response.status === 403 && call.foreign !== 403)) refused.push(call.name);
  }
  expect(refused).toEqual([]);
});

test('[AC9] a snapshot is restored by whoever may restore, not by whoever may start runs', async () => {
  const world = await makeWorld();
  const snapshot = await world.look(`/v1/runs/${world.ids.askingRunId}/snapshot`);
  const restore = async (...given: readonly string[]): Promise<string> => {
    const headers = { authorization: `Bearer ${await world.keyWith(given)}`, 'content-type': 'application/json' };
    const body = JSON.stringify(snapshot);
    return (await problemIn(await world.server.ask('/v1/runs/restore', { method: 'POST', headers, body }))).code;
  };
  expect(await restore('run:start', 'run:read', 'run:control')).toBe('SCOPE_MISSING');
  expect(await restore('run:restore')).toBe('RUN_EXISTS');
});

test('a key of another tenant finds nothing on any route, changes nothing, and is told no id of the first', async () => {
  const world = await makeWorld();
  const rival = await world.keyWith(['*'], 'rival');
  await world.look('/v1/me', rival);
  const before = await everything(world);
  const secrets = Object.values(world.ids).filter((id) => id.length >= 16);
  const wrongOnes: unknown[] = [];
  for (const call of callsOf(world.ids)) {
    const init = initOf(call, { headers: { authorization: `Bearer ${rival}` } });
    const response = await world.server.ask(call.path, init);
    const text = await response.text();
    const sent = `${call.path} ${JSON.stringify(call.body)}`;
    const told = secrets.filter((id) => text.includes(id) && !sent.includes(id));
    if (response.status !== call.foreign || told.length > 0)
      wrongOnes.push({ name: call.name, status: response.status, told, text: text.slice(0, 200) });
  }
  expect(wrongOnes).toEqual([]);
  expect(await everything(world)).toEqual(before);
});

test('[AC7] what needs no key tells nothing and makes no tenant', async () => {
  const world = await makeWorld();
  const { ask } = world.server;
  expect(await (await ask('/health')).json()).toEqual({ status: 'ok' });
  expect(await (await ask('/ready')).json()).toEqual({ status: 'ready' });
  const body = JSON.stringify({ payload: 1 });
  const reply = (tenant: string) =>
    ask(`/v1/replies/${tenant}/${world.ids.promptSecret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  for (const tenant of ['nobody', '..%2facme', 'ACME'])
    expect(await problemIn(await reply(tenant))).toMatchObject({ status: 404, code: 'PROMPT_NOT_FOUND' });
  expect((await reply('default')).status).toBe(404);
  expect(await (await reply('acme')).json()).toEqual({ applied: true });
});

test('[AC7] a tenant that is there is answered as one that is not, to whoever has no key', async () => {
  const { server } = await makeWorld();
  await server.engine.register({ ...asking, id: 'greeting' });
  await server.engine.triggers.create({ id: 'operators', type: 'webhook', workflow: 'greeting', public: true });
  const told = async (path: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await server.ask(path, { method: 'POST', headers, body: '{"payload":1}' });
    return [response.status, await response.json(), [...response.headers.keys()].toSorted()];
  };
  const long = 'x'.repeat(2_000);
  for (const id of ['none', 'operators', long, 'a%2Fb'])
    expect(await told(`/v1/webhooks/nobody/${id}`), id).toEqual(await told(`/v1/webhooks/acme/${id}`));
  for (const secret of ['none', 'a.b', long])
    expect(await told(`/v1/replies/nobody/${secret}`), secret).toEqual(await told(`/v1/replies/acme/${secret}`));
});
