import { describe, expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';

onEveryHost('state schema', ({ open }) => {
  test('[MP4] two parts of one key in one mapping are checked together', async () => {
    const { engine } = await open();
    await engine.register({
      id: 'w',
      initialNode: 'a',
      stateSchema: { properties: { p: { type: 'object', required: ['x', 'y'] } } },
      nodes: [
        {
          id: 'a',
          action: 'core.echo',
          inputMapping: { x: 'input.x', y: 'input.y' },
          outputMapping: { 'state.p.x': 'result.x', 'state.p.y': 'result.y' },
        },
      ],
    });
    const r = await (await engine.start('w', { x: 1, y: 2 })).result();
    expect(r.error).toBeUndefined();
  });
  test('[MP4] in a branch the check sees what the branch wrote', async () => {
    const { engine } = await open();
    const reg = await engine.register({
      id: 'w',
      initialNode: 's',
      stateSchema: { properties: { p: { type: 'object', required: ['x', 'y'] } } },
      nodes: [
        { id: 's' },
        {
          id: 'a',
          action: 'core.echo',
          inputMapping: { x: 'input.x', y: 'input.y' },
          outputMapping: { 'state.p': 'result' },
        },
        { id: 'b', action: 'core.echo', inputMapping: { x: 'input.y' }, outputMapping: { 'state.p.x': 'result.x' } },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
        { from: 'a', to: 'b' },
        {
          from: 'b',
          to: 'j',
          synchronization: {
            siblingGroup: 'g',
            strategy: 'all',
            merge: { source: '_branch.output.p', target: 'output.all', strategy: 'append' },
          },
        },
      ],
    });
    expect(reg.problems.filter((p) => p.severity === 'error')).toEqual([]);
    const r = await (await engine.start('w', { x: 1, y: 2 })).result();
    expect(r.error).toBeUndefined();
    expect(r.output).toEqual({
      all: [
        { x: 2, y: 2 },
        { x: 2, y: 2 },
      ],
    });
  });
});

onEveryHost('quorum', ({ open }) => {
  test('[SY13] a quorum is asked for once: what it reads may change after the first arrival', async () => {
    const t = await open({ scripted: ['q', 'work'] });
    await t.engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's', outputMapping: { 'state.q': '2' } },
        { id: 'q', action: 'q', outputMapping: { 'state.q': 'result.q' } },
        { id: 'a', action: 'work' },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'q' },
        { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
        { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: { mOfN: 'state.q' } } },
      ],
    });
    const run = await t.engine.start('w');
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    t.script.next('q').complete({ q: 'many' });
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', error: undefined });
  });

  test('[SY13] a quorum is asked for at the first arrival, not when some branch ends elsewhere before', async () => {
    const t = await open({ scripted: ['q', 'work'] });
    const reg = await t.engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's' },
        { id: 'q', action: 'q', outputMapping: { 'state.q': 'result.q' } },
        { id: 'a', action: 'work' },
        { id: 'end' },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'q' },
        { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
        { from: 'a', to: 'end', priority: 1, condition: '_branch.index == 0' },
        { from: 'a', to: 'j', priority: 2, synchronization: { siblingGroup: 'g', strategy: { mOfN: 'state.q' } } },
      ],
    });
    expect(reg.problems.filter((p) => p.severity === 'error')).toEqual([]);
    const run = await t.engine.start('w');
    await t.settle();
    t.script.next('work').complete({}); // branch 0 ends elsewhere; nobody has arrived, two still can
    await t.settle();
    t.script.next('q').complete({ q: 2 });
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    const r = await run.result();
    expect(r.error).toBeUndefined();
  });
});

describe('abandoned branch with an edge join', () => {
  test('[BR3] what is queued for it after its failure does not wake it', async () => {
    const t = await createTestEngine({ scripted: ['work', 'slow'] });
    const reg = await t.engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's' },
        { id: 'a', action: 'work' },
        { id: 'n', action: 'work' },
        { id: 'p0' },
        { id: 'p1' },
        { id: 'q' },
        { id: 'p2' },
        { id: 'x' },
        { id: 'e', action: 'work' },
        { id: 'never' },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
        {
          from: 'a',
          to: 'j',
          priority: 1,
          condition: '_branch.index == 0',
          synchronization: { siblingGroup: 'g', strategy: 'any', onEarlyComplete: 'abandon' },
        },
        { from: 'a', to: 'n', priority: 2 },
        { from: 'a', to: 'x', priority: 2 },
        { from: 'x', to: 'e', synchronization: { over: 'edges' } },
        { from: 'n', to: 'p0' },
        { from: 'p0', to: 'p1' },
        { from: 'n', to: 'q' },
        { from: 'q', to: 'p2' },
        { from: 'p1', to: 'never', condition: 'false' },
        { from: 'p2', to: 'e', priority: 1, condition: 'false', synchronization: { over: 'edges' } },
        { from: 'p2', to: 'never', priority: 2 },
      ],
    });
    expect(reg.problems.filter((p) => p.severity === 'error')).toEqual([]);
    const run = await t.engine.start('w');
    await t.settle();
    const [a0, a1] = t.script.open('work');
    a1!.complete({});
    await t.settle();
    a0!.complete({});
    await t.settle(); // joined; branches 1 and 2 are left alone
    const n = t.script.open('work').find((c) => c.nodeId === 'n');
    n!.complete({}); // p1 fails its branch, p2 ends in the same command
    await t.settle();
    expect((await run.summary()).quarantine).toBe(null);
    t.script.next('work').fail(new Error('branch 2 ends'));
    await t.settle();
    expect(await run.status()).toBe('completed');
  });
});

describe('retry', () => {
  test('[RX3] does not repeat what was done by a result that was held', async () => {
    const t = await createTestEngine({ scripted: ['a', 'b'] });
    await t.engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's' },
        { id: 'a', action: 'a', outputMapping: { 'state.a': 'result.v' } },
        { id: 'b', action: 'b' },
      ],
      transitions: [
        { from: 's', to: 'a' },
        { from: 's', to: 'b' },
      ],
    });
    const run = await t.engine.start('w');
    await t.settle();
    await run.pause();
    t.script.next('a').complete({ v: 1 });
    await t.settle();
    t.script.next('b').fail(new Error('x'));
    await t.settle();
    await run.resume();
    await t.settle();
    expect(await run.status()).toBe('failed');
    await run.retry();
    await t.settle();
    expect(t.script.calls.map((c) => c.action)).toEqual(['a', 'b', 'b']);
  });

  test('[RX4] has budgets of its own', async () => {
    const t = await createTestEngine({ scripted: ['work'], limits: { nodesPerRunMax: 12 } });
    const nodes = Array.from({ length: 10 }, (_, i) => ({ id: `n${i}`, ...(i === 7 ? { action: 'work' } : {}) }));
    await t.engine.register({
      id: 'w',
      initialNode: 'n0',
      nodes,
      transitions: nodes.slice(1).map((n, i) => ({ from: `n${i}`, to: n.id })),
    });
    let run = await t.engine.start('w');
    for (let i = 0; i < 5; i++) {
      await t.settle();
      t.script.next('work').fail(new Error('x'));
      await t.settle();
      expect((await run.result()).error?.code).toBe('ACTION_FAILED');
      run = await run.retry();
    }
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    expect((await run.result()).error).toBeUndefined();
    // a run that used up its budget: a retry has a new one
  });
  test('[RX4] a run that used its budget up can be retried with a new one', async () => {
    const t = await createTestEngine({ scripted: ['work'], limits: { nodesPerRunMax: 12 } });
    await t.engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a', action: 'work' }, { id: 'end' }],
      transitions: [
        { from: 'a', to: 'end', condition: 'result.done', priority: 1 },
        { from: 'a', to: 'a', priority: 2, loop: { maxIterations: 100 } },
      ],
    });
    const run = await t.engine.start('w');
    await t.settle();
    for (let i = 0; i < 12; i++) {
      t.script.next('work').complete({ done: false });
      await t.settle();
    }
    expect((await run.result()).error?.code).toBe('LIMIT_EXCEEDED');
    const again = await run.retry();
    await t.settle();
    t.script.next('work').complete({ done: true });
    await t.settle();
    expect((await again.result()).error).toBeUndefined();
  });
});

describe('audit', () => {
  test('[AU1] finds nothing wrong in a store that is being written to', async () => {
    const base = memoryStore();
    let between: (() => Promise<void>) | null = null;
    const store = new Proxy(base, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown;
        if (key === 'pageRuns')
          return async (q: never) => {
            const found = (value as Store['pageRuns']).call(target, q);
            const f = between;
            between = null;
            await f?.();
            return found;
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const t = await createTestEngine({ store, scripted: ['work'] });
    await t.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    await t.engine.start('w');
    await t.settle();
    between = async () => {
      t.script.next('work').complete({});
      await t.settle();
    };
    expect((await t.engine.audit()).problems).toEqual([]);
  });
});

describe('very many branches', () => {
  test('[SY10] an outer join cancels 150,000 inner branches', async () => {
    const limits = { branchesPerFanOutMax: 200_000, tokensAliveMax: 400_000 };
    const t = await createTestEngine({ scripted: ['work'], limits });
    await t.engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's' },
        { id: 'o' },
        { id: 'q', action: 'work' },
        { id: 'a', wait: { seconds: 1000 } },
        { id: 'ij' },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'o', siblingGroup: 'out' },
        { from: 's', to: 'q', siblingGroup: 'out' },
        { from: 'o', to: 'a', spawnCount: 150_000, siblingGroup: 'in' },
        { from: 'a', to: 'ij', synchronization: { siblingGroup: 'in', strategy: 'all' } },
        { from: 'ij', to: 'j', synchronization: { siblingGroup: 'out', strategy: 'any' } },
        { from: 'q', to: 'j', synchronization: { siblingGroup: 'out', strategy: 'any' } },
      ],
    });
    const run = await t.engine.start('w');
    await t.settle();
    t.script.next('work').complete({});
    await t.settle();
    expect(await run.summary()).toMatchObject({ status: 'completed', quarantine: null });
  });
});
