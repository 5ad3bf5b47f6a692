// The program of the executors' tests: tasks that other code does: over RPC, and as the consumer of a queue that loses messages,
// delivers them twice, or dies with them, as a test says.

import {
  type Coordinator,
  coordinatorOf,
  heddle,
  type MessageBatch,
  queueWorker,
  rpcWorker,
  type TaskQueue,
} from '../../packages/heddle/src/cloudflare.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; newUniqueId(): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly TASKS: TaskQueue;
  readonly OUTSIDE: { fetch(url: string, init?: RequestInit): Promise<Response> };
}

/** What becomes of the next messages of a tenant: of those that are sent, and of those that are delivered. */
export interface Moods {
  readonly tenant: string;
  readonly sent: 'well' | 'refused' | 'lost';
  readonly delivered: 'well' | 'twice' | 'lost' | 'dies';
}

/** What a test's own code asks of a coordinator. */
export interface Asked {
  readonly method: keyof Coordinator;
  readonly args: readonly unknown[];
  readonly tenant?: string;
  readonly runId?: string;
  /** By a stub alone, with this name; null: without one. */
  readonly name?: string | null;
}

/** Of this program's one instance: what its objects and handlers share. */
const state = { tenant: '', sent: 'well', delivered: 'well' } as { -readonly [M in keyof Moods]: Moods[M] };

function takeMood<Which extends 'sent' | 'delivered'>(
  which: Which,
  messages: Iterable<{ body: unknown }>,
): Moods[Which] {
  const isOfTenant = ({ body }: { body: unknown }) => placeIn(body).tenant === state.tenant;
  if (![...messages].some(isOfTenant)) return 'well';
  const mood = state[which];
  state[which] = 'well' as Moods[Which];
  return mood;
}

const placeIn = (body: unknown) =>
  (body as { readonly place: { readonly tenant: string; readonly shard: number } }).place;

const { SHARDS, TWICE } = (globalThis as { process?: { env: { SHARDS?: string; TWICE?: string } } }).process?.env ?? {};

const outputs = { 'output.n': 'result.n', 'output.attempt': 'result.attempt' };
const task = (id: string, more: object): object => ({
  id,
  initialNode: 'a',
  nodes: [{ id: 'a', inputMapping: { n: 'input.n', pad: 'input.pad' }, outputMapping: outputs, ...more }],
  transitions: [],
});
const retry = { maxAttempts: 2, backoff: 'none', initialDelayMs: 1 };

const { HeddleObject: Base, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: SHARDS === undefined ? 'tenant' : SHARDS === 'run' ? 'run' : { shards: Number(SHARDS) },
  engine: () => ({ actions: TWICE === undefined ? {} : { resize: () => ({}) } }),
  onError(error) {
    // What nobody expects is to be seen.
    // oxlint-disable-next-line no-console
    if (!String(error).includes('by a test')) console.error(error);
  },
  queues: (env) => ({ resize: { queue: moody(env.TASKS), callAgainMs: 1_000 } }),
  definitions: [
    task('remote', { action: 'remote', retry }),
    task('queued', { action: 'resize', retry }),
    task('slow', { action: 'resize', retry: { ...retry, maxAttempts: 5 }, timeoutMs: 2_000 }),
    {
      id: 'many',
      initialNode: 'each',
      nodes: [{ id: 'each' }, { id: 'one', action: 'resize', inputMapping: { n: '_branch.total' } }],
      transitions: [{ from: 'each', to: 'one', foreach: { collection: 'input.items' } }],
    },
  ],
});

function moody(tasks: TaskQueue): TaskQueue {
  return {
    async sendBatch(messages) {
      const mood = takeMood('sent', messages);
      if (mood === 'refused') throw new Error('refused by a test');
      if (mood === 'well') await tasks.sendBatch(messages);
    },
  };
}

const consume = queueWorker<Env>({
  objects: (env) => env.HEDDLE,
  actions: (env) => ({
    async resize({ input, attempt, idempotencyKey, runId, signal }) {
      const n = Number(input['n']);
      await env.OUTSIDE.fetch('http://outside/', {
        method: 'POST',
        body: JSON.stringify({ runId, key: idempotencyKey, attempt }),
      });
      if (n === 0 && attempt === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (n === -1 && attempt === 1) throw Object.assign(new Error('once more'), { code: 'n.negative' });
      return { n: 2 * n, attempt };
    },
  }),
});

async function queue(batch: MessageBatch, env: Env): Promise<void> {
  const mood = takeMood('delivered', batch.messages);
  if (mood === 'lost') return;
  if (mood === 'dies') return die(batch, env);
  await consume(batch, env);
  if (mood === 'twice') await consume(batch, env);
}

/** A consumer that has leased a task, and is never heard of again. */
async function die({ messages }: MessageBatch, env: Env): Promise<void> {
  for (const { body } of messages) {
    const { tenant, shard } = placeIn(body);
    const object = env.HEDDLE.get(env.HEDDLE.idFromName(shard === 0 ? tenant : `${tenant}/${shard}`)) as Coordinator;
    await object.leaseTasks({ actions: ['resize'], leaseMs: 500 });
  }
}

async function coordinate({ method, args, tenant, runId, name }: Asked, env: Env): Promise<Response> {
  const { HEDDLE } = env;
  const coordinator =
    name === undefined
      ? coordinatorOf(HEDDLE, { ...(tenant ? { tenant } : {}), ...(runId ? { runId } : {}) })
      : (HEDDLE.get(name === null ? HEDDLE.newUniqueId() : HEDDLE.idFromName(name)) as Coordinator);
  try {
    const asked = coordinator as object as Record<string, (...args: readonly unknown[]) => Promise<unknown>>; // whatever is asked
    return Response.json({ value: await asked[method]?.(...args) });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return Response.json({ error: { code, message } });
  }
}

/** What every program of these tests has. */
export const Work = rpcWorker({});

/** With what only tests do to an object. */
export class HeddleObject extends Base {
  die(): void {
    (this as unknown as { ctx: { abort(reason: string): void } }).ctx.abort('killed by a test'); // every object has it
  }
}

export default {
  queue,
  scheduled: worker.scheduled,
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/coordinate') return coordinate((await request.json()) as Asked, env);
    if (pathname !== '/moods') return worker.fetch(request, env);
    Object.assign(state, await request.json());
    return Response.json(state);
  },
};
