import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { Event } from '../../core/events.ts';
import {
  type DataflowOrder,
  type DataflowStatus,
  type DataflowTracking,
  dataflowStatus,
  failedNode,
  listUpstreams,
  refusedDataflow,
  reportNodes,
  shouldSkipNode,
  trackedStatus,
  trackNodes,
} from './report.ts';
import { DataflowUpdates } from './updates.ts';

/** `a>b a>c`: b and c take from a. */
function orderOf(ids: string, edges = ''): DataflowOrder {
  const list = edges.split(' ').filter(Boolean);
  const pairs = list.map((edge) => edge.split('>') as [string, string]);
  const upstreams = listUpstreams(pairs.map(([source, target]) => ({ source, target })));
  return { orderedNodeIds: ids.split(' ').filter(Boolean), upstreams };
}

const tracking = (parts: Partial<DataflowTracking> = {}): DataflowTracking => ({
  nodeOutputs: {},
  executedNodes: [],
  skippedNodes: [],
  nodeErrors: {},
  ...parts,
});

/** a and b beside each other, both into c, c into d; e alone. */
const graph = orderOf('a b e c d', 'a>c b>c a>c c>d');

describe('what a graph has come to', () => {
  test('[DA29][DA30] lists in topological order; what is behind a failure is skipped, at once and all the way', () => {
    const outputs = { e: { x: 1 }, a: {} };
    expect(trackNodes(graph, { outputs, errors: { b: 'no' } })).toEqual({
      nodeOutputs: { a: {}, e: { x: 1 } },
      executedNodes: ['a', 'e'],
      skippedNodes: ['c', 'd'],
      nodeErrors: { b: 'no' },
    });
    expect(trackNodes(graph, { outputs: {}, errors: {} })).toEqual(tracking());
    expect(trackNodes(orderOf('toString'), { outputs: {}, errors: {} })).toEqual(tracking());
  });

  test('[DA30] a node is skipped if it or one that it takes from has failed or was skipped', () => {
    const skips = (parts: Partial<DataflowTracking>) =>
      graph.orderedNodeIds.filter((id) => shouldSkipNode(graph, tracking(parts), id)).join(' ');
    expect(skips({ executedNodes: ['a', 'b'] })).toBe('');
    expect(skips({ nodeErrors: { a: 'no' } })).toBe('a c');
    expect(skips({ skippedNodes: ['c'] })).toBe('c d');
  });

  test('[DA31] executing until all are visited, then completed or error', () => {
    const status = (parts: Partial<DataflowTracking>) => trackedStatus(['a', 'b'], tracking(parts));
    expect(status({ executedNodes: ['a'] })).toBe('executing');
    expect(status({ nodeErrors: { a: 'no' } })).toBe('executing');
    expect(status({ executedNodes: ['a', 'b'] })).toBe('completed');
    expect(status({ executedNodes: ['a'], nodeErrors: { b: 'no' } })).toBe('error');
    expect(status({ executedNodes: ['a'], skippedNodes: ['b'] })).toBe('error');
    expect(trackedStatus([], tracking())).toBe('completed');
  });

  test('[DA32] submitted, exhausted, and error for whatever ended a run before its nodes did', () => {
    const status = (isSubmitted: boolean, outcome: 'failed' | 'completed' | 'cancelled' | 'exhausted' | null) =>
      dataflowStatus({ isSubmitted, outcome }, ['a'], tracking({ executedNodes: ['a'] }));
    expect(status(true, null)).toBe('submitted');
    expect(status(false, null)).toBe('completed');
    expect(status(false, 'completed')).toBe('completed');
    expect(status(true, 'exhausted')).toBe('exhausted');
    expect(status(false, 'failed')).toBe('error');
    expect(status(false, 'cancelled')).toBe('error');
  });

  test('[DA33] executed before failed before skipped; in no list: executing, or idle', () => {
    const all = tracking({
      executedNodes: ['a'],
      nodeOutputs: { a: { x: 1 } },
      nodeErrors: { a: 'no', b: 'no' },
      skippedNodes: ['a', 'b', 'c'],
    });
    const report = (status: DataflowStatus) => reportNodes(graph, all, status);
    expect(report('executing')).toEqual([
      { nodeId: 'a', status: 'completed', outputs: { x: 1 } },
      failedNode('b', 'no'),
      { nodeId: 'e', status: 'executing' },
      { nodeId: 'c', status: 'skipped', skipReason: 'upstream_failure', blockedBy: ['a', 'b'], outputs: null },
      { nodeId: 'd', status: 'executing' },
    ]);
    for (const over of ['submitted', 'error', 'exhausted', 'completed'] as const)
      expect(report(over)[2]).toEqual({ nodeId: 'e', status: 'idle' });
  });

  test('[DA34] a graph that was refused: every error, comma-separated', () => {
    const problem = { code: 'X', pointer: '', severity: 'error' } as const;
    const problems = [
      { ...problem, message: 'this' },
      { ...problem, message: 'a remark', severity: 'warning' } as const,
      { ...problem, message: 'that' },
    ];
    expect(refusedDataflow(problems)).toEqual({ status: 'error', error: 'Workflow validation failed: this, that' });
  });
});

describe('[DA35] updates', () => {
  const created = (token: number, node: string): Event => ({ type: 'token.created', token, node, branch: [0, 0] });
  const completed = (token: number, output: Json): Event => ({ type: 'task.completed', token, output });
  const failed = (token: number, message: string): Event => ({
    type: 'task.failed',
    token,
    error: { code: 'X', message },
  });
  const started = { type: 'workflow.started' } as Event; // nothing else of it is read
  const update = (events: readonly Event[]) => {
    const updates = new DataflowUpdates(graph);
    return events.flatMap((event) => updates.add(event));
  };
  const idle = graph.orderedNodeIds.map((nodeId) => ({ nodeId, status: 'idle' }));

  test('submitted first, one per node, a final one; those behind a failure in topological order, once', () => {
    const events = [
      started,
      ...['start', 'a', 'b', 'e'].map((id, index) => created(index + 1, id)),
      failed(3, 'no'),
      completed(4, { x: 1 }),
      failed(2, 'never'),
      { type: 'workflow.failed', at: 0, error: { code: 'NODES_FAILED', message: 'x' } } as const,
    ];
    const a = failedNode('a', 'never');
    const b = failedNode('b', 'no');
    const e = { nodeId: 'e', status: 'completed', outputs: { x: 1 } };
    const skipped = (nodeId: string, ...blockedBy: string[]) => ({
      nodeId,
      status: 'skipped',
      skipReason: 'upstream_failure',
      blockedBy,
      outputs: null,
    });
    const news = (node: object) => ({ type: 'node', status: 'executing', node });
    expect(update(events)).toEqual([
      { type: 'submitted', status: 'submitted', nodes: idle },
      news(b),
      news(skipped('c', 'b')),
      news(skipped('d', 'c')),
      news(e),
      news(a),
      { type: 'final', status: 'error', nodes: [a, b, e, skipped('c', 'a', 'b'), skipped('d', 'c')] },
    ]);
  });

  test('of a run that credits did not suffice for', () => {
    const exhausted: Event = { type: 'workflow.exhausted', at: 0, error: { code: 'X', message: 'x' } };
    expect(update([started, exhausted])).toEqual([
      { type: 'submitted', status: 'submitted', nodes: idle },
      { type: 'final', status: 'exhausted', nodes: idle },
    ]);
  });

  test('of a retry: what it took over is news too', () => {
    const state = { tokens: [{ id: 7, node: 'd' }], outputs: { a: {}, b: {}, c: {} }, errors: { e: 'no' } };
    const events = [
      started,
      { type: 'workflow.restored', state } as Event,
      completed(7, { y: 2 }),
      completed(99, {}), // of no node
    ];
    expect(update(events).slice(1)).toEqual(
      [
        ...['a', 'b', 'c'].map((nodeId) => ({ nodeId, status: 'completed', outputs: {} })),
        failedNode('e', 'no'),
        { nodeId: 'd', status: 'completed', outputs: { y: 2 } },
      ].map((node) => ({ type: 'node', status: 'executing', node })),
    );
  });
});
