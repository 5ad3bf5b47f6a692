// A server on which there is something of everything, in a tenant of its own: runs that have ended, failed, wait, ask and
// work; a trigger, credits, an artifact, a leased task, keys. For tests that try every route.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { greeting, type Served, served } from './server.testsuite.ts';

export const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };

export interface Ids {
  readonly runId: string;
  readonly failedRunId: string;
  readonly askingRunId: string;
  readonly correlationId: string;
  readonly promptSecret: string;
  readonly triggerId: string;
  readonly artifactId: string;
  readonly lease: string;
  readonly keyId: string;
  readonly tokenId: string;
  readonly organization: string;
}

export interface World {
  readonly server: Served;
  /** The tenant that everything is in. */
  readonly tenant: string;
  /** May do everything in that tenant. */
  readonly key: string;
  readonly ids: Ids;
  /** A new key. */
  readonly keyWith: (scopes: readonly string[], tenant?: string, expiresAt?: number) => Promise<string>;
  /** What a key is answered, as JSON. */
  readonly look: (path: string, key?: string) => Promise<Json>;
}

export const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: true }], transitions: [] };
const failing = {
  id: 'failing',
  initialNode: 'fail',
  nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { message: '"no"' } }],
  transitions: [],
};
const working = { id: 'working', initialNode: 'work', nodes: [{ id: 'work', action: 'remote.work' }], transitions: [] };

export async function makeWorld(options: Parameters<typeof served>[0] = {}): Promise<World> {
  const server = await served(options);
  const tenant = 'acme';
  const keyWith: World['keyWith'] = async (scopes, of = tenant, expiresAt) => {
    const more = expiresAt === undefined ? {} : { expiresAt };
    return (await server.keys.create({ name: 'test', scopes, tenant: of, ...more }, operator)).key;
  };
  const key = await keyWith(['*']);
  const look: World['look'] = async (path, by = key) =>
    (await (await server.ask(path, { headers: { authorization: `Bearer ${by}` } })).json()) as Json;
  return { server, tenant, key, keyWith, look, ids: await fill(server, key) };
}

async function fill({ ask }: Served, key: string): Promise<Ids> {
  const post = async (path: string, body: Json, method = 'POST'): Promise<Readonly<Record<string, string>>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await ask(path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`Expected ${path} to work, but found ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const start = async (workflow: string, waitMs = 0): Promise<string> =>
    (await post('/v1/runs', { workflow, input: { name: 'Ada' }, trace: true, waitMs }))['runId'] ?? '';
  for (const definition of [greeting, asking, failing, working]) await post('/v1/definitions', definition);
  const runId = await start('greeting', 20_000);
  const failedRunId = await start('failing', 20_000);
  await start('working');
  const askingRunId = await start('asking');
  const leased = (await post('/v1/tasks/lease', {
    actions: ['remote.work'],
    waitMs: 60_000,
    leaseMs: 600_000,
    worker: 'hands',
  })) as unknown as { readonly tasks: readonly [{ readonly lease: string }] };
  const headers = { authorization: `Bearer ${key}` };
  const prompts = (await (await ask(`/v1/prompts?runId=${askingRunId}`, { headers })).json()) as {
    readonly items: readonly [{ readonly correlationId: string }];
  };
  const { correlationId } = prompts.items[0];
  await post('/v1/triggers', { id: 'bell', type: 'manual', workflow: 'greeting' });
  await post('/v1/triggers', {
    id: 'hook',
    type: 'webhook',
    workflow: 'greeting',
    public: true,
    methods: ['POST', 'PUT'],
  });
  await post('/v1/secrets/token', { value: 'a-very-secret-value', hosts: ['api.example.com'] }, 'PUT');
  await post('/v1/callbacks', {
    id: 'tell',
    url: 'https://tell.example.com/',
    on: ['prompt.opened'],
    workflow: 'never',
  });
  await post('/v1/retention/greeting', { days: 1 }, 'PUT');
  for (const workflow of ['drawn', 'finished'])
    await post(`/v1/drafts/${workflow}`, { revision: null, content: { ...greeting, id: workflow } }, 'PUT');
  await post('/v1/credits/guild/deposits', { amount: 100 });
  const artifact = await ask('/v1/artifacts', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: 'bytes of acme',
  });
  return {
    runId,
    failedRunId,
    askingRunId,
    correlationId,
    promptSecret: (await post(`/v1/prompts/${correlationId}/secret`, {}))['secret'] ?? '',
    triggerId: 'bell',
    artifactId: ((await artifact.json()) as { readonly id: string }).id,
    lease: leased.tasks[0].lease,
    keyId: (await post('/v1/keys', { name: 'spare', scopes: ['key:admin'] }))['id'] ?? '',
    tokenId: (await post('/v1/tokens', { runId, may: 'read' }))['id'] ?? '',
    organization: 'guild',
  };
}

/** Everything that a tenant has, to see that nothing was changed. */
export async function everything({ look }: World): Promise<Json> {
  const paths = [
    'definitions',
    'runs',
    'prompts',
    'events',
    'triggers',
    'artifacts',
    'keys',
    'tokens',
    'workers',
    'actions',
  ];
  paths.push('secrets', 'callbacks', 'deliveries', 'retention', 'drafts');
  const lists = await Promise.all(paths.map(async (path) => [path, await look(`/v1/${path}?limit=1000`)] as const));
  return Object.fromEntries([...lists, ['credits', await look('/v1/credits/guild')]]);
}
