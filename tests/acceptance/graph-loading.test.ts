import { expect, vi } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  ended,
  go,
  keep,
  launch,
  register,
  scripted,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('graph loading', (host) => {
  const line = (id: string, ...nodes: string[]) =>
    workflow(
      id,
      nodes.map((node) => work(node)),
      nodes.slice(1).map((node, i) => go(nodes[i]!, node)),
    );

  host.testHere(
    '[T001] nodes and transitions are looked up by the definition id; those of another are never loaded',
    async () => {
      const t = await host.open(scripted);
      await register(t.engine, line('one', 'a', 'b'), line('two', 'a', 'c', 'd'));
      const reads = vi.spyOn(t.store, 'findDefinition');
      const run = await t.engine.start('one');
      await t.settle();
      await answer(t, 'a');
      await answer(t, 'b');
      expect(await ended(run)).toMatchObject({ status: 'completed' });
      expect(await visits(run)).toEqual(['a:completed', 'b:completed']);
      expect(reads.mock.calls.map(([id]) => id)).toEqual(['one']);
    },
  );

  host.testHere('[T001] a run of an id that is not registered is refused, whatever else is there', async () => {
    const t = await host.open(scripted);
    await register(t.engine, line('one', 'a'));
    await expect(t.engine.start('two')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await t.engine.runs({ subRuns: true })).toEqual([]);
  });

  host.testHere('[T002] the graph is read once, at the start, per definition version and process', async () => {
    const t = await host.open(scripted);
    await register(t.engine, line('w', 'a', 'b', 'c'));
    const reads = vi.spyOn(t.store, 'findDefinition');
    const first = await t.engine.start('w');
    expect(reads).toHaveBeenCalledTimes(1);
    await t.settle();
    for (const node of ['a', 'b', 'c']) await answer(t, node);
    expect(await ended(first)).toMatchObject({ status: 'completed' });
    await t.engine.start('w');
    await t.settle();
    expect(reads).toHaveBeenCalledTimes(1);
  });

  host.testHere('[T003] a run goes on with the graph it started with when another version is registered', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, line('w', 'a', 'b'));
    const reads = vi.spyOn(t.store, 'findDefinition');
    await register(t.engine, line('w', 'a', 'x', 'y'));
    reads.mockClear();
    await answer(t, 'a');
    expect(reads).not.toHaveBeenCalled();
    await answer(t, 'b');
    expect(await visits(run)).toEqual(['a:completed', 'b:completed']);
    expect(await run.summary()).toMatchObject({ status: 'completed', version: 1 });

    const next = await t.engine.start('w');
    await t.settle();
    await answer(t, 'a');
    expect(await visits(next)).toEqual(['a:completed', 'x:dispatched']);
    expect(await next.summary()).toMatchObject({ version: 2 });
  });

  host.testHere('[T003] [restart] a run keeps its version in the next process too', async () => {
    const first = await host.open(scripted);
    const run = await launch(first, line('w', 'a', 'b'));
    await register(first.engine, line('w', 'a', 'x'));
    const second = await host.restart(first, scripted);
    await second.settle();
    await answer(second, 'a');
    await answer(second, 'b');
    expect(await visits(second.engine.run(run.id))).toEqual(['a:completed', 'b:completed']);
  });

  host.testHere(
    '[T004][T005] an action is loaded when its node runs; that of a node that never runs is not',
    async () => {
      const loaded: string[] = [];
      const t = await host.open({
        ...scripted,
        loadAction: (name) => {
          loaded.push(name);
          return ({ nodeId }) => ({ x: `${name} at ${nodeId}` });
        },
      });
      const definition = workflow(
        'w',
        [
          work('first'),
          { ...keep('second', 'x'), action: 'late' },
          { id: 'third', action: 'late' },
          { id: 'never', action: 'unwanted' },
        ],
        [go('first', 'second'), go('second', 'third', { priority: 1 }), go('second', 'never', { priority: 2 })],
        { outputMapping: { x: 'state.x' } },
      );
      const run = await launch(t, definition);
      expect(loaded).toEqual([]);
      await answer(t, 'first');
      expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: 'late at second' } });
      expect(loaded).toEqual(['late']);
    },
  );
});
