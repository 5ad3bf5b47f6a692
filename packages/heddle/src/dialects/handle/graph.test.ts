import { describe, expect, test } from 'vitest';
import {
  buildAdjacencyMap,
  buildNodeMap,
  type Connection,
  findEntryNode,
  getNextNodeIds,
  topologicalSort,
  walkConnections,
} from './graph.ts';

const go = (fromNodeId: string, toNodeId: string, fromOutput?: string | null): Connection => ({
  fromNodeId,
  toNodeId,
  ...(fromOutput === undefined ? {} : { fromOutput }),
});
const nodesOf = (...ids: string[]) => ids.map((id) => ({ id }));

describe('adjacency', () => {
  test('[T256][T258][T259][HN24] node to handle to targets, in connection order; no handle is main', () => {
    const connections = [
      go('a', 'z'),
      go('b', 'x', 'true'),
      go('a', 'y', 'main'),
      go('b', 'y', 'false'),
      go('a', 'x', null),
    ];
    expect(buildAdjacencyMap(connections)).toEqual(
      new Map([
        ['a', new Map([['main', ['z', 'y', 'x']]])],
        [
          'b',
          new Map([
            ['true', ['x']],
            ['false', ['y']],
          ]),
        ],
      ]),
    );
  });

  test('[T260][T261][T262] the targets of a handle, of main by default, none where there is none', () => {
    const adjacency = buildAdjacencyMap([go('a', 'b'), go('a', 'c', 'true'), go('a', 'd', 'true')]);
    expect(getNextNodeIds(adjacency, 'a', 'true')).toEqual(['c', 'd']);
    expect(getNextNodeIds(adjacency, 'a')).toEqual(['b']);
    expect(getNextNodeIds(adjacency, 'a', 'false')).toEqual([]);
    expect(getNextNodeIds(adjacency, 'nobody')).toEqual([]);
  });

  test('[T263] nodes by id', () => {
    const [a, b] = [
      { id: 'a', type: 'X' },
      { id: 'b', type: 'Y' },
    ];
    expect(buildNodeMap([a, b])).toEqual(
      new Map([
        ['a', a],
        ['b', b],
      ]),
    );
  });
});

describe('the entry', () => {
  const typed = (id: string, type: string) => ({ id, type });

  test('[T264][HN13] the node that no connection leads to', () => {
    expect(findEntryNode(nodesOf('b', 'a'), [go('a', 'b')])).toEqual({ id: 'a' });
  });

  test.each(['MANUAL_TRIGGER', 'webhookTrigger', 'trigger.cron', 'INITIAL', 'initial'])(
    '[T265][HN13] of several a trigger: %s',
    (type) => {
      const nodes = [typed('a', 'HTTP'), typed('b', type), typed('c', 'MANUAL_TRIGGER')];
      expect(findEntryNode(nodes, [])?.id).toBe('b');
    },
  );

  test('[T266][HN13] of several without a trigger the first', () => {
    const nodes = [typed('a', 'INITIALIZE'), typed('b', 'HTTP'), typed('c', 'HTTP')];
    expect(findEntryNode(nodes, [go('b', 'c')])?.id).toBe('a');
  });

  test('[T267][HN13] if connections lead to every node, the first of the list, though another is a trigger', () => {
    const nodes = [typed('a', 'HTTP'), typed('b', 'MANUAL_TRIGGER')];
    expect(findEntryNode(nodes, [go('a', 'b'), go('b', 'a')])?.id).toBe('a');
  });

  test('of no nodes none', () => {
    expect(findEntryNode([], [])).toBeNull();
  });
});

describe('the topological order', () => {
  test('[T294][HN14] every node after those that lead to it', () => {
    const connections = [go('c', 'b'), go('a', 'c', 'true'), go('a', 'b'), go('b', 'd'), go('a', 'nobody')];
    expect(topologicalSort(nodesOf('d', 'b', 'e', 'a', 'c'), connections)).toEqual(nodesOf('e', 'a', 'c', 'b', 'd'));
  });

  test('[T294][HN14] without connections the nodes as they are', () => {
    expect(topologicalSort(nodesOf('b', 'a'), [])).toEqual(nodesOf('b', 'a'));
  });

  test.each([
    ['of two', [go('a', 'b'), go('b', 'c'), go('c', 'b')], 'nodes "b", "c" are'],
    ['of one', [go('a', 'a')], 'nodes "a" are'],
  ])('[HN14] a cycle %s is refused, naming its nodes', (_, connections, named) => {
    expect(() => topologicalSort(nodesOf('a', 'b', 'c'), connections)).toThrow(named);
  });
});

describe('the walk', () => {
  test('[HN15] ways back are found depth first, in the order of the connections; what only meets again is none', () => {
    const connections = [
      go('a', 'b'),
      go('a', 'c'),
      go('b', 'd'),
      go('c', 'd'),
      go('d', 'b', 'again'),
      go('c', 'c'),
      go('d', 'a'),
      go('b', 'c'),
      go('c', 'b'),
      go('x', 'b'),
    ];
    const { reached, back } = walkConnections('a', connections);
    expect([...reached].toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect([...back].map(({ fromNodeId, toNodeId }) => `${fromNodeId}->${toNodeId}`).toSorted()).toEqual([
      'c->b',
      'c->c',
      'd->a',
      'd->b',
    ]);
  });

  test('[HN15] a chain of a hundred thousand nodes is walked', () => {
    const chain = Array.from({ length: 100_000 }, (_, n) => go(`${n}`, `${n + 1}`));
    expect(walkConnections('0', chain).reached.size).toBe(100_001);
  });
});
