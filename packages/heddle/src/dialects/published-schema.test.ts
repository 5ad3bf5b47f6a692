import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { accepted } from '../definition/definitions.testsuite.ts';
import { defaultLimits } from '../definition/limits.ts';
import { compileSchema } from '../definition/schema.ts';
import type { ObjectShape, Shape } from '../definition/shape.ts';
import { parseDefinition } from './parse.ts';
import { makePublishedSchema, publishedFields, toleratedNames } from './published-schema.testsuite.ts';
import { dialectShapes, dialects } from './published-schema-dialects.testsuite.ts';
import { reactFlowEdgeFields, reactFlowNodeFields } from './react-flow.ts';

const file = new URL('../../schema/definition.schema.json', import.meta.url);
if (process.env['UPDATE_SCHEMA']) {
  writeFileSync(file, JSON.stringify(makePublishedSchema(), null, 2));
  execFileSync('npx', ['biome', 'format', '--write', fileURLToPath(file)]);
}
const published = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;

test('the published schema is the one that the field tables make (UPDATE_SCHEMA=1 writes it)', () => {
  expect(published).toEqual(makePublishedSchema());
});

test('the published schema has the fields of the parser, in every part of every dialect', () => {
  const defs = published['$defs'] as Record<string, JsonObject>;
  const parts = objectsOf(dialects.map((dialect) => dialectShapes[dialect]));
  const namesOf = (schema: JsonObject): string[] => Object.keys(schema['properties'] as JsonObject).toSorted();
  expect(Object.values(defs).map(namesOf).map(String).toSorted()).toEqual(parts.map(fieldNames).map(String).toSorted());
});

function fieldNames(shape: ObjectShape): string[] {
  return [...publishedFields(shape).map(([name]) => name), ...toleratedNames(shape)].toSorted();
}

/** Every object shape inside the shapes that is published, each once. */
function objectsOf(roots: readonly ObjectShape[]): ObjectShape[] {
  const found = new Map<ObjectShape['fields'], ObjectShape>();
  const queue: Shape[] = [...roots];
  for (let shape = queue.pop(); shape !== undefined; shape = queue.pop()) {
    if (shape.type === 'list' || shape.type === 'map') queue.push(shape.of);
    if (shape.type === 'either') queue.push(...shape.of);
    if (shape.type !== 'object' || found.has(shape.fields)) continue;
    found.set(shape.fields, shape);
    queue.push(...publishedFields(shape).map(([, field]) => field.shape));
  }
  return [...found.values()];
}

const compiled = compileSchema(published);
const isAccepted = (definition: Json): boolean => 'check' in compiled && compiled.check(definition).length === 0;
const isParsed = (definition: Json): boolean =>
  parseDefinition(definition, { limits: defaultLimits }).definition !== null;

const drawn = (fields: object): JsonObject => Object.fromEntries(Object.keys(fields).map((name) => [name, { x: 1 }]));

const dataflow: JsonObject = {
  dialect: 'dataflow',
  id: 'sum',
  nodes: [
    { ...drawn(reactFlowNodeFields), id: 'a', type: 'number', inputs: { value: 5 }, meta: { x: 1 } },
    { id: 'b', type: 'sum', inputs: [{ name: 'values', type: 'number', repeated: true }], retry: { maxAttempts: 2 } },
    { id: 'c', type: 'show', position: { x: 1, y: 2 }, data: { inputs: [{ name: 'text' }], label: 'Show' } },
  ],
  edges: [
    { ...drawn(reactFlowEdgeFields), source: 'a', sourceOutput: 'value', target: 'b', targetInput: 'values' },
    { id: 'e', source: 'b', sourceHandle: 'result', target: 'c', targetHandle: null },
  ],
  viewport: { x: 0, y: 0, zoom: 1 },
};

const thread: JsonObject = {
  dialect: 'thread',
  id: 'all-types',
  nodes: [
    { id: 'start', type: 'start', initialize: [{ path: 'n', default: 1 }] },
    { id: 'edit', type: 'edit', upserts: [{ path: 'a', value: null }], deletes: ['n'] },
    { id: 'switch', type: 'switch', entries: [{ name: 'yes', expression: 'context.a == 1' }, { name: 'no' }] },
    { id: 'out', type: 'fanOut', outputs: ['left', 'right'] },
    { id: 'left', type: 'action', action: { name: 'core.echo', version: 1 }, inputs: [{ to: 'x', from: 'a' }] },
    { id: 'right', type: 'code', path: 'b', expression: '1 + 1' },
    { id: 'in', type: 'fanIn' },
    { id: 'batch', type: 'batch', items: 'papers', batchSize: 10 },
    { id: 'set', type: 'code', set: [{ path: 'c', expression: '2' }] },
    { id: 'child', type: 'gosub', workflow: 'other', version: 2 },
    { id: 'ask', type: 'input', title: 'Right?', schema: { type: 'object' } },
    { id: 'end', type: 'end', mappings: [{ to: 'a', from: 'a', optional: true }] },
  ],
  connectors: [
    { from: 'start', to: 'edit' },
    { from: 'edit', to: 'switch' },
    { from: 'switch', output: 'yes', to: 'out' },
    { from: 'switch', output: 'no', to: 'batch' },
    { from: 'out', output: 'left', to: 'left' },
    { from: 'out', output: 'right', to: 'right' },
    { from: 'left', to: 'in' },
    { from: 'right', to: 'in' },
    { from: 'in', to: 'end' },
    { from: 'batch', output: 'process', to: 'set' },
    { from: 'batch', output: 'continue', to: 'child' },
    { from: 'child', to: 'ask' },
    { from: 'ask', to: 'end' },
  ],
};

const handle: JsonObject = {
  dialect: 'handle',
  id: 'greet',
  maxNodes: 20,
  nodes: [{ id: '1', type: 'IF_ELSE', data: { field: 'age' } }, { id: '2' }],
  connections: [{ fromNodeId: '1', fromOutput: 'true', toNodeId: '2', toInput: 'main' }],
};

const reactFlow: JsonObject = {
  dialect: 'handle',
  id: 'drawn',
  nodes: [
    { ...drawn(reactFlowNodeFields), id: '1', data: { label: 'One' } },
    { id: '2', type: 'WAIT' },
  ],
  edges: [{ ...drawn(reactFlowEdgeFields), id: 'e', source: '1', target: '2', sourceHandle: null, targetHandle: '' }],
  viewport: { x: 0, y: 0, zoom: 1 },
};

const withoutDialect = ({ dialect: _, ...rest }: JsonObject): JsonObject => rest;

describe('what the parser accepts, the published schema accepts', () => {
  test.each<{ name: string; definition: unknown }>([
    ...accepted,
    { name: 'a token definition that says so', definition: { ...accepted[0]?.definition, dialect: 'token' } },
    { name: 'a token definition without ways', definition: { id: 'one', initialNode: 'a', nodes: [{ id: 'a' }] } },
    { name: 'dataflow', definition: dataflow },
    { name: 'thread', definition: thread },
    { name: 'thread, told by its connectors', definition: withoutDialect(thread) },
    { name: 'handle', definition: handle },
    { name: 'handle, told by its connections', definition: withoutDialect(handle) },
    { name: 'handle, as React Flow saves it', definition: reactFlow },
    ...definitionsOfExamples(),
    ...definitionsOfGuides(),
  ])('$name', ({ definition }) => {
    expect([isParsed(definition as Json), isAccepted(definition as Json)]).toEqual([true, true]);
  });
});

const root = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const isDefinition = (json: Json): boolean => typeof json === 'object' && json !== null && 'nodes' in json;

function definitionsOfExamples(): { name: string; definition: Json }[] {
  return readdirSync(new URL('examples', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => ({ name: `examples/${path}`, definition: JSON.parse(read(`examples/${path}`)) as Json }))
    .filter(({ definition }) => isDefinition(definition));
}

function definitionsOfGuides(): { name: string; definition: Json }[] {
  return readdirSync(new URL('docs/guide', root)).flatMap((page) =>
    [...read(`docs/guide/${page}`).matchAll(/^```json\n(.*?)^```$/gms)]
      .map(([, code = '']) => ({ name: `docs/guide/${page}`, definition: JSON.parse(code) as Json }))
      .filter(({ definition }) => isDefinition(definition)),
  );
}

test('the examples and the guides have definitions of every dialect', () => {
  const found = [...definitionsOfExamples(), ...definitionsOfGuides()].map(
    ({ definition }) => (definition as JsonObject)['dialect'] ?? 'token',
  );
  expect(new Set<Json>(found)).toEqual(new Set<Json>(dialects));
});

interface Mistake {
  readonly name: string;
  readonly in: JsonObject;
  readonly at: 'nodes' | 'edges' | 'connectors' | 'connections';
  readonly part: Json;
}

const token = { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] };

/** Each is one part more in a definition that both accept. */
const mistakes: readonly Mistake[] = [
  { name: 'a field that is none', in: token, at: 'nodes', part: { id: 'z', retries: 3 } },
  { name: 'a token node with a type', in: token, at: 'nodes', part: { id: 'z', type: 'action' } },
  { name: 'a dataflow node without a type', in: dataflow, at: 'nodes', part: { id: 'z' } },
  { name: 'a dataflow node with an action', in: dataflow, at: 'nodes', part: { id: 'z', action: 'core.echo' } },
  { name: 'a port without a name', in: dataflow, at: 'nodes', part: { id: 'z', type: 't', inputs: [{ type: 'x' }] } },
  { name: 'an output that is a map', in: dataflow, at: 'nodes', part: { id: 'z', type: 't', outputs: { x: 1 } } },
  { name: 'an edge without a target', in: dataflow, at: 'edges', part: { source: 'a' } },
  { name: 'an edge with from', in: dataflow, at: 'edges', part: { source: 'a', target: 'c', from: 'a' } },
  { name: 'a thread node without a type', in: thread, at: 'nodes', part: { id: 'z' } },
  { name: 'a thread node of no known type', in: thread, at: 'nodes', part: { id: 'z', type: 'loop' } },
  { name: 'a thread node without an id', in: thread, at: 'nodes', part: { type: 'fanIn' } },
  { name: 'an edit with the field of a switch', in: thread, at: 'nodes', part: { id: 'z', type: 'edit', entries: [] } },
  { name: 'a switch without entries', in: thread, at: 'nodes', part: { id: 'z', type: 'switch', entries: [] } },
  {
    name: 'an upsert with a value and an expression',
    in: thread,
    at: 'nodes',
    part: { id: 'z', type: 'edit', upserts: [{ path: 'a', value: 1, expression: '1' }] },
  },
  { name: 'a code node that does nothing', in: thread, at: 'nodes', part: { id: 'z', type: 'code' } },
  { name: 'a connector with source', in: thread, at: 'connectors', part: { source: 'edit', to: 'end' } },
  { name: 'a handle node with inputs', in: handle, at: 'nodes', part: { id: 'z', inputs: {} } },
  { name: 'a handle node whose data is a list', in: handle, at: 'nodes', part: { id: 'z', data: [] } },
  { name: 'a connection without an end', in: handle, at: 'connections', part: { fromNodeId: '1' } },
  {
    name: 'a connection with two names for an end',
    in: handle,
    at: 'connections',
    part: { fromNodeId: '1', source: '1', toNodeId: '2' },
  },
  { name: 'an edge of React Flow without a source', in: reactFlow, at: 'edges', part: { target: '2' } },
];

describe('what the parser refuses, the published schema refuses', () => {
  test.each(mistakes)('$name', ({ in: definition, at, part }) => {
    const wrong = { ...definition, [at]: [...(definition[at] as readonly Json[]), part] };
    expect([isAccepted(definition), isAccepted(wrong), isParsed(wrong)]).toEqual([true, false, false]);
  });

  test.each<{ name: string; wrong: JsonObject }>([
    { name: 'a dialect that is none', wrong: { ...token, dialect: 'petri' } },
    { name: 'a thread that says it is a dataflow', wrong: { ...thread, dialect: 'dataflow' } },
    { name: 'a dataflow that says it is a handle graph', wrong: { ...dataflow, dialect: 'handle', nodes: [] } },
    { name: 'edges without a dialect', wrong: withoutDialect(dataflow) },
    { name: 'connectors beside transitions', wrong: { ...withoutDialect(thread), transitions: [] } },
    { name: 'a field of a token definition in a thread', wrong: { ...thread, initialNode: 'start' } },
    { name: 'nothing at all', wrong: {} },
  ])('$name', ({ wrong }) => {
    expect([isAccepted(wrong), isParsed(wrong)]).toEqual([false, false]);
  });
});

// By the definition of the dialect alone: our own validator does not say what is wrong behind an "if".
test.each([
  { dialect: 'token', definition: token },
  { dialect: 'dataflow', definition: dataflow },
  { dialect: 'handle', definition: handle },
])('a mistake in a $dialect definition is told where it is', ({ dialect, definition }) => {
  const own = compileSchema({ $ref: `#/$defs/${dialect}`, $defs: published['$defs'] ?? {} });
  const [first, ...rest] = definition['nodes'] as readonly JsonObject[];
  const wrong = { ...definition, nodes: [{ ...first, retries: 3 }, ...rest] };
  expect('check' in own && own.check(wrong)).toEqual([
    {
      severity: 'error',
      code: 'SCHEMA_MISMATCH',
      pointer: '/nodes/0/retries',
      message: 'Expected /nodes/0/retries to be absent, but found 3',
    },
  ]);
});
