// Workflows that a recording has from version 2 of the store on: people, events, batches, credits, and the other
// dialects.

import type { WorkflowDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import { flowNodes } from '../../packages/heddle/src/dialects/handle/nodes/flow-nodes.ts';
import type { NodeExecutors } from '../../packages/heddle/src/dialects/handle/nodes/node-executor.ts';
import type { NewTrigger } from '../../packages/heddle/src/operations/triggers.ts';

export const waitingWorkflows: readonly WorkflowDefinition[] = [
  {
    id: 'ask',
    initialNode: 'question',
    nodes: [
      {
        id: 'question',
        input: { title: 'May it go on?', deadlineMs: 3_600_000, schema: { type: 'object', required: ['approved'] } },
        outputMapping: { 'output.approved': 'result.approved' },
      },
      { id: 'rest', action: 'core.sleep', inputMapping: { ms: '20000' } },
    ],
    transitions: [{ from: 'question', to: 'rest' }],
  },
  {
    id: 'ask-in-vain',
    initialNode: 'question',
    nodes: [
      { id: 'question', input: { title: 'Anybody there?', deadlineMs: 60_000 } },
      { id: 'nobody', outputMapping: { 'output.code': 'state._last_error.code' } },
    ],
    transitions: [{ from: 'question', to: 'nobody', on: 'failure' }],
  },
  {
    id: 'ask-in-turn',
    inputPolicy: 'serial',
    initialNode: 'split',
    nodes: [
      { id: 'split' },
      { id: 'own', input: true, outputMapping: { 'state.own': 'result.approved' } },
      { id: 'child', workflow: 'ask-below', outputMapping: { 'state.below': 'result' } },
      { id: 'together' },
    ],
    transitions: [
      { from: 'split', to: 'child', siblingGroup: 'both' },
      { from: 'split', to: 'own', siblingGroup: 'both' },
      { from: 'own', to: 'together', synchronization: { strategy: 'all', siblingGroup: 'both' } },
      { from: 'child', to: 'together', synchronization: { strategy: 'all', siblingGroup: 'both' } },
    ],
    outputMapping: { done: 'true' },
  },
  {
    id: 'ask-below',
    inputPolicy: 'serial',
    initialNode: 'question',
    nodes: [
      { id: 'question', input: { title: 'And below?' }, outputMapping: { 'output.approved': 'result.approved' } },
      { id: 'rest', action: 'core.sleep', inputMapping: { ms: '20000' } },
    ],
    transitions: [{ from: 'question', to: 'rest' }],
  },
  {
    id: 'await-ready',
    initialNode: 'wait',
    nodes: [
      {
        id: 'wait',
        wait: { event: 'ready', correlation: 'input.order', timeoutMs: 7_200_000 },
        outputMapping: { 'output.by': 'result.by' },
      },
    ],
  },
  {
    id: 'slices',
    initialNode: 'batch',
    nodes: [
      {
        id: 'batch',
        batch: {
          items: 'input.sleeps',
          batchSize: 2,
          parallelBatches: 2,
          merge: { source: '_branch.output.ms', strategy: 'concat' },
        },
        outputMapping: { 'output.slept': 'result' },
      },
      {
        id: 'each',
        action: 'core.sleep',
        inputMapping: { ms: 'input.sleeps[0]', all: 'input.sleeps' },
        outputMapping: { 'state.ms': 'result.all' },
      },
    ],
    transitions: [{ from: 'batch', to: 'each', on: 'slice' }],
  },
  {
    id: 'paid',
    initialNode: 'work',
    nodes: [
      { id: 'work', action: 'core.sleep', cost: 5, inputMapping: { ms: 'input.ms' } },
      { id: 'more', action: 'core.echo', cost: 2 },
    ],
    transitions: [{ from: 'work', to: 'more' }],
    outputMapping: { done: 'true' },
  },
  {
    id: 'unaffordable',
    initialNode: 'work',
    nodes: [{ id: 'work', action: 'core.echo', cost: 1_000 }],
  },
  {
    dialect: 'dataflow',
    id: 'flow',
    nodes: [
      { id: 'in', type: 'core.input' },
      { id: 'sleep', type: 'core.sleep' },
      { id: 'wrong', type: 'core.flaky', inputs: { failures: 9 } },
      { id: 'behind', type: 'core.echo' },
      { id: 'fine', type: 'core.echo' },
    ],
    edges: [
      { source: 'in', sourceOutput: 'ms', target: 'sleep', targetInput: 'ms' },
      { source: 'in', sourceOutput: 'n', target: 'sleep', targetInput: 'n' },
      { source: 'in', sourceOutput: 'n', target: 'wrong', targetInput: 'n' },
      { source: 'wrong', sourceOutput: 'n', target: 'behind', targetInput: 'n' },
      { source: 'sleep', sourceOutput: 'n', target: 'fine', targetInput: 'n' },
    ],
  },
  {
    dialect: 'thread',
    id: 'threads',
    nodes: [
      { id: 'start', type: 'start', initialize: [{ path: 'ms' }, { path: 'items' }] },
      { id: 'both', type: 'fanOut', outputs: ['sleep', 'items'] },
      {
        id: 'sleep',
        type: 'action',
        action: 'core.sleep',
        inputs: [{ to: 'ms', from: 'ms' }],
        outputs: [{ to: 'output.slept', value: true }],
      },
      { id: 'items', type: 'batch', items: 'items', batchSize: 2 },
      { id: 'item', type: 'code', path: 'output.sizes', expression: 'size(context.items)' },
      { id: 'together', type: 'fanIn' },
      { id: 'end', type: 'end', mappings: [{ to: 'all', from: 'output' }] },
    ],
    connectors: [
      { from: 'start', to: 'both' },
      { from: 'both', output: 'sleep', to: 'sleep' },
      { from: 'both', output: 'items', to: 'items' },
      { from: 'items', output: 'process', to: 'item' },
      { from: 'items', output: 'continue', to: 'together' },
      { from: 'sleep', to: 'together' },
      { from: 'together', to: 'end' },
    ],
  },
  ...[20, 1_800].map(
    (seconds): WorkflowDefinition => ({
      dialect: 'handle',
      id: `handles-${seconds}`,
      nodes: [
        { id: '1', type: 'MANUAL_TRIGGER' },
        { id: '2', type: 'STEER', data: {} },
        { id: '3', type: 'WAIT', data: { seconds } },
        { id: '4', type: 'STEER', data: { branch: 'nowhere' } },
      ],
      connections: [
        { fromNodeId: '1', toNodeId: '2' },
        { fromNodeId: '2', toNodeId: '3' },
        { fromNodeId: '3', toNodeId: '4' },
        { fromNodeId: '1', toNodeId: '4' },
      ],
    }),
  ),
];

/** What a node of type STEER says: the handle of its data, and a wait that cannot be read. */
export const executors: NodeExecutors = {
  ...flowNodes,
  STEER: ({ data, context }) => ({
    ...context,
    steered: true,
    ...(data['branch'] === undefined ? { _wait: { seconds: 'soon' } } : { _branch: data['branch'] }),
  }),
};

export const triggers: readonly NewTrigger[] = [
  {
    id: 'on-ready',
    type: 'event',
    event: 'ready',
    workflow: 'line',
    input: { n: '1', ms: '0' },
    filter: "event.correlation == 'A2'",
  },
  { id: 'at-one', type: 'schedule', cron: '0 1 * * *', timeZone: 'UTC', workflow: 'line', input: { n: '2', ms: '0' } },
  { id: 'after-paid', type: 'workflow_finished', source: 'paid', workflow: 'line', input: { n: '3', ms: '0' } },
];
