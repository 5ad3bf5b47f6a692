import { describe, expect, test, vi } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, openWith, startRun, tokensAt } from './managers.testsuite.ts';
import { encoded, fan, flow, go, graphOf, node, PlannedRun, task } from './planning.testsuite.ts';

const twoSteps = flow([task('a'), task('b')], [go('a', 'b')]);

onEveryHost('definitions', (host) => {
  host.testHere('[T394] a run loads its definition once, and is listed as running', async () => {
    const engine = await host.restart(await openWith(host, [twoSteps]), { scripted: ['work'] });
    const loads = vi.spyOn(engine.store, 'findDefinition');
    const run = await startRun(engine, 'w');
    expect(await engine.engine.runs({ subRuns: true, status: 'running' })).toMatchObject([
      { runId: run.id, workflow: 'w', version: 1 },
    ]);
    await answer(engine, 'a');
    await answer(engine, 'b');
    expect(await run.status()).toBe('completed');
    await startRun(engine, 'w');
    expect(loads).toHaveBeenCalledTimes(1);
    expect(await engine.engine.runs({ subRuns: true, status: 'completed' })).toMatchObject([{ runId: run.id }]);
  });

  test('[T395] a sub-run has a record below its parent’s, and none among the root runs', async () => {
    const parent = flow([node('call', { workflow: 'child' })]);
    const engine = await openWith(host, [{ ...twoSteps, id: 'child' }, parent]);
    const run = await startRun(engine, 'w');
    const [child, ...others] = await engine.engine.runs({ subRuns: true, parentRunId: run.id });
    expect(others).toEqual([]);
    expect(child).toMatchObject({ workflow: 'child', parentRunId: run.id, rootRunId: run.id, status: 'running' });
    expect((await engine.engine.runs()).map(({ runId }) => runId)).toEqual([run.id]);
    const { byStatus } = await engine.engine.countRuns();
    expect(Object.values(byStatus).reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  host.testHere('[T396] a run that wakes up has all that it needs: nothing is set up twice', async () => {
    const engine = await openWith(host, [twoSteps]);
    const run = await engine.engine.start('w', {}, { idempotencyKey: 'k' });
    await engine.settle();
    expect((await engine.engine.start('w', {}, { idempotencyKey: 'k' })).id).toBe(run.id);
    const later = await host.restart(engine, { scripted: ['work'] });
    const loads = vi.spyOn(later.store, 'findDefinition');
    await later.settle();
    const again = await later.engine.start('w', {}, { idempotencyKey: 'k' });
    await later.settle();
    expect(again.id).toBe(run.id);
    expect((await again.tokens()).map((token) => token.node)).toEqual(['a']);
    expect(callsAt(later, 'a').map(({ attempt, runId }) => [attempt, runId])).toEqual([[1, run.id]]);
    await answer(later, 'a');
    await answer(later, 'b');
    expect(await again.status()).toBe('completed');
    expect(loads.mock.calls.length).toBeLessThanOrEqual(1);
  });

  host.testHere('[T397] once a run is in memory, going on needs no look at the store', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all' })]);
    const run = await startRun(engine, 'w', { items: [1, 2] });
    const reads = (['findDefinition', 'loadRun', 'readJournal', 'readRun'] as const).map((name) =>
      vi.spyOn(engine.store, name),
    );
    await answer(engine, 'work');
    await answer(engine, 'work');
    await answer(engine, 'join');
    expect(reads.map((read) => read.mock.calls.length)).toEqual([0, 0, 0, 0]);
    expect(await run.status()).toBe('completed');
  });

  test('[T398] each run goes by its own definition and version', async () => {
    const engine = await openWith(host, [twoSteps, { ...flow([task('a'), task('x')], [go('a', 'x')]), id: 'other' }]);
    const first = await startRun(engine, 'w');
    expect(await engine.engine.register(flow([task('a'), task('c')], [go('a', 'c')]))).toMatchObject({ version: 2 });
    const second = await startRun(engine, 'w');
    const third = await startRun(engine, 'other');
    for (let i = 0; i < 3; i++) await answer(engine, 'a');
    const next = await Promise.all([first, second, third].map(async (run) => (await run.tokens()).map((t) => t.node)));
    expect(next).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['a', 'x'],
    ]);
    expect((await first.summary()).version).toBe(1);
    expect((await second.summary()).version).toBe(2);
    const definitions = await engine.engine.definitions();
    expect(definitions.map(({ id, version }) => [id, version])).toEqual([
      ['other', 1],
      ['w', 1],
      ['w', 2],
    ]);
  });

  test('[T399] a store can be opened again and again', async () => {
    let engine = await openWith(host, [twoSteps]);
    const run = await startRun(engine, 'w');
    for (let i = 0; i < 3; i++) {
      engine = await host.restart(engine, { scripted: ['work'] });
      await engine.settle();
      expect(await engine.engine.audit()).toMatchObject({ runs: 1, problems: [] });
    }
    await answer(engine, 'a');
    await answer(engine, 'b');
    expect(await engine.engine.run(run.id).status()).toBe('completed');
    expect(await tokensAt(engine.engine.run(run.id), 'a')).toHaveLength(1);
  });
});

describe('a compiled graph', () => {
  const graph = graphOf(
    flow(
      [task('a'), task('b'), task('c')],
      [go('a', 'c', { priority: 2 }), go('a', 'b', { id: 'ab' }), go('b', 'c'), go('a', 'c', { on: 'failure' })],
    ),
  );

  test('[T397][T398] gives nodes and transitions at once, by id and by node', () => {
    expect(graph).toMatchObject({ id: 'w', version: 1 });
    expect([...graph.nodes.keys()]).toEqual(['a', 'b', 'c']);
    expect(graph.nodes.get('b')).toMatchObject({ id: 'b', work: { type: 'action', name: 'work' } });
    expect(graph.nodes.get('x')).toBeUndefined();
    expect(graph.transitions.map(({ id }) => id)).toEqual(['a->c', 'ab', 'b->c', 'a->c#2']);
    expect(graph.transitionsById.get('ab')).toMatchObject({ from: 'a', to: 'b' });
    const tiers = graph.nodes.get('a')?.onSuccess ?? [];
    expect(tiers.map(({ priority, transitions }) => [priority, transitions.map(({ id }) => id)])).toEqual([
      [1, ['ab']],
      [2, ['a->c']],
    ]);
    expect(graph.nodes.get('a')?.onFailure.flatMap(({ transitions }) => transitions.map(({ id }) => id))).toEqual([
      'a->c#2',
    ]);
    expect(graph.nodes.get('c')?.onSuccess).toEqual([]);
  });
});

describe('a start that comes twice', () => {
  test('[T396] starts nothing the second time', () => {
    const run = PlannedRun.started(twoSteps, { n: 1 });
    const before = encoded(run.state);
    const again = run.start({ n: 2 });
    expect(again).toMatchObject({ events: [], effects: [], reply: { applied: false, reason: 'already started' } });
    expect(encoded(run.state)).toEqual(before);
  });
});
