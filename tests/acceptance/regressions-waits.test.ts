import { describe, expect, test } from 'vitest';
import { faultyStore } from '../../packages/heddle/src/actor/actor.testsuite.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  fail,
  go,
  join,
  launch,
  register,
  scripted,
  spawn,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const waitForE = (id: string) => ({ id, wait: { event: 'e' } });

onEveryHost('waits, after a review', (host) => {
  test('[EW3][RX3] a retry does not take an event again that its run had taken', async () => {
    const t = await host.open(scripted);
    const nodes = [waitForE('first'), work('mid'), waitForE('second'), { id: 'done' }];
    const run = await launch(t, workflow('w', nodes, [go('first', 'mid'), go('mid', 'second'), go('second', 'done')]));
    await t.engine.publish('e', 1);
    await t.settle();
    await fail(t, 'mid');
    const again = await run.retry();
    await t.settle();
    await answer(t, 'mid');
    expect(await again.status()).toBe('suspended');
    await t.engine.publish('e', 2);
    await t.settle();
    expect(await again.status()).toBe('completed');
  });

  test('[TS7][CR2] in a handle graph a node that is not paid yet is not overtaken', async () => {
    const order: string[] = [];
    const step = ({ input, nodeId }: ActionContext) => {
      order.push(nodeId);
      return input['context'];
    };
    const t = await host.open({ actions: { free: step, paid: { run: step, cost: 5 } } });
    await t.engine.credits.deposit('acme', 100);
    await register(t.engine, {
      dialect: 'handle',
      id: 'h',
      nodes: [
        { id: 'a', type: 'free' },
        { id: 'b', type: 'paid' },
        { id: 'c', type: 'free' },
        { id: 'd', type: 'paid' },
        { id: 'e', type: 'free' },
      ],
      connections: ['b', 'c', 'd', 'e'].map((toNodeId) => ({ fromNodeId: 'a', toNodeId })),
    });
    await t.engine.start('h', {}, { organization: 'acme' });
    await t.settle();
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('[TS8][RX4] a retry of a handle graph counts its own nodes', async () => {
    const t = await host.open(scripted);
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, type: 'work' }));
    const connections = [
      { fromNodeId: 'a', toNodeId: 'b' },
      { fromNodeId: 'b', toNodeId: 'c' },
    ];
    const run = await launch(t, { dialect: 'handle', id: 'h', maxNodes: 3, nodes, connections });
    await answer(t, 'a');
    await answer(t, 'b');
    await fail(t, 'c');
    const again = await run.retry();
    await t.settle();
    await answer(t, 'c');
    expect(await again.status()).toBe('completed');
  });

  test('[RC5][TH42] restored twice at once: one of them, and the run is well', async () => {
    const first = await host.open();
    const definition = workflow('p', [{ id: 'ask', input: true }]);
    const snapshot = await (await launch(first, definition)).snapshot();
    const second = await host.open({ trustedSnapshotKeys: [await first.engine.snapshotKey()] });
    await register(second.engine, definition);
    const both = await Promise.allSettled([second.engine.restore(snapshot), second.engine.restore(snapshot)]);
    // Over HTTP either may come first.
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'RUN_EXISTS' } });
    expect(await second.engine.runs({ subRuns: true })).toMatchObject([{ status: 'suspended', quarantine: null }]);
  });

  test('[LC13][PR4] a snapshot of a paused run keeps an answer that is only held', async () => {
    const first = await host.open();
    const definition = workflow('p', [{ id: 'ask', input: true, outputMapping: { 'output.v': 'result' } }]);
    const run = await launch(first, definition);
    const [prompt] = await run.prompts();
    const id = prompt?.correlationId ?? '';
    await run.pause();
    expect(await run.reply(id, 1)).toEqual({ applied: true });
    const snapshot = await run.snapshot();
    const second = await host.open({ trustedSnapshotKeys: [await first.engine.snapshotKey()] });
    await register(second.engine, definition);
    const restored = await second.engine.restore(snapshot);
    await second.settle();
    expect(await restored.prompts()).toEqual([]);
    expect(await restored.reply(id, 1)).toEqual({ applied: false });
    await expect(restored.reply(id, 2)).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
    await restored.resume();
    await second.settle();
    expect((await restored.summary()).output).toEqual({ v: 1 });
  });
});

test.each(['handle', 'dataflow'])('[DL3] what the engine has an action for is no decoration (%s)', async (dialect) => {
  const t = await createTestEngine({ scripted: ['note'] });
  await register(t.engine, { dialect, id: 'h', nodes: [{ id: 'n', type: 'note' }], edges: [] });
  await t.engine.start('h');
  await t.settle();
  expect(t.script.open('note')).toHaveLength(1);
});

describe('waits and a store that fails', () => {
  test('[EW7] an engine whose clock is behind that of the one before loses no event', async () => {
    const store = memoryStore();
    const ahead = await createTestEngine({ ...scripted, store });
    await ahead.advance(3_600_000);
    const loop = workflow('w', [waitForE('next'), work('a')], [go('next', 'a'), go('a', 'next')]);
    await register(ahead.engine, loop);
    await ahead.engine.publish('e', 0);
    await ahead.engine.close({ graceMs: 0 });
    const t = await createTestEngine({ ...scripted, store, clock: new VirtualClock() });
    await t.engine.start('w');
    await t.settle();
    await t.engine.publish('e', 1); // while the run works on the other one
    await answer(t, 'a');
    expect(callsAt(t, 'a')).toHaveLength(1);
  });

  test('[EW8] a new engine hands a kept event to all waits of a run, however many', async () => {
    const store = memoryStore();
    let isBroken = false;
    const broken = new Proxy(store, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (isBroken && key === 'listRecords') throw new Error('the disk is on fire');
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const first = await createTestEngine({ store: broken });
    const waits = [spawn('s', 'w', 450, 'g'), join('w', 'done', 'g')];
    const run = await launch(first, workflow('w', ['s', waitForE('w'), 'done'], waits));
    isBroken = true;
    await first.engine.publish('e', 1).catch(() => undefined);
    await first.engine.close({ graceMs: 0 });
    const second = await createTestEngine({ store, clock: first.clock });
    await second.settle();
    expect(await second.engine.run(run.id).status()).toBe('completed');
  });

  test('[RC5] of a snapshot all runs are restored, or none', async () => {
    const parent = workflow('p', [{ id: 'call', workflow: 'c' }]);
    const child = workflow('c', [work('w')]);
    const first = await createTestEngine(scripted);
    await register(first.engine, child);
    const snapshot = await (await launch(first, parent)).snapshot();
    const store = memoryStore();
    let commits = 0;
    let isFailing = false;
    // One commit works, and it is not the first.
    const second = await createTestEngine({
      ...scripted,
      trustedSnapshotKeys: [await first.engine.snapshotKey()],
      store: faultyStore(store, () => isFailing && ++commits !== 2),
    });
    await register(second.engine, child, parent);
    isFailing = true;
    const restoring = second.engine.restore(snapshot).catch((error: Error) => error);
    await second.advance(60_000);
    await restoring;
    await second.engine.close({ graceMs: 0 });
    const { rows } = await store.pageRuns({ limit: 10 });
    expect(rows.map(({ workflow: name }) => name).toSorted()).toEqual(['c', 'p']);
    const third = await createTestEngine({ ...scripted, store, clock: second.clock });
    await third.settle();
    await answer(third, 'w');
    expect((await store.pageRuns({ limit: 10 })).rows.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});
