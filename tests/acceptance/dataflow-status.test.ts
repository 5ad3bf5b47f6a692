import { expect, test } from 'vitest';
import {
  type DataflowReport,
  dataflowStatus,
  refusedDataflow,
  reportNodes,
  trackedStatus,
} from '../../packages/heddle/src/dialects.ts';
import { isTerminal } from '../../packages/heddle/src/index.ts';
import {
  begin,
  checkLists,
  failed,
  graph,
  node,
  nodeStatuses,
  num,
  options,
  report,
  skipped,
  trackingOf,
  updatesOf,
  work,
} from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, fail, register } from './token-engine.testsuite.ts';

const empty = { nodeOutputs: {}, executedNodes: [], skippedNodes: [], nodeErrors: {} };

/** a into b and c, both into d, and e alone. */
const diamond = graph(
  ['a', 'b', 'c', 'd', 'e'].map((id) => work(id)),
  ['a.x->b.p', 'a.x->c.p', 'b.x->d.p', 'c.x->d.q'],
);

onEveryHost('dataflow: the status of a graph', (host) => {
  const words = ['submitted', 'executing', 'completed', 'error', 'exhausted'];

  host.testHere('[T070][T082] submitted until credits are granted: nothing runs, every node is idle', async () => {
    const t = await host.open(options);
    await register(t.engine, graph([work('a', { cost: 2 }), work('b')], ['a.x->b.p']));
    await t.engine.credits.deposit('acme', 2);
    const run = await t.engine.start('g', {}, { organization: 'acme' });
    const first = await run.dataflow();
    expect([first.status, ...nodeStatuses(first)]).toEqual(['submitted', 'a:idle', 'b:idle']);
    expect([isTerminal(await run.status()), t.script.calls.length]).toEqual([false, 0]);
    await t.settle();
    expect((await run.dataflow()).status).toBe('executing');
    expect(dataflowStatus({ isSubmitted: true, outcome: null }, ['a'], empty)).toBe('submitted');
  });

  test('[T071][T076][T090] executing while a node is in no list; that node too', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    expect(nodeStatuses(await run.dataflow())).toEqual(['a', 'b', 'c', 'd', 'e'].map((id) => `${id}:executing`));
    await answer(t, 'a', { x: 1 });
    await answer(t, 'e');
    const found = await run.dataflow();
    expect([found.status, isTerminal(await run.status())]).toEqual(['executing', false]);
    expect(nodeStatuses(found).toSorted()).toEqual([
      'a:completed',
      'b:executing',
      'c:executing',
      'd:executing',
      'e:completed',
    ]);
  });

  test('[T072][T077] completed: all nodes have run', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    for (const id of ['a', 'e', 'c', 'b', 'd']) await answer(t, id, { x: id });
    const found = await run.dataflow();
    expect([found.status, await run.status()]).toEqual(['completed', 'completed']);
    expect(found.executedNodes).toEqual(found.context.orderedNodeIds);
  });

  test('[T073][T078][T081] error: a node has failed, whatever else has run', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    await answer(t, 'a', { x: 1 });
    await answer(t, 'b', { x: 1 });
    await answer(t, 'c', { x: 1 });
    await answer(t, 'd');
    expect((await run.dataflow()).status).toBe('executing');
    await fail(t, 'e');
    expect([(await run.dataflow()).status, await run.status()]).toEqual(['error', 'failed']);
  });

  test('[T073][T116][T118] error: a graph that was refused', async () => {
    const t = await host.open(options);
    const { problems } = await t.engine.register(graph([work('a')], ['a.x->a.p']));
    expect(refusedDataflow(problems).status).toBe('error');
  });

  test('[T074][T119][T082][T091] exhausted: credits do not suffice, nothing runs, every node stays idle', async () => {
    const t = await host.open(options);
    await register(t.engine, graph([work('a', { cost: 2 }), work('b', { cost: 1 })]));
    await t.engine.credits.deposit('acme', 2);
    const run = await t.engine.start('g', {}, { organization: 'acme' });
    await t.settle();
    const found = await run.dataflow();
    expect([found.status, ...nodeStatuses(found)]).toEqual(['exhausted', 'a:idle', 'b:idle']);
    expect([await run.status(), isTerminal(await run.status())]).toEqual(['exhausted', true]);
    expect([trackingOf(found), t.script.calls]).toEqual([empty, []]);
    expect(await t.engine.credits.balance('acme')).toBe(2);
  });

  test('[T075] the status is computed: nothing keeps one that could differ', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    const check = async () => {
      const found = await run.dataflow();
      expect(trackedStatus(found.context.orderedNodeIds, trackingOf(found))).toBe(found.status);
      expect(trackedStatus(found.context.orderedNodeIds, trackingOf(found))).toBe(found.status); // and again
      return found.status;
    };
    const seen = [await check()];
    await fail(t, 'a');
    seen.push(await check());
    await answer(t, 'e');
    seen.push(await check());
    expect(seen).toEqual(['executing', 'executing', 'error']);
  });

  test('[T079] a skip alone is an error; [T080] no nodes at all are completed', async () => {
    expect(trackedStatus(['a', 'b'], { ...empty, executedNodes: ['a'], skippedNodes: ['b'] })).toBe('error');
    expect(trackedStatus([], empty)).toBe('completed');
    const t = await host.open(options);
    const run = await begin(t, graph([]));
    const found = await run.dataflow();
    expect([found.status, found.nodes, found.context.orderedNodeIds]).toEqual(['completed', [], []]);
    expect(await run.summary()).toMatchObject({ status: 'completed', output: {} });
  });

  test('[T081][DA32] five words and no others, however a run ends', async () => {
    const t = await host.open(options);
    const mixed = graph([num('a', 1), node('b', 'broken')], [], { id: 'mixed' });
    const slow = graph([work('a')], [], { id: 'slow', timeoutMs: 1_000 });
    const endings = new Map<string, string>();
    endings.set('mixed', (await report(t, mixed)).status);
    const late = await begin(t, slow);
    await t.advance(1_000);
    endings.set('late', (await late.dataflow()).status);
    const stopped = await begin(t, slow);
    await stopped.cancel();
    endings.set('stopped', (await stopped.dataflow()).status);
    expect(Object.fromEntries(endings)).toEqual({ mixed: 'error', late: 'error', stopped: 'error' });
    for (const status of endings.values()) expect(words).toContain(status);
  });
});

onEveryHost('dataflow: the states of nodes', (host) => {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    idle: ['executing', 'skipped'],
    executing: ['completed', 'failed', 'skipped'],
    completed: [],
    failed: [],
    skipped: [],
  };

  test.each([
    ['all goes well', []],
    ['b fails', ['b']],
    ['a fails', ['a']],
  ])('[T083][T084][T085] from idle on, only as allowed: %s', async (_, failing) => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    const reports: DataflowReport['nodes'][] = [];
    const look = async () => reports.push((await run.dataflow()).nodes);
    await look();
    for (const id of ['a', 'b', 'e', 'c', 'd']) {
      if (!t.script.open('work').some((call) => call.nodeId === id)) continue;
      await (failing.includes(id) ? fail(t, id) : answer(t, id, { x: 1 }));
      await look();
    }
    const [submitted] = await updatesOf(run);
    const histories = [submitted && 'nodes' in submitted ? submitted.nodes : [], ...reports];
    for (const [index, { nodeId }] of (histories[0] ?? []).entries()) {
      const states = histories.map((nodes) => nodes[index]?.status ?? 'none');
      const changes = states.filter((status, at) => at === 0 || status !== states[at - 1]);
      expect(changes[0]).toBe('idle');
      for (const [at, status] of changes.slice(1).entries())
        expect(allowed[changes[at] ?? ''], `${nodeId}: ${changes.join(' ')}`).toContain(status);
      expect(allowed[changes.at(-1) ?? '']).toEqual([]);
    }
  });

  test('[T086][T087][T088] executed, failed and skipped nodes, each with what there is to say', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    await answer(t, 'a', { x: 1, y: [2] });
    await fail(t, 'b', new Error('no more'));
    await answer(t, 'c', { x: 2 });
    await answer(t, 'e');
    const found = await run.dataflow();
    checkLists(found);
    const byId = Object.fromEntries(found.nodes.map((one) => [one.nodeId, one]));
    expect(byId).toEqual({
      a: { nodeId: 'a', status: 'completed', outputs: { x: 1, y: [2] } },
      b: failed('b', 'no more'),
      c: { nodeId: 'c', status: 'completed', outputs: { x: 2 } },
      d: skipped('d', 'b'),
      e: { nodeId: 'e', status: 'completed', outputs: {} },
    });
  });

  test('[T089] executed counts before errored, errored before skipped', () => {
    const order = { orderedNodeIds: ['a', 'b', 'c'], upstreams: new Map([['c', ['b']]]) };
    const tracking = {
      nodeOutputs: { a: { x: 1 } },
      executedNodes: ['a'],
      nodeErrors: { a: 'no', b: 'no' },
      skippedNodes: ['a', 'b', 'c'],
    };
    expect(reportNodes(order, tracking, 'error')).toEqual([
      { nodeId: 'a', status: 'completed', outputs: { x: 1 } },
      failed('b', 'no'),
      skipped('c', 'b'),
    ]);
  });

  test('[T091] a node in no list is idle when the run is over', async () => {
    const t = await host.open(options);
    const run = await begin(t, diamond);
    await answer(t, 'a', { x: 1 });
    await run.cancel();
    await t.settle();
    expect(nodeStatuses(await run.dataflow()).toSorted()).toEqual([
      'a:completed',
      'b:idle',
      'c:idle',
      'd:idle',
      'e:idle',
    ]);
  });
});
