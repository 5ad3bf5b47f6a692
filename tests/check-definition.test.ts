import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { arithmeticNodes, createEngine, defineNodeType } from 'heddle';
import { checkDefinition } from 'heddle/check';
import { afterAll, beforeAll, expect, test } from 'vitest';

const send = defineNodeType({
  inputs: { to: { type: 'string', required: true } },
  outputs: { text: { type: 'string' } },
  handles: ['sent', 'bounced'],
  run: ({ inputs }) => ({ text: String(inputs.to) }),
});

const engine = await createEngine({
  nodeTypes: { ...arithmeticNodes, 'mail.send': send },
  actions: {
    score: {
      input: {
        type: 'object',
        required: ['paper'],
        properties: { paper: { type: 'string' } },
        additionalProperties: false,
      },
      run: () => ({ score: 1 }),
    },
  },
});
let known: Parameters<typeof checkDefinition>[1];

beforeAll(async () => {
  known = { nodeTypes: await engine.nodeTypes(), actions: await engine.tasks.actions() };
});
afterAll(() => engine.close());

const here = path.dirname(fileURLToPath(import.meta.url));
const drawing: unknown = JSON.parse(
  readFileSync(path.join(here, '../examples/17-workflow-builder/workflow.json'), 'utf8'),
);

const definitions: readonly [string, unknown][] = [
  ['no definition', 'hello'],
  ['an unknown node', { id: 'a', initialNode: 'x', nodes: [{ id: 'y' }] }],
  ['an input that is missing', { id: 'a', initialNode: 'x', nodes: [{ id: 'x', action: 'score' }] }],
  ['an action that is missing', { id: 'a', initialNode: 'x', nodes: [{ id: 'x', action: 'scor' }] }],
  [
    'ports of two types',
    {
      dialect: 'dataflow',
      id: 'a',
      nodes: [
        { id: 'x', type: 'mail.send', inputs: { to: 'me' } },
        { id: 'y', type: 'add' },
      ],
      edges: [{ source: 'x', sourceOutput: 'text', target: 'y', targetInput: 'a' }],
    },
  ],
  [
    'a handle that is missing',
    {
      id: 'a',
      nodes: [
        { id: 'x', type: 'mail.send', position: { x: 0, y: 0 }, data: {} },
        { id: 'y', type: 'score', position: { x: 0, y: 0 }, data: { paper: 1 } },
      ],
      edges: [{ id: 'e', source: 'x', sourceHandle: 'snt', target: 'y' }],
    },
  ],
  ['a drawing of types that are not known', drawing],
];

test.each(definitions)('[CT7] %s: without an engine the same is told', (_, definition) => {
  const { problems } = checkDefinition(definition, known);
  expect(problems).toEqual(engine.validate(definition));
  expect(problems.length).toBeGreaterThan(0);
});
