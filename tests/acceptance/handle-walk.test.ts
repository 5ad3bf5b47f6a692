import { describe, expect, test } from 'vitest';
import type { ObjectReference } from '../../packages/heddle/src/base/object-reference.ts';
import { adding, drawing, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { eventsOf, launch } from './token-engine.testsuite.ts';

onEveryHost('handles: where a run begins', (host) => {
  const begin = async (nodes: readonly string[], connections: readonly string[]) => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    await launch(t, drawing(nodes, connections));
    return walked.visited;
  };

  test('[T264] at the node without incoming edges', async () => {
    expect(await begin(['b', 'a'], ['a->b'])).toEqual(['a', 'b']);
  });

  test('[T265] of several candidates at the one of a trigger-like type', async () => {
    expect(await begin(['a', 'b:MANUAL_TRIGGER', 'c'], ['b->c'])).toEqual(['b', 'c']);
  });

  test('[T266] of several without a trigger type at the first', async () => {
    expect(await begin(['a', 'b', 'c'], ['a->c', 'b->c'])).toEqual(['a', 'c']);
  });

  test('[T267] if every node has incoming edges, at the first in the list', async () => {
    expect(await begin(['b', 'a'], ['a->b', 'b->a'])).toEqual(['b', 'a']);
  });
});

onEveryHost('handles: the walk', (host) => {
  test('[T255][T256][T257][T288][T292][T293] linear flows of main connections, with and without their handles', async () => {
    const walked = walking({ b: adding({ b: 1 }) });
    const t = await host.open({ executors: walked.executors });
    const connections = ['a->b', { fromNodeId: 'b', toNodeId: 'c', fromOutput: 'main', toInput: 'left' }];
    const run = await launch(t, drawing(['a', 'b', 'c'], connections), { start: true });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { start: true, b: 1 } });
    expect(walked.visited).toEqual(['a', 'b', 'c']);
  });

  test('[T258][T259] all targets of one handle run, in connection order', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    await launch(t, drawing(['a', 'b', 'c', 'd'], ['a->d', 'a->b', 'a->c']));
    expect(walked.visited).toEqual(['a', 'd', 'b', 'c']);
  });

  test('[T268][T269] an executor receives data, nodeId, context, step and publish, and runId and artifacts', async () => {
    const given: unknown[] = [];
    const t = await host.open({
      executors: {
        HTTP: (params) => {
          given.push({ ...params, keys: Object.keys(params).toSorted() });
          return params.context;
        },
      },
    });
    const data = { url: 'https://example.org', deep: { list: [1, null] } };
    const run = await launch(t, drawing([{ id: 'n1', type: 'HTTP', data }]), { a: 1 });
    expect(given).toEqual([
      {
        data,
        nodeId: 'n1',
        context: { a: 1 },
        step: {
          attempt: 1,
          idempotencyKey: expect.stringContaining(run.id),
          signal: expect.any(AbortSignal),
          run: expect.any(Function),
        },
        publish: expect.any(Function),
        artifacts: expect.any(Object),
        runId: run.id,
        keys: ['artifacts', 'context', 'data', 'nodeId', 'publish', 'runId', 'step'],
      },
    ]);
  });

  test('[HN11] bytes that an executor puts are artifacts of its run, which the next one reads', async () => {
    const t = await host.open({
      executors: {
        DRAW: async ({ context, artifacts }) => ({
          ...context,
          picture: await artifacts.put('<svg/>', 'image/svg+xml'),
        }),
        SHOW: async ({ context, artifacts, runId }) => {
          const { bytes } = await artifacts.get(context['picture'] as ObjectReference);
          return { text: new TextDecoder().decode(bytes), runId };
        },
      },
    });
    const run = await launch(t, drawing(['a:DRAW', 'b:SHOW'], ['a->b']));
    expect(await run.result()).toMatchObject({ status: 'completed', output: { text: '<svg/>', runId: run.id } });
    expect(await t.engine.artifacts.list(run.id)).toHaveLength(1);
  });

  test('[T270] the returned context replaces the current one for following nodes', async () => {
    const walked = walking({ a: () => ({ only: 'this' }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b'], ['a->b']), { gone: true });
    expect(walked.seen).toEqual({ a: { gone: true }, b: { only: 'this' } });
    expect(await run.result()).toMatchObject({ output: { only: 'this' } });
  });

  test('[T260][T271][T273][T289][HN1] _branch set: only the connections of that handle are followed, and it is removed', async () => {
    const walked = walking({ a: adding({ _branch: 'true' }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c', 'd'], ['a/true->b', 'a/false->c', 'a->d']), { n: 1 });
    expect(walked.visited).toEqual(['a', 'b']);
    expect(walked.seen['b']).toEqual({ n: 1 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  });

  test('[T261][T272][HN2] _branch absent: only main connections are followed', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    await launch(t, drawing(['a', 'b', 'c'], ['a/true->b', 'a->c']));
    expect(walked.visited).toEqual(['a', 'c']);
  });

  test('[T262][HN5] an unknown handle ends the path, and the journal tells; a node without main connections just ends', async () => {
    const walked = walking({ a: adding({ _branch: 'maybe' }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b'], ['a/true->b', 'a->b']));
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
    expect(walked.visited).toEqual(['a']);
    expect(await eventsOf(run, 'handle.unmatched')).toMatchObject([
      { type: 'handle.unmatched', token: 2, node: 'a', handle: 'maybe' },
    ]);
    const quiet = await launch(t, drawing(['b', 'c'], ['b/true->c'], { id: 'quiet' }));
    expect(await quiet.status()).toBe('completed');
    expect(await eventsOf(quiet, 'handle.unmatched')).toEqual([]);
  });

  test('[HN7] control keys that cannot be read do nothing, and the journal tells; true and false are handles', async () => {
    const odd = { _branch: ['x'], _wait: { second: 5 }, _waitUntil: { timestamp: 'tomorrow' } };
    const walked = walking({ a: adding(odd), b: adding({ _branch: true, _wait: null }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c', 'd'], ['a->b', 'b/true->c', 'b->d']));
    expect(walked.visited).toEqual(['a', 'b', 'c']);
    expect(await eventsOf(run, 'control.ignored')).toMatchObject([
      { node: 'a', keys: ['_branch', '_wait', '_waitUntil'] },
    ]);
  });

  test('[T287] a node is executed at most once, whatever leads to it: repeats, ways back, itself', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const connections = ['a->b', 'a->b', 'b->c', 'c->b', 'c->a', 'c->c', 'c->d'];
    const run = await launch(t, drawing(['a', 'b', 'c', 'd'], connections));
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toEqual(['a', 'b', 'c', 'd']);
  });

  test('nodes that cannot be reached never run, nor do others wait for them', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const definition = drawing(['a:MANUAL_TRIGGER', 'b', 'idle'], ['a->b', 'idle->b']);
    const { problems } = await t.engine.register(definition);
    expect(problems.map(({ severity, code, pointer }) => [severity, code, pointer])).toEqual([
      ['warning', 'UNREACHABLE_NODE', '/nodes/2'],
    ]);
    await launch(t, definition);
    expect(walked.visited).toEqual(['a', 'b']);
  });
});

onEveryHost('handles: merging', (host) => {
  test('[T290] a merge node runs once, after all its active upstream branches', async () => {
    const walked = walking({ b: adding({ b: 1 }), c: adding({ c: 1 }), long: adding({ long: 1 }) });
    const t = await host.open({ executors: walked.executors });
    const connections = ['a->meet', 'a->b', 'a->c', 'b->meet', 'c->long', 'long->meet', 'meet->end'];
    const run = await launch(t, drawing(['a', 'b', 'c', 'long', 'meet', 'end'], connections));
    expect(await run.result()).toMatchObject({ status: 'completed', output: { b: 1, c: 1, long: 1 } });
    expect(walked.visited).toEqual(['a', 'b', 'c', 'long', 'meet', 'end']);
    expect(walked.seen['meet']).toEqual({ b: 1, c: 1, long: 1 });
  });

  test('[T291] it does not wait for predecessors on branches not taken', async () => {
    const walked = walking({ a: adding({ _branch: 'true' }) });
    const t = await host.open({ executors: walked.executors });
    const connections = ['a/true->b', 'a/false->c', 'c->d', 'b->meet', 'd->meet'];
    const run = await launch(t, drawing(['a', 'b', 'c', 'd', 'meet'], connections));
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toEqual(['a', 'b', 'meet']);
  });

  test('[T291] nor for a handle that an activated predecessor did not take, or a path that ended early', async () => {
    const walked = walking({ b: adding({ _branch: 'stop' }), c: adding({ _branch: 'nowhere' }) });
    const t = await host.open({ executors: walked.executors });
    const connections = ['a->b', 'a->c', 'a->d', 'b->meet', 'b/stop->e', 'c->meet', 'd->meet'];
    const run = await launch(t, drawing(['a', 'b', 'c', 'd', 'e', 'meet'], connections));
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toEqual(['a', 'b', 'c', 'd', 'e', 'meet']);
  });

  test('[T290] two handles of one node to the same target: whichever is taken leads there, once', async () => {
    for (const handle of ['true', 'false']) {
      const walked = walking({ a: adding({ _branch: handle }) });
      const t = await host.open({ executors: walked.executors });
      const run = await launch(t, drawing(['a', 'b', 'c'], ['a/true->b', 'a/false->b', 'b->c']));
      expect(await run.status()).toBe('completed');
      expect(walked.visited).toEqual(['a', 'b', 'c']);
    }
  });

  test('[T291] a merge node none of whose predecessors leads there does not run, nor do those behind it', async () => {
    const walked = walking({ a: adding({ _branch: 'x' }) });
    const t = await host.open({ executors: walked.executors });
    const connections = ['a/x->b', 'a/y->c', 'a/y->d', 'c->meet', 'd->meet', 'meet->end'];
    const run = await launch(t, drawing(['a', 'b', 'c', 'd', 'meet', 'end'], connections));
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toEqual(['a', 'b']);
  });
});

onEveryHost('handles: one at a time', (host) => {
  test('ready nodes run one at a time, first in, first out, each with the context that the one before left', async () => {
    const t = await host.open({ scripted: ['STEP'] });
    const run = await launch(t, drawing(['a', 'b', 'c'], ['a->b', 'a->c']), { by: [] });
    const order: unknown[] = [];
    for (let left = 3; left > 0; left--) {
      expect(t.script.open('STEP')).toHaveLength(1);
      const call = t.script.next('STEP');
      const { by } = call.input['context'] as { by: string[] };
      order.push([call.nodeId, by]);
      call.complete({ by: [...by, call.nodeId] });
      await t.settle();
    }
    expect(order).toEqual([
      ['a', []],
      ['b', ['a']],
      ['c', ['a', 'b']],
    ]);
    expect(await run.result()).toMatchObject({ output: { by: ['a', 'b', 'c'] } });
  });

  test('[restart] what was under way is handed out again, and nothing is lost or doubled', async () => {
    const first = await host.open({ scripted: ['STEP'] });
    const { id } = await launch(first, drawing(['a', 'b', 'c'], ['a->b', 'b->c', 'a->c']), { by: '' });
    let t = first;
    for (const node of ['a', 'b', 'c']) {
      t = await host.restart(t, { scripted: ['STEP'] });
      await t.settle();
      const call = t.script.next('STEP');
      expect(call.nodeId).toBe(node);
      call.complete({ by: `${(call.input['context'] as { by: string }).by}${node}` });
      await t.settle();
    }
    expect(await t.engine.run(id).result()).toMatchObject({ status: 'completed', output: { by: 'abc' } });
  });
});

onEveryHost('handles: the cap', (host) => {
  const chain = (length: number, more = {}) => {
    const ids = Array.from({ length }, (_, n) => `n${n + 1}`);
    return drawing(
      ids,
      ids.slice(1).map((id, n) => `${ids[n]}->${id}`),
      more,
    );
  };

  test('[T285] an execution of exactly 50 nodes succeeds', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, chain(50));
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toHaveLength(50);
  });

  test('[T286] the 51st node makes the execution fail', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, chain(51));
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: {
        code: 'LIMIT_EXCEEDED',
        limit: 'handleNodesMax',
        message:
          'Expected at most 50 nodes to run by the limit handleNodesMax, but node n51 would be one more; it is the default, raise it with createEngine({ limits: { handleNodesMax: … } })',
      },
    });
    expect(await run.execution()).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('handleNodesMax'),
    });
    expect(walked.visited).toHaveLength(50);
  });

  test('[T286][HN16] the engine may allow more', async () => {
    const t = await host.open({ executors: walking().executors, limits: { handleNodesMax: 51 } });
    const run = await launch(t, chain(51));
    expect(await run.status()).toBe('completed');
    const tooMany = await t.engine.register(chain(1, { maxNodes: 52 }));
    expect(tooMany.problems.map(({ code, pointer }) => [code, pointer])).toEqual([['LIMIT_EXCEEDED', '/maxNodes']]);
  });

  test('[T286][HN16] maxNodes lowers it; attempts of one node count once', async () => {
    const walked = walking();
    const t = await host.open({
      executors: walked.executors,
      actions: {
        FLAKY: {
          retry: { maxAttempts: 3 },
          run: ({ attempt, input }) => {
            if (attempt < 3) throw new Error('not yet');
            return input['context'];
          },
        },
      },
    });
    const run = await launch(t, drawing(['a:FLAKY', 'b', 'c'], ['a->b', 'b->c'], { maxNodes: 2 }));
    await t.advance(1);
    expect(await run.status()).toBe('failed');
    expect(walked.visited).toEqual(['b']);
  });
});

describe('graph helpers', () => {
  test('[T258][T263][T294] are published', async () => {
    const door = await import('../../packages/heddle/src/dialects.ts');
    const nodes = [
      { id: 'b', type: 'X' },
      { id: 'a', type: 'X' },
      { id: 'c', type: 'X' },
    ];
    const to = (toNodeId: string, fromOutput = 'main') => ({ fromNodeId: 'a', toNodeId, fromOutput, toInput: 'main' });
    const connections = [to('c'), to('b', 'other'), to('b')];
    const adjacency = door.buildAdjacencyMap(connections);
    const ofA = new Map([
      ['main', ['c', 'b']],
      ['other', ['b']],
    ]);
    expect(adjacency).toEqual(new Map([['a', ofA]]));
    expect(door.getNextNodeIds(adjacency, 'a')).toEqual(['c', 'b']);
    expect(door.buildNodeMap(nodes).get('b')).toBe(nodes[0]);
    expect(door.findEntryNode(nodes, connections)).toBe(nodes[1]);
    expect(new Set(door.topologicalSort(nodes, connections))).toEqual(new Set(nodes));
    expect(door.topologicalSort(nodes, connections)[0]).toBe(nodes[1]);
  });
});
