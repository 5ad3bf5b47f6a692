// Workers over HTTP: the worker client against a real server.

import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startWorker, type Worker, type WorkerOptions } from '../../packages/heddle/src/client/worker.ts';
import { defineCompiledType } from '../../packages/heddle/src/dialects/catalogue/compiled-type.ts';
import { defineNodeType } from '../../packages/heddle/src/dialects/dataflow/nodes/node-type.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { served } from './server.testsuite.ts';

const flow = (fields: object = {}) => ({
  id: 'w',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'toil', inputMapping: { n: 'input.n' }, outputMapping: { 'output.n': 'result.n' }, ...fields },
  ],
  transitions: [],
});

function hire(url: string, options: Omit<WorkerOptions, 'url'>): Worker {
  const worker = startWorker({ url, ...options });
  onTestFinished(() => worker.close({ graceMs: 0 }));
  return worker;
}

/** Its address. */
async function muteServer(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A call that waits for the test. */
function gate(): {
  readonly opened: Promise<void>;
  readonly open: () => void;
  readonly entered: Promise<void>;
  readonly enter: () => void;
} {
  let open = (): void => undefined;
  let enter = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const entered = new Promise<void>((resolve) => (enter = resolve));
  return { opened, open, entered, enter };
}

test('[CT6] a worker refuses node types that compile', () => {
  const nodeTypes = { vip: defineCompiledType({ compile: () => ({ type: 'step' }) }) };
  expect(() => startWorker({ url: 'http://127.0.0.1:1/', nodeTypes })).toThrow(
    'Expected node types that do work, but "vip" compiles to others: give it to the engine that registers graphs',
  );
});

test('[CT3] a worker announces its node types, and editors find them', async () => {
  const { client, url } = await served();
  const mail = defineNodeType({ title: 'Send mail', inputs: { to: { type: 'string' } }, run: () => ({}) });
  await hire(url, { nodeTypes: { mail } }).whenAnnounced;
  const listed = await (await fetch(`${url}/v1/node-types?limit=1000`)).json();
  const found = (listed as { items: { type: string }[] }).items.find(({ type }) => type === 'mail');
  expect(found).toEqual({
    type: 'mail',
    version: 1,
    title: 'Send mail',
    source: 'workers',
    sideEffects: true,
    inputs: [{ name: 'to', type: 'string', schema: { type: 'string' } }],
  });
  expect((await client.nodeTypes()).map(({ type }) => type)).toContain('core.group');
});

test('a worker does what the engine has no action for', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const run = await client.start('w', { n: 4 });
  expect(await run.status()).toBe('running');
  hire(url, { name: 'anna', actions: { toil: ({ input }) => ({ n: (input['n'] as number) * 2 }) } });
  expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 8 } });
  expect(await client.tasks.actions()).toContainEqual(
    expect.objectContaining({ name: 'toil', place: 'workers', waiting: 0, leased: 0 }),
  );
  expect(await client.tasks.workers()).toMatchObject([{ worker: 'anna', actions: ['toil'] }]);
});

test('a hundred tasks are done by two workers, each once', async () => {
  const { client, url } = await served();
  await client.register({
    id: 'fan',
    initialNode: 's',
    nodes: [{ id: 's' }, { id: 'a', action: 'toil', inputMapping: { n: 'item' } }],
    transitions: [{ from: 's', to: 'a', foreach: { collection: 'input.items', itemVar: 'item' } }],
  });
  const done: unknown[] = [];
  const toil = ({ input }: { readonly input: object }) => void done.push((input as { n: number }).n);
  hire(url, { name: 'one', capacity: 7, actions: { toil } });
  hire(url, { name: 'two', capacity: 7, actions: { toil } });
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(await (await client.start('fan', { items })).result()).toMatchObject({ status: 'completed' });
  expect(done.toSorted((a, b) => Number(a) - Number(b))).toEqual(items);
});

test('what a worker throws is tried again as the action or the node says; the attempt is counted', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const attempts: number[] = [];
  hire(url, {
    actions: {
      toil: {
        retry: { maxAttempts: 3 },
        run: ({ attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new ActionError('not yet', { code: 'BUSY' });
          return { n: attempt };
        },
      },
    },
  });
  expect(await (await client.start('w', { n: 1 })).result()).toMatchObject({ status: 'completed', output: { n: 3 } });
  expect(attempts).toEqual([1, 2, 3]);
});

test('a worker that dies loses its lease, and another does the task; the first can tell nothing any more', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const first = gate();
  const lost = startWorker({
    url,
    leaseMs: 400,
    actions: {
      toil: async () => {
        first.enter();
        await first.opened;
        return { n: 'late' };
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  await first.entered;
  const [lease] = lost.leases;
  lost.abandon();
  hire(url, { actions: { toil: ({ attempt }) => ({ n: attempt }) } });
  expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  expect(await client.tasks.finish([{ lease: lease!, output: { n: 'late' } }])).toMatchObject([
    { applied: false, error: { code: 'LEASE_LOST' } },
  ]);
});

test('[WC2] a task that nobody wants any more is aborted; its progress was seen while it was under way', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const aborted = gate();
  hire(url, {
    leaseMs: 3_000,
    actions: {
      toil: async ({ signal, progress }) => {
        progress(0.5, 'half of it');
        aborted.enter();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted.open();
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  await aborted.entered;
  await expect
    .poll(async () => (await run.tokens())[0])
    .toMatchObject({ isExecuting: true, progress: { fraction: 0.5, message: 'half of it' } });
  await run.cancel();
  await aborted.opened;
  expect(await run.status()).toBe('cancelled');
});

test('[WC5] a worker confirms the leases that it has after a while; what it did before needs none', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const clock = new VirtualClock();
  const [begun, beaten] = [gate(), gate()];
  let beats = 0;
  const asked: typeof fetch = (input, init) => {
    const address = typeof input === 'string' || input instanceof URL ? input : input.url;
    if (!address.toString().endsWith('/heartbeat')) return fetch(input, init);
    beats++;
    return fetch(input, init).finally(beaten.enter);
  };
  const worker = hire(url, {
    clock,
    fetch: asked,
    actions: {
      async toil({ input }) {
        if ((input as { readonly n: number }).n === 1) return { n: 1 };
        begun.enter();
        await beaten.entered;
        return { n: 2 };
      },
    },
  });
  await (await client.start('w', { n: 1 })).result();
  await clock.advance(2_000);
  expect([beats, worker.leases]).toEqual([0, []]);
  const run = await client.start('w', { n: 2 });
  await begun.entered;
  await clock.advance(2_000);
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(beats).toBe(1);
});

test('[WC4] results that are too much for one request are told one by one', async () => {
  const limits = { payloadBytesMax: 100_000, definitionBytesMax: 100_000 };
  const { client, url } = await served({ limits });
  await client.register(flow());
  const all = gate();
  let waiting = 10;
  const large = 'x'.repeat(90_000);
  hire(url, {
    actions: {
      toil: async () => {
        waiting -= 1;
        if (waiting === 0) all.open();
        await all.opened;
        return { n: large };
      },
    },
  });
  const runs = await Promise.all(Array.from({ length: 10 }, () => client.start('w', { n: 1 })));
  for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed', output: { n: large } });
});

test('[WC4] a result that the server cannot take now is told again; one that it never takes fails its task', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const answers = ['ENGINE_CLOSED', 'STORE_FULL'];
  const instead = (body: string): Response | null => {
    const [{ lease } = { lease: '' }] = (JSON.parse(body) as { tasks: { lease: string }[] }).tasks;
    const code = answers.shift();
    if (code) return Response.json({ tasks: [{ lease, applied: false, error: { code, message: 'not now' } }] });
    // As a server answers whose limits are lower than the worker knows.
    const problem = { code: 'LIMIT_EXCEEDED', detail: 'it is too large', limit: 'bodyBytesMax' };
    const headers = { 'content-type': 'application/problem+json' };
    return body.includes('never') ? Response.json(problem, { status: 413, headers }) : null;
  };
  hire(url, {
    fetch: (input, init) => {
      const answer = (input as string).endsWith('/finish') ? instead(init?.body as string) : null;
      return answer ? Promise.resolve(answer) : fetch(input, init);
    },
    actions: { toil: ({ input }) => ({ n: input['n'] === 2 ? 'never' : 'told' }) },
  });
  expect(await (await client.start('w', { n: 1 })).result()).toMatchObject({ output: { n: 'told' } });
  expect(answers).toEqual([]);
  expect(await (await client.start('w', { n: 2 })).result()).toMatchObject({
    status: 'failed',
    error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('it is too large') },
  });
});

test('[WC3] a task that tells a thousand times is told of at the pace of the connection, the newest at the end', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const work = gate();
  let sent = 0;
  hire(url, {
    fetch: (input, init) => {
      sent += Number((input as string).endsWith('/heartbeat'));
      return fetch(input, init);
    },
    actions: {
      toil: async ({ progress }) => {
        for (let step = 1; step <= 1_000; step++) progress(step / 1_000);
        await work.opened;
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  await expect.poll(async () => (await run.tokens())[0]?.progress?.fraction).toBe(1);
  work.open();
  await run.result();
  expect(sent).toBe(2);
});

test('[SE7] how far a task is shows in the live events, without an id', async () => {
  const { client, url, ask } = await served();
  await client.register(flow());
  const work = gate();
  hire(url, {
    actions: {
      toil: async ({ progress }) => {
        await work.entered;
        progress(0.25, 'a quarter');
        await work.opened;
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  const { body } = await ask(`/v1/runs/${run.id}/events/stream`);
  const texts: string[] = [];
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    texts.push(part);
    if (part.includes('workflow.started')) work.enter();
    if (part.includes('progress')) work.open();
  }
  const blocks = texts.join('').split('\n\n');
  const told = blocks.filter((block) => block.startsWith('event: progress'));
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0]!.split('data: ')[1]!)).toMatchObject({ nodeId: 'a', fraction: 0.25, message: 'a quarter' });
  expect(blocks.at(-2)).toContain('event: end');
});

test('a worker keeps its task while the server is started anew', async () => {
  const first = await served();
  await first.client.register(flow());
  const work = gate();
  const worker = hire(first.url, {
    actions: {
      toil: async ({ attempt }) => {
        work.enter();
        await work.opened;
        return { n: attempt };
      },
    },
  });
  const run = await first.client.start('w', { n: 1 });
  await work.entered;
  const [lease] = worker.leases;
  await first.close({ graceMs: 0 });
  const second = await served({ store: first.store });
  expect(await second.client.tasks.heartbeat([{ lease: lease! }])).toMatchObject([{ ok: true }]);
  expect(await second.client.tasks.finish([{ lease: lease!, output: { n: 7 } }])).toMatchObject([{ applied: true }]);
  expect(await second.client.run(run.id).result()).toMatchObject({ status: 'completed', output: { n: 7 } });
  work.open();
});

test('[WC1] a worker that is closed lets its tasks finish, or hands them back for others', async () => {
  const { client, url } = await served();
  await client.register(flow());
  const entered = gate();
  const leaving = hire(url, {
    actions: {
      toil: ({ signal }) => {
        entered.enter();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  await entered.entered;
  await leaving.close({ graceMs: 0 });
  hire(url, { actions: { toil: ({ attempt }) => ({ n: attempt }) } });
  expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
});

test('[WC1] a server that takes what it is sent and never answers holds up no worker that is closed', async () => {
  const mute = await muteServer();
  await startWorker({ url: mute, actions: { toil: () => ({}) } }).close({ graceMs: 0 });

  const { client, url } = await served();
  await client.register(flow());
  const entered = gate();
  const errors: Error[] = [];
  let isMute = false;
  const worker = hire(url, {
    capacity: 1,
    actions: {
      toil: () => {
        entered.enter();
        return new Promise(() => undefined);
      },
    },
    fetch: (input, init) => fetch(isMute ? mute : input, init),
    onError: (error) => void errors.push(error),
  });
  await client.start('w', { n: 1 });
  await entered.entered;
  isMute = true;
  await worker.close({ graceMs: 0 });
  expect(worker.leases).toEqual([]);
  expect(errors).toMatchObject([{ code: 'SERVER_UNREACHABLE', message: expect.stringContaining('when leases end') }]);
});

test('a worker puts artifacts and publishes in the name of the run', async () => {
  const { client, url } = await served();
  await client.register(flow());
  hire(url, {
    actions: {
      toil: async ({ artifacts, publish, idempotencyKey }) => {
        const reference = await artifacts.put('some text', 'text/plain');
        await publish('done', { reference }, { id: idempotencyKey });
        const { bytes } = await artifacts.get(reference);
        return { n: [new TextDecoder().decode(bytes), (await artifacts.list()).length] };
      },
    },
  });
  const run = await client.start('w', { n: 1 });
  expect(await run.result()).toMatchObject({ output: { n: ['some text', 1] } });
  expect(await client.artifacts.list(run.id)).toHaveLength(1);
});
