// What workers say of their actions and of how far they are, and what others see of it.

import { expect, test } from 'vitest';
import type { TaskProgress } from '../../packages/heddle/src/actor/observers.ts';
import type { LocalEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { alarmsAreMeant, onStoreHosts } from './hosts.testsuite.ts';
import { launch, register, work, workflow } from './token-engine.testsuite.ts';
import { beat, fan, finish, lease, leaseOne, outside, single } from './workers.testsuite.ts';

onStoreHosts('what workers announce', (host) => {
  test('[WK7] the input of a task is checked by the announced schema before a worker sees it', async () => {
    const t = await host.open(outside);
    const input = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } } as const;
    await t.engine.tasks.announce('w1', [{ name: 'work', input }]);
    const run = await launch(t, { ...single, ...alarmsAreMeant });
    expect(await run.result()).toMatchObject({ error: { code: 'ACTION_INPUT_INVALID' } });
    expect(await lease(t)).toEqual([]);
  });

  test('[WK14, WK16] output schema, retry policy and timeout are those of the action, for nodes that have none', async () => {
    const t = await host.open(outside);
    await t.engine.tasks.announce('w1', [
      {
        name: 'work',
        timeoutMs: 100,
        retry: { maxAttempts: 2, initialDelayMs: 5, jitter: 0 },
        output: { type: 'object', required: ['ok'] },
      },
    ]);
    const run = await launch(t, single);
    await lease(t);
    await t.advance(105);
    const again = await leaseOne(t);
    expect(again.attempt).toBe(2);
    await finish(t, again, { no: true });
    expect(await run.result()).toMatchObject({ error: { code: 'ACTION_OUTPUT_INVALID', attempts: 2 } });
  });

  test('[WK14, CR5] costs and ports are known when definitions are registered', async () => {
    const t = await host.open(outside);
    await t.engine.tasks.announce('w1', [
      { name: 'work', cost: 2 },
      { name: 'add', ports: { inputs: [{ name: 'a', type: 'number' }], outputs: [{ name: 'sum', type: 'number' }] } },
    ]);
    await register(t.engine, single);
    const run = await t.engine.start('w', {}, { organization: 'acme' });
    expect(await run.result()).toMatchObject({ status: 'exhausted' });
    const graph = {
      dialect: 'dataflow',
      id: 'sum',
      nodes: [
        { id: 'x', type: 'add', inputs: { a: 1 } },
        { id: 'y', type: 'add' },
      ],
      edges: [{ source: 'x', sourceOutput: 'product', target: 'y', targetInput: 'a' }],
    };
    const problem = t.engine.validate(graph).find(({ severity }) => severity === 'error');
    expect(problem?.message).toContain('product');
  });

  test('[CT3][CT1] what is announced of node types is listed, checks graphs, and outlives the engine', async () => {
    const before = await host.open(outside);
    await before.engine.tasks.announce('w1', [
      {
        name: 'mail',
        version: 2,
        description: 'To one person.',
        ports: { inputs: [{ name: 'to', type: 'string', required: true }] },
        catalogue: { title: 'Send mail', handles: ['sent'], migrations: { 1: { to: 'settings.address' } } },
      },
    ]);
    const t = await host.restart(before, outside);
    expect((await t.engine.nodeTypes()).find(({ type }) => type === 'mail')).toMatchObject({
      version: 2,
      title: 'Send mail',
      description: 'To one person.',
      source: 'workers',
      handles: ['sent'],
      inputs: [{ name: 'to', required: true, schema: { type: 'string' } }],
    });
    const graph = {
      id: 'g',
      nodes: [
        { id: 'a', type: 'mail', typeVersion: 1, data: { address: 'ada' } },
        { id: 'b', type: 'mail', data: {} },
      ],
      edges: [{ source: 'a', sourceHandle: 'snt', target: 'b' }],
    };
    expect(t.engine.validate(graph).map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'NODE_TYPE_OUTDATED /nodes/0/typeVersion',
      'UNKNOWN_HANDLE /edges/0/sourceHandle',
      'INPUT_MISSING /nodes/1/data',
    ]);
    await t.engine.tasks.withdraw(['mail']);
    expect((await t.engine.nodeTypes()).some(({ type }) => type === 'mail')).toBe(false);
  });

  test("[WK22] with `workers: 'announced'` only what was announced waits for a worker", async () => {
    const t = await host.open({ workers: 'announced' });
    const run = await launch(t, single);
    expect(await run.result()).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });
    expect(t.engine.validate(single)).toMatchObject([{ code: 'ACTION_NOT_REGISTERED' }]);
    await t.engine.tasks.announce('w1', [{ name: 'work' }]);
    expect(t.engine.validate(single)).toEqual([]);
    await launch(t, single);
    expect((await lease(t)).length).toBe(1);
  });

  host.testHere(
    '[WK23] an action that somebody is called for needs no announcement, and whoever calls is told of each task',
    async () => {
      const t = await host.open({ workers: 'announced' });
      const run = await launch(t, single);
      expect(await run.result()).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });
      const called: string[] = [];
      const { work: office } = (t.engine as LocalEngine).parts; // of one store
      office?.callFor(['work'], (action) => called.push(action));
      expect(t.engine.validate(single)).toEqual([]);
      await launch(t, single);
      expect(called).toEqual(['work']);
      const [task] = await lease(t);
      await t.engine.tasks.release([{ lease: task?.lease ?? '' }]);
      expect(called).toEqual(['work', 'work']);
    },
  );

  test('[WK14] saying the same again writes nothing; other words take the place of the first', async () => {
    const t = await host.open(outside);
    const read = async () => JSON.parse((await t.store.readRecord('action', 'work'))?.value ?? '{}') as unknown;
    await t.engine.tasks.announce('w1', [{ name: 'work', cost: 1 }]);
    await t.advance(10);
    await t.engine.tasks.announce('w2', [{ cost: 1, name: 'work' }]);
    expect(await read()).toMatchObject({ worker: 'w1' });
    await t.engine.tasks.announce('w2', [{ name: 'work', cost: 2 }]);
    expect(await read()).toMatchObject({ worker: 'w2', cost: 2 });
    await t.engine.tasks.withdraw(['work', 'nothing']);
    expect(await t.store.readRecord('action', 'work')).toBeNull();
  });

  test.each([
    [[{ name: 'no name' }], 'INVALID_ACTIONS'],
    [[{ name: 'core.echo' }], 'INVALID_ACTIONS'],
    [[{ name: 'a', colour: 'red' }], 'INVALID_ACTIONS'],
    [[{ name: 'a', cost: -1 }], 'INVALID_ACTIONS'],
    [[{ name: 'a', input: { type: 'nothing' } }], 'INVALID_ACTIONS'],
    [[{ name: 'a', ports: { inputs: 'many' } }], 'INVALID_ACTIONS'],
    [[{ name: 'a', ports: [] }], 'INVALID_ACTIONS'],
    [[{ name: 'a', catalogue: { title: 5 } }], 'INVALID_ACTIONS'],
    [[{ name: 'a', catalogue: { migrations: { 1: { x: 'settings.y' } } } }], 'INVALID_ACTIONS'],
    [[{ name: 'a', description: 'x'.repeat(3_000) }], 'INVALID_ACTIONS'],
    [[{ name: 'a', output: { description: 'x'.repeat(100_000) } }], 'INVALID_ACTIONS'],
    [[7], 'INVALID_ACTIONS'],
    ['all', 'OPTION_INVALID'],
    [[{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'LIMIT_EXCEEDED'],
  ])('[WK13][CT3] %j is refused, and nothing is kept', async (actions, code) => {
    const t = await host.open({ ...outside, limits: { announcedActionsMax: 2 } });
    await expect(t.engine.tasks.announce('w1', actions as never)).rejects.toMatchObject({ code });
    expect(await t.store.listRecords('action', { limit: 1 })).toEqual([]);
  });

  test('[WK13] how much may be announced of an action is a limit', async () => {
    const action = { name: 'a', output: { description: 'x'.repeat(100_000) } };
    const t = await host.open({ ...outside, limits: { announcementBytesMax: 200_000 } });
    await t.engine.tasks.announce('w1', [action]);
    expect(await t.engine.tasks.actions()).toContainEqual(expect.objectContaining(action));
    const u = await host.open(outside);
    await expect(u.engine.tasks.announce('w1', [action])).rejects.toThrow(
      /65536 bytes of JSON \(announcementBytesMax\)/,
    );
  });

  test('[WK21] actions and workers are listed with what is to do, by name', async () => {
    const t = await host.open({ ...outside, scripted: ['here'] });
    await launch(t, fan(3));
    await t.engine.tasks.announce('w1', [{ name: 'work', description: 'Works.' }, { name: 'zeal' }]);
    await lease(t, { max: 1, worker: 'w1', actions: ['work', 'other'] });
    const at = t.clock.now();
    expect(await t.engine.tasks.actions({ after: 'i', limit: 2 })).toEqual([
      { name: 'other', place: 'workers', waiting: 0, leased: 0, lastAskedAt: at },
      { name: 'work', description: 'Works.', place: 'workers', waiting: 2, leased: 1, lastAskedAt: at },
    ]);
    const here = (await t.engine.tasks.actions()).find(({ name }) => name === 'here');
    expect(here).toEqual({ name: 'here', cost: 0, place: 'local', waiting: 0, leased: 0, lastAskedAt: null });
    expect(await t.engine.tasks.workers()).toEqual([
      { worker: 'w1', lastSeenAt: at, actions: ['work', 'other'], leased: 1 },
    ]);
  });

  test('[WK21] workers are forgotten when there are too many, the longest silent first', async () => {
    const t = await host.open({ ...outside, limits: { workersMax: 2 } });
    for (const worker of ['a', 'b', 'a', 'c']) await lease(t, { worker });
    expect((await t.engine.tasks.workers()).map(({ worker }) => worker)).toEqual(['a', 'c']);
  });
});

onStoreHosts('progress', (host) => {
  test('[WK15, EX18] what a worker tells goes to whoever watches, and shows while it is at work; nothing is kept', async () => {
    const told: TaskProgress[] = [];
    const t = await host.open({ ...outside, onProgress: (progress) => told.push(progress) });
    const run = await launch(t, single);
    const task = await leaseOne(t);
    expect(await run.tokens()).toMatchObject([{ isExecuting: true }]);
    expect((await run.tokens())[0]).not.toHaveProperty('progress');
    await beat(t, task, { progress: { fraction: 0.25, message: 'a quarter', details: { of: 4 } } });
    const progress = { at: t.clock.now(), fraction: 0.25, message: 'a quarter', details: { of: 4 } };
    expect(told).toEqual([{ runId: run.id, tokenId: task.tokenId, nodeId: 'a', ...progress }]);
    expect(await run.tokens()).toMatchObject([{ isExecuting: true, progress }]);
    await finish(t, task);
    const [token] = await run.tokens();
    expect([token?.isExecuting, token && 'progress' in token]).toEqual([false, false]);
  });

  test.each([
    { fraction: 2 },
    { fraction: 'half' },
    { message: 'x'.repeat(501) },
    { details: 'x'.repeat(5_000) },
    { details: { f: () => 1 } },
  ])('[EX17] %j is refused, in its own answer', async (progress) => {
    const t = await host.open(outside);
    await launch(t, single);
    expect(await beat(t, await leaseOne(t), { progress })).toMatchObject({ ok: false, code: 'PROGRESS_INVALID' });
  });

  test('[EX18, EX17] a local action tells too, and is refused in the same way', async () => {
    const told: TaskProgress[] = [];
    let end = (): void => {};
    const t = await host.open({
      onProgress: (progress) => told.push(progress),
      actions: {
        work: async ({ progress }) => {
          progress(0.5, 'half', { of: 2 });
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          progress(7);
        },
      },
    });
    const run = await launch(t, single);
    expect(told).toMatchObject([{ runId: run.id, tokenId: 1, nodeId: 'a', fraction: 0.5, message: 'half' }]);
    expect(await run.tokens()).toMatchObject([{ isExecuting: true, progress: { details: { of: 2 } } }]);
    end();
    expect(await run.result()).toMatchObject({ error: { code: 'PROGRESS_INVALID' } });
  });
});

onStoreHosts('the run of a task', (host) => {
  test('[WK19] whoever has a task publishes in the name of its run and reaches its artifacts, until it is over', async () => {
    const before = await host.open(outside);
    const waits = { id: 'wait', wait: { event: 'done' } };
    await register(before.engine, workflow('listener', [waits]));
    const listener = await before.engine.start('listener');
    const run = await launch(before, workflow('w', [work('a'), work('b')], [{ from: 'a', to: 'b' }]));
    const task = await leaseOne(before);
    const reference = await before.engine.tasks.putArtifact(task.lease, 'hello', 'text/plain');
    const t = await host.restart(before, outside);
    expect(await t.engine.tasks.listArtifacts(task.lease)).toEqual([reference]);
    const { bytes } = await t.engine.tasks.getArtifact(task.lease, reference);
    expect(new TextDecoder().decode(bytes)).toBe('hello');
    expect(await t.engine.tasks.publish(task.lease, 'done', {})).toMatchObject({ delivered: 1 });
    expect(await t.engine.run(listener.id).result()).toMatchObject({ status: 'completed' });
    await finish(t, task);
    await expect(t.engine.tasks.putArtifact(task.lease, 'late', 'text/plain')).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    await expect(t.engine.tasks.listArtifacts('nonsense')).rejects.toMatchObject({ code: 'LEASE_UNKNOWN' });
    expect(await t.engine.run(run.id).status()).toBe('running');
  });
});
