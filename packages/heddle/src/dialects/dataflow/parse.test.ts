import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { defaultLimits } from '../../definition/limits.ts';
import { Reporter } from '../../definition/reporter.ts';
import type { Catalogue } from '../catalogue/entry.ts';
import { parseDataflow } from './parse.ts';

function parse(json: Json, nodeTypes: Catalogue = {}) {
  const reporter = new Reporter();
  const definition = parseDataflow(json, { limits: defaultLimits, reporter, nodeTypes });
  const problems = reporter.problems.map(
    ({ severity, code, pointer, message, hint }) =>
      `${severity} ${code} ${pointer}: ${message}${hint === undefined ? '' : ` | ${hint}`}`,
  );
  return { definition, problems };
}

function graph(nodes: readonly Json[], edges: readonly Json[] = [], more: Readonly<Record<string, Json>> = {}): Json {
  return { dialect: 'dataflow', id: 'g', nodes, edges, ...more };
}

/** `a.x->b.y` */
function edge(text: string, more: Readonly<Record<string, Json>> = {}): Json {
  const [, source = '', sourceOutput = '', target = '', targetInput = ''] = /^(.+)\.(.+)->(.+)\.(.+)$/.exec(text) ?? [];
  return { source, sourceOutput, target, targetInput, ...more };
}

const node = (id: string, more: Readonly<Record<string, Json>> = {}): Json => ({ id, type: 'work', ...more });

const number = { inputs: [{ name: 'value', type: 'number' }], outputs: [{ name: 'value', type: 'number' }] };
const add = {
  inputs: [
    { name: 'a', type: 'number', required: true },
    { name: 'b', type: 'number' },
    { name: 'more', type: 'number', repeated: true },
  ],
  outputs: [{ name: 'result', type: 'number' }],
};
const types: Catalogue = { number, add, free: { inputs: undefined, outputs: undefined } };

describe('a dataflow definition', () => {
  test('comes out as it is written', () => {
    const definition = {
      dialect: 'dataflow',
      id: 'g',
      version: 3,
      name: 'G',
      description: 'A graph.',
      inputSchema: { type: 'object' },
      nodes: [
        {
          id: '1',
          type: 'my.number',
          name: 'One',
          inputs: [{ name: 'value', type: 'number', value: 5, required: true, description: 'It.' }],
          outputs: [{ name: 'value', type: 'number', description: 'It.' }],
          cost: 2,
          retry: { maxAttempts: 3 },
          timeoutMs: 1_000,
          meta: { colour: 'red' },
        },
        { id: '2', type: 'sum', inputs: [{ name: 'values', type: 'any', repeated: true }] },
      ],
      edges: [
        { id: 'e', source: '1', sourceOutput: 'value', target: '2', targetInput: 'values', meta: 1 },
        { source: '1', sourceOutput: 'value', target: '2', targetInput: 'values' },
      ],
      timeoutMs: 60_000,
      limits: { nodesPerRunMax: 10 },
      meta: [1],
    };
    expect(parse(definition)).toEqual({ definition, problems: [] });
    expect(parse(graph([]))).toEqual({ definition: graph([]), problems: [] });
  });

  test('[DA12] inputs as an object of values by port', () => {
    const { definition, problems } = parse(graph([node('a', { inputs: { x: 1, 'y z': null } })], []));
    expect(problems).toEqual([]);
    expect(definition?.nodes).toEqual([
      {
        id: 'a',
        type: 'work',
        inputs: [
          { name: 'x', value: 1 },
          { name: 'y z', value: null },
        ],
      },
    ]);
  });

  test('[DA10][DA11] a graph as React Flow saves it', () => {
    const drawn = {
      dialect: 'dataflow',
      id: 'g',
      nodes: [
        {
          id: '1',
          type: 'number',
          position: { x: 10, y: 20 },
          data: { label: 'Five', inputs: [{ name: 'value', value: 5 }], outputs: [{ name: 'value' }] },
          measured: { width: 150, height: 40 },
          width: 150,
          height: 40,
          selected: true,
          dragging: false,
          positionAbsolute: { x: 10, y: 20 },
          sourcePosition: 'right',
          targetPosition: 'left',
          style: { color: 'red' },
          className: 'nice',
          zIndex: 1,
          parentId: 'group',
        },
        {
          id: '2',
          type: 'add',
          position: { x: 0, y: 0 },
          data: { inputs: { b: 3 } },
          meta: { mine: true },
        },
        { id: '3', type: 'show', data: {}, inputs: [{ name: 'in', type: 'any' }] },
      ],
      edges: [
        {
          id: 'e1-2',
          type: 'smoothstep',
          source: '1',
          sourceHandle: 'value',
          target: '2',
          targetHandle: 'a',
          animated: true,
          selected: false,
          label: 'five',
          style: {},
          markerEnd: { type: 'arrow' },
          data: { any: 1 },
        },
        { id: 'e1-3', source: '1', sourceHandle: null, target: '3', targetHandle: null },
      ],
      viewport: { x: 0, y: 0, zoom: 1 },
    };
    expect(parse(drawn)).toEqual({
      problems: [],
      definition: {
        dialect: 'dataflow',
        id: 'g',
        nodes: [
          {
            id: '1',
            type: 'number',
            inputs: [{ name: 'value', value: 5 }],
            outputs: [{ name: 'value' }],
            meta: { position: { x: 10, y: 20 } },
          },
          { id: '2', type: 'add', inputs: [{ name: 'b', value: 3 }], meta: { mine: true } },
          { id: '3', type: 'show', inputs: [{ name: 'in', type: 'any' }] },
        ],
        edges: [
          { id: 'e1-2', source: '1', sourceOutput: 'value', target: '2', targetInput: 'a' },
          { id: 'e1-3', source: '1', sourceOutput: 'value', target: '3', targetInput: 'in' },
        ],
      },
    });
  });

  test('[DA13] the ports of a known type are those of its nodes; what a node says of them counts first', () => {
    const { definition, problems } = parse(
      graph(
        [node('n', { type: 'number', inputs: { value: 5 } }), node('s', { type: 'add' }), node('f', { type: 'free' })],
        [edge('n.value->s.a'), edge('n.value->s.more'), edge('f.anything->s.b')],
      ),
      types,
    );
    expect(problems).toEqual([]);
    expect(definition?.nodes).toEqual([
      {
        id: 'n',
        type: 'number',
        inputs: [{ name: 'value', type: 'number', value: 5 }],
        outputs: number.outputs,
      },
      { id: 's', type: 'add', ...add },
      { id: 'f', type: 'free' },
    ]);
  });

  test('reading it again changes nothing', () => {
    const source = graph(
      [
        node('n', { type: 'number', inputs: { value: 5 } }),
        node('s', { type: 'add' }),
        node('f', { inputs: { x: 1 } }),
      ],
      [edge('n.value->s.a'), edge('n.value->f.other')],
    );
    const { definition } = parse(source, types);
    expect(parse(definition as unknown as Json)).toEqual({ definition, problems: [] });
    expect(parse(definition as unknown as Json, types)).toEqual({ definition, problems: [] });
  });
});

interface Case {
  readonly name: string;
  readonly source: Json;
  readonly types?: Catalogue;
  readonly problems: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'nothing of a graph',
    source: { dialect: 'dataflow' },
    problems: [
      'error MISSING_FIELD : Expected a dataflow definition to have "id", but it has none',
      'error MISSING_FIELD : Expected a dataflow definition to have "nodes", but it has none',
    ],
  },
  {
    name: 'no object',
    source: [],
    problems: ['error WRONG_TYPE : Expected a dataflow definition (an object), but found a list'],
  },
  {
    name: 'wrong shapes everywhere, each at its own place',
    source: graph(
      [
        { id: 'a' },
        node('b', { inputs: 5, outputs: {} }),
        node('c', { type: 'not a name', inputs: [{ type: 'x' }, { name: 'p', value: 1, valeu: 2 }] }),
        node('d', { data: { inputs: [{ name: 1 }] } }),
        node('e', { inputs: { x: 1 }, data: { inputs: { x: 2 } } }),
      ],
      [{ source: 'b', sourceHandle: 1, target: 'c', targetPort: 'p' }, { source: 'b' }],
      { initialNode: 'a' },
    ),
    problems: [
      'error MISSING_FIELD /nodes/0: Expected node "a" to have "type", but it has none',
      'error INVALID_NAME /nodes/2/type: Expected "type" of node "c" to be an action name, but found the text "not a name" | Action names begin with a letter and go on with at most 127 letters, digits, "_", "-" or ".".',
      'error WRONG_TYPE /edges/0/sourceHandle: Expected "sourceHandle" of an edge to be a port name, but found 1',
      'error MISSING_FIELD /edges/1: Expected an edge to have "target", but it has none',
      'error UNKNOWN_FIELD /initialNode: Expected only known fields in a dataflow definition, but found "initialNode" | Known are dialect, $schema, id, version, name, description, inputSchema, timeoutMs, limits, meta, nodes, edges, decorative.',
      'error WRONG_TYPE /nodes/1/inputs: Expected "inputs" of node "b" to be a list or an object, but found 5',
      'error WRONG_TYPE /nodes/1/outputs: Expected "outputs" of node "b" to be a list, but found an object',
      'error MISSING_FIELD /nodes/2/inputs/0: Expected an input of node "c" to have "name", but it has none',
      'error UNKNOWN_FIELD /nodes/2/inputs/1/valeu: Expected only known fields in an input of node "c", but found "valeu" | Did you mean "value"?',
      'error WRONG_TYPE /nodes/3/data/inputs/0/name: Expected "name" of node "d" to be a port name, but found 1',
      'error DUPLICATE_FIELD /nodes/4/inputs: Expected only one of them, but found "inputs" and "data.inputs"',
    ],
  },
  {
    name: 'a schema that is none',
    source: graph([], [], { inputSchema: { type: 'nonsense' } }),
    problems: [expect.stringMatching(/^error INVALID_SCHEMA \/inputSchema\/type: /) as string],
  },
  {
    name: '[DF12] ids that are taken',
    source: graph([node('a'), node('a')], [edge('a.x->b.y', { id: 'e' }), edge('a.x->b.y', { id: 'e' })]),
    problems: [
      'error DUPLICATE_ID /nodes/1/id: Expected node ids to be unique, but "a" is also the one at /nodes/0/id',
      'error DUPLICATE_ID /edges/1/id: Expected edge ids to be unique, but "e" is also the one at /edges/0/id',
      'warning UNKNOWN_NODE /edges/0/target: Expected "target" of edge "e" ("a->b") to name a node, but there is no "b"',
      'warning UNKNOWN_NODE /edges/1/target: Expected "target" of edge "e" ("a->b") to name a node, but there is no "b"',
    ],
  },
  {
    name: '[DA12] values by what can be no port',
    source: graph([node('a', { inputs: { constructor: 1, '': 2 } })]),
    problems: [
      'error INVALID_NAME /nodes/0/inputs/constructor: Expected the inputs of node "a" to have port names, but found "constructor" | Port names have 1 to 200 printable characters.',
      'error INVALID_NAME /nodes/0/inputs/: Expected the inputs of node "a" to have port names, but found "" | Port names have 1 to 200 printable characters.',
    ],
  },
  {
    name: '[DA13] ports that the type does not have',
    source: graph([
      node('n', { type: 'number', inputs: { value: 1, valeu: 5 }, outputs: [{ name: 'value' }, { name: 'x' }] }),
      node('f', { type: 'free', inputs: { x: 1 } }),
    ]),
    types,
    problems: [
      'error UNKNOWN_PORT /nodes/0/inputs/valeu: Expected node "n" to have inputs of its type "number", but "valeu" is none | Known are value.',
      'error UNKNOWN_PORT /nodes/0/outputs/1/name: Expected node "n" to have outputs of its type "number", but "x" is none | Known are value.',
    ],
  },
  {
    name: '[DF2] ports of a node that lacks something else',
    source: graph([{ type: 'x', inputs: [{ nmae: 'a' }], data: { outputs: 5 } }]),
    problems: [
      'error MISSING_FIELD /nodes/0: Expected a node to have "id", but it has none',
      'error WRONG_TYPE /nodes/0/data/outputs: Expected "outputs" of a node to be a list, but found 5',
      'error UNKNOWN_FIELD /nodes/0/inputs/0/nmae: Expected only known fields in an input of a node, but found "nmae" | Did you mean "name"?',
      'error MISSING_FIELD /nodes/0/inputs/0: Expected an input of a node to have "name", but it has none',
    ],
  },
  {
    name: '[DA14] ports of one name',
    source: graph([node('a', { inputs: [{ name: 'x' }, { name: 'x' }], outputs: [{ name: 'x' }, { name: 'x' }] })]),
    problems: [
      'error DUPLICATE_ID /nodes/0/inputs/1/name: Expected the inputs of node "a" to have different names, but "x" is there twice',
      'error DUPLICATE_ID /nodes/0/outputs/1/name: Expected the outputs of node "a" to have different names, but "x" is there twice',
    ],
  },
  {
    name: '[DA14] ports of one name, though the type has one of that name',
    source: graph([
      node('s', {
        type: 'add',
        inputs: [{ name: 'a', value: 1 }, { name: 'a' }, { name: 'b' }],
        outputs: [{ name: 'result' }, { name: 'result' }],
      }),
    ]),
    types,
    problems: [
      'error DUPLICATE_ID /nodes/0/inputs/1/name: Expected the inputs of node "s" to have different names, but "a" is there twice',
      'error DUPLICATE_ID /nodes/0/outputs/1/name: Expected the outputs of node "s" to have different names, but "result" is there twice',
      'warning MISSING_INPUT /nodes/0: Expected a value or an edge for the required input "a" of node "s", but it has neither',
    ],
  },
  {
    name: '[DA44] values that do not fit the type of their input',
    source: graph([
      node('n', { type: 'number', inputs: { value: 'hello' } }),
      node('s', {
        type: 'add',
        inputs: [
          { name: 'a', value: null },
          { name: 'more', value: [1, 2, '3'] },
        ],
      }),
      node('o', {
        inputs: [
          { name: 'text', type: 'string', value: 5 },
          { name: 'flag', type: 'boolean', value: 'true' },
        ],
      }),
      node('d', { data: { inputs: [{ name: 'x', type: 'number', value: [1] }] } }),
    ]),
    types,
    problems: [
      'error TYPE_MISMATCH /nodes/0/inputs/value: Expected the value of input "value" of node "n" to be a number, but found the text "hello"',
      'error TYPE_MISMATCH /nodes/1/inputs/0/value: Expected the value of input "a" of node "s" to be a number, but found null',
      'error TYPE_MISMATCH /nodes/1/inputs/1/value/2: Expected the value of input "more" of node "s" to be a number, but found the text "3"',
      'error TYPE_MISMATCH /nodes/2/inputs/0/value: Expected the value of input "text" of node "o" to be a string, but found 5',
      'error TYPE_MISMATCH /nodes/2/inputs/1/value: Expected the value of input "flag" of node "o" to be a boolean, but found the text "true"',
      'error TYPE_MISMATCH /nodes/3/data/inputs/0/value: Expected the value of input "x" of node "d" to be a number, but found a list',
    ],
  },
  {
    name: '[DA44] values that fit: those of a list, tagged numbers, anything where the type is a word of the author',
    source: graph([
      node('n', { type: 'number', inputs: { value: { $number: 'NaN' } } }),
      node('s', { type: 'add', inputs: { a: 1, more: [1, { $number: '-Infinity' }] } }),
      node('t', { type: 'add', inputs: { a: 1, more: 2 } }),
      node('o', {
        inputs: [
          { name: 'text', type: 'string', value: '' },
          { name: 'flag', type: 'boolean', value: false },
          { name: 'image', type: 'image', value: 5 },
          { name: 'any', type: 'any', value: [] },
        ],
      }),
    ]),
    types,
    problems: [],
  },
  {
    name: '[DA16] edges that name no port',
    source: graph(
      [node('a'), node('b', { inputs: [{ name: 'x' }, { name: 'y' }], outputs: [] })],
      [
        { source: 'a', target: 'b' },
        { source: 'b', target: 'a', targetInput: 'x', id: 'back' },
      ],
    ),
    problems: [
      'error MISSING_FIELD /edges/0: Expected edge "a->b" to name the output of node "a" ("sourceOutput"), but it names none',
      'error MISSING_FIELD /edges/0: Expected edge "a->b" to name the input of node "b" ("targetInput"), but it names none | Known are x, y.',
      'error MISSING_FIELD /edges/1: Expected edge "back" ("b->a") to name the output of node "b" ("sourceOutput"), but it names none | It has none.',
      'error CYCLE /edges/0: Expected edges that do not go in circles, but these do: "a" -> "b" -> "a"',
    ],
  },
  {
    name: '[DA10][DA11][DA16] problems of a drawing, in the words of React Flow',
    source: {
      dialect: 'dataflow',
      id: 'g',
      nodes: [node('a', { position: { x: 0, y: 0 } }), node('b', { inputs: [{ name: 'x' }], foo: 1 })],
      edges: [
        { source: 'a', sourceHandle: null, target: 'b', targetHandle: '' },
        { source: 'a', sourceHandle: 'out', target: 'b', targetHandle: 'y', color: 'red' },
        { source: 'a', sourceHandle: 7, target: 'b' },
        { source: 'a', sourceOutput: 'out', target: 'b', targetHandle: 'z' },
      ],
    },
    problems: [
      'error UNKNOWN_FIELD /nodes/1/foo: Expected only known fields in node "b", but found "foo" | Known are id, type, name, inputs, outputs, cost, retry, timeoutMs, meta, data.',
      'error UNKNOWN_FIELD /edges/1/color: Expected only known fields in an edge, but found "color" | Known are id, source, sourceHandle, target, targetHandle, meta, data.',
      'error WRONG_TYPE /edges/2/sourceHandle: Expected "sourceHandle" of an edge to be a port name, but found 7',
      'error MISSING_FIELD /edges/0: Expected edge "a->b" to name the output of node "a" ("sourceHandle"), but it names none',
      'error UNKNOWN_PORT /edges/1/targetHandle: Expected edge "a->b" to name an input of node "b", but it has no "y" | Known are x.',
      'error UNKNOWN_PORT /edges/3/targetHandle: Expected edge "a->b" to name an input of node "b", but it has no "z" | Known are x.',
    ],
  },
  {
    name: '[DA15][DA17] ports that a node with declared ones lacks; one that has only values declares none',
    source: graph(
      [
        node('a', { outputs: [{ name: 'x' }] }),
        node('b', { inputs: [{ name: 'p', required: false }] }),
        node('c', { inputs: { p: 1 } }),
        node('d', { inputs: [{ name: 'p', repeated: true }] }),
        node('e', { inputs: [{ name: 'p', type: 'any' }] }),
        node('f', { inputs: [{ name: 'p' }] }),
      ],
      [
        edge('a.y->c.q'),
        edge('a.x->b.q'),
        edge('a.x->d.q'),
        edge('a.x->e.q'),
        { source: 'a', sourcePort: 'x', target: 'f', targetHandle: 'q' },
      ],
    ),
    problems: [
      'error UNKNOWN_PORT /edges/0/sourceOutput: Expected edge "a->c" to name an output of node "a", but it has no "y" | Known are x.',
      'error UNKNOWN_PORT /edges/1/targetInput: Expected edge "a->b" to name an input of node "b", but it has no "q" | Known are p.',
      'error UNKNOWN_PORT /edges/2/targetInput: Expected edge "a->d" to name an input of node "d", but it has no "q" | Known are p.',
      'error UNKNOWN_PORT /edges/3/targetInput: Expected edge "a->e" to name an input of node "e", but it has no "q" | Known are p.',
      'error UNKNOWN_PORT /edges/4/targetHandle: Expected edge "a->f" to name an input of node "f", but it has no "q" | Known are p.',
    ],
  },
  {
    name: '[DA18] types that differ; "any" and no type fit all',
    source: graph(
      [
        node('a', { outputs: [{ name: 't', type: 'text' }, { name: 'any', type: 'any' }, { name: 'none' }] }),
        node('b', { inputs: [{ name: 'n', type: 'number' }, { name: 'any', type: 'any' }, { name: 'none' }] }),
      ],
      [
        edge('a.t->b.n', { id: 'wrong' }),
        edge('a.any->b.n'),
        edge('a.none->b.n'),
        edge('a.t->b.any'),
        edge('a.t->b.none'),
      ],
    ),
    problems: [
      'error TYPE_MISMATCH /edges/0: Expected edge "wrong" ("a->b") to join ports of one type, but "t" of node "a" is text and "n" of node "b" is number',
    ],
  },
  {
    name: '[DA19] edges from and to nowhere are worth a warning',
    source: graph([node('a')], [edge('a.x->ghost.y'), edge('spirit.x->a.y')]),
    problems: [
      'warning UNKNOWN_NODE /edges/0/target: Expected "target" of edge "a->ghost" to name a node, but there is no "ghost"',
      'warning UNKNOWN_NODE /edges/1/source: Expected "source" of edge "spirit->a" to name a node, but there is no "spirit"',
    ],
  },
  {
    name: '[DA19] but not if a node could not be read: it may be that one',
    source: graph([{ id: 'a' }], [edge('a.x->a2.y')]),
    problems: ['error MISSING_FIELD /nodes/0: Expected node "a" to have "type", but it has none'],
  },
  {
    name: '[DA20] a required input that never gets a value is worth a warning',
    source: graph(
      [node('n', { type: 'number', inputs: { value: 1 } }), node('s', { type: 'add' }), node('t', { type: 'add' })],
      [edge('n.value->s.a')],
    ),
    types,
    problems: [
      'warning MISSING_INPUT /nodes/2: Expected a value or an edge for the required input "a" of node "t", but it has neither',
    ],
  },
  {
    name: '[DA21] circles, each named in order: one around a node, one through a node that is not there, one of many',
    source: graph(
      ['a', 'b', 'c', 'd', 'self', 'behind'].map((id) => node(id)),
      [
        edge('a.x->b.y'),
        edge('b.x->c.y'),
        edge('c.x->d.y'),
        edge('c.x->a.y'),
        edge('d.x->a.y'),
        edge('self.x->self.y', { id: 'loop' }),
        edge('a.x->behind.y'),
        edge('behind.x->ghost.y'),
        edge('ghost.x->behind.y'),
      ],
    ),
    problems: [
      'warning UNKNOWN_NODE /edges/7/target: Expected "target" of edge "behind->ghost" to name a node, but there is no "ghost"',
      'warning UNKNOWN_NODE /edges/8/source: Expected "source" of edge "ghost->behind" to name a node, but there is no "ghost"',
      'error CYCLE /edges/0: Expected edges that do not go in circles, but these do: "a" -> "b" -> "c" -> "a"',
      'error CYCLE /edges/5: Expected edges that do not go in circles, but these do: "self" -> "self"',
      'error CYCLE /edges/7: Expected edges that do not go in circles, but these do: "behind" -> "ghost" -> "behind"',
    ],
  },
  {
    name: '[DA21] a very long circle is cut',
    source: graph(
      Array.from({ length: 100 }, (_, i) => node(`n${i}`)),
      Array.from({ length: 100 }, (_, i) => edge(`n${i}.x->n${(i + 1) % 100}.y`)),
    ),
    problems: [expect.stringMatching(/"n0" -> "n1" .* -> "n48" -> 51 more -> "n0"$/) as string],
  },
];

test.each(cases)('$name', ({ source, types: known, problems }) => {
  expect(parse(source, known).problems).toEqual(problems);
});

test('a definition with an error gives none', () => {
  expect(parse(graph([node('a')], [edge('a.x->a.y')])).definition).toBeNull();
  expect(parse(graph([node('a')], [edge('a.x->b.y')])).definition).not.toBeNull();
});
