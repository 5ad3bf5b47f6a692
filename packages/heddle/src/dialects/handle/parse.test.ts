import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { defaultLimits } from '../../definition/limits.ts';
import { Reporter } from '../../definition/reporter.ts';
import { parseHandle } from './parse.ts';

function read(json: Json) {
  const reporter = new Reporter();
  const definition = parseHandle(json, { limits: defaultLimits, reporter });
  return { definition, problems: reporter.problems };
}

/** The problems of a definition in short. */
const problemsOf = (json: Json) => read(json).problems.map(({ code, pointer }) => `${code} ${pointer}`);

const handle = (nodes: Json, connections: Json = [], more: Record<string, Json> = {}) => ({
  dialect: 'handle',
  id: 'w',
  nodes,
  connections,
  ...more,
});

describe('what is read', () => {
  test('[T255][T256][T257][HN24] a connection has both ends and both handles, main where none is named', () => {
    const { definition, problems } = read(
      handle(
        [
          { id: 'a', type: 'HTTP', data: { url: 'x' }, name: 'Get it' },
          { id: 'b', type: 'MAIL' },
        ],
        [
          { fromNodeId: 'a', toNodeId: 'b' },
          { id: 'c2', from_node_id: 'a', to_node_id: 'b', from_output: 'true', to_input: 'left', meta: { n: 1 } },
        ],
        {
          version: 2,
          name: 'W',
          description: 'A w',
          maxNodes: 3,
          timeoutMs: 5,
          limits: { tokensAliveMax: 9 },
          meta: 1,
        },
      ),
    );
    expect(problems).toEqual([]);
    expect(definition).toEqual({
      dialect: 'handle',
      id: 'w',
      version: 2,
      name: 'W',
      description: 'A w',
      nodes: [
        { id: 'a', type: 'HTTP', data: { url: 'x' }, name: 'Get it' },
        { id: 'b', type: 'MAIL' },
      ],
      connections: [
        { fromNodeId: 'a', toNodeId: 'b', fromOutput: 'main', toInput: 'main' },
        { id: 'c2', fromNodeId: 'a', toNodeId: 'b', fromOutput: 'true', toInput: 'left', meta: { n: 1 } },
      ],
      maxNodes: 3,
      timeoutMs: 5,
      limits: { tokensAliveMax: 9 },
      meta: 1,
    });
  });

  test('[HN17] a graph as React Flow saves it', () => {
    const { definition, problems } = read({
      dialect: 'handle',
      id: 'w',
      nodes: [
        {
          id: '1',
          type: 'WEBHOOK_TRIGGER',
          position: { x: 0, y: 5 },
          data: { label: 'Hook' },
          measured: { width: 1, height: 2 },
          selected: false,
        },
        { id: '2', position: { x: 0, y: 5 }, data: {}, style: { width: 3 } },
      ],
      edges: [
        {
          id: 'xy-edge__1-2',
          source: '1',
          target: '2',
          sourceHandle: null,
          targetHandle: 'in',
          animated: true,
          type: 'smoothstep',
          data: {},
        },
      ],
      viewport: { x: 0, y: 0, zoom: 1 },
    });
    expect(problems).toEqual([]);
    expect(definition).toEqual({
      dialect: 'handle',
      id: 'w',
      nodes: [
        { id: '1', type: 'WEBHOOK_TRIGGER', data: { label: 'Hook' } },
        { id: '2', type: 'default', data: {} },
      ],
      connections: [{ id: 'xy-edge__1-2', fromNodeId: '1', toNodeId: '2', fromOutput: 'main', toInput: 'in' }],
    });
  });
});

describe('what is wrong', () => {
  test('[HN18] all of it at once, with pointers into its own JSON', () => {
    expect(
      problemsOf({
        dialect: 'handle',
        id: 'no spaces',
        nodes: [
          { id: 'a', type: 'HTTP' },
          { id: 'a', type: 'not a type', data: [] },
          { id: 'b', type: 'X', datta: {} },
        ],
        edges: [
          { source: 'a', target: 'nobody' },
          { source: 'B', target: 'b', sourceHandle: 7 },
          { id: 'e', source: 'a', target: 'b' },
          { id: 'e', source: 'a' },
        ],
        maxNodes: 51,
        steps: [],
      }),
    ).toEqual([
      'INVALID_NAME /id',
      'INVALID_NAME /nodes/1/type',
      'WRONG_TYPE /nodes/1/data',
      'UNKNOWN_FIELD /nodes/2/datta',
      'WRONG_TYPE /edges/1/sourceHandle',
      'MISSING_FIELD /edges/3',
      'LIMIT_EXCEEDED /maxNodes',
      'UNKNOWN_FIELD /steps',
      'DUPLICATE_ID /nodes/1/id',
      'UNKNOWN_NODE /edges/0/target',
      'UNKNOWN_NODE /edges/1/source',
    ]);
  });

  test.each<[string, Json, string[]]>([
    ['no object', [], ['WRONG_TYPE ']],
    ['no nodes', handle([]), ['OUT_OF_RANGE /nodes']],
    ['no list of nodes', { dialect: 'handle', id: 'w' }, ['MISSING_FIELD ']],
    ['nodes and connections of another kind', handle({}, 'x'), ['WRONG_TYPE /nodes', 'WRONG_TYPE /connections']],
    ['connections twice', handle([{ id: 'a', type: 'X' }], [], { edges: [] }), ['DUPLICATE_FIELD /edges']],
    ['another dialect', { dialect: 'thread', id: 'w', nodes: [{ id: 'a', type: 'X' }] }, ['UNKNOWN_VALUE /dialect']],
    [
      'a handle without a name',
      handle([{ id: 'a', type: 'X' }], [{ fromNodeId: 'a', toNodeId: 'a', toInput: '' }]),
      ['INVALID_NAME /connections/0/toInput'],
    ],
    // What seems unknown may be the node that could not be read.
    ['a node without an id', handle([{ type: 'X' }], [{ fromNodeId: 'a', toNodeId: 'a' }]), ['MISSING_FIELD /nodes/0']],
    ['null', null, ['WRONG_TYPE ']],
  ])('%s', (_, json, expected) => {
    expect(problemsOf(json)).toEqual(expected);
    expect(read(json).definition).toBeNull();
  });

  test('[HN27] nothing but decoration', () => {
    const { problems } = read(
      handle([
        { id: 'a', type: 'note' },
        { id: 'b', type: 'group' },
        { id: 'c', type: 'note' },
      ]),
    );
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'OUT_OF_RANGE',
        pointer: '/nodes',
        message:
          'Expected a node that is more than decoration, but all are of type "note", "group", without connections',
      },
    ]);
  });

  test('[HN18] an unknown node is named, with the one that was probably meant', () => {
    const { problems } = read(handle([{ id: 'fetch', type: 'X' }], [{ fromNodeId: 'fetch', toNodeId: 'fetsch' }]));
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'UNKNOWN_NODE',
        pointer: '/connections/0/toNodeId',
        message: 'Expected both ends of connection "fetch->fetsch" to be nodes, but there is no "fetsch"',
        hint: 'Did you mean "fetch"?',
      },
    ]);
  });
});

test('[HN17] problems of a drawing are in the words of React Flow', () => {
  const { problems } = read({
    dialect: 'handle',
    id: 'w',
    nodes: [{ id: 'a', type: 'X', foo: 1 }],
    edges: [
      { source: 'a', target: 'far', sourceHandle: '', color: 'red' },
      { source: 'a', sourceHandle: 5 },
    ],
  });
  expect(problems.map(({ pointer, message, hint = '' }) => `${pointer}: ${message} | ${hint}`)).toEqual([
    '/nodes/0/foo: Expected only known fields in node "a", but found "foo" | Known are id, type, name, data, meta.',
    '/edges/0/color: Expected only known fields in an edge, but found "color" | Known are data, id, source, target, sourceHandle, targetHandle, meta.',
    '/edges/1/sourceHandle: Expected "sourceHandle" to be the name of a handle, but found 5 | ',
    '/edges/1: Expected an edge to have "target", but it has none | ',
    '/edges/0/target: Expected both ends of edge "a->far" to be nodes, but there is no "far" | ',
  ]);
});

describe('[HN26] more nodes than a run may execute', () => {
  const chain = (length: number, more: Record<string, Json> = {}) => {
    const nodes = Array.from({ length }, (_, n) => ({ id: `n${n}`, type: 'X' }));
    const connections = nodes.slice(1).map(({ id }, n) => ({ fromNodeId: `n${n}`, toNodeId: id }));
    return read(handle([...nodes, { id: 'idle', type: 'X' }], connections, more)).problems.filter(
      ({ code }) => code !== 'UNREACHABLE_NODE',
    );
  };
  const warning = (pointer: string, message: string, hint?: string) => ({
    severity: 'warning',
    code: 'LIMIT_EXCEEDED',
    pointer,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const raise =
    'Limit handleNodesMax: it is the default, raise it with createEngine({ limits: { handleNodesMax: … } }).';
  const raiseThere = 'Limit handleNodesMax: "limits" of workflow w sets it, raise it there.';

  test('are told; as many are not, and those that no way leads to do not count', () => {
    expect(chain(50)).toEqual([]);
    expect(chain(52)).toEqual([
      warning('/nodes', 'Expected a run to reach at most 50 nodes (limit handleNodesMax), but it can reach 52', raise),
    ]);
  });

  test('by its own word', () => {
    expect(chain(3, { maxNodes: 3 })).toEqual([]);
    expect(chain(3, { max_nodes: 2 })).toEqual([
      warning('/max_nodes', 'Expected a run to reach at most 2 nodes (maxNodes), but it can reach 3'),
    ]);
    expect(chain(3, { limits: { handleNodesMax: 1 }, maxNodes: 2 })).toEqual([
      warning(
        '/nodes',
        'Expected a run to reach at most 1 nodes (limit handleNodesMax), but it can reach 3',
        raiseThere,
      ),
    ]);
  });
});

test('[HN19] what never runs is told and does no harm', () => {
  const nodes = ['a', 'b', 'idle', 'behind'].map((id) => ({ id, type: 'X' }));
  const connections = [
    { fromNodeId: 'a', toNodeId: 'b' },
    { fromNodeId: 'b', toNodeId: 'b', fromOutput: 'again' },
    { fromNodeId: 'idle', toNodeId: 'behind' },
  ];
  const { definition, problems } = read(handle(nodes, connections));
  expect(definition).not.toBeNull();
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'UNREACHABLE_NODE',
      pointer: '/nodes/2',
      message: 'Expected a way from "a", where a run begins, to node "idle", but there is none',
    },
    {
      severity: 'warning',
      code: 'UNREACHABLE_NODE',
      pointer: '/nodes/3',
      message: 'Expected a way from "a", where a run begins, to node "behind", but there is none',
    },
    {
      severity: 'warning',
      code: 'NO_EFFECT',
      pointer: '/connections/1',
      message: 'Expected connection "b->b" to lead on, but it leads back, and a node runs only once',
    },
  ]);
});
