// What TypeScript makes of definitions. The compiler is half of the test: `tsc` fails where a line is not as it says.

import { expect, test } from 'vitest';
import { createEngine, type DataflowDefinition, type HandleDefinition, type WorkflowDefinition } from '../index.ts';

const bill: DataflowDefinition = {
  dialect: 'dataflow',
  id: 'bill',
  nodes: [
    { id: 'bill', type: 'core.input' },
    { id: 'tip', type: 'multiply', inputs: { b: 0.1 } },
    { id: 'sum', type: 'add', inputs: [{ name: 'b', value: 1 }, { name: 'a' }], outputs: [{ name: 'result' }] },
  ],
  edges: [
    { source: 'bill', sourceOutput: 'amount', target: 'tip', targetInput: 'a' },
    { source: 'tip', target: 'sum', targetHandle: 'a', sourceHandle: 'result', animated: true },
  ],
};

const greet: HandleDefinition = {
  dialect: 'handle',
  id: 'greet',
  nodes: [
    { id: '1', type: 'MANUAL_TRIGGER' },
    { id: '2', data: { word: 'Hi' } },
  ],
  connections: [{ fromNodeId: '1', toNodeId: '2' }],
};

const drawing: WorkflowDefinition = {
  dialect: 'handle',
  id: 'drawing',
  nodes: [
    { id: 'a', type: 'STEP', position: { x: 1, y: 2 }, data: {} },
    { id: 'b', type: 'STEP', position: { x: 1, y: 9 }, data: {} },
    { id: 'n', type: 'legend', position: { x: 0, y: 0 }, data: {} },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b', sourceHandle: null, targetHandle: null, type: 'smoothstep' }],
  viewport: { x: 0, y: 0, zoom: 1 },
  decorative: ['legend'],
};

/** The type that `toObject()` of React Flow has, in short. */
interface Saved {
  nodes: { id: string; type?: string | undefined; position: { x: number; y: number }; data: Record<string, unknown> }[];
  edges: { id: string; source: string; target: string; sourceHandle?: string | null; targetHandle?: string | null }[];
  viewport: { x: number; y: number; zoom: number };
}
const saved: Saved = {
  nodes: [{ id: 'a', type: 'x', position: { x: 0, y: 0 }, data: {} }],
  edges: [],
  viewport: { x: 0, y: 0, zoom: 1 },
};

/** Its `on` is any text by its type, as in every JSON module. */
const wide = {
  id: 'wide',
  initialNode: 's',
  nodes: [{ id: 's' }, { id: 'j' }],
  transitions: [{ from: 's', to: 'j', on: 'any' }],
};

test('definitions that an author writes, draws or reads are taken', async () => {
  const engine = await createEngine();
  const body: Record<string, unknown> = { nodes: [{ id: 'a', type: 'x' }], connections: [] };
  const file: unknown = JSON.parse('{"id":"text","initialNode":"a","nodes":[{"id":"a"}]}');
  const registered = [
    await engine.register(bill),
    await engine.register(greet),
    await engine.register(drawing),
    await engine.register({ ...saved, dialect: 'handle', id: 'saved' }),
    await engine.register({ ...saved, dialect: 'dataflow', id: 'saved-too' }),
    await engine.register(wide),
    await engine.register(file),
    await engine.register({ id: 'token', initialNode: 'a', nodes: [{ id: 'a' }] }),
    await engine.register({ dialect: 'thread', id: 'thread', nodes: [{ id: 'a', type: 'start' }] }),
    await engine.register({ ...body, dialect: 'handle', id: 'body' }),
    await engine.register({ id: 'guessed', nodes: [{ id: 'a', type: 'x' }], connections: [] }),
  ];
  expect(registered.map(({ version }) => version)).toEqual(registered.map(() => 1));
  await engine.close();
});

test('a slip in one that is written out is underlined, and refused', async () => {
  const engine = await createEngine();
  const refused = [
    // @ts-expect-error: tpye
    await engine.register({ dialect: 'thread', id: 'x', nodes: [{ id: 'a', tpye: 'start' }] }),
    // @ts-expect-error: tpye
    await engine.register({ dialect: 'dataflow', id: 'x', nodes: [{ id: 'a', tpye: 'add' }] }),
    // @ts-expect-error: tpye
    await engine.register({ dialect: 'handle', id: 'x', nodes: [{ id: 'a', tpye: 'STEP' }] }),
    // @ts-expect-error: acton
    await engine.register({ id: 'x', initialNode: 'a', nodes: [{ id: 'a', acton: 'work' }] }),
  ];
  expect(refused.map(({ version }) => version)).toEqual(refused.map(() => null));
  await engine.close();
});
