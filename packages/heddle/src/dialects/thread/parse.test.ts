import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { defaultLimits } from '../../definition/limits.ts';
import { Reporter } from '../../definition/reporter.ts';
import { parseThread } from './parse.ts';

function parse(source: object, limits = defaultLimits) {
  const reporter = new Reporter();
  const definition = parseThread(source as Json, { limits, reporter });
  return { definition, problems: reporter.problems };
}

/** `[code, pointer]` of every problem; warnings begin with `~`. */
const codesOf = (source: object): string[][] =>
  parse(source).problems.map(({ severity, code, pointer }) => [severity === 'warning' ? `~${code}` : code, pointer]);

const thread = (nodes: readonly unknown[], connectors: readonly object[] = [], rest: object = {}): object => ({
  dialect: 'thread',
  id: 'w',
  nodes,
  connectors,
  ...rest,
});

const start = { id: 'start', type: 'start' };
const end = { id: 'end', type: 'end' };
/** A start, one node, and a connector between. */
const with1 = (node: object): object => thread([start, { id: 'n', ...node }], [{ from: 'start', to: 'n' }]);

const whole = thread(
  [
    { id: 'start', type: 'start', initialize: [{ path: 'papers' }, { path: 'a.b', optional: true, default: null }] },
    { id: 'tidy', type: 'edit', upserts: [{ path: 'kind', value: null }], deletes: ['a.b'] },
    { id: 'many', type: 'switch', entries: [{ name: 'y', expression: 'size(context.papers) > 1' }, { name: 'n' }] },
    { id: 'score', type: 'action', action: { name: 'score', version: 2 }, retry: { maxAttempts: 3 }, timeoutMs: 9 },
    { id: 'count', type: 'code', expression: 'size(context.papers)' },
    { id: 'both', type: 'fanOut' },
    { id: 'meet', type: 'fanIn', title: 'Meet', meta: { x: 1 } },
    { id: 'slices', type: 'batch', items: 'papers', batchSize: 10, parallelBatches: 2 },
    { id: 'sub', type: 'gosub', workflow: 'other', version: 3, inputs: [{ to: 'a', from: 'kind' }], outputs: [] },
    { id: 'ask', type: 'input', title: 'Go?', schema: { type: 'object' }, deadlineMs: 5 },
    { id: 'end', type: 'end', mappings: [{ to: 'x', expression: 'context.a', optional: true }] },
  ],
  [
    { from: 'start', to: 'tidy' },
    { from: 'tidy', to: 'many' },
    { from: 'many', output: 'y', to: 'slices' },
    { from: 'many', output: 'n', to: 'both' },
    { from: 'both', output: 'left', to: 'score' },
    { from: 'both', output: 'right', to: 'sub' },
    { from: 'score', to: 'meet' },
    { from: 'sub', to: 'meet' },
    { from: 'meet', to: 'ask' },
    { from: 'ask', to: 'end' },
    { from: 'slices', output: 'process', to: 'count' },
    { from: 'slices', output: 'continue', to: 'end' },
  ],
  { name: 'W', timeoutMs: 7, limits: { nodesPerRunMax: 5 }, meta: { z: 1 }, inputSchema: { type: 'object' } },
);

describe('a definition in the thread dialect', () => {
  test('one of every node is read as it is written', () => {
    expect(parse(whole)).toEqual({ definition: whole, problems: [] });
  });

  test('other spellings are resolved: snake_case, node types in any case, the seed names of fields', () => {
    const { definition, problems } = parse({
      $schema: 'x',
      id: 'w',
      timeout_ms: 5,
      nodes: [
        { id: 'start', type: 'Start' },
        { id: 'f', type: 'fan_out' },
        { id: 'b', type: 'Batch', input_array_path: 'list', batch_size: 2, parallel_batches: 3 },
        { id: 'g', type: 'GOSUB', workflowId: 'other' },
      ],
      connectors: [
        { from: 'start', to: 'f' },
        { from: 'f', output: 'x', to: 'b' },
        { from: 'f', output: 'y', to: 'g' },
      ],
    });
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      dialect: 'thread',
      timeoutMs: 5,
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'f', type: 'fanOut' },
        { id: 'b', type: 'batch', items: 'list', batchSize: 2, parallelBatches: 3 },
        { id: 'g', type: 'gosub', workflow: 'other' },
      ],
    });
    expect(definition).not.toHaveProperty('$schema');
  });

  test('every problem is found at once, with pointers into the own JSON', () => {
    const source = thread(
      [
        { id: 'a', type: 'stat' },
        { id: 'b' },
        7,
        { id: 'c', type: 'gosub' },
        { id: 'd', type: 'batch', inputArrayPath: 'x..y', size: 3 },
      ],
      [{ from: 'a', to: 'zz' }],
    );
    expect(parse(source).problems).toEqual([
      {
        severity: 'error',
        code: 'UNKNOWN_VALUE',
        pointer: '/nodes/0/type',
        message:
          'Expected "type" to be "start" or "end" or "edit" or "switch" or "action" or "code" or "fanOut" or "fanIn" or "batch" or "gosub" or "input", but found the text "stat"',
        hint: 'Did you mean "start"?',
      },
      {
        severity: 'error',
        code: 'MISSING_FIELD',
        pointer: '/nodes/1',
        message: 'Expected a node to have "type", but it has none',
      },
      {
        severity: 'error',
        code: 'WRONG_TYPE',
        pointer: '/nodes/2',
        message: 'Expected "nodes[2]" to be a node (an object), but found 7',
      },
      {
        severity: 'error',
        code: 'MISSING_FIELD',
        pointer: '/nodes/3',
        message: 'Expected node "c" to have "workflow", but it has none',
      },
      {
        severity: 'error',
        code: 'UNKNOWN_FIELD',
        pointer: '/nodes/4/size',
        message: 'Expected only known fields in node "d", but found "size"',
        hint: expect.any(String),
      },
      {
        severity: 'error',
        code: 'UNKNOWN_NODE',
        pointer: '/connectors/0/to',
        message: 'Expected "to" of connector "a->zz" to name a node, but there is no "zz"',
      },
      {
        severity: 'error',
        code: 'INVALID_TARGET',
        pointer: '/nodes/4/inputArrayPath',
        message: 'Expected keys joined by dots, but found "x..y", in node "d"',
      },
    ]);
  });

  test.each([
    ['no node at all', thread([], [{ from: 'a', to: 'b' }]), [['OUT_OF_RANGE', '/nodes']]],
    [
      'two nodes of one id',
      thread([start, start]),
      [
        ['DUPLICATE_ID', '/nodes/1/id'],
        ['START_REPEATED', '/nodes/1'],
      ],
    ],
    ['no start', thread([end]), [['START_MISSING', '/nodes']]],
    [
      'two starts',
      thread([start, { id: 's2', type: 'start' }]),
      [
        ['START_REPEATED', '/nodes/1'],
        ['~UNREACHABLE_NODE', '/nodes/1'],
      ],
    ],
  ])('[TH11] %s', (_, source, problems) => {
    expect(codesOf(source)).toEqual(problems);
  });

  test.each([
    ['into a start', [{ from: 'n', to: 'start' }], [['NOT_ALLOWED', '/connectors/1/to']]],
    ['out of an end', [{ from: 'end', to: 'n' }], [['NOT_ALLOWED', '/connectors/1/from']]],
    ['from nowhere', [{ from: 'm', to: 'n' }], [['UNKNOWN_NODE', '/connectors/1/from']]],
    [
      'an output where there is one',
      [{ from: 'n', output: 'x', to: 'end' }],
      [['UNKNOWN_OUTPUT', '/connectors/1/output']],
    ],
    ['a fan-out without a name', [{ from: 'f', to: 'n' }], [['UNKNOWN_OUTPUT', '/connectors/1']]],
    [
      'a fan-out with a wrong name',
      [{ from: 'g', output: 'lef', to: 'n' }],
      [['UNKNOWN_OUTPUT', '/connectors/1/output']],
    ],
    ['a batch without a name', [{ from: 'b', to: 'n' }], [['UNKNOWN_OUTPUT', '/connectors/1']]],
    [
      'a batch with a wrong name',
      [{ from: 'b', output: 'out', to: 'n' }],
      [['UNKNOWN_OUTPUT', '/connectors/1/output']],
    ],
  ])('[TH12] a connector %s', (_, connectors, problems) => {
    const nodes = [
      start,
      { id: 'n', type: 'edit' },
      end,
      { id: 'f', type: 'fanOut' },
      { id: 'g', type: 'fanOut', outputs: ['left', 'right'] },
      { id: 'b', type: 'batch', items: 'x' },
    ];
    const found = codesOf(thread(nodes, [{ from: 'start', to: 'n' }, ...connectors]));
    expect(found.filter(([code]) => !code?.startsWith('~'))).toEqual(problems);
  });

  test('[TH12] a wrong output is told with the right ones, and with the one that was probably meant', () => {
    const nodes = [start, { id: 'f', type: 'fanOut', outputs: ['left', 'right'] }, end];
    const connectors = [
      { from: 'start', to: 'f' },
      { from: 'f', output: 'lef', to: 'end' },
    ];
    expect(parse(thread(nodes, connectors)).problems[0]).toMatchObject({
      message: 'Expected connector "f:lef->end" to name an output (left, right) of node "f", but found "lef"',
      hint: 'Did you mean "left"?',
    });
  });

  test('[TH12] the outputs of a node have different names', () => {
    const twice = [{ name: 'a', expression: 'true' }, { name: 'a' }];
    const connectors = [
      { from: 'start', to: 'n' },
      { from: 'n', output: 'a', to: 'end' },
    ];
    expect(codesOf(thread([start, { id: 'n', type: 'switch', entries: twice }, end], connectors))).toEqual([
      ['DUPLICATE_ID', '/nodes/1/entries/1/name'],
    ]);
    expect(codesOf(thread([start, { id: 'n', type: 'fanOut', outputs: ['a', 'a'] }, end], connectors))).toEqual([
      ['DUPLICATE_ID', '/nodes/1/outputs/1'],
    ]);
  });

  test('[TH13] an output has one follower', () => {
    const source = thread(
      [start, end, { id: 'end2', type: 'end' }],
      [
        { from: 'start', to: 'end' },
        { from: 'start', to: 'end2' },
      ],
    );
    expect(parse(source).problems).toEqual([
      {
        severity: 'error',
        code: 'DUPLICATE_CONNECTOR',
        pointer: '/connectors/1',
        message: 'Expected one connector to leave node "start", but it leads to "end" and to "end2"',
        hint: 'Use a node of type "fanOut" to go several ways at once.',
      },
    ]);
  });

  test('[TH14] the default of a switch must be connected; an expression on it is a warning', () => {
    const entries = [
      { name: 'a', expression: 'context.a' },
      { name: 'b', expression: 'true' },
    ];
    const source = thread(
      [start, { id: 'n', type: 'switch', entries }, end],
      [
        { from: 'start', to: 'n' },
        { from: 'n', output: 'a', to: 'end' },
      ],
    );
    expect(codesOf(source)).toEqual([
      ['DEFAULT_UNCONNECTED', '/nodes/1/entries/1'],
      ['~NO_EFFECT', '/nodes/1/entries/1/expression'],
    ]);
  });

  test.each([
    [
      'edit',
      { type: 'edit', upserts: [{ path: 'a.__proto__', value: 1 }], deletes: ['a', ''] },
      ['upserts/0/path', 'deletes/1'],
    ],
    ['code', { type: 'code', path: 'constructor', expression: '1' }, ['path']],
    ['code with several', { type: 'code', set: [{ path: 'a[0]', expression: '1' }] }, ['set/0/path']],
    [
      'outputs',
      { type: 'action', action: 'x', outputs: [{ to: '_last_error.a', from: '.' }] },
      ['outputs/0/to', 'outputs/0/from'],
    ],
    ['inputs', { type: 'gosub', workflow: 'x', inputs: [{ to: 'a.', value: 1 }] }, ['inputs/0/to']],
    ['mappings', { type: 'end', mappings: [{ to: '', from: 'a' }] }, ['mappings/0/to']],
    ['batch', { type: 'batch', items: 'prototype' }, ['items']],
  ])('[TH15] a path that leads nowhere good: %s', (_, node, places) => {
    expect(codesOf(with1(node))).toEqual(places.map((place) => ['INVALID_TARGET', `/nodes/1/${place}`]));
  });

  test('[TH15] the paths of a start are those of the context', () => {
    expect(codesOf(thread([{ ...start, initialize: [{ path: '__proto__' }] }]))).toEqual([
      ['INVALID_TARGET', '/nodes/0/initialize/0/path'],
    ]);
  });

  test.each([
    [
      'an edit that does not parse',
      { type: 'edit', upserts: [{ path: 'a', expression: '1 +' }] },
      'upserts/0/expression',
    ],
    ['code that reads what is not there', { type: 'code', expression: 'state.a' }, 'expression'],
    [
      'inputs that read the result',
      { type: 'action', action: 'x', inputs: [{ to: 'a', expression: 'result.a' }] },
      'inputs/0/expression',
    ],
    [
      'outputs that read what is not there',
      { type: 'gosub', workflow: 'x', outputs: [{ to: 'a', expression: 'a.b' }] },
      'outputs/0/expression',
    ],
    [
      'an end that reads the result',
      { type: 'end', mappings: [{ to: 'a', expression: 'result' }] },
      'mappings/0/expression',
    ],
  ])('[TH16] %s', (_, node, place) => {
    expect(codesOf(with1(node))).toEqual([[expect.stringMatching(/^EXPRESSION_/), `/nodes/1/${place}`]]);
  });

  test.each<[string, unknown, [string, string][]]>([
    ['one that fits', { not: { field: 'context.n', op: 'exists' } }, []],
    ['an unknown operator', { and: [{ field: 'context.n', op: 'like' }] }, [['INVALID_CONDITION', '/and/0/op']]],
    ['what is not in scope', { field: 'state.n', op: 'exists' }, [['EXPRESSION_UNKNOWN_NAME', '']]],
    ['a number', 7, [['WRONG_TYPE', '']]],
  ])('[TH16] an entry of a switch as data: %s', (_, expression, expected) => {
    const entries = [{ name: 'a', expression }, { name: 'b' }];
    const nodes = [start, { id: 'if', type: 'switch', entries }];
    const connectors = [
      { from: 'start', to: 'if' },
      { from: 'if', output: 'b', to: 'if' },
    ];
    const found = codesOf({ ...thread(nodes), connectors });
    expect(found).toEqual(expected.map(([code, place]) => [code, `/nodes/1/entries/0/expression${place}`]));
  });

  test('[TH16] expressions read the context, the input, and where they are; outputs also the result', () => {
    const expression = '[context.a, input.a, _branch.index, _batch.index, _trigger.type]';
    const inSlice = (node: object): object =>
      thread(
        [start, { id: 'slices', type: 'batch', items: 'list' }, { id: 'n', ...node }],
        [
          { from: 'start', to: 'slices' },
          { from: 'slices', output: 'process', to: 'n' },
        ],
      );
    const outputs = [{ to: 'a', expression: `${expression}.size() + result` }];
    expect(codesOf(inSlice({ type: 'action', action: 'x', outputs }))).toEqual([]);
    expect(codesOf(inSlice({ type: 'code', expression }))).toEqual([]);
  });

  test('a switch entry that does not compile is found; a blank one is nothing', () => {
    const entries = [{ name: 'a', expression: ' ' }, { name: 'b', expression: 'context..a' }, { name: 'c' }];
    const source = thread(
      [start, { id: 'n', type: 'switch', entries }, end],
      [
        { from: 'start', to: 'n' },
        { from: 'n', output: 'c', to: 'end' },
      ],
    );
    expect(codesOf(source)).toEqual([[expect.stringMatching(/^EXPRESSION_/), '/nodes/1/entries/1/expression']]);
  });

  test('a switch entry is as short as it must be to be compiled where it is not connected', () => {
    const entries = [
      { name: 'a', expression: `true${' '.repeat(defaultLimits.expressionLengthMax - 4)}` },
      { name: 'b' },
    ];
    const source = thread(
      [start, { id: 'n', type: 'switch', entries }, end],
      [
        { from: 'start', to: 'n' },
        { from: 'n', output: 'b', to: 'end' },
      ],
    );
    expect(codesOf(source)).toEqual([[expect.stringMatching(/^EXPRESSION_/), '/nodes/1/entries/0/expression']]);
  });

  test('of alternatives exactly one is written', () => {
    expect(codesOf(with1({ type: 'code' }))).toEqual([['MISSING_FIELD', '/nodes/1']]);
    expect(codesOf(with1({ type: 'code', expression: '1', set: [] }))).toEqual([['DUPLICATE_FIELD', '/nodes/1']]);
    expect(codesOf(with1({ type: 'edit', upserts: [{ path: 'a' }] }))).toEqual([
      ['MISSING_FIELD', '/nodes/1/upserts/0'],
    ]);
    expect(codesOf(with1({ type: 'end', mappings: [{ to: 'a', from: 'a', value: 1 }] }))).toEqual([
      ['DUPLICATE_FIELD', '/nodes/1/mappings/0'],
    ]);
    expect(codesOf(thread([{ ...start, initialize: [{ path: 'a', default: 1, expression: '1' }] }]))).toEqual([
      ['DUPLICATE_FIELD', '/nodes/0/initialize/0'],
    ]);
  });

  test('schemas are looked at', () => {
    expect(codesOf({ ...with1({ type: 'input', schema: { type: 5 } }), inputSchema: { type: 'objekt' } })).toEqual([
      ['INVALID_SCHEMA', expect.stringMatching(/^\/inputSchema/)],
      ['INVALID_SCHEMA', expect.stringMatching(/^\/nodes\/1\/schema/)],
    ]);
  });

  test('a node that no way leads to is a warning', () => {
    const { definition, problems } = parse(thread([start, end]));
    expect(definition).not.toBeNull();
    expect(problems).toEqual([
      {
        severity: 'warning',
        code: 'UNREACHABLE_NODE',
        pointer: '/nodes/1',
        message: 'Expected a way from "start" to node "end", but there is none',
      },
    ]);
  });

  test('fan-outs that take too long to trace are refused', () => {
    const { definition, problems } = parse(whole, { ...defaultLimits, definitionAnalysisMax: 1 });
    expect(definition).toBeNull();
    expect(problems).toMatchObject([{ code: 'LIMIT_EXCEEDED', pointer: '/connectors' }]);
  });
});
