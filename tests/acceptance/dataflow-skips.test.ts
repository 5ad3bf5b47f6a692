import { expect, test } from 'vitest';
import { shouldSkipNode } from '../../packages/heddle/src/dialects.ts';
import { arithmeticNodes, defineNodeType, failure } from '../../packages/heddle/src/index.ts';
import { begin, graph, node, num, options, report, skipped, trackingOf, work } from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, eventsOf, fail } from './token-engine.testsuite.ts';

onEveryHost('dataflow: what is skipped', (host) => {
  test('[T092][T093][T094][T095][T096] behind a failure, all the way, blocked by what failed or was skipped', async () => {
    const t = await host.open(options);
    const nodes = ['ok', 'bad', 'worse', 'mid', 'last', 'after', 'free'].map((id) => work(id));
    const edges = [
      'bad.x->mid.p',
      'ok.x->mid.q',
      'ok.x->last.p',
      'mid.x->last.q',
      'worse.x->last.r',
      'mid.y->last.s',
      'last.x->after.p',
      'ok.x->free.p',
    ];
    const run = await begin(t, graph(nodes, edges));
    await answer(t, 'ok', { x: 1 });
    await fail(t, 'bad');
    await fail(t, 'worse');
    await answer(t, 'free');
    const found = await run.dataflow();
    expect(found.skippedNodes).toEqual(['mid', 'last', 'after']);
    expect(found.nodes.filter(({ status }) => status === 'skipped')).toEqual([
      skipped('mid', 'bad'),
      skipped('last', 'mid', 'worse'),
      skipped('after', 'last'),
    ]);
    expect(t.script.calls.map(({ nodeId }) => nodeId)).toEqual(['ok', 'bad', 'worse', 'free']);
  });

  test('[T094][DA30] a node is shown as skipped as soon as one that it takes from has failed', async () => {
    const t = await host.open(options);
    const run = await begin(t, graph([work('slow'), work('bad'), work('both')], ['slow.x->both.p', 'bad.x->both.q']));
    await fail(t, 'bad');
    const found = await run.dataflow();
    expect([found.status, found.skippedNodes]).toEqual(['executing', ['both']]);
    await answer(t, 'slow', { x: 1 });
    expect(trackingOf(await run.dataflow())).toEqual({
      nodeOutputs: { slow: { x: 1 } },
      executedNodes: ['slow'],
      skippedNodes: ['both'],
      nodeErrors: { bad: 'no' },
    });
    expect((await run.dataflow()).status).toBe('error');
  });

  test('[T097][T098][DA37] a node without its inputs runs, and is given undefined', async () => {
    const seen: unknown[] = [];
    const probe = defineNodeType({
      inputs: { a: { type: 'number', required: true }, b: { type: 'number', required: true }, c: {} },
      outputs: { ok: {} },
      run: ({ inputs }) => {
        seen.push({ ...inputs });
        return { ok: true };
      },
    });
    const empty = defineNodeType({ outputs: { nothing: {} }, run: () => ({}) });
    const t = await host.open({ nodeTypes: { ...arithmeticNodes, probe, empty } });
    const found = await report(
      t,
      graph([num('n', 5), node('e', 'empty'), node('p', 'probe')], ['n.value->p.a', 'e.nothing->p.c']),
    );
    expect([found.status, found.executedNodes]).toEqual(['completed', ['n', 'e', 'p']]);
    expect(seen).toStrictEqual([{ a: 5, b: undefined, c: undefined }]);
  });

  test('[T099][T100][T101][DA38] it throws, it returns a failure, or it copes', async () => {
    const shy = defineNodeType({
      inputs: { b: {} },
      run: ({ inputs }) => (inputs.b === undefined ? failure('b is not there') : {}),
    });
    const t = await host.open({ nodeTypes: { ...arithmeticNodes, shy } });
    const found = await report(
      t,
      graph([node('throws', 'add', { a: 1 }), node('returns', 'shy'), node('copes', 'looseAdd', { a: 1 })]),
    );
    expect(trackingOf(found)).toEqual({
      nodeErrors: { throws: 'Missing required input: b', returns: 'b is not there' },
      nodeOutputs: { copes: { result: { $number: 'NaN' } } },
      executedNodes: ['copes'],
      skippedNodes: [],
    });
  });

  test('[T102] the code of a skipped node is never called', async () => {
    const calls: string[] = [];
    const spy = defineNodeType({
      inputs: { a: {} },
      run: ({ nodeId }) => {
        calls.push(nodeId);
        return {};
      },
    });
    const t = await host.open({ nodeTypes: { ...arithmeticNodes, spy } });
    const nodes = [node('div', 'divide', { a: 1, b: 0 }), node('s1', 'spy'), node('s2', 'spy'), node('free', 'spy')];
    const found = await report(t, graph(nodes, ['div.result->s1.a', 's1.x->s2.a']));
    expect([calls, found.skippedNodes]).toEqual([['free'], ['s1', 's2']]);
  });

  test('[T103] what has failed or was skipped already is to be skipped', () => {
    const order = { orderedNodeIds: ['a', 'b', 'c', 'd'], upstreams: new Map([['d', ['a']]]) };
    const tracking = { nodeOutputs: {}, executedNodes: ['a'], skippedNodes: ['b'], nodeErrors: { c: 'no' } };
    expect(order.orderedNodeIds.map((id) => shouldSkipNode(order, tracking, id))).toEqual([false, true, true, false]);
  });

  test('[T104] reason and blockers are in no event and no state: they are inferred', async () => {
    const t = await host.open(options);
    const run = await begin(t, graph([work('bad'), work('after')], ['bad.x->after.p']));
    await fail(t, 'bad');
    expect((await run.dataflow()).nodes[1]).toEqual(skipped('after', 'bad'));
    const stored = JSON.stringify([await eventsOf(run), await run.state(), await run.tokens()]);
    expect(stored).not.toMatch(/upstream_failure|blockedBy/);
    expect((await run.tokens()).map((token) => token.node)).not.toContain('after');
  });
});
