import { expect, test } from 'vitest';
import { tokenPolicy } from '../../definition/graph.ts';
import { lowerHandle } from './lower.ts';
import type { NormalConnection, NormalHandle } from './normal.ts';

const go = (fromNodeId: string, toNodeId: string, fromOutput = 'main', more = {}): NormalConnection => ({
  fromNodeId,
  toNodeId,
  fromOutput,
  toInput: 'main',
  ...more,
});

const handle = (
  ids: readonly string[],
  connections: readonly NormalConnection[],
  more: Partial<NormalHandle> = {},
): NormalHandle => ({
  dialect: 'handle',
  id: 'w',
  nodes: ids.map((id) => ({ id, type: id.toUpperCase() })),
  connections,
  ...more,
});

test('[HN16][HN10][HN11] a hidden node fills the context; every node is an action that is given it and returns it', () => {
  const definition = handle([], [go('a', 'b', 'say "hi"\\')], {
    version: 3,
    name: 'W',
    timeoutMs: 9,
    nodes: [
      { id: 'a', type: 'HTTP', name: 'Get', data: { url: 'x' }, meta: { x: 1 } },
      { id: 'b', type: 'MAIL' },
    ],
  });
  const work = (id: string, data: object) => ({
    inputEdits: [
      { set: ['data'], to: { literal: data } },
      { set: ['nodeId'], to: { literal: id } },
      { set: ['context'], to: { path: ['state', 'context'] } },
    ],
    edits: [{ set: ['context'], to: { path: ['result', 'context'] } }],
  });
  expect(lowerHandle(definition)).toEqual({
    id: 'w',
    version: 3,
    name: 'W',
    timeoutMs: 9,
    initialNode: '(start)',
    nodes: [
      {
        id: '(start)',
        edits: [
          { set: ['context'], to: { expression: "type(input) == 'object' ? input : {}" } },
          { delete: ['context', '_branch'] },
          { delete: ['context', '_wait'] },
          { delete: ['context', '_waitUntil'] },
        ],
      },
      { id: 'a', name: 'Get', action: 'HTTP', ...work('a', { url: 'x' }) },
      { id: 'b', action: 'MAIL', ...work('b', {}) },
    ],
    transitions: [
      { from: '(start)', to: 'a' },
      { from: 'a', to: 'b', condition: 'result.branch == "say \\"hi\\"\\\\"' },
    ],
    output: { path: ['state', 'context'] },
    policy: {
      ...tokenPolicy,
      dialect: 'handle',
      noMatch: 'end',
      oneAtATime: true,
      tasksMax: null,
      controlKeys: true,
      hiddenNode: '(start)',
    },
  });
});

test('[HN16] maxNodes lowers what a run may execute', () => {
  expect(lowerHandle(handle(['a'], [], { maxNodes: 7 })).policy.tasksMax).toBe(7);
});

const waysOf = (definition: NormalHandle) =>
  lowerHandle(definition).transitions?.map(
    ({ from, to, synchronization }) => `${from}->${to}${synchronization === undefined ? '' : ' joins'}`,
  );

test('[HN12] where several connections meet they join over edges; repeats of one are one', () => {
  const connections = [
    go('a', 'b'),
    go('a', 'c', 'true'),
    go('a', 'b', 'main', { toInput: 'left' }),
    go('b', 'd'),
    go('c', 'd'),
    go('c', 'd', 'false'),
  ];
  expect(waysOf(handle(['a', 'b', 'c', 'd'], connections))).toEqual([
    '(start)->a',
    'a->b',
    'a->c',
    'b->d joins',
    'c->d joins',
    'c->d joins',
  ]);
  expect(lowerHandle(handle(['a', 'b', 'c', 'd'], connections)).transitions?.[3]).toEqual({
    from: 'b',
    to: 'd',
    condition: 'result.branch == "main"',
    synchronization: { over: 'edges', require: 'some' },
  });
});

test('[HN15][HN19] ways back, and what cannot be reached with its connections, are left out', () => {
  const connections = [
    go('a', 'b'),
    go('b', 'c', 'main', { id: 'mine' }),
    go('c', 'b', 'again'),
    go('b', 'b'),
    go('x', 'c'),
  ];
  const definition = handle(['a', 'x', 'b', 'c'], connections);
  expect(waysOf(definition)).toEqual(['(start)->a', 'a->b', 'b->c']);
  expect(lowerHandle(definition).transitions?.[2]?.id).toBe('mine');
  expect(lowerHandle(definition).nodes.map(({ id }) => id)).toEqual(['(start)', 'a', 'b', 'c']);
  const round = [go('a', 'b'), go('b', 'a')];
  expect(waysOf(handle(['b', 'a'], round))).toEqual(['(start)->b', 'b->a']);
});

test('the hidden node takes no id of the author', () => {
  expect(lowerHandle(handle(['(start)', '((start))'], [])).initialNode).toBe('(((start)))');
});
