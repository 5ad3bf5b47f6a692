// Workflows of the token dialect that a recording is made of: between them, and the deeds in `first-life.ts`, their runs
// meet every event that version 1 of the store knows.
//
// All work is done by the built-in actions on virtual time, so that whoever opens a recording can go on with it.

import type { TokenDefinition } from '../../packages/heddle/src/dialects/dialect.ts';

const sleeping = {
  action: 'core.sleep',
  inputMapping: { ms: 'item.ms', n: 'item.n' },
  outputMapping: { 'state.n': 'result.n' },
} as const;

/** Fans out over `input.items`, each of which sleeps for its `ms`. */
const fanning = { foreach: { collection: 'input.items', itemVar: 'item' }, siblingGroup: 'items' } as const;
const merging = { source: '_branch.output.n', target: 'state.all', strategy: 'append' } as const;

export const tokenWorkflows: readonly TokenDefinition[] = [
  {
    id: 'line',
    initialNode: 'first',
    nodes: [
      {
        id: 'first',
        action: 'core.echo',
        inputMapping: { n: 'input.n' },
        outputMapping: { 'state.first': 'result.n' },
      },
      {
        id: 'sleep',
        action: 'core.sleep',
        inputMapping: { ms: 'input.ms', n: 'state.first + 1' },
        outputMapping: { 'state.second': 'result.n' },
      },
      { id: 'last' },
    ],
    transitions: [
      { from: 'first', to: 'sleep' },
      { from: 'sleep', to: 'last' },
    ],
    outputMapping: { sum: 'state.first + state.second' },
  },
  {
    id: 'window',
    initialNode: 'split',
    nodes: [{ id: 'split' }, { id: 'each', ...sleeping }, { id: 'together' }],
    transitions: [
      { from: 'split', to: 'each', ...fanning, foreach: { ...fanning.foreach, maxParallel: 2 } },
      { from: 'each', to: 'together', synchronization: { strategy: 'all', siblingGroup: 'items', merge: merging } },
    ],
    outputMapping: { all: 'state.all' },
  },
  {
    id: 'nested',
    initialNode: 'split',
    nodes: [
      { id: 'split' },
      { id: 'inside', outputMapping: { 'state.outer': '_branch.index' } },
      { id: 'each', ...sleeping },
      { id: 'inner' },
      { id: 'outer' },
    ],
    transitions: [
      { from: 'split', to: 'inside', spawnCount: 2, siblingGroup: 'outer' },
      { from: 'inside', to: 'each', ...fanning },
      { from: 'each', to: 'inner', synchronization: { strategy: 'all', siblingGroup: 'items', merge: merging } },
      {
        from: 'inner',
        to: 'outer',
        synchronization: {
          strategy: 'all',
          siblingGroup: 'outer',
          merge: { source: 'state.all', target: 'state.sums', strategy: 'keyed_by_branch' },
        },
      },
    ],
    outputMapping: { sums: 'state.sums' },
  },
  {
    id: 'quorum',
    initialNode: 'split',
    nodes: [
      { id: 'split' },
      { id: 'each', ...sleeping },
      { id: 'check', action: 'core.flaky', inputMapping: { failures: 'item.failures' } },
      { id: 'enough', outputMapping: { 'state.count': 'size(state.all)' } },
    ],
    transitions: [
      { from: 'split', to: 'each', ...fanning },
      { from: 'each', to: 'check' },
      {
        from: 'check',
        to: 'enough',
        synchronization: {
          strategy: { mOfN: 2 },
          siblingGroup: 'items',
          onEarlyComplete: 'abandon',
          timeoutMs: 7_200_000,
          merge: merging,
        },
      },
    ],
    outputMapping: { count: 'state.count' },
  },
  {
    id: 'race',
    initialNode: 'split',
    nodes: [{ id: 'split' }, { id: 'each', ...sleeping }, { id: 'won' }],
    transitions: [
      { from: 'split', to: 'each', ...fanning },
      {
        from: 'each',
        to: 'won',
        synchronization: { strategy: 'any', siblingGroup: 'items', onEarlyComplete: 'cancel', merge: merging },
      },
    ],
    outputMapping: { all: 'state.all' },
  },
  {
    id: 'tolerant',
    initialNode: 'split',
    nodes: [
      { id: 'split' },
      { id: 'each', ...sleeping },
      { id: 'check', action: 'core.flaky', inputMapping: { failures: 'item.failures' } },
      { id: 'dead-end' },
      { id: 'together' },
    ],
    transitions: [
      { from: 'split', to: 'each', ...fanning, onBranchFailure: 'end', maxFailures: 2 },
      { from: 'each', to: 'check', condition: 'item.n != 9' },
      { from: 'each', to: 'dead-end', condition: 'item.n == 9' },
      { from: 'check', to: 'together', synchronization: { strategy: 'all', siblingGroup: 'items', merge: merging } },
    ],
    outputMapping: { all: 'state.all' },
  },
  {
    id: 'in-steps',
    initialNode: 'work',
    nodes: [
      {
        id: 'work',
        action: 'work.in_steps',
        retry: { maxAttempts: 2, initialDelayMs: 1_800_000 },
        outputMapping: { 'output.paid': 'result.paid' },
      },
    ],
    transitions: [],
  },
  { id: 'deployed-late', initialNode: 'work', nodes: [{ id: 'work', action: 'late.work' }], transitions: [] },
  {
    id: 'late-is-handled',
    initialNode: 'split',
    nodes: [{ id: 'split' }, { id: 'each', ...sleeping }, { id: 'together' }, { id: 'apart' }],
    transitions: [
      { from: 'split', to: 'each', ...fanning },
      { from: 'each', to: 'together', synchronization: { siblingGroup: 'items', timeoutMs: 60_000, merge: merging } },
      { from: 'together', to: 'apart', on: 'failure' },
    ],
    outputMapping: { all: 'state.all' },
  },
  ...(['fail', 'proceed_with_available'] as const).map(
    (onTimeout): TokenDefinition => ({
      id: onTimeout === 'fail' ? 'late-fails' : 'late-goes-on',
      initialNode: 'split',
      nodes: [{ id: 'split' }, { id: 'each', ...sleeping }, { id: 'together' }],
      transitions: [
        { from: 'split', to: 'each', ...fanning },
        {
          from: 'each',
          to: 'together',
          synchronization: { strategy: 'all', siblingGroup: 'items', timeoutMs: 60_000, onTimeout, merge: merging },
        },
      ],
      outputMapping: { all: 'state.all' },
    }),
  ),
  {
    id: 'edges',
    initialNode: 'start',
    nodes: [
      { id: 'start' },
      { id: 'left', action: 'core.sleep', inputMapping: { ms: 'input.ms' } },
      { id: 'right', outputMapping: { 'state.right': 'true' } },
      { id: 'never' },
      { id: 'skipped' },
      { id: 'join', outputMapping: { 'state.joined': 'true' } },
    ],
    transitions: [
      { from: 'start', to: 'left' },
      { from: 'start', to: 'right' },
      { from: 'right', to: 'never', condition: 'input.ms < 0' },
      { from: 'right', to: 'join', synchronization: { over: 'edges' } },
      { from: 'left', to: 'join', synchronization: { over: 'edges' } },
      { from: 'never', to: 'join', synchronization: { over: 'edges' } },
      { from: 'never', to: 'skipped', synchronization: { over: 'edges', require: 'all' } },
      { from: 'left', to: 'skipped', condition: 'input.ms < 0', synchronization: { over: 'edges', require: 'all' } },
    ],
    outputMapping: { joined: 'state.joined' },
  },
  {
    id: 'rounds',
    initialNode: 'count',
    nodes: [
      {
        id: 'count',
        action: 'core.flaky',
        inputMapping: { failures: 'input.failures', n: 'has(state.n) ? state.n + 1 : 1' },
        outputMapping: { 'state.n': 'result.n' },
        retry: { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 1_000, maxDelayMs: 3_600_000, jitter: 0.5 },
      },
      { id: 'done' },
    ],
    transitions: [
      { from: 'count', to: 'count', priority: 0, condition: 'state.n < 3', loop: { maxIterations: 5 } },
      { from: 'count', to: 'done', priority: 1 },
    ],
    outputMapping: { n: 'state.n' },
  },
  {
    id: 'patient',
    initialNode: 'try',
    nodes: [
      {
        id: 'try',
        action: 'core.flaky',
        inputMapping: { failures: '1', n: '7' },
        outputMapping: { 'output.n': 'result.n' },
        retry: { maxAttempts: 2, backoff: 'none', initialDelayMs: 1_800_000 },
      },
    ],
  },
  {
    id: 'parent',
    initialNode: 'call',
    nodes: [
      {
        id: 'call',
        workflow: { id: 'line', onFailure: 'catch', timeoutMs: 60_000 },
        inputMapping: { n: 'input.n', ms: 'input.ms' },
        outputMapping: { 'state.child': 'result' },
      },
      { id: 'rest', action: 'core.sleep', inputMapping: { ms: 'input.restMs' } },
    ],
    transitions: [{ from: 'call', to: 'rest' }],
    outputMapping: { status: "has(state.child.status) ? state.child.status : 'fine'" },
  },
  {
    id: 'grandparent',
    initialNode: 'call',
    nodes: [
      {
        id: 'call',
        workflow: 'line',
        inputMapping: { n: 'input.n', ms: 'input.ms' },
        outputMapping: { 'output.child': 'result' },
      },
    ],
  },
  {
    id: 'failing',
    initialNode: 'try',
    nodes: [
      { id: 'try', action: 'core.fail', inputMapping: { code: "'NO_LUCK'" } },
      { id: 'mend', outputMapping: { 'output.code': 'state._last_error.code' } },
    ],
    transitions: [{ from: 'try', to: 'mend', on: 'failure', condition: 'input.handled' }],
  },
  {
    id: 'waiting',
    initialNode: 'wait',
    nodes: [
      { id: 'wait', wait: { seconds: 'input.seconds' } },
      { id: 'then', outputMapping: { 'output.waited': 'input.seconds' } },
    ],
    transitions: [{ from: 'wait', to: 'then' }],
  },
  {
    id: 'hasty',
    initialNode: 'sleep',
    timeoutMs: 120_000,
    nodes: [{ id: 'sleep', action: 'core.sleep', inputMapping: { ms: '1800000' } }],
  },
  {
    id: 'large',
    initialNode: 'split',
    nodes: [
      { id: 'split' },
      {
        id: 'each',
        action: 'core.sleep',
        inputMapping: { ms: 'item.ms', n: 'item.n', text: 'input.text' },
        outputMapping: { 'state.n': 'result.n', 'state.length': 'size(result.text)' },
      },
      { id: 'enough', wait: { seconds: 60 } },
      { id: 'then', outputMapping: { 'output.all': 'state.all' } },
    ],
    transitions: [
      { from: 'split', to: 'each', ...fanning },
      {
        from: 'each',
        to: 'enough',
        synchronization: {
          strategy: { mOfN: 14 },
          siblingGroup: 'items',
          onEarlyComplete: 'abandon',
          timeoutMs: 7_200_000,
          merge: merging,
        },
      },
      { from: 'enough', to: 'then' },
    ],
  },
];
