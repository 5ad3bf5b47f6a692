// Definitions that several tests share: each one is right in every respect.

import type { Definition } from './definition.ts';

export interface Named {
  readonly name: string;
  readonly definition: Definition;
}

export const scorePapers: Definition = {
  id: 'score-papers',
  version: 1,
  initialNode: 'fetch',
  inputSchema: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  nodes: [
    {
      id: 'fetch',
      action: 'fetch',
      inputMapping: { url: 'input.url' },
      outputMapping: { 'state.papers': 'result.body.items' },
      retry: { maxAttempts: 5, backoff: 'exponential', initialDelayMs: 200, maxDelayMs: 10_000 },
      timeoutMs: 30_000,
    },
    {
      id: 'score',
      action: 'score',
      inputMapping: { paper: 'paper' },
      outputMapping: { 'state.score': 'result.score' },
    },
    { id: 'approve', action: { name: 'approve', version: 2 }, outputMapping: { 'state.approval': 'result' } },
    {
      id: 'publish',
      workflow: { id: 'publish', version: 3, onFailure: 'catch', timeoutMs: 60_000 },
      inputMapping: { scores: 'state.scores' },
    },
    { id: 'cool-off', wait: { seconds: 3600 } },
    { id: 'done' },
  ],
  transitions: [
    {
      from: 'fetch',
      to: 'score',
      foreach: { collection: 'state.papers', itemVar: 'paper' },
      siblingGroup: 'papers',
    },
    {
      from: 'score',
      to: 'approve',
      synchronization: {
        siblingGroup: 'papers',
        strategy: 'all',
        timeoutMs: 600_000,
        onTimeout: 'proceed_with_available',
        merge: { source: '_branch.output.score', target: 'state.scores', strategy: 'append' },
      },
    },
    { from: 'approve', to: 'publish', priority: 1, condition: 'state.approval.ok' },
    { from: 'approve', to: 'cool-off', priority: 2 },
    { from: 'cool-off', to: 'approve', loop: { maxIterations: 3 }, priority: 1 },
    { from: 'cool-off', to: 'done', priority: 2 },
    { from: 'publish', to: 'done' },
    { from: 'fetch', to: 'done', on: 'failure' },
  ],
  outputMapping: { scores: 'state.scores' },
};

const linear: Definition = {
  id: 'linear',
  name: 'Linear',
  description: 'One after the other.',
  initialNode: '1',
  nodes: [{ id: '1', action: 'core.echo', meta: { x: 10, y: 20 } }, { id: 'f7c1d3e0-0001' }],
  transitions: [{ id: 'only', from: '1', to: 'f7c1d3e0-0001', meta: { label: 'then' } }],
  meta: { colour: 'blue' },
};

const branch: Definition = {
  id: 'branch',
  initialNode: 'look',
  nodes: [{ id: 'look', action: 'look' }, { id: 'left' }, { id: 'right' }, { id: 'repair' }],
  transitions: [
    { from: 'look', to: 'left', priority: -1, condition: { field: 'result.n', op: '>', value: 3 } },
    { from: 'look', to: 'right', priority: 0, condition: true },
    { from: 'look', to: 'repair', on: 'any', condition: "has(state._last_error) && state._last_error.code == 'X'" },
  ],
};

const nested: Definition = {
  id: 'nested',
  initialNode: 'start',
  nodes: [{ id: 'start' }, { id: 'outer' }, { id: 'inner' }, { id: 'gather' }, { id: 'end' }],
  transitions: [
    { from: 'start', to: 'outer', spawnCount: 3, siblingGroup: 'rows', onBranchFailure: 'end', maxFailures: 1 },
    { from: 'outer', to: 'inner', foreach: { collection: 'input.cells', itemVar: 'cell', maxParallel: 4 } },
    {
      from: 'inner',
      to: 'gather',
      synchronization: { siblingGroup: 'outer', strategy: { mOfN: 'size(input.cells)' } },
    },
    {
      from: 'gather',
      to: 'end',
      synchronization: { siblingGroup: 'rows', strategy: { mOfN: 2 }, onEarlyComplete: 'abandon', timeoutMs: 0 },
    },
  ],
  limits: { branchesPerFanOutMax: 1_000 },
  timeoutMs: 86_400_000,
};

const edges: Definition = {
  id: 'edges',
  initialNode: 'a',
  nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }],
  transitions: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
    { from: 'b', to: 'd', synchronization: { over: 'edges', require: 'all' } },
    { from: 'c', to: 'd', synchronization: { over: 'edges', require: 'all' } },
  ],
};

const waits: Definition = {
  id: 'waits',
  initialNode: 'until',
  stateSchema: { type: 'object', properties: { n: { type: 'number' } } },
  outputSchema: true,
  nodes: [
    { id: 'until', wait: { until: 'input.due' } },
    { id: 'fixed', wait: { until: 1_900_000_000_000 } },
    { id: 'computed', wait: { seconds: 'input.n * 60' } },
    { id: 'child', workflow: 'other', retry: { maxAttempts: 2, jitter: 0.5, retryableErrors: ['X'] } },
  ],
  transitions: [
    { from: 'until', to: 'fixed' },
    { from: 'fixed', to: 'computed' },
    { from: 'computed', to: 'child' },
  ],
};

const others: Definition = {
  id: 'others',
  initialNode: 'approve',
  inputPolicy: 'serial',
  nodes: [
    { id: 'approve', input: { title: 'Publish?', schema: { type: 'object' }, deadlineMs: 86_400_000 } },
    { id: 'comment', input: true, outputMapping: { 'state.papers': 'result' } },
    { id: 'paid', wait: { event: 'payment.received', correlation: 'input.order', timeoutMs: 1_000 } },
    {
      id: 'papers',
      batch: {
        items: 'state.papers',
        batchSize: 100,
        parallelBatches: 4,
        merge: { source: '_branch.output.score', target: 'state.scores', strategy: 'append' },
      },
      outputMapping: { 'state.count': 'size(result)' },
    },
    { id: 'score', action: 'score', inputMapping: { papers: 'state.papers', first: '_batch.start' } },
    { id: 'rest', batch: { items: 'input.rest', batchSize: 0, merge: { strategy: 'output_merge' } } },
  ],
  transitions: [
    { from: 'approve', to: 'comment' },
    { from: 'comment', to: 'paid' },
    { from: 'paid', to: 'papers' },
    { from: 'papers', to: 'score', on: 'slice', onBranchFailure: 'end', maxFailures: 3 },
    { from: 'papers', to: 'rest' },
    { from: 'rest', to: 'score', on: 'slice' },
  ],
};

export const accepted: readonly Named[] = [scorePapers, linear, branch, nested, edges, waits, others].map(
  (definition) => ({
    name: definition.id,
    definition,
  }),
);
