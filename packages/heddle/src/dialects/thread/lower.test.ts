import { describe, expect, test } from 'vitest';
import { tokenPolicy } from '../../definition/graph.ts';
import { lowerThread } from './lower.ts';
import type { Connector, ThreadNode } from './thread.ts';

const lower = (nodes: readonly ThreadNode[], connectors: readonly Connector[] = []) =>
  lowerThread({ dialect: 'thread', id: 'w', nodes: [{ id: 'start', type: 'start' }, ...nodes], connectors });

/** What one node becomes. */
const lowerNode = (node: ThreadNode) => lower([node]).nodes[1];

describe('a thread definition becomes a token definition', () => {
  test('[TH27] settings stay, the context is the output, the policy is that of threads', () => {
    const rest = { version: 2, name: 'W', timeoutMs: 5, limits: { nodesPerRunMax: 9 }, meta: 1, inputSchema: true };
    expect(lowerThread({ dialect: 'thread', id: 'w', nodes: [{ id: 's', type: 'start' }], ...rest })).toEqual({
      id: 'w',
      ...rest,
      policy: {
        ...tokenPolicy,
        dialect: 'thread',
        noMatch: 'end',
        unjoinedBranches: 'last_wins',
        joinOutsideGroup: 'fail',
        inputPolicy: 'serial',
      },
      initialNode: 's',
      nodes: [{ id: 's', edits: [{ merge: { path: ['input'] } }] }],
      transitions: [],
      output: { path: ['context'] },
    });
  });

  test('[TH17] a start takes its entries from the input: mandatory, optional, with a default, with an expression', () => {
    const start: ThreadNode = {
      id: 's',
      type: 'start',
      initialize: [
        { path: 'a.b' },
        { path: 'c', optional: true },
        { path: 'd', default: null },
        { path: 'e', optional: true, expression: 'context.a' },
      ],
    };
    expect(lowerThread({ dialect: 'thread', id: 'w', nodes: [start] }).nodes[0]).toEqual({
      id: 's',
      edits: [
        { set: ['a', 'b'], to: { path: ['input', 'a', 'b'] }, required: true },
        { set: ['c'], to: { path: ['input', 'c'] }, required: false },
        { set: ['d'], to: { first: [{ path: ['input', 'd'] }, { literal: null }] }, required: false },
        { set: ['e'], to: { first: [{ path: ['input', 'e'] }, { expression: 'context.a' }] }, required: false },
      ],
    });
    expect(lowerThread({ dialect: 'thread', id: 'w', nodes: [{ ...start, initialize: [] }] }).nodes[0]).toEqual({
      id: 's',
      edits: [],
    });
  });

  test('[TH18] an end makes the result of the run', () => {
    expect(lowerNode({ id: 'e', type: 'end' })).toEqual({ id: 'e', resultEdits: [{ merge: { path: ['context'] } }] });
    const mappings = [
      { to: 'x.y', from: 'a.b' },
      { to: 'n', value: null },
      { to: 'z', expression: 'context.a', optional: true },
    ];
    expect(lowerNode({ id: 'e', type: 'end', title: 'Done', meta: { x: 1 }, mappings })).toEqual({
      id: 'e',
      name: 'Done',
      meta: { x: 1 },
      resultEdits: [
        { set: ['x', 'y'], to: { path: ['context', 'a', 'b'] }, required: true },
        { set: ['n'], to: { literal: null }, required: true },
        { set: ['z'], to: { expression: 'context.a' }, required: false },
      ],
    });
  });

  test('[TH19] an edit writes, then removes', () => {
    const node: ThreadNode = {
      id: 'e',
      type: 'edit',
      deletes: ['a.b', 'c'],
      upserts: [
        { path: 'a.b', value: null },
        { path: 'c', expression: 'context.a' },
      ],
    };
    expect(lowerNode(node)).toEqual({
      id: 'e',
      edits: [
        { set: ['a', 'b'], to: { literal: null }, required: true },
        { set: ['c'], to: { expression: 'context.a' }, required: true },
        { delete: ['a', 'b'] },
        { delete: ['c'] },
      ],
    });
    expect(lowerNode({ id: 'e', type: 'edit' })).toEqual({ id: 'e', edits: [] });
  });

  test('[TH20] the entries of a switch in their order, the last without a condition', () => {
    const node: ThreadNode = {
      id: 'if',
      type: 'switch',
      entries: [
        { name: 'unconnected', expression: 'true' },
        { name: 'b', expression: 'context.b' },
        { name: 'blank', expression: ' ' },
        { name: 'else', expression: 'false' },
      ],
    };
    const to = (output: string): Connector => ({ from: 'if', output, to: 'start' });
    expect(lower([node], [to('else'), to('blank'), to('b')]).transitions).toEqual([
      { from: 'if', to: 'start', priority: 1, condition: '(true\n) ? false : false', probe: true },
      { from: 'if', to: 'start', priority: 2, condition: 'context.b' },
      { from: 'if', to: 'start', priority: 4 },
    ]);
  });

  test('[TH20] an entry as data is a condition like any other', () => {
    const expression = { field: 'context.n', op: '>', value: 1 };
    const node: ThreadNode = {
      id: 'if',
      type: 'switch',
      entries: [{ name: 'a', expression }, { name: 'unconnected', expression }, { name: 'else' }],
    };
    const to = (output: string): Connector => ({ from: 'if', output, to: 'start' });
    expect(lower([node], [to('a'), to('else')]).transitions).toEqual([
      { from: 'if', to: 'start', priority: 1, condition: expression },
      {
        from: 'if',
        to: 'start',
        priority: 2,
        condition: '(has(context.n) && context.n > 1\n) ? false : false',
        probe: true,
      },
      { from: 'if', to: 'start', priority: 3 },
    ]);
  });

  test('[TH21] an action with and without mappings', () => {
    expect(lowerNode({ id: 'a', type: 'action', action: 'x' })).toEqual({
      id: 'a',
      action: 'x',
      inputEdits: [{ merge: { path: ['context'] } }],
      edits: [{ set: ['output'], to: { expression: 'result == null || result == {} ? optional.none() : result' } }],
    });
    const node: ThreadNode = {
      id: 'a',
      type: 'action',
      action: { name: 'x', version: 2 },
      inputs: [{ to: 'i', from: 'a' }],
      outputs: [{ to: 'output.o', from: 'r.s', optional: true }],
      retry: { maxAttempts: 2 },
      timeoutMs: 5,
    };
    expect(lowerNode(node)).toEqual({
      id: 'a',
      action: { name: 'x', version: 2 },
      inputEdits: [{ set: ['i'], to: { path: ['context', 'a'] }, required: true }],
      edits: [{ set: ['output', 'o'], to: { path: ['result', 'r', 's'] }, required: false }],
      retry: { maxAttempts: 2 },
      timeoutMs: 5,
    });
  });

  test('[TH22] a code node with one expression, to output or elsewhere, or with several', () => {
    const edit = (set: string[], expression: string) => ({ set, to: { expression }, required: true });
    expect(lowerNode({ id: 'c', type: 'code', expression: '1' })).toEqual({ id: 'c', edits: [edit(['output'], '1')] });
    expect(lowerNode({ id: 'c', type: 'code', path: 'a.b', expression: '1' })).toEqual({
      id: 'c',
      edits: [edit(['a', 'b'], '1')],
    });
    const set = [
      { path: 'a', expression: '1' },
      { path: 'b', expression: 'context.a' },
    ];
    expect(lowerNode({ id: 'c', type: 'code', set })).toEqual({
      id: 'c',
      edits: [edit(['a'], '1'), edit(['b'], 'context.a')],
    });
  });

  test('[TH23][TH24] a fan-out opens one group in the order of its outputs; a fan-in joins the innermost', () => {
    const nodes: ThreadNode[] = [
      { id: 'f', type: 'fanOut', outputs: ['x', 'y', 'z'] },
      { id: 'c', type: 'code', expression: '1' },
      { id: 'j', type: 'fanIn' },
    ];
    const connectors = [
      { from: 'f', output: 'z', to: 'j', meta: { m: 1 } },
      { from: 'f', output: 'x', to: 'c' },
      { from: 'c', to: 'j' },
    ];
    const merge = { source: 'state.output', target: 'state.output', strategy: 'output_merge' };
    const synchronization = { strategy: 'all', merge };
    const lowered = lower(nodes, connectors);
    expect(lowered.transitions).toEqual([
      { from: 'f', to: 'c', siblingGroup: 'f' },
      { from: 'f', to: 'j', siblingGroup: 'f', synchronization, meta: { m: 1 } },
      { from: 'c', to: 'j', synchronization },
    ]);
    expect([lowered.nodes[1], lowered.nodes[3]]).toEqual([{ id: 'f' }, { id: 'j' }]);
  });

  test('[TH25] a batch is a batch of the list in the context; without process it only goes on', () => {
    const node: ThreadNode = { id: 'b', type: 'batch', items: 'a.list', batchSize: 10, parallelBatches: 2 };
    const connectors = [
      { from: 'b', output: 'continue', to: 'c' },
      { from: 'b', output: 'process', to: 'b' },
    ];
    const lowered = lower([node, { id: 'c', type: 'edit' }], connectors);
    const merge = { source: 'state.output', target: 'state.output', strategy: 'output_merge' };
    expect(lowered.nodes[1]).toEqual({
      id: 'b',
      batch: { items: 'state.a.list', label: 'context.a.list', batchSize: 10, parallelBatches: 2, merge },
    });
    expect(lowered.transitions).toEqual([
      { from: 'b', to: 'c' },
      { from: 'b', to: 'b', on: 'slice' },
    ]);
    expect(lower([node, { id: 'c', type: 'edit' }], connectors.slice(0, 1)).nodes[1]).toEqual({ id: 'b' });
  });

  test('[TH26] a gosub with and without mappings', () => {
    expect(lowerNode({ id: 'g', type: 'gosub', workflow: 'other' })).toEqual({
      id: 'g',
      workflow: { id: 'other' },
      inputEdits: [{ merge: { path: ['context'] } }],
      edits: [{ merge: { path: ['result'] } }],
    });
    const inputs = [{ to: 'i', from: 'a' }];
    const outputs = [{ to: 'o', expression: 'result.x + context.a' }];
    expect(lowerNode({ id: 'g', type: 'gosub', workflow: 'other', version: 3, inputs, outputs })).toEqual({
      id: 'g',
      workflow: { id: 'other', version: 3 },
      inputEdits: [{ set: ['i'], to: { path: ['context', 'a'] }, required: true }],
      edits: [{ set: ['o'], to: { expression: 'result.x + context.a' }, required: true }],
    });
  });

  test('[TH28] an input asks for an object or nothing, unless it says otherwise', () => {
    expect(lowerNode({ id: 'i', type: 'input' })).toEqual({
      id: 'i',
      input: { schema: { type: ['object', 'null'] } },
      edits: [{ merge: { path: ['result'] } }],
    });
    expect(lowerNode({ id: 'i', type: 'input', title: 'Go?', schema: true, deadlineMs: 5 })).toEqual({
      id: 'i',
      name: 'Go?',
      input: { title: 'Go?', schema: true, deadlineMs: 5 },
      edits: [{ merge: { path: ['result'] } }],
    });
  });
});
