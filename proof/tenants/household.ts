// Household: something of everything that a tenant can have, a look at all of it, and proof that it still works. All that
// is the tenant's own says so: where the mark is found, its data is.

import type { Ids } from '../../tests/http/world.testsuite.ts';
import type { Server } from './server.ts';

export interface Household {
  readonly tenant: string;
  /** May do everything in the tenant. */
  readonly key: string;
  /** In every value, and in no id. */
  readonly mark: string;
  readonly ids: Ids;
  /** The run that waits for a worker. */
  readonly workingRunId: string;
  readonly snapshot: unknown;
  /** Where pages of its lists end. */
  readonly cursors: readonly string[];
}

const prompting = {
  id: 'ask',
  input: { title: { expression: 'input.name' } },
  outputMapping: { 'output.said': 'result' },
};
const definitions = [
  {
    id: 'greeting',
    initialNode: 'greet',
    nodes: [
      {
        id: 'greet',
        action: 'core.echo',
        inputMapping: { name: 'input.name' },
        outputMapping: { 'output.name': 'result.name' },
      },
    ],
    transitions: [],
  },
  { id: 'asking', initialNode: 'ask', nodes: [{ ...prompting, cost: 3 }], transitions: [] },
  {
    id: 'failing',
    initialNode: 'fail',
    nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { message: 'input.name' } }],
    transitions: [],
  },
  {
    id: 'working',
    initialNode: 'work',
    nodes: [
      {
        id: 'work',
        action: 'remote.work',
        inputMapping: { name: 'input.name' },
        outputMapping: { 'output.said': 'result' },
      },
    ],
    transitions: [],
  },
];
const longMs = 3_600_000;

export async function furnish(server: Server, tenant: string, mark: string): Promise<Household> {
  const { key } = await server.keyFor(tenant, ['*'], `${mark} main`);
  const tell = <T>(path: string, body: unknown, method = 'POST'): Promise<T> =>
    server.must(path, { key, body, method });
  const look = <T>(path: string): Promise<T> => server.must(path, { key });
  for (const definition of definitions) await tell('/v1/definitions', definition);
  await tell('/v1/credits/guild/deposits', { amount: 100 });
  const start = async (workflow: string, waitMs = 0): Promise<string> => {
    const body = { workflow, input: { name: mark }, tags: { of: mark }, organization: 'guild', waitMs };
    return (await tell<{ readonly runId: string }>('/v1/runs', body)).runId;
  };
  const runId = await start('greeting', 60_000);
  const failedRunId = await start('failing', 60_000);
  const workingRunId = await start('working');
  const askingRunId = await start('asking');
  const { tasks } = await tell<{ readonly tasks: readonly [{ readonly lease: string }] }>('/v1/tasks/lease', {
    actions: ['remote.work'],
    waitMs: 60_000,
    leaseMs: longMs,
    worker: mark,
  });
  const correlationId = await promptOf(look, askingRunId);
  await tell('/v1/triggers', { id: 'bell', type: 'manual', workflow: 'greeting' });
  await tell('/v1/triggers', {
    id: 'hook',
    type: 'webhook',
    workflow: 'greeting',
    public: true,
    methods: ['POST', 'PUT'],
  });
  await tell('/v1/secrets/token', { value: `${mark} secret`, hosts: ['api.example.com'] }, 'PUT');
  await tell('/v1/callbacks', {
    id: 'tell',
    url: 'https://tell.example.com/',
    on: ['prompt.opened'],
    workflow: 'never',
  });
  await tell('/v1/retention/greeting', { days: 1 }, 'PUT');
  const artifact = await tell<{ readonly id: string }>('/v1/artifacts', `${mark} bytes`);
  const { secret } = await tell<{ readonly secret: string }>(`/v1/prompts/${correlationId}/secret`, {});
  const keyId = (await tell<{ readonly id: string }>('/v1/keys', { name: `${mark} spare`, scopes: ['run:read'] })).id;
  const tokenId = (await tell<{ readonly id: string }>('/v1/tokens', { runId, may: 'read', name: `${mark} view` })).id;
  const cursors = await Promise.all(
    ['runs', 'events', `runs/${askingRunId}/events`, 'definitions', 'triggers'].map(async (path) => {
      return (await look<{ readonly next: string | null }>(`/v1/${path}?limit=1`)).next;
    }),
  );
  return {
    tenant,
    key,
    mark,
    workingRunId,
    snapshot: await look(`/v1/runs/${askingRunId}/snapshot`),
    cursors: cursors.filter((cursor) => cursor !== null),
    ids: {
      runId,
      failedRunId,
      askingRunId,
      correlationId,
      promptSecret: secret,
      triggerId: 'bell',
      artifactId: artifact.id,
      lease: tasks[0].lease,
      keyId,
      tokenId,
      organization: 'guild',
    },
  };
}

/** The prompt is there a moment after the run was started. */
async function promptOf(look: <T>(path: string) => Promise<T>, runId: string): Promise<string> {
  for (;;) {
    const { items } = await look<{ readonly items: readonly { readonly correlationId: string }[] }>(
      `/v1/prompts?runId=${runId}`,
    );
    if (items[0] !== undefined) return items[0].correlationId;
  }
}

const lists = ['definitions', 'prompts', 'events', 'triggers', 'artifacts', 'keys', 'workers', 'actions', 'secrets'];
const otherLists = ['callbacks', 'deliveries', 'retention', 'credits/guild', 'credits/guild/reservations'];

/** Everything that it has, as text: to see that nothing was changed. */
export async function takeStock(server: Server, { key }: Household): Promise<Readonly<Record<string, string>>> {
  const stock: Record<string, string> = {};
  const note = async (path: string): Promise<string> => (stock[path] = (await server.ask(path, { key })).text);
  const runs = JSON.parse(await note('/v1/runs?subRuns=true&limit=1000')) as {
    readonly items: readonly { runId: string }[];
  };
  for (const { runId } of runs.items) await note(`/v1/runs/${runId}/events?limit=1000`);
  for (const list of [...lists, ...otherLists])
    await note(list.startsWith('credits/guild') ? `/v1/${list}` : `/v1/${list}?limit=1000`);
  return stock;
}

/** Whoever was let in before still is: the task is finished, the question answered, and the runs end as they should. */
export async function settle(server: Server, { key, ids, mark, workingRunId }: Household): Promise<void> {
  const { lease, promptSecret, askingRunId } = ids;
  const finished = await server.ask('/v1/tasks/finish', { key, body: { tasks: [{ lease, output: `${mark} done` }] } });
  const replied = await server.ask(`/v1/replies/acme/${promptSecret}`, { body: { payload: `${mark} done` } });
  for (const { status, text } of [finished, replied])
    if (!text.includes('"applied":true'))
      server.tally.violate(`Expected what the tenant does to count, but found ${status}: ${text}`);
  for (const runId of [workingRunId, askingRunId]) {
    const { text } = await server.ask(`/v1/runs/${runId}/result?waitMs=60000`, { key });
    if (!text.includes(`"output":{"said":"${mark} done"}`))
      server.tally.violate(`Expected run ${runId} to end as ever, but found ${text}`);
  }
}
