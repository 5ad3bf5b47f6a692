import { expect, test } from 'vitest';
import { untagNumbers } from '../../packages/heddle/src/dialects.ts';
import { defineNodeType } from '../../packages/heddle/src/index.ts';
import { begin, checkLists, graph, node, num, options, report, trackingOf, work } from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, fail, launch, register, workflow } from './token-engine.testsuite.ts';

onEveryHost('dataflow: context and state', (host) => {
  const pair = graph([work('b'), work('a')], ['a.x->b.p']);

  test('[T105] the context is made once and never changes', async () => {
    const t = await host.open(options);
    await register(t.engine, pair);
    await t.engine.credits.deposit('acme', 5);
    const run = await t.engine.start('g', {}, { organization: 'acme' });
    const context = {
      workflow: {
        dialect: 'dataflow',
        id: 'g',
        version: 1,
        nodes: [
          { id: 'b', type: 'work' },
          { id: 'a', type: 'work' },
        ],
        edges: [{ source: 'a', sourceOutput: 'x', target: 'b', targetInput: 'p' }],
      },
      orderedNodeIds: ['a', 'b'],
      workflowId: 'g',
      organizationId: 'acme',
      executionId: run.id,
    };
    await t.settle();
    expect((await run.dataflow()).context).toEqual(context);
    await register(t.engine, graph([work('other')])); // a newer version changes nothing for this run
    await answer(t, 'a', { x: 1 });
    await answer(t, 'b');
    expect((await run.dataflow()).context).toEqual(context);
    const later = await host.restart(t, options);
    expect((await later.engine.run(run.id).dataflow()).context).toEqual(context);
    const free = await later.engine.start('g');
    expect((await free.dataflow()).context).toMatchObject({ organizationId: null, orderedNodeIds: ['other'] });
  });

  test('[T106] exactly four fields track a run', async () => {
    const t = await host.open(options);
    const { context, status, nodes, ...tracking } = await report(t, pair);
    expect(tracking).toEqual({ nodeOutputs: {}, executedNodes: [], skippedNodes: [], nodeErrors: {} });
    expect([context.orderedNodeIds, status, nodes.length]).toEqual([['a', 'b'], 'executing', 2]);
  });

  test('[T107] what was reported earlier does not change, and changing it changes nothing', async () => {
    const t = await host.open(options);
    const run = await begin(t, pair);
    const first = await run.dataflow();
    const copy = structuredClone(first);
    await answer(t, 'a', { x: { deep: [1] } });
    const second = await run.dataflow();
    (second.nodeOutputs['a'] as { x: { deep: number[] } }).x.deep.push(2);
    expect(t.script.next('work').input).toEqual({ p: { deep: [1] } });
    await answer(t, 'b');
    expect(first).toEqual(copy);
    expect((await run.dataflow()).nodeOutputs).toEqual({ a: { x: { deep: [1] } }, b: {} });
  });

  const image = { id: 'abc123', mimeType: 'image/png' };
  const values = {
    text: 'Hello world',
    number: 0.7,
    yes: true,
    no: false,
    image,
    images: [image, { id: 'def456', mimeType: 'image/jpeg' }],
    list: [1, 'two', [3]],
    object: { a: { b: null } },
    nothing: null,
  };

  test('[T108][T109][T110] values of every kind, and lists of them, go from node to node and survive as JSON', async () => {
    const t = await host.open(options);
    const edges = Object.keys(values).map((port) => `from.${port}->to.${port}`);
    const run = await begin(t, graph([work('from'), work('to')], edges));
    await answer(t, 'from', values);
    expect(t.script.next('work').input).toEqual(values);
    await answer(t, 'to', values);
    const found = await run.dataflow();
    expect(found.nodeOutputs).toEqual({ from: values, to: values });
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    const later = await host.restart(t, options);
    expect(await later.engine.run(run.id).dataflow()).toEqual(found);
  });

  test('[T109] binary values are references to artifacts', async () => {
    const shrink = defineNodeType({
      inputs: { image: { type: 'image' } },
      outputs: { image: { type: 'image' } },
      run: async ({ inputs, artifacts }) => {
        const { bytes } = await artifacts.get(inputs.image as { id: string; mimeType: string });
        return { image: { ...(await artifacts.put(bytes.slice(0, 2), 'image/png')) } };
      },
    });
    const t = await host.open({ nodeTypes: { shrink } });
    const reference = await t.engine.artifacts.put(new Uint8Array([1, 2, 3]), 'image/png');
    const run = await begin(t, graph([node('s', 'shrink', { image: reference })]));
    await run.result(); // files take their time
    const found = await run.dataflow();
    const { image: small } = found.nodeOutputs['s'] as unknown as { image: typeof reference };
    expect([reference.mimeType, small.mimeType, small.id === reference.id]).toEqual(['image/png', 'image/png', false]);
    expect([...(await t.engine.artifacts.get(small)).bytes]).toEqual([1, 2]);
  });

  test('[T101][T110][DA39] NaN and infinities survive, also a restart, and reach the next node as they were', async () => {
    const seen: unknown[] = [];
    const odd = defineNodeType({ outputs: { x: {} }, run: () => ({ x: [Number.NaN, -Infinity] as number[] }) });
    const look = defineNodeType({
      inputs: { x: {} },
      run: ({ inputs }) => {
        seen.push(inputs.x);
        return {};
      },
    });
    const t = await host.open({ nodeTypes: { odd, look } });
    const run = await begin(t, graph([node('o', 'odd'), node('l', 'look')], ['o.x->l.x']));
    expect(seen).toEqual([[Number.NaN, -Infinity]]);
    const later = await host.restart(t, { nodeTypes: { odd, look } });
    const { nodeOutputs } = await later.engine.run(run.id).dataflow();
    expect(nodeOutputs['o']).toEqual({ x: [{ $number: 'NaN' }, { $number: '-Infinity' }] });
    expect(untagNumbers(nodeOutputs['o'])).toEqual({ x: [Number.NaN, -Infinity] });
  });

  test('[T111][T112][T113][T114][T115] each node is in one list, with its outputs or its message', async () => {
    const t = await host.open(options);
    const nodes = ['a', 'b', 'c'].map((id) => work(id));
    const run = await begin(t, graph(nodes, ['a.x->b.p', 'b.x->c.p']));
    await answer(t, 'a', { x: 1 });
    const first = await run.dataflow();
    expect([first.executedNodes, first.nodeOutputs]).toEqual([['a'], { a: { x: 1 } }]);
    await fail(t, 'b', new Error('b is broken'));
    const second = await run.dataflow();
    expect(trackingOf(second)).toEqual({
      executedNodes: ['a'],
      nodeOutputs: { a: { x: 1 } },
      nodeErrors: { b: 'b is broken' },
      skippedNodes: ['c'],
    });
    checkLists(first);
    checkLists(second);
  });

  test('[T127] one execution record, with the final status', async () => {
    const t = await host.open(options);
    const run = await begin(t, graph([num('n', 1), node('b', 'broken')]));
    const records = await t.engine.runs({ subRuns: true, workflow: 'g' });
    expect(records).toMatchObject([{ runId: run.id, status: 'failed', error: { code: 'NODES_FAILED' } }]);
    expect(records[0]?.endedAt).not.toBeNull();
    expect((await run.dataflow()).status).toBe('error');
  });

  test('a restart in the middle changes nothing but that what was under way is handed out again', async () => {
    const t = await host.open(options);
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((id) => work(id));
    const run = await begin(t, graph(nodes, ['a.x->c.p', 'b.x->c.q', 'c.x->d.p', 'b.x->e.p']));
    await answer(t, 'b', { x: 2 });
    const later = await host.restart(t, options);
    await later.settle();
    expect(later.script.calls.map(({ nodeId }) => nodeId).toSorted()).toEqual(['a', 'e']);
    await fail(later, 'e');
    await answer(later, 'a', { x: 1 });
    expect(later.script.next('work').input).toEqual({ p: 1, q: 2 });
    await answer(later, 'c', { x: 3 });
    await answer(later, 'd', { x: 4 });
    expect(trackingOf(await later.engine.run(run.id).dataflow())).toEqual({
      executedNodes: ['a', 'b', 'c', 'd'],
      nodeOutputs: { a: { x: 1 }, b: { x: 2 }, c: { x: 3 }, d: { x: 4 } },
      skippedNodes: [],
      nodeErrors: { e: 'no' },
    });
  });

  test('[DA41] a run of another dialect has no such report', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', ['a']));
    await expect(run.dataflow()).rejects.toMatchObject({
      code: 'DIALECT_MISMATCH',
      message: `Expected run ${run.id} to be of a dataflow graph, but it is of a token graph`,
    });
    await expect(t.engine.run('nobody').dataflow()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
