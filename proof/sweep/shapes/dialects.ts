// Dialects: the same engine, drawn otherwise: dataflow, threads, handles.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import type { ScriptedCall } from '../../../packages/heddle/src/testing/scripted-actions.ts';
import { never, type Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const begin = (s: Stage, input: unknown = {}) =>
  s.order('start', (engine) => engine.start('w', input, { idempotencyKey: 'k' }));

// ------------------------------------------------------------------------------------------------------- dataflow

const edge = (text: string): JsonObject => {
  const [source = '', target = ''] = text.split('->');
  return { source, sourceOutput: 'value', target, targetInput: source };
};

const graph = (nodes: string, ...edges: readonly string[]): JsonObject => ({
  dialect: 'dataflow',
  id: 'w',
  nodes: nodes.split(' ').map((id) => ({ id, type: 'work' })),
  edges: edges.map(edge),
});
const diamond = graph('a b c d', 'a->b', 'a->c', 'b->d', 'c->d');

const failsAt =
  (node: string) =>
  ({ nodeId }: ScriptedCall): unknown => {
    if (nodeId === node) throw Object.assign(new Error('no'), { retryable: false });
    return { value: nodeId };
  };

const dataflow: readonly Shape[] = [
  {
    name: 'dataflow: a graph starts',
    definitions: [diamond],
    send: (s) => begin(s),
    makes: 'task.dispatched',
    ends: 'w completed',
  },
  {
    name: 'dataflow: a node with two behind it',
    definitions: [diamond],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'task.completed',
    ends: 'w completed',
  },
  {
    name: 'dataflow: the last of two that a node waits for',
    definitions: [diamond],
    prepare: async (s) => {
      await s.start('w');
      for (const node of ['a', 'c']) await s.answer(node);
    },
    send: (s) => s.answer('b'),
    makes: 'edge_join.completed',
    ends: 'w completed',
  },
  {
    name: 'dataflow: a node fails, and what is behind it is skipped',
    definitions: [diamond],
    answer: failsAt('b'),
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
    },
    send: (s) => s.answer('b'),
    makes: 'task.failed',
    ends: 'w failed',
  },
  {
    name: 'dataflow: a retry takes over what was done',
    definitions: [diamond],
    answer: failsAt('b'),
    prepare: async (s) => {
      await s.start('w');
      for (const node of ['a', 'c', 'b']) await s.answer(node);
    },
    send: (s) => s.order('retry', () => s.run('w').retry()),
    isSaidOnce: true,
    makes: 'workflow.restored',
    ends: 'w failed, w failed',
  },
];

// -------------------------------------------------------------------------------------------------------- threads

const connectors = (...ways: readonly string[]): JsonObject[] =>
  ways.flatMap((way) => {
    const stations = way.split('->');
    return stations.slice(1).map((to, index) => {
      const [from = '', output] = (stations[index] ?? '').split(':');
      return { from, to: to.split(':')[0] ?? '', ...(output === undefined ? {} : { output }) };
    });
  });

const thread = (id: string, nodes: readonly JsonObject[], ...ways: readonly string[]): JsonObject => ({
  dialect: 'thread',
  id,
  nodes: [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end' }],
  connectors: connectors(...ways),
});
const does = (id: string): JsonObject => ({ id, type: 'action', action: 'work', outputs: [{ to: id, from: 'value' }] });

const meeting = thread(
  'w',
  [{ id: 'fan', type: 'fanOut', outputs: ['x', 'y'] }, does('x'), does('y'), { id: 'meet', type: 'fanIn' }, does('z')],
  'start->fan',
  'fan:x->x->meet',
  'fan:y->y->meet',
  'meet->z->end',
);
const slicing = thread(
  'w',
  [
    { id: 'cut', type: 'batch', items: 'list', batchSize: 2 },
    does('toil'),
    { id: 'counted', type: 'edit', upserts: [{ path: 'done', value: 1 }], deletes: [] },
  ],
  'start->cut:process->toil',
  'cut:continue->counted->end',
);
const calling = [
  thread('child', [{ id: 'ask', type: 'input' }], 'start->ask->end'),
  thread('w', [{ id: 'call', type: 'gosub', workflow: 'child' }, does('z')], 'start->call->z->end'),
];

const threads: readonly Shape[] = [
  {
    name: 'threads: a fan starts',
    definitions: [meeting],
    send: (s) => begin(s),
    makes: 'fan_out.started',
    ends: 'w completed',
  },
  {
    name: 'threads: the first of two that meet',
    definitions: [meeting],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('y'),
    makes: 'task.completed',
    ends: 'w completed',
  },
  {
    name: 'threads: the last of two that meet',
    definitions: [meeting],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('y');
    },
    send: (s) => s.answer('x'),
    makes: 'task.completed',
    ends: 'w completed',
  },
  {
    name: 'threads: the last slice',
    definitions: [slicing],
    prepare: async (s) => {
      await s.start('w', { list: [1, 2, 3] });
      await s.answer('toil');
    },
    send: (s) => s.answer('toil'),
    makes: 'batch.completed',
    ends: 'w completed',
  },
  {
    name: 'threads: a gosub asks',
    definitions: calling,
    send: (s) => begin(s),
    reply: () => ({ said: 'yes' }),
    makes: 'input.requested',
    ends: 'child completed, w completed',
  },
  {
    name: 'threads: a gosub is answered',
    definitions: calling,
    prepare: async (s) => {
      await s.start('w');
      await s.notePrompts();
    },
    send: (s) => s.order('reply', () => s.run('w').reply(s.noted('prompt ask'), { said: 'yes' }, { key: 'k' })),
    makes: 'subworkflow.completed',
    ends: 'child completed, w completed',
  },
];

// -------------------------------------------------------------------------------------------------------- handles

const drawing: JsonObject = {
  dialect: 'handle',
  id: 'w',
  nodes: ['a', 'b', 'c'].map((id) => ({ id, type: 'work' })),
  connections: [
    { fromNodeId: 'a', toNodeId: 'b' },
    { fromNodeId: 'a', fromOutput: 'yes', toNodeId: 'c' },
  ],
};

const steered = (name: string, controls: JsonObject, makes: Shape['makes'], more: Partial<Shape> = {}): Shape => ({
  name: `handles: ${name}`,
  definitions: [drawing],
  prepare: (s) => s.start('w', { n: 1 }),
  send: (s) => s.answer('a'),
  answer: ({ nodeId, input }) =>
    nodeId === 'x' ? never : { ...(input['context'] as JsonObject), [nodeId]: 1, ...(nodeId === 'a' ? controls : {}) },
  makes: makes ?? [],
  ends: 'w completed',
  ...more,
});

const handles: readonly Shape[] = [
  steered('a result follows the main handle', {}, 'task.dispatched'),
  steered('a result names a handle', { _branch: 'yes' }, 'task.dispatched'),
  steered('a result names a handle that nothing leaves', { _branch: 'no' }, 'handle.unmatched'),
  steered('a result asks for a wait', { _wait: { seconds: 60 } }, 'token.waiting'),
  steered('a wait that a result asked for is over', { _wait: { seconds: 60 }, _branch: 'yes' }, 'timer.fired', {
    prepare: async (s) => {
      await s.start('w', { n: 1 });
      await s.answer('a');
    },
    send: (s) => s.pass(60_000),
  }),
  steered('a result has control keys that cannot be read', { _wait: 'soon', _branch: 7 }, 'control.ignored'),
];

export const dialects: readonly Shape[] = [...dataflow, ...threads, ...handles];
