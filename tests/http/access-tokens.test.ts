// Tokens for one run or one workflow: what they reach, and that they reach nothing else, on any route.

import { beforeEach, expect, test, vi } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Action } from '../../packages/heddle/src/executor/action.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { ApiKeys } from '../../packages/heddle/src/http/api-keys.ts';
import type { NewToken, TokenInfo } from '../../packages/heddle/src/operations/access.ts';
import type { OperationName } from '../../packages/heddle/src/operations/operations.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { callsOf, initOf } from './calls.testsuite.ts';
import { problemIn, readProblem } from './problems.testsuite.ts';
import { type Served, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';
import { everything, makeWorld, operator } from './world.testsuite.ts';

const by = (key: string) => ({ authorization: `Bearer ${key}` });
const json = { 'content-type': 'application/json' };
const beyond = { status: 403, code: 'TOKEN_SCOPE' };

/** Asks a person, puts an artifact, and calls a run that does the same. */
const family = {
  id: 'family',
  initialNode: 'keep',
  nodes: [
    { id: 'keep', action: 'keep', inputMapping: { text: 'input.text' } },
    { id: 'call', workflow: 'child', inputMapping: { text: 'input.text' } },
  ],
  transitions: [{ from: 'keep', to: 'call' }],
};
const child = {
  id: 'child',
  initialNode: 'keep',
  nodes: [
    { id: 'keep', action: 'keep', inputMapping: { text: '"child of " + input.text' } },
    { id: 'ask', input: { title: 'Well?' } },
  ],
  transitions: [{ from: 'keep', to: 'ask' }],
};
const keep: Action = async ({ input, artifacts }) => ({
  ...(await artifacts.put(input['text'] as string, 'text/plain')),
});

interface Tree {
  readonly runId: string;
  readonly childId: string;
  readonly correlationId: string;
  /** What the run has put, and what the run below it has. */
  readonly artifactId: string;
  readonly childArtifactId: string;
}

let server: Served;
let key: string;
let mine: Tree;
let other: Tree;

beforeEach(async () => {
  server = await served({ actions: { keep } });
  for (const definition of [child, family, { ...child, id: 'lonely' }]) await server.engine.register(definition);
  key = (await server.keys.create({ name: 'product', scopes: ['*'] }, operator)).key;
  mine = await grow('mine');
  other = await grow('other');
});

async function grow(text: string): Promise<Tree> {
  const { id: runId } = await server.engine.start('family', { text });
  const [prompt] = await vi.waitFor(
    async () => {
      const prompts = await server.engine.prompts({ runId });
      expect(prompts).toHaveLength(1);
      return prompts;
    },
    { timeout: 60_000, interval: 5 },
  );
  const { runId: childId = '', correlationId = '' } = prompt ?? {};
  const childArtifactId = (await artifactsOf(childId))[0] ?? '';
  const artifactId = (await artifactsOf(runId)).find((id) => id !== childArtifactId) ?? '';
  return { runId, childId, correlationId, artifactId, childArtifactId };
}

const artifactsOf = async (runId: string): Promise<readonly string[]> =>
  (await server.engine.call('listRunArtifacts', { runId })).items.map(({ id }) => id);

async function tokenFor(body: object, maker = key): Promise<NewToken> {
  const init = { method: 'POST', headers: { ...by(maker), ...json }, body: JSON.stringify({ may: 'read', ...body }) };
  const response = await server.ask('/v1/tokens', init);
  expect(response.status).toBe(201);
  return (await response.json()) as NewToken;
}

const get = (token: string, path: string): Promise<Response> => server.ask(`/v1/${path}`, { headers: by(token) });

async function read<T = Json>(token: string, path: string): Promise<T> {
  const response = await get(token, path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

interface Listed {
  readonly items: readonly { readonly runId: string; readonly id: string; readonly workflow: string }[];
}

const insides = [
  '',
  '/state',
  '/state/1.0',
  '/tokens',
  '/nodes',
  '/edges',
  '/groups',
  '/events',
  '/result',
  '/artifacts',
];

test('[AC21] a token of a run reads that run and the runs below it, and is refused every other', async () => {
  const { token } = await tokenFor({ runId: mine.runId });
  for (const inside of insides) {
    for (const runId of [mine.runId, mine.childId]) await read(token, `runs/${runId}${inside}`);
    for (const runId of [other.runId, other.childId, 'nobody'])
      expect(await problemIn(await get(token, `runs/${runId}${inside}`)), `${runId}${inside}`).toMatchObject(beyond);
  }
  for (const runId of [other.runId, other.childId, 'nobody'])
    expect(await problemIn(await get(token, `runs/${runId}/events/stream`))).toMatchObject(beyond);
  const explain = (runId: string) =>
    server.ask(`/v1/runs/${runId}/explain`, {
      method: 'POST',
      headers: { ...by(token), ...json },
      body: '{"eventId":"1.0"}',
    });
  expect((await explain(mine.childId)).status).toBe(200);
  expect(await problemIn(await explain(other.runId))).toMatchObject(beyond);
});

test('[AC21] lists and counts are narrowed to what a token is for, and never widened', async () => {
  const run = (await tokenFor({ runId: mine.runId })).token;
  const workflow = (await tokenFor({ workflow: 'child' })).token;
  const ids = async (token: string, query = ''): Promise<readonly string[]> =>
    (await read<Listed>(token, `runs?${query}`)).items.map(({ runId }) => runId).toSorted();
  expect(await ids(run)).toEqual([mine.childId]);
  expect(await ids(run, `parentRunId=${other.runId}`)).toEqual([]);
  expect(await ids(run, 'subRuns=true&search=child')).toEqual([mine.childId]);
  expect(await ids(workflow, 'subRuns=true')).toEqual([mine.childId, other.childId].toSorted());
  expect(await ids(workflow, `rootRunId=${mine.runId}`)).toEqual([mine.childId]);
  const caller = (await tokenFor({ workflow: 'family' })).token;
  expect(await ids(caller, `parentRunId=${mine.runId}`)).toEqual([]);
  expect(await ids(caller, `search=${mine.childId}`)).toEqual([]);
  for (const [token, query] of [
    [run, `runs?rootRunId=${other.runId}`],
    [run, 'runs/count'],
    [run, 'definitions'],
    [run, `prompts?runId=${other.runId}`],
    [workflow, 'runs?workflow=family'],
    [workflow, 'runs/count?workflow=family'],
    [workflow, 'definitions?id=family'],
    [workflow, 'prompts?workflow=lonely'],
  ] as const)
    expect(await problemIn(await get(token, query)), query).toMatchObject(beyond);
  const counted = await read<{ readonly byStatus: Record<string, number> }>(workflow, 'runs/count?subRuns=true');
  expect(Object.entries(counted.byStatus).filter(([, count]) => count > 0)).toEqual([['suspended', 2]]);
  const listed = (await read<Listed>(workflow, 'definitions')).items.map(({ id }) => id);
  expect(listed).toEqual(['child']);
});

test('[AC21] prompts are those of the runs that a token is for, and only one that may reply answers them', async () => {
  await server.engine.start('lonely', { text: 'lonely' });
  const asked = async (token: string, query = ''): Promise<readonly string[]> =>
    (await read<Listed>(token, `prompts?${query}`)).items.map(({ runId }) => runId).toSorted();
  const run = (await tokenFor({ runId: mine.runId })).token;
  const workflow = (await tokenFor({ workflow: 'child' })).token;
  const parent = (await tokenFor({ workflow: 'family', may: 'reply' })).token;
  const replying = (await tokenFor({ runId: mine.runId, may: 'reply' })).token;
  expect(await asked(run)).toEqual([mine.childId]);
  expect(await asked(run, 'workflow=lonely')).toEqual([]);
  expect(await asked(workflow)).toEqual([mine.childId, other.childId].toSorted());
  expect(await asked(workflow, 'limit=1')).toHaveLength(1);
  // The run below asks: its workflow is another.
  expect(await asked(parent, `runId=${mine.runId}`)).toEqual([]);
  const reply = (token: string, { runId, correlationId }: Tree) =>
    server.ask(`/v1/runs/${runId}/prompts/${correlationId}/reply`, {
      method: 'POST',
      headers: { ...by(token), ...json },
      body: '{"payload":1}',
    });
  expect(await problemIn(await reply(run, mine))).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
  expect(await problemIn(await reply(parent, mine))).toMatchObject(beyond);
  expect(await problemIn(await reply(replying, other))).toMatchObject(beyond);
  expect(await problemIn(await reply(replying, { ...mine, correlationId: other.correlationId }))).toMatchObject(beyond);
  expect(await problemIn(await reply(replying, { ...other, correlationId: mine.correlationId }))).toMatchObject({
    code: 'PROMPT_NOT_FOUND',
  });
  expect(await (await reply(replying, mine)).json()).toEqual({ applied: true });
});

test('[AC21] definitions are those that the runs have, in their versions', async () => {
  await server.engine.register({ ...family, nodes: [...family.nodes, { id: 'unused' }] });
  const { token } = await tokenFor({ runId: mine.runId });
  const version = async (path: string): Promise<number> =>
    (await read<{ readonly version: number }>(token, `definitions/${path}`)).version;
  // The latest is 2, which the run does not have.
  expect([await version('family'), await version('family?version=1'), await version('child')]).toEqual([1, 1, 1]);
  for (const path of ['family?version=2', 'lonely', 'nothing', 'child?version=9'])
    expect(await problemIn(await get(token, `definitions/${path}`)), path).toMatchObject(beyond);
  const workflow = (await tokenFor({ workflow: 'family' })).token;
  for (const path of ['family', 'family?version=1', 'family?version=2']) await read(workflow, `definitions/${path}`);
  expect(await problemIn(await get(workflow, 'definitions/child'))).toMatchObject(beyond);
});

test('[AC21] artifacts are those that the runs have put', async () => {
  const everyRuns = await server.engine.artifacts.put('for every run', 'text/plain');
  const statuses = async (token: string): Promise<readonly number[]> => {
    const ids = [mine.artifactId, mine.childArtifactId, other.artifactId, other.childArtifactId, everyRuns.id];
    const answers = ids.map((id) => get(token, `artifacts/${id}?mimeType=text/plain`));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  expect(await statuses((await tokenFor({ runId: mine.runId })).token)).toEqual([200, 200, 403, 403, 403]);
  // What a run below has put is also its caller's.
  expect(await statuses((await tokenFor({ workflow: 'family' })).token)).toEqual([200, 200, 200, 200, 403]);
  expect(await statuses((await tokenFor({ workflow: 'child' })).token)).toEqual([403, 200, 403, 200, 403]);
  const { token } = await tokenFor({ runId: mine.runId });
  expect(await problemIn(await get(token, 'artifacts'))).toMatchObject(beyond);
});

/** What a token may ask at all; everything else is refused whatever it names. */
const reached: ReadonlySet<OperationName> = new Set([
  ...(['whoAmI', 'getRun', 'waitForRun', 'getState', 'getStateAt', 'listTokens', 'listNodes', 'listEdges'] as const),
  ...([
    'listGroups',
    'listWaits',
    'getRunView',
    'listRunEvents',
    'streamRunEvents',
    'listRunTrace',
    'streamRunTrace',
    'getExecution',
  ] as const),
  ...(['getDataflow', 'getThreads', 'explainEvent', 'listRunArtifacts', 'listRuns', 'countRuns'] as const),
  ...(['listPrompts', 'replyToPrompt', 'getArtifact', 'listDefinitions', 'getDefinition'] as const),
]);

test('[AC22] every other operation is refused to a token, the feed among them, and nothing happens', async () => {
  const world = await makeWorld();
  const init = { method: 'POST', headers: { ...by(world.key), ...json } };
  const before = await everything(world);
  for (const only of [{ runId: world.ids.runId }, { workflow: 'greeting' }]) {
    const body = JSON.stringify({ ...only, may: 'reply' });
    const { token, id } = (await (await world.server.ask('/v1/tokens', { ...init, body })).json()) as NewToken;
    const allowed: OperationName[] = [];
    for (const call of callsOf(world.ids)) {
      if (call.route.operation.scope === 'public') continue;
      const response = await world.server.ask(call.path, initOf(call, { headers: by(token) }));
      if (response.ok) await response.body?.cancel();
      else if ((await problemIn(response)).code === 'TOKEN_SCOPE') continue;
      allowed.push(call.name);
    }
    expect(allowed.filter((name) => !reached.has(name))).toEqual([]);
    expect(allowed).toContain('getRun');
    await world.server.ask(`/v1/tokens/${id}`, { method: 'DELETE', headers: by(world.key) });
  }
  expect(await everything(world)).toEqual(before);
});

test('[AC19] whoever makes a token has all that it may, and names what is there', async () => {
  const post = (maker: string, body: object) =>
    server.ask('/v1/tokens', { method: 'POST', headers: { ...by(maker), ...json }, body: JSON.stringify(body) });
  const reading = ['run:read', 'definition:read', 'prompt:read', 'artifact:read'];
  const reader = await makeKey(reading);
  expect((await post(reader, { runId: mine.runId, may: 'read' })).status).toBe(201);
  const missing = { status: 403, code: 'SCOPE_MISSING' };
  expect(await problemIn(await post(reader, { runId: mine.runId, may: 'reply' }))).toMatchObject(missing);
  for (const scope of reading) {
    const some = await makeKey(reading.filter((one) => one !== scope));
    expect(await problemIn(await post(some, { workflow: 'child', may: 'read' })), scope).toMatchObject(missing);
  }
  const { token } = await tokenFor({ runId: mine.runId });
  expect(await problemIn(await post(token, { runId: mine.runId, may: 'read' }))).toMatchObject(beyond);
  for (const [body, code] of [
    [{ runId: 'nobody', may: 'read' }, 'RUN_NOT_FOUND'],
    [{ runId: mine.childId, may: 'read' }, 'RUN_NOT_ROOT'],
    [{ workflow: 'nothing', may: 'read' }, 'WORKFLOW_NOT_FOUND'],
    [{ may: 'read' }, 'REQUEST_INVALID'],
    [{ runId: mine.runId, workflow: 'child', may: 'read' }, 'REQUEST_INVALID'],
    [{ runId: mine.runId, may: 'write' }, 'REQUEST_INVALID'],
    [{ runId: mine.runId, may: 'read', expiresInMs: 604_800_001 }, 'REQUEST_INVALID'],
  ] as const)
    expect(await problemIn(await post(key, body)), JSON.stringify(body)).toMatchObject({ code });
});

const makeKey = async (scopes: readonly string[]): Promise<string> =>
  (await server.keys.create({ name: 'test', scopes }, operator)).key;

test('a token says what it is for, and pages of origins that were named may use it', async () => {
  const page = 'https://app.example.com';
  const { token, id } = await tokenFor({ runId: mine.runId, may: 'reply' });
  const me = await read<{ readonly scopes: readonly string[] }>(token, 'me');
  expect(me).toEqual({
    tenant: 'default',
    scopes: ['run:read', 'definition:read', 'prompt:read', 'artifact:read', 'prompt:reply'],
    keyId: id,
    via: 'key',
    only: { runId: mine.runId },
  });
  const fromPage = await server.ask(`/v1/runs/${mine.runId}`, { headers: { ...by(token), origin: page } });
  expect(await problemIn(fromPage)).toMatchObject({ code: 'ORIGIN_FORBIDDEN' });
  await server.close();
  server = await served({ store: server.store, origins: [page], actions: { keep } });
  const allowed = await server.ask(`/v1/runs/${mine.runId}`, { headers: { ...by(token), origin: page } });
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, page]);
});

test('[AC20] tokens are listed without their texts and revoked by who made them, and by who administers keys', async () => {
  const reading = ['run:read', 'definition:read', 'prompt:read', 'artifact:read'];
  const [maker, stranger, admin] = [await makeKey(reading), await makeKey(reading), await makeKey(['key:admin'])];
  const made = await tokenFor({ runId: mine.runId, name: 'of Ada' }, maker);
  const listed = async (asker: string) => (await read<{ items: readonly TokenInfo[] }>(asker, 'tokens')).items;
  expect(await listed(maker)).toEqual([
    {
      id: made.id,
      name: 'of Ada',
      only: { runId: mine.runId },
      may: 'read',
      keyId: maker.split('_')[1],
      createdAt: expect.any(Number),
      expiresAt: made.expiresAt,
    },
  ]);
  expect([(await listed(stranger)).length, (await listed(admin)).length]).toEqual([0, 1]);
  const revoke = (asker: string, id: string) =>
    server.ask(`/v1/tokens/${id}`, { method: 'DELETE', headers: by(asker) });
  expect(await problemIn(await revoke(stranger, made.id))).toMatchObject({ status: 404, code: 'TOKEN_NOT_FOUND' });
  expect((await get(made.token, 'me')).status).toBe(200);
  expect((await revoke(maker, made.id)).status).toBe(204);
  expect((await get(made.token, 'me')).status).toBe(401);
  const second = await tokenFor({ runId: mine.runId }, maker);
  expect((await revoke(admin, second.id)).status).toBe(204);
  expect(await listed(admin)).toEqual([]);
});

const losses: readonly (readonly [string, (id: string, keyId: string) => Promise<unknown>])[] = [
  ['it is revoked', (id) => server.ask(`/v1/tokens/${id}`, { method: 'DELETE', headers: by(key) })],
  ['the key that made it is revoked', (_, keyId) => server.keys.revoke(keyId, operator)],
];

test.each(losses)('[AC19][AC10] a reader with a token is told at once when %s', async (_, lose) => {
  const { key: maker, id: keyId } = await server.keys.create({ name: 'maker', scopes: ['*'] }, operator);
  const { token, id } = await tokenFor({ runId: mine.runId }, maker);
  const reader = await readEvents(`${server.url}/v1/runs/${mine.runId}/events/stream`, by(token));
  await reader.next();
  await lose(id, keyId);
  const last = (await reader.rest()).at(-1);
  expect(last?.name).toBe('error');
  expect(readProblem(JSON.stringify(last?.data), 401)).toMatchObject({ code: 'KEY_INVALID' });
  expect((await get(token, 'me')).status).toBe(401);
});

test('[AC19] a token ends at its time, is noticed then, and is removed when another is made', async () => {
  const clock = new VirtualClock();
  const store = memoryStore();
  const keys = new ApiKeys(store, clock);
  const { key: text } = await keys.create({ name: 'test', scopes: ['*'] }, operator);
  const maker = (await keys.authenticate(text)) ?? operator;
  const wanted = { only: { runId: 'run' }, may: 'read' } as const;
  const hour = await keys.tokens.create(wanted, maker);
  const brief = await keys.tokens.create({ ...wanted, expiresInMs: 2_500 }, maker);
  const start = clock.now();
  const lostAt: number[] = [];
  for (const { token } of [hour, brief])
    (await keys.authenticate(token))?.grant?.onLoss(() => lostAt.push(clock.now() - start));
  await clock.advance(2 * 3_600_000);
  expect(lostAt).toEqual([2_500, 3_600_000]);
  expect(await keys.authenticate(hour.token)).toBeNull();
  await keys.tokens.create(wanted, maker);
  expect((await store.listRecords('access-token', { limit: 10 })).length).toBe(1);
});

test('[AC19] a token that was made where nobody needs a key closes nothing, and ends when the first key is made', async () => {
  const open = await served();
  await open.engine.register({ ...child, id: 'plain', nodes: [{ id: 'keep' }, { id: 'ask', input: true }] });
  const body = JSON.stringify({ workflow: 'plain', may: 'read' });
  const made = await open.ask('/v1/tokens', { method: 'POST', headers: json, body });
  const { token } = (await made.json()) as NewToken;
  const me = (headers: Readonly<Record<string, string>>) => open.ask('/v1/me', { headers });
  expect([(await me({})).status, (await me(by(token))).status, await open.keys.isEmpty()]).toEqual([200, 200, true]);
  await open.keys.create({ name: 'first', scopes: ['*'] }, operator);
  expect([(await me({})).status, (await me(by(token))).status]).toEqual([401, 401]);
});
