import { describe, expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

const errors = (r: { problems: readonly { severity: string }[] }) => r.problems.filter((p) => p.severity === 'error');

describe('loops through joins', () => {
  test('[SY11] a loop whose way back is the join itself keeps its limit', async () => {
    const t = await createTestEngine({ limits: { nodesPerRunMax: 500 } });
    const r = await t.engine.register({
      id: 'w',
      initialNode: 'j',
      nodes: [{ id: 'j' }, { id: 'b' }, { id: 'end' }],
      transitions: [
        { from: 'j', to: 'b', spawnCount: 2, siblingGroup: 'g', emptyJoin: 'end' },
        {
          id: 'back',
          from: 'b',
          to: 'j',
          priority: 1,
          loop: { maxIterations: 3 },
          synchronization: { siblingGroup: 'g', strategy: 'all' },
        },
        { from: 'b', to: 'end', priority: 2, synchronization: { siblingGroup: 'g', strategy: 'all' } },
      ],
    });
    expect(errors(r)).toEqual([]);
    const run = await t.engine.start('w');
    await t.settle();
    expect((await run.result()).error).toBeUndefined();
  });
});

describe('a merge that fails', () => {
  test('[MG9] is tried once per command', async () => {
    const t = await createTestEngine({});
    await t.engine.register({
      id: 'w',
      initialNode: 's',
      stateSchema: { properties: { m: { type: 'string' } } },
      nodes: [{ id: 's' }, { id: 'b' }, { id: 'j' }],
      transitions: [
        { from: 's', to: 'b', spawnCount: 50_000, siblingGroup: 'g' },
        {
          from: 'b',
          to: 'j',
          synchronization: {
            siblingGroup: 'g',
            strategy: 'any',
            merge: { source: '_branch.index', target: 'state.m', strategy: 'append' },
          },
        },
      ],
    });
    const run = await t.engine.start('w'); // with a merge per arrival it would take many minutes
    expect((await run.result()).error?.code).toBe('STATE_INVALID');
  });
});

describe('latest', () => {
  test('[DV4] a start after a registration takes the new version, whatever was being looked up', async () => {
    const base = memoryStore();
    let gate: Promise<void> | null = null;
    const store = new Proxy(base, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown;
        if (key === 'findDefinition')
          return async (id: string, version: number | null) => {
            const row = (value as Store['findDefinition']).call(target, id, version);
            const wait = gate;
            if (version === null) gate = null;
            await wait;
            return row;
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const t = await createTestEngine({ store });
    await t.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] });
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = t.engine.start('w'); // reads version 1, and is slow to hear of it
    await t.settle();
    await t.engine.register({ id: 'w', initialNode: 'b', nodes: [{ id: 'b' }] });
    open();
    await first;
    const second = await t.engine.start('w');
    expect((await second.summary()).version).toBe(2);
  });
});

describe('budgets', () => {
  test('[SW9] what a sub-run used that timed out is counted', async () => {
    const t = await createTestEngine({ limits: { nodesPerRunMax: 60 }, scripted: ['work'] });
    const nodes = Array.from({ length: 10 }, (_, i) => ({ id: `n${i}`, ...(i === 9 ? { action: 'work' } : {}) }));
    await t.engine.register({
      id: 'c',
      initialNode: 'n0',
      nodes,
      transitions: nodes.slice(1).map((n, i) => ({ from: `n${i}`, to: n.id })),
    });
    await t.engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a', workflow: { id: 'c', timeoutMs: 1000, onFailure: 'catch' } }, { id: 'end' }],
      transitions: [
        { from: 'a', to: 'a', priority: 1, loop: { maxIterations: 20 } },
        { from: 'a', to: 'end', priority: 2 },
      ],
    });
    const run = await t.engine.start('w');
    await t.advance(100_000);
    const all = await t.engine.runs({ subRuns: true, limit: 1000 });
    let visits = 0;
    for (const r of all) visits += (await t.engine.run(r.runId).tokens()).length;
    expect(visits).toBeLessThanOrEqual(60 + 10);
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', limit: 'nodesPerRunMax' },
    });
  });
});
