import { describe, expect, test } from 'vitest';
import type { ActionSchemas } from '../../../definition/flow/known-schemas.ts';
import { defaultLimits } from '../../../definition/limits.ts';
import { parseDefinition } from '../../parse.ts';

const position = { x: 0, y: 0 };
const node = (id: string, type = 'step', more: object = {}) => ({ id, type, position, ...more });
const edge = (source: string, target: string, more: object = {}) => ({ source, target, ...more });

function problemsOf(
  nodes: readonly object[],
  edges: readonly object[] = [],
  schemas: ActionSchemas = () => undefined,
): string[] {
  const { problems } = parseDefinition({ id: 'drawn', nodes, edges }, { limits: defaultLimits, schemas });
  return problems.map(({ severity, code, pointer, message, hint }) =>
    [`${severity} ${code} ${pointer}: ${message}`, ...(hint === undefined ? [] : [hint])].join(' | '),
  );
}

test('a graph without mistakes has no problems', () => {
  const nodes = [
    node('a', 'MANUAL_TRIGGER'),
    node('b', 'step', { data: { of: '=nodes.a' }, retry: { maxAttempts: 2 } }),
  ];
  expect(problemsOf(nodes, [edge('a', 'b')])).toEqual([]);
});

test('[DR21] settings that do not fit their type are told at their fields, all at once', () => {
  const nodes = [
    node('c', 'core.condition', { data: { conditon: 'true' } }),
    node('t', 'core.timer', { data: {} }),
    node('s', 'core.switch', { data: { cases: [{ handle: 'x' }] } }),
    node('x', 'core.prmpt'),
  ];
  const problems = problemsOf(nodes);
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    'error UNKNOWN_ACTION /nodes/3/type',
    'error UNKNOWN_FIELD /nodes/0/data/conditon',
    'error MISSING_FIELD /nodes/0/data',
    'error MISSING_FIELD /nodes/1/data',
    'error MISSING_FIELD /nodes/2/data/cases/0',
  ]);
});

test('[DR21][DF6] settings are read in every spelling, and run in their own', () => {
  const source = { id: 'drawn', nodes: [node('p', 'core.prompt', { data: { deadline_ms: 5 } })], edges: [] };
  const { definition } = parseDefinition(source, { limits: defaultLimits });
  expect(definition?.nodes[0]).toMatchObject({ data: { deadlineMs: 5 } });
});

test('[DR21] a switch that compares nothing, and a schema that is none, are told', () => {
  const nodes = [
    node('s', 'core.switch', { data: { cases: [{ equals: 1, handle: 'x' }] } }),
    node('p', 'core.prompt', { data: { schema: { type: 'strng' } } }),
  ];
  const places = problemsOf(nodes).map((problem) => problem.split(':')[0]);
  expect(places).toEqual(['error MISSING_FIELD /nodes/0/data/cases', expect.stringContaining(' /nodes/1/data/schema')]);
});

test('[DR22] a parent is a node of the drawing, and none is drawn in itself', () => {
  const nodes = [
    node('a', 'step', { parentId: 'lots' }),
    node('loop', 'core.foreach', { parentId: 'frame', data: { items: '=input' } }),
    node('frame', 'group', { parentId: 'loop' }),
    node('slots', 'group'),
  ];
  expect(problemsOf(nodes)).toEqual([
    'error UNKNOWN_NODE /nodes/0/parentId: Expected the parent of node "a" to be a node, but there is no "lots" | Did you mean "slots"?',
    'error CYCLE /nodes/1/parentId: Expected node "loop" to be drawn in others, but it is drawn in itself',
    'error CYCLE /nodes/2/parentId: Expected node "frame" to be drawn in others, but it is drawn in itself',
  ]);
});

test('[DR23] expressions are checked, and name nodes that there are', () => {
  const nodes = [
    node('fetch'),
    node('b', 'step', { data: { a: '=nodes.fetsh.x', deep: [{ b: '=1 +' }], c: '=other' } }),
    node('c', 'core.condition', { data: { condition: 'nodes.nobody' } }),
    node('s', 'core.switch', { data: { cases: [{ when: 'input.n >', handle: 'x' }] } }),
  ];
  expect(problemsOf(nodes).map((problem) => problem.replace(/, but found .*, in/, ' …, in'))).toEqual([
    'error EXPRESSION_UNKNOWN_NAME /nodes/1/data/a: Expected a node of the graph in nodes, but there is no "fetsh", in node "b" | Did you mean "fetch"?',
    expect.stringContaining('error EXPRESSION_SYNTAX /nodes/1/data/deep/0/b: '),
    expect.stringContaining('error EXPRESSION_UNKNOWN_NAME /nodes/1/data/c: '),
    expect.stringContaining('error EXPRESSION_UNKNOWN_NAME /nodes/2/data/condition: '),
    expect.stringContaining('error EXPRESSION_SYNTAX /nodes/3/data/cases/0/when: '),
  ]);
});

test('[DR24][DR25][DR26] edges: across a container, from a handle that is not there, back without a limit', () => {
  const nodes = [
    node('a'),
    node('each', 'core.foreach', { data: { items: '=input' } }),
    node('inner', 'step', { parentId: 'each' }),
    node('c', 'core.condition', { data: { condition: 'true' } }),
  ];
  const edges = [edge('a', 'inner'), edge('each', 'inner'), edge('c', 'a', { sourceHandle: 'ture' }), edge('a', 'a')];
  expect(problemsOf(nodes, edges)).toEqual([
    'error CROSSES_CONTAINER /edges/0: Expected both ends of edge "a->inner" to be drawn in the same node, but they are not | What runs for each item of a list ends with the item: its results are the output of the node around it.',
    'error UNKNOWN_HANDLE /edges/2/sourceHandle: Expected edge "c->a" to leave a handle of node "c" ("true", "false"), but found "ture" | Did you mean "true"?',
    'error LOOP_WITHOUT_LIMIT /edges/3: Expected a limit for the loop that edge "a->a" leads back by, but there is none | Give the edge "maxIterations" (also in its "data"), or the definition.',
  ]);
});

test('[DR27] a node that no way leads to is told', () => {
  const edges = [edge('b', 'c', { data: { maxIterations: 2 } }), edge('c', 'b', { maxIterations: 2 })];
  expect(problemsOf([node('a'), node('b'), node('c')], edges)).toEqual([
    'warning UNREACHABLE_NODE /nodes/1: Expected a way to node "b" from where a run begins, but there is none',
    'warning UNREACHABLE_NODE /nodes/2: Expected a way to node "c" from where a run begins, but there is none',
  ]);
});

test('[DR28] settings that do not fit the schema of their action, and inputs that nothing gives, are told', () => {
  const properties = { to: { type: 'string' }, count: { type: 'integer' }, body: {} };
  const input = { type: 'object', properties, required: ['to', 'body'], additionalProperties: false };
  const nodes = [node('a'), node('mail', 'mail', { data: { count: 'many', too: '=input.x' } })];
  const schemas: ActionSchemas = (action) => (action === 'mail' ? { input } : undefined);
  const problems = problemsOf(nodes, [edge('a', 'mail', { targetHandle: 'body' })], schemas);
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    'warning FIELD_NOT_IN_SCHEMA /nodes/1/data/too',
    'warning INPUT_MISSING /nodes/1/data',
    'warning INPUT_WRONG_KIND /nodes/1/data/count',
  ]);
  expect(problems[1]).toContain('Expected "to" in the settings of node "mail"');
});

describe('[DR39] a merge that requires all its edges', () => {
  const merge = node('m', 'core.merge', { data: { require: 'all' } });
  const condition = node('c', 'core.condition', { data: { condition: 'input.x' } });
  const way = (source: string, target: string, sourceHandle: string | null = null) => ({
    source,
    target,
    sourceHandle,
  });
  const told = (nodes: readonly object[], edges: readonly object[]) =>
    problemsOf(nodes, edges).filter((problem) => problem.includes('JOIN_NEVER_MET'));

  test('never runs behind both handles of a condition', () => {
    const edges = [way('c', 'a', 'true'), way('c', 'b', 'false'), way('a', 'm'), way('b', 'm')];
    expect(told([condition, node('a', 'step'), node('b', 'step'), merge], edges)).toEqual([
      'warning JOIN_NEVER_MET /edges/3: Expected all edges into node "m" to be taken, since its join requires all, but edge "a->m" and edge "b->m" exclude each other: only one of edge "c->a" and edge "c->b" is taken | Write "require": "some", or lead there by ways that are all taken.',
    ]);
  });

  test('never runs behind a node and its error handle, nor behind a node that no way leads to', () => {
    expect(
      told([node('a', 'step'), node('b', 'step'), merge], [way('a', 'b', 'error'), way('a', 'm'), way('b', 'm')]),
    ).toHaveLength(1);
    const loop = [
      { ...way('x', 'y'), maxIterations: 1 },
      { ...way('y', 'x'), maxIterations: 1 },
    ];
    const nodes = [node('a', 'step'), node('x', 'step'), node('y', 'step'), merge];
    expect(told(nodes, [...loop, way('x', 'm'), way('a', 'm')])).toHaveLength(1);
  });

  test('runs behind ways that are all followed', () => {
    const nodes = [node('a', 'step'), node('b', 'step'), node('d', 'step'), condition, merge];
    expect(told(nodes, [way('a', 'b', 'x'), way('a', 'd', 'y'), way('b', 'm'), way('d', 'm')])).toEqual([]);
    const meeting = [
      way('c', 'a', 'true'),
      way('c', 'b', 'false'),
      way('a', 'd'),
      way('b', 'd'),
      way('d', 'm'),
      way('c', 'm', 'true'),
    ];
    expect(told(nodes, meeting)).toEqual([]);
  });
});
