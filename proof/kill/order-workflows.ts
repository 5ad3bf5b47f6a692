// OrderWorkflows: an order with its sub-run: retries, nested fan-outs, a timer, a loop, and an end that may fail; and what is
// shipped when an order is paid.

import type { WorkflowDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import { collect, retry } from './workflow-parts.ts';

/** Per item a flaky task, a nested fan-out and a sub-run; then a timer, a loop, and an end that may fail or be mended. */
export const order: WorkflowDefinition = {
  id: 'order',
  initialNode: 'begin',
  nodes: [
    { id: 'begin', outputMapping: { 'state.rounds': '[]' } },
    {
      id: 'fetch',
      action: 'work',
      inputMapping: { name: '"fetch"', item: 'item', failures: 'input.failures' },
      outputMapping: { 'state.fetched': 'result.value' },
      retry,
    },
    {
      id: 'score',
      action: 'work',
      inputMapping: { name: '"score"', item: 'state.fetched', index: '_branch.index', outer: '_branch.parent.index' },
      outputMapping: { 'state.score': 'result.value' },
    },
    { id: 'scored' },
    {
      id: 'check',
      workflow: 'check',
      inputMapping: { scores: 'state.scores', failures: 'input.failures' },
      outputMapping: { 'state.verdict': 'result.verdict' },
      retry,
    },
    { id: 'checked', wait: { seconds: 0.02 } },
    {
      id: 'refine',
      action: 'work',
      inputMapping: { name: '"refine"', item: 'state.rounds' },
      outputMapping: { 'state.rounds': 'state.rounds + [result.value]' },
    },
    { id: 'charge', action: 'work', inputMapping: { name: '"charge"', broken: 'input.broken' } },
    {
      id: 'refund',
      action: 'work',
      inputMapping: { name: '"refund"', item: 'state._last_error.code', broken: 'input.broken == "twice"' },
      outputMapping: { 'state.refund': 'result.value' },
    },
    { id: 'done' },
  ],
  transitions: [
    {
      from: 'begin',
      to: 'fetch',
      foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 2 },
      siblingGroup: 'items',
    },
    { from: 'fetch', to: 'score', spawnCount: 2, siblingGroup: 'scores' },
    { from: 'score', to: 'scored', synchronization: collect('scores', 'score') },
    { from: 'scored', to: 'check' },
    { from: 'check', to: 'checked', synchronization: collect('items', 'verdict') },
    { from: 'checked', to: 'refine' },
    { from: 'refine', to: 'refine', loop: { maxIterations: 2 }, priority: 1 },
    { from: 'refine', to: 'charge', priority: 2 },
    { from: 'charge', to: 'done' },
    { from: 'charge', to: 'refund', on: 'failure' },
    { from: 'refund', to: 'done' },
  ],
  outputMapping: { verdicts: 'state.verdicts', rounds: 'state.rounds', refund: 'state.refund' },
};

/** The sub-run of an order: a timer, and a task that fails at first. */
export const check: WorkflowDefinition = {
  id: 'check',
  initialNode: 'pause',
  nodes: [
    { id: 'pause', wait: { seconds: 0.01 } },
    {
      id: 'judge',
      action: 'work',
      inputMapping: { name: '"judge"', item: 'input.scores', failures: 'input.failures' },
      outputMapping: { 'output.verdict': 'result.value' },
      retry,
    },
  ],
  transitions: [{ from: 'pause', to: 'judge' }],
};

/** Started by an event, and by the end of that run. */
export const ship: WorkflowDefinition = {
  id: 'ship',
  initialNode: 'send',
  nodes: [
    {
      id: 'send',
      action: 'work',
      inputMapping: { name: '"ship"', item: 'input.order' },
      outputMapping: { 'output.order': 'input.order' },
    },
  ],
};

export const thank: WorkflowDefinition = {
  id: 'thank',
  initialNode: 'write',
  nodes: [{ id: 'write', outputMapping: { 'output.order': 'input.order' } }],
};
