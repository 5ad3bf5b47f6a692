import { expect, test } from 'vitest';
import { graph, work as node, options } from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, fail, launch, register } from './token-engine.testsuite.ts';

onEveryHost('dataflow: a retry', (host) => {
  const line = () => graph([node('a'), node('b'), node('c'), node('d')], ['a.x->b.p', 'b.x->c.p', 'a.x->d.p']);

  test('[RX5][ND6] what has an output is not done again; what failed and what was skipped is', async () => {
    const t = await host.open(options);
    const run = await launch(t, line());
    await answer(t, 'a', { x: 1 });
    await answer(t, 'd', { x: 4 });
    await fail(t, 'b');
    expect((await run.summary()).status).toBe('failed');
    const again = await run.retry();
    await t.settle();
    expect(['a', 'b', 'c', 'd'].map((id) => callsAt(t, id).length)).toEqual([0, 1, 0, 0]);
    expect(callsAt(t, 'b')[0]?.input).toEqual({ p: 1 });
    await answer(t, 'b', { x: 2 });
    await answer(t, 'c', { x: 3 });
    expect(await again.dataflow()).toMatchObject({
      status: 'completed',
      executedNodes: ['a', 'b', 'c', 'd'],
      nodeOutputs: { a: { x: 1 }, b: { x: 2 }, c: { x: 3 }, d: { x: 4 } },
      nodeErrors: {},
      skippedNodes: [],
    });
  });

  test('[RX5][ND6] a join behind what was taken over runs, and the views show what was taken over', async () => {
    const t = await host.open(options);
    const run = await launch(t, graph([node('a'), node('b'), node('j')], ['a.x->j.p', 'b.x->j.q']));
    await answer(t, 'a', { x: 1 });
    await answer(t, 'b', { x: 2 });
    await fail(t, 'j');
    const again = await run.retry();
    await t.settle();
    expect(callsAt(t, 'j').map(({ input }) => input)).toEqual([{ p: 1, q: 2 }]);
    expect((await again.nodes())[0]).toMatchObject({ nodeId: 'a', status: 'completed', output: { x: 1 } });
  });

  test('[RX3][RX5] what was done while the run was paused is not done again', async () => {
    const t = await host.open(options);
    const drawn = graph([node('a'), node('b'), node('c')], ['a.x->b.p', 'b.x->c.p'], { timeoutMs: 1_000 });
    const run = await launch(t, drawn);
    await answer(t, 'a', { x: 1 });
    await run.pause();
    await answer(t, 'b', { x: 2 });
    await t.advance(2_000);
    expect(await run.status()).toBe('timed_out');
    await run.retry();
    await t.settle();
    expect(['a', 'b', 'c'].map((id) => callsAt(t, id).length)).toEqual([0, 0, 1]);
  });

  test('[RX5] a restart in the middle of it changes nothing', async () => {
    const first = await host.open(options);
    const run = await launch(first, line());
    await answer(first, 'a', { x: 1 });
    await fail(first, 'b');
    await answer(first, 'd', { x: 4 });
    const again = await run.retry();
    await first.settle();
    const second = await host.restart(first, options);
    await second.settle();
    await answer(second, 'b', { x: 2 });
    await answer(second, 'c', { x: 3 });
    expect((await second.engine.run(again.id).dataflow()).status).toBe('completed');
  });

  test('[RX5][CR1] it pays for the rest alone', async () => {
    const t = await host.open(options);
    await t.engine.credits.deposit('acme', 100);
    const nodes = [
      { ...node('a'), cost: 10 },
      { ...node('b'), cost: 1 },
    ];
    await register(t.engine, graph(nodes, ['a.x->b.p']));
    const { id } = await t.engine.start('g', {}, { organization: 'acme' });
    await t.settle();
    await answer(t, 'a', { x: 1 });
    await fail(t, 'b');
    expect(await t.engine.credits.balance('acme')).toBe(89);
    await t.engine.run(id).retry();
    await t.settle();
    await answer(t, 'b', { x: 2 });
    expect(await t.engine.credits.balance('acme')).toBe(88);
  });
});
