// Tasks that the consumer of a queue does, in the platform's own runtime: messages that are lost, refused, delivered twice, and
// consumers that die with what they have.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import type { Moods } from './executors.worker.ts';
import { Workerd } from './workerd.testsuite.ts';

interface Done {
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
}

interface Killed {
  die(): Promise<void>;
}

describe.each([
  ['one object for each tenant', undefined],
  ['three for each', '3'],
  ['one for every run', 'run'],
])('%s', (_, shards) => {
  const done: Done[] = [];
  let workerd: Workerd;

  beforeAll(async () => {
    workerd = await Workerd.open({
      program: 'executors.worker.ts',
      bindings: shards === undefined ? {} : { SHARDS: shards },
      outside: async (request) => {
        done.push((await request.json()) as Done);
        return new Response();
      },
      more: {
        queueProducers: { TASKS: { queueName: 'tasks' } },
        queueConsumers: { tasks: { maxBatchSize: 100, maxBatchTimeout: 0, maxRetries: 3 } },
      },
    });
  });
  afterAll(() => workerd.close());
  beforeEach(() => void done.splice(0));

  /** Its next messages meet with this. */
  async function tenantWith(name: string, moods: Partial<Moods>): Promise<Client> {
    const { key } = await workerd.client().call('createKey', { name, scopes: ['*'], tenant: name });
    const told = { sent: 'well', delivered: 'well', ...moods, tenant: name };
    await workerd.fetch('http://heddle.test/moods', { method: 'POST', body: JSON.stringify(told) });
    return workerd.client(key);
  }

  test('[T483] [DO54] a task is done by the consumer of a queue, with its attempt and key, however large its input is', async () => {
    const run = await workerd.client().start('queued', { n: 21, pad: 'x'.repeat(300_000) });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 42, attempt: 1 } });
    expect(done).toEqual([{ runId: run.id, key: `${run.id}/1`, attempt: 1 }]);
  });

  test('[DO54] what it throws is tried again by the policy of the node, and so is what takes too long, from when it began', async () => {
    const heddle = workerd.client();
    const runs = await Promise.all([heddle.start('queued', { n: -1 }), heddle.start('slow', { n: 0 })]);
    const [thrown, slow] = await Promise.all(runs.map((run) => run.result()));
    expect(thrown).toMatchObject({ status: 'completed', output: { n: -2, attempt: 2 } });
    expect(slow).toMatchObject({ status: 'completed', output: { n: 0 } });
    expect(slow?.output).not.toMatchObject({ attempt: 1 });
  });

  test('[DO54] a fan-out of more tasks than are called for at once is done, each of them once', async () => {
    const run = await workerd.client().start('many', { items: [...Array(230).keys()] });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(new Set(done.map(({ key }) => key)).size).toBe(230);
    expect(done).toHaveLength(230);
  });

  test('[DO56] a message that is delivered again does nothing again', async () => {
    const heddle = await tenantWith('twice', { delivered: 'twice' });
    const run = await heddle.start('queued', { n: 1 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 2 } });
    const next = await heddle.start('queued', { n: 2 });
    expect(await next.result()).toMatchObject({ status: 'completed', output: { n: 4 } });
    expect(done.map(({ runId }) => runId)).toEqual([run.id, next.id]);
  });

  test.each(['refused', 'lost'] as const)(
    '[DO55] a message that was %s when it was sent is sent again',
    async (sent) => {
      const heddle = await tenantWith(`sent-${sent}`, { sent });
      const run = await heddle.start('queued', { n: 3 });
      expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 6 } });
      expect(done).toHaveLength(1);
    },
  );

  test('[DO55] a message that is lost on its way is sent again', async () => {
    const heddle = await tenantWith('lost', { delivered: 'lost' });
    const run = await heddle.start('queued', { n: 4 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 8, attempt: 1 } });
    expect(done).toHaveLength(1);
  });

  test('[DO55] a consumer that dies with a task has lost it when its lease ends, and another is called', async () => {
    const heddle = await tenantWith('dies', { delivered: 'dies' });
    const run = await heddle.start('queued', { n: 5 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 10, attempt: 1 } });
    let handOuts = 0;
    for await (const { type } of run.events()) if (type === 'task.dispatched') handOuts += 1;
    expect(handOuts).toBe(2);
  });

  test('[DO55] an object that is lost before its message is sent wakes by itself, and sends it', async () => {
    const heddle = await tenantWith('killed', { sent: 'lost' });
    const run = await heddle.start('queued', { n: 6 });
    const [, shard] = run.id.split('~');
    const object = await workerd.object<Killed>(shard === undefined ? 'killed' : `killed/${shard}`);
    await expect(object.die()).rejects.toThrow();
    await expect.poll(() => done, { timeout: 30_000 }).toMatchObject([{ runId: run.id }]);
  });
});

test('[DO54] an action that is done in the object and by a queue is refused', async () => {
  const workerd = await Workerd.open({
    program: 'executors.worker.ts',
    bindings: { TWICE: 'true' },
    more: { queueProducers: { TASKS: { queueName: 'tasks' } } },
  });
  try {
    for (const attempt of [1, 2])
      await expect(workerd.client().start('queued', { attempt })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  } finally {
    await workerd.close();
  }
});

test('[DO51] [DO54] another Worker with the binding of the objects starts a run, and does its task', async () => {
  const workerd = await Workerd.open({
    program: 'executors.worker.ts',
    more: { queueProducers: { TASKS: { queueName: 'tasks' } } },
    beside: { program: 'beside.worker.ts', more: { queueConsumers: { tasks: { maxBatchTimeout: 0 } } } },
  });
  try {
    const { runId } = (await (await workerd.askBeside()).json()) as { readonly runId: string };
    expect(await workerd.client().run(runId).result()).toMatchObject({ status: 'completed', output: { n: 33 } });
  } finally {
    await workerd.close();
  }
});
