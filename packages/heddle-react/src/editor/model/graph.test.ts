import type { JsonObject } from 'heddle';
import { checkDefinition } from 'heddle/check';
import { describe, expect, test } from 'vitest';
import type { Known } from './adapter.ts';
import { adapterOf, adapters } from './adapters.ts';
import {
  connect,
  copyParts,
  drawGraph,
  insertFragment,
  moveNodes,
  readFragment,
  removeParts,
  renameNode,
  writeFragment,
} from './graph.ts';

const { token, thread, handle, dataflow } = adapters;
const known: Known = { nodeTypes: [], actions: [], workflows: [] };

const looped: JsonObject = {
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'core.echo' }, { id: 'b' }],
  transitions: [{ from: 'a', to: 'b', siblingGroup: 'g' }],
};

describe('changes of a graph', () => {
  test('a way back gets a limit, a way into a join joins as the others do', () => {
    expect(token.newEdge(looped, { from: 'b', to: 'a' })).toEqual({ from: 'b', to: 'a', loop: { maxIterations: 10 } });
    const joined = { ...looped, transitions: [{ from: 'a', to: 'b', synchronization: { strategy: 'any' } }] };
    const added = connect(joined, token, { from: 'a', to: 'b' });
    expect(added['transitions']).toEqual([
      { from: 'a', to: 'b', synchronization: { strategy: 'any' } },
      { from: 'a', to: 'b', synchronization: { strategy: 'any' } },
    ]);
  });

  test('what is removed takes its ways along, and another node is the first', () => {
    const left = removeParts(looped, token, { nodes: ['a'], edges: [] });
    expect(left).toEqual({ id: 'w', initialNode: 'b', nodes: [{ id: 'b' }], transitions: [] });
  });

  test('a node is renamed wherever it is named', () => {
    const renamed = renameNode(looped, token, { from: 'a', to: 'start' });
    expect(renamed).toMatchObject({ initialNode: 'start', transitions: [{ from: 'start', to: 'b' }] });
    const drawn = {
      id: 'w',
      nodes: [
        { id: 'load', type: 't', position: { x: 0, y: 0 }, data: {} },
        { id: 'use', type: 't', position: { x: 0, y: 0 }, data: { text: '=nodes.load.orders + nodes.loader' } },
      ],
      edges: [{ id: 'e', source: 'load', target: 'use' }],
    };
    expect(renameNode(drawn, handle, { from: 'load', to: 'read-all' })).toMatchObject({
      nodes: [{ id: 'read-all' }, { data: { text: '=nodes["read-all"].orders + nodes.loader' } }],
      edges: [{ source: 'read-all', target: 'use' }],
    });
  });

  test('what is copied comes out of its text with ids and groups of its own, at its place', () => {
    const fragment = readFragment(writeFragment(copyParts(looped, token, ['a', 'b'])));
    const { definition, added } = insertFragment(looped, token, { fragment: fragment!, at: { x: 40, y: 60 } });
    expect(added).toEqual(['a-2', 'b-2']);
    expect(definition).toMatchObject({
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'a-2', meta: { position: { x: 40, y: 60 } } }, { id: 'b-2' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g' },
        { from: 'a-2', to: 'b-2', siblingGroup: 'g-2' },
      ],
    });
  });

  test('what is in the clipboard and no part of a workflow is not read', () => {
    for (const text of ['hello', '{"a":1}', '{"heddle":{"dialect":"other"}}', '[]'])
      expect(readFragment(text)).toBeNull();
  });

  test('positions are where the dialect keeps them', () => {
    const moved = moveNodes(looped, token, new Map([['a', { x: 1.4, y: 2 }]]));
    expect(moved['nodes']).toEqual([{ id: 'a', action: 'core.echo', meta: { position: { x: 1, y: 2 } } }, { id: 'b' }]);
    const drawn = { id: 'w', nodes: [{ id: 'n', position: { x: 0, y: 0 } }], edges: [] };
    expect(moveNodes(drawn, handle, new Map([['n', { x: 5, y: 6 }]]))['nodes']).toEqual([
      { id: 'n', position: { x: 5, y: 6 } },
    ]);
  });
});

describe('dialects', () => {
  test('a definition is known by its parts', () => {
    expect(adapterOf({ nodes: [] }).dialect).toBe('token');
    expect(adapterOf({ nodes: [], connectors: [] }).dialect).toBe('thread');
    expect(adapterOf({ nodes: [], edges: [] }).dialect).toBe('handle');
    expect(adapterOf({ dialect: 'dataflow', nodes: [], edges: [] }).dialect).toBe('dataflow');
  });

  test.each(Object.values(adapters))('$title: every item of the palette can be added, and is drawn', (adapter) => {
    for (const { fragment } of adapter.palette(known)) {
      const { definition } = insertFragment(adapter.blank('w'), adapter, { fragment, at: { x: 0, y: 0 } });
      const { nodes, edges } = drawGraph(definition, adapter, known);
      expect(nodes.length).toBeGreaterThanOrEqual(fragment.nodes.length);
      expect(edges).toHaveLength(fragment.edges.length);
    }
  });

  test.each(token.palette(known).map((item) => [item.title, item] as const))(
    'Steps and transitions: %s is valid as it is',
    (_, { fragment }) => {
      const { definition } = insertFragment(token.blank('w'), token, { fragment, at: { x: 0, y: 0 } });
      const { problems } = checkDefinition(definition, { nodeTypes: [], actions: [{ name: 'core.echo' }] });
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    },
  );

  test('edges that a dialect does not know are refused with the reason', () => {
    const chart = thread.blank('w');
    expect(thread.refuse(chart, { from: 'end', to: 'start' }, known)).toMatch(/but "end" is an end/);
    const circle = {
      dialect: 'dataflow',
      id: 'w',
      nodes: [{ id: 'a' }, { id: 'b' }],
      edges: [{ source: 'a', target: 'b' }],
    };
    expect(dataflow.refuse(circle, { from: 'b', to: 'a' }, known)).toMatch(/do not go in circles/);
    expect(dataflow.refuse(circle, { from: 'a', to: 'b' }, known)).toBeNull();
    expect(token.refuse(looped, { from: 'a', to: 'b' }, known)).toMatch(/is always taken/);
    expect(token.refuse(looped, { from: 'b', to: 'a' }, known)).toBeNull();
  });
});
