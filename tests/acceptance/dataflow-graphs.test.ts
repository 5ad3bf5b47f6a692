import { expect, test } from 'vitest';
import { type DataflowReport } from '../../packages/heddle/src/dialects.ts';
import { arithmeticNodes, defineNodeType } from '../../packages/heddle/src/index.ts';
import {
  begin,
  checkLists,
  edge,
  failed,
  graph,
  node,
  num,
  options,
  report,
  skipped,
  trackingOf,
  updatesOf,
  work,
} from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, ended, eventsOf, fail, launch, register, workflow } from './token-engine.testsuite.ts';

const resultOf = ({ nodeOutputs }: DataflowReport, id: string) =>
  (nodeOutputs[id] as { readonly result?: unknown } | undefined)?.result;

onEveryHost('dataflow: order', (host) => {
  test('[T125][T126][DA24][DA28] nodes run in topological order, each after all that it takes from', async () => {
    const t = await host.open(options);
    const nodes = ['last', 'mid', 'a', 'b', 'alone'].map((id) => work(id));
    const run = await begin(t, graph(nodes, ['a.x->mid.p', 'b.x->mid.q', 'mid.x->last.p', 'a.x->last.q']));
    const order = ['a', 'b', 'mid', 'last', 'alone'];
    expect((await run.dataflow()).context.orderedNodeIds).toEqual(order);
    const called = () => t.script.calls.map(({ nodeId }) => nodeId);
    expect(called()).toEqual(['a', 'b', 'alone']);
    await answer(t, 'a', { x: 1 });
    expect(called()).toEqual(['a', 'b', 'alone']);
    await answer(t, 'b', { x: 2 });
    expect(called()).toEqual(['a', 'b', 'alone', 'mid']);
    await answer(t, 'mid', { x: 3 });
    expect(called()).toEqual(['a', 'b', 'alone', 'mid', 'last']);
    await answer(t, 'last');
    await answer(t, 'alone');
    expect((await run.dataflow()).executedNodes).toEqual(order);
  });

  test('[DA23][DA42] several beginnings: the node that the engine adds is in no list, and no user node is in its way', async () => {
    const t = await host.open(options);
    const found = await report(t, graph([num('start', 1), num('start_', 2), num('b', 3)]));
    expect(found.context.orderedNodeIds).toEqual(['start', 'start_', 'b']);
    expect([found.executedNodes, Object.keys(found.nodeOutputs)]).toEqual([
      ['start', 'start_', 'b'],
      ['start', 'start_', 'b'],
    ]);
  });

  test('[VW8] that node is no token, and takes nothing from the nodes that a run may visit', async () => {
    const t = await host.open({ ...options, limits: { nodesPerRunMax: 2 } });
    const run = await begin(t, graph([num('a', 1), num('b', 2)]));
    expect((await run.result()).status).toBe('completed');
    expect((await run.tokens()).map((token) => token.node)).toEqual(['a', 'b']);
  });

  test('[DL3] notes and frames of a drawing are no nodes', async () => {
    const t = await host.open(options);
    const decoration = [
      { id: 'n', type: 'stickyNote', position: { x: 0, y: 0 }, data: { text: 'Read me' } },
      { id: 'g', type: 'group', position: { x: 0, y: 0 }, data: {} },
    ];
    const found = await report(
      t,
      graph([...decoration, num('a', 1), node('sum', 'add', { b: 2 })], ['a.value->sum.a']),
    );
    expect([found.status, found.executedNodes]).toEqual(['completed', ['a', 'sum']]);
  });

  test('[DA29] the report is the same whatever ends first', async () => {
    const t = await host.open(options);
    const nodes = ['a', 'b', 'c', 'd'].map((id) => work(id));
    const run = await begin(t, graph(nodes, ['a.x->d.p', 'b.x->d.q']));
    for (const id of ['c', 'b', 'a', 'd']) await answer(t, id, { x: id });
    const found = await run.dataflow();
    expect(found.executedNodes).toEqual(['a', 'b', 'c', 'd']);
    expect(Object.keys(found.nodeOutputs)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('[DA25] the input of a run comes from nodes of type core.input', async () => {
    const t = await host.open(options);
    const nodes = [node('in', 'core.input'), node('mult', 'multiply', { b: 2 })];
    const doubled = graph(nodes, ['in.x->mult.a'], {
      inputSchema: { type: 'object', required: ['x'] },
    });
    expect((await report(t, doubled, { x: 21, y: 1 })).nodeOutputs).toEqual({
      in: { x: 21, y: 1 },
      mult: { result: 42 },
    });
    await expect(t.engine.start('g', {})).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('a graph is a sub-workflow like any other; what its nodes put out is its output', async () => {
    const t = await host.open(options);
    await register(t.engine, graph([node('in', 'core.input'), node('div', 'divide', { b: 2 })], ['in.x->div.a']));
    const parent = workflow('parent', [
      { id: 'call', workflow: 'g', inputMapping: { x: 'input.x' }, outputMapping: { 'output.y': 'result.div.result' } },
    ]);
    expect(await ended(await launch(t, parent, { x: 8 }))).toMatchObject({ status: 'completed', output: { y: 4 } });
  });
});

onEveryHost('dataflow: inputs', (host) => {
  test('[X13][DA26] an edge before the static value; the last edge; a repeated input gathers a list', async () => {
    const t = await host.open(options);
    const target = work('t', {
      inputs: [
        { name: 'fixed', value: 'static' },
        { name: 'edge', value: 'static' },
        { name: 'last', type: 'number' },
        { name: 'many', repeated: true },
        { name: 'one', repeated: true },
        { name: 'alone', repeated: true, value: 'static' },
        { name: 'none', type: 'number' },
      ],
    });
    const edges = [
      'a.value->t.edge',
      'a.value->t.last',
      'b.value->t.many',
      'b.value->t.last',
      'a.value->t.many',
      'b.value->t.many',
      'b.value->t.one',
    ];
    await begin(t, graph([num('a', 1), num('b', 2), target], edges));
    expect(t.script.next('work').input).toEqual({
      fixed: 'static',
      edge: 1,
      last: 2,
      many: [2, 1, 2],
      one: [2],
      alone: 'static',
    });
  });

  test('[X13] a repeated input as its node type says', async () => {
    const t = await host.open(options);
    const found = await report(
      t,
      graph(
        [num('a', 1), num('b', 2), num('c', 3), node('s', 'sum')],
        ['a.value->s.values', 'b.value->s.values', 'c.value->s.values'],
      ),
    );
    expect([resultOf(found, 's'), found.status]).toEqual([6, 'completed']);
  });

  test('[DA26] an edge that brings nothing gives way to the edge before it, and then to the static value', async () => {
    const t = await host.open(options);
    const inputs = [
      { name: 'p', value: 1 },
      { name: 'q', value: 2 },
      { name: 'r', repeated: true, value: [] },
      { name: 's' },
    ];
    const edges = ['a.x->t.p', 'a.none->t.p', 'a.none->t.q', 'a.none->t.r', 'a.none->t.s'];
    await begin(t, graph([work('a'), work('t', { inputs })], edges));
    await answer(t, 'a', { x: 'x' });
    expect(t.script.next('work').input).toEqual({ p: 'x', q: 2, r: [] });
  });

  test('[DA10] a graph as React Flow saves it runs as it is', async () => {
    const t = await host.open(options);
    const saved = {
      id: 'flow',
      dialect: 'dataflow',
      nodes: [
        { id: '1', type: 'number', position: { x: 0, y: 0 }, data: { inputs: { value: 5 } }, measured: { width: 9 } },
        { id: '2', type: 'add', position: { x: 9, y: 0 }, data: { inputs: { b: 3 } }, selected: true },
      ],
      edges: [{ id: 'e', source: '1', sourceHandle: null, target: '2', targetHandle: 'a', animated: true }],
      viewport: { x: 0, y: 0, zoom: 1 },
    };
    const found = await report(t, saved);
    expect(found.nodeOutputs).toEqual({ 1: { value: 5 }, 2: { result: 8 } });
    // Moving a node about is no new version.
    const [first, ...others] = saved.nodes;
    const moved = { ...saved, nodes: [{ ...first, position: { x: 50, y: 1 } }, ...others] };
    expect(await t.engine.register(moved)).toMatchObject({ version: 1, isNew: false });
  });

  test('[DA13][DA18] ports are checked against the node types of the engine', async () => {
    const text = defineNodeType({ outputs: { text: { type: 'string' } }, run: () => ({ text: 'x' }) });
    const t = await host.open({ nodeTypes: { text, add: arithmeticNodes.add } });
    const { problems } = await t.engine.register(
      graph([node('t', 'text'), node('s', 'add', { x: 1 })], ['t.text->s.a', 't.value->s.b']),
    );
    expect(problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`)).toEqual([
      'error UNKNOWN_PORT /nodes/1/inputs/x',
      'error TYPE_MISMATCH /edges/0',
      'error UNKNOWN_PORT /edges/1/sourceOutput',
    ]);
  });
});

onEveryHost('dataflow: shapes of graphs', (host) => {
  test('[X14] diamond', async () => {
    const t = await host.open(options);
    const found = await report(
      t,
      graph(
        [num('n', 4), node('l', 'add', { b: 1 }), node('r', 'multiply', { b: 3 }), node('j', 'subtract')],
        ['n.value->l.a', 'n.value->r.a', 'r.result->j.a', 'l.result->j.b'],
      ),
    );
    expect([found.status, resultOf(found, 'j')]).toEqual(['completed', 7]);
  });

  test('[X14] a chain of 15', async () => {
    const t = await host.open(options);
    const ids = Array.from({ length: 15 }, (_, index) => `n${index}`);
    const nodes = ids.map((id, index) => (index === 0 ? num(id, 1) : node(id, 'add', { b: 1 })));
    const edges = ids.slice(1).map((id, index) => edge(`${ids[index]}.${index === 0 ? 'value' : 'result'}->${id}.a`));
    const found = await report(t, graph(nodes, edges));
    expect([found.executedNodes, resultOf(found, 'n14')]).toEqual([ids, 15]);
  });

  test('[X14] 300 branches side by side, and together again', async () => {
    const t = await host.open(options);
    const ids = Array.from({ length: 300 }, (_, index) => `b${index}`);
    const nodes = [num('n', 2), ...ids.map((id, index) => node(id, 'multiply', { b: index })), node('s', 'sum')];
    const edges = ids.flatMap((id) => [`n.value->${id}.a`, `${id}.result->s.values`]);
    const found = await report(t, graph(nodes, edges));
    expect([found.status, resultOf(found, 's'), found.executedNodes.length]).toEqual(['completed', 89_700, 302]);
  });

  test('[X14][T124] several errors that have nothing to do with each other; error, skip, skip', async () => {
    const t = await host.open(options);
    const found = await report(
      t,
      graph(
        [
          node('e1', 'divide', { a: 1, b: 0 }),
          node('e2', 'broken'),
          node('s1', 'add', { b: 1 }),
          node('s2', 'add', { b: 1 }),
          num('n', 1),
          node('ok', 'add', { b: 1 }),
        ],
        ['e1.result->s1.a', 's1.result->s2.a', 'n.value->ok.a'],
      ),
    );
    checkLists(found);
    expect(trackingOf(found)).toEqual({
      executedNodes: ['n', 'ok'],
      nodeOutputs: { n: { value: 1 }, ok: { result: 2 } },
      skippedNodes: ['s1', 's2'],
      nodeErrors: { e1: 'Division by zero', e2: 'it broke' },
    });
    expect(found.nodes.filter(({ status }) => status === 'skipped')).toEqual([
      skipped('s1', 'e1'),
      skipped('s2', 's1'),
    ]);
  });

  test('[X16] a node with several outputs keeps them all', async () => {
    const t = await host.open(options);
    const run = await begin(t, graph([work('a')]));
    await answer(t, 'a', { x: 1, y: [2], z: { deep: null } });
    expect((await run.dataflow()).nodeOutputs).toEqual({ a: { x: 1, y: [2], z: { deep: null } } });
  });

  test('[X15][DA35] updates: submitted, one per node, final', async () => {
    const t = await host.open(options);
    const nodes = ['a', 'b', 'c', 'd'].map((id) => work(id));
    const run = await begin(t, graph(nodes, ['a.x->b.p', 'b.x->c.p']));
    const reading = updatesOf(run); // while it goes on
    await answer(t, 'd', { y: 1 });
    await answer(t, 'a', { x: 1 });
    await fail(t, 'b', new Error('b is broken'));
    const updates = await reading;
    const a = { nodeId: 'a', status: 'completed', outputs: { x: 1 } };
    const b = failed('b', 'b is broken');
    const d = { nodeId: 'd', status: 'completed', outputs: { y: 1 } };
    const news = (one: object) => ({ type: 'node', status: 'executing', node: one });
    const idle = ['a', 'b', 'c', 'd'].map((nodeId) => ({ nodeId, status: 'idle' }));
    expect(updates).toEqual([
      { type: 'submitted', status: 'submitted', nodes: idle },
      news(d),
      news(a),
      news(b),
      news(skipped('c', 'b')),
      { type: 'final', status: 'error', nodes: [a, b, skipped('c', 'b'), d] },
    ]);
    expect(await updatesOf(run)).toEqual(updates); // and when it is over
    expect((await eventsOf(run, 'workflow.failed')).length).toBe(1);
  });
});
