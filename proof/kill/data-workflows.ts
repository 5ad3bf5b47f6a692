// DataWorkflows: runs with slices, credits, large results and artifacts.

import type { WorkflowDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import { retry } from './workflow-parts.ts';

/** Slices, each with a task that is paid for. */
export const bulk: WorkflowDefinition = {
  id: 'bulk',
  initialNode: 'letters',
  nodes: [
    {
      id: 'letters',
      batch: {
        items: 'input.items',
        batchSize: 2,
        parallelBatches: 2,
        merge: { source: '_branch.output.sent', strategy: 'append' },
      },
      outputMapping: { 'output.sent': 'result' },
    },
    {
      id: 'send',
      action: 'work',
      cost: 3,
      inputMapping: { name: '"send"', item: 'input.items', index: '_batch.index', failures: 'input.failures' },
      outputMapping: { 'state.sent': 'result.value' },
      retry,
    },
  ],
  transitions: [{ from: 'letters', to: 'send', on: 'slice' }],
};

/** Large results: such a run has snapshots. */
export const heavy: WorkflowDefinition = {
  id: 'heavy',
  initialNode: 'grow',
  nodes: [
    {
      id: 'grow',
      action: 'work',
      inputMapping: { name: '"grow"', item: 'input.number', length: '200000' },
      outputMapping: { 'state.text': 'result.value' },
    },
    {
      id: 'weigh',
      action: 'work',
      inputMapping: { name: '"weigh"', item: 'size(state.text)' },
      outputMapping: { 'output.weight': 'result.value' },
    },
  ],
  transitions: [
    { from: 'grow', to: 'grow', loop: { maxIterations: 5 }, priority: 1 },
    { from: 'grow', to: 'weigh', priority: 2 },
  ],
};

/** An artifact that a sub-run reads. */
export const file: WorkflowDefinition = {
  id: 'file',
  initialNode: 'write',
  nodes: [
    {
      id: 'write',
      action: 'write',
      inputMapping: { number: 'input.number' },
      outputMapping: { 'state.reference': 'result.value' },
    },
    {
      id: 'look',
      workflow: { id: 'look', inheritArtifacts: true },
      inputMapping: { reference: 'state.reference' },
      outputMapping: { 'output.seen': 'result.seen' },
    },
  ],
  transitions: [{ from: 'write', to: 'look' }],
};

export const look: WorkflowDefinition = {
  id: 'look',
  initialNode: 'read',
  nodes: [
    {
      id: 'read',
      action: 'read',
      inputMapping: { reference: 'input.reference' },
      outputMapping: { 'output.seen': 'result.value' },
    },
  ],
};

/** Paid for as a whole; one node may be broken, and what hangs on it is skipped. */
export const price: WorkflowDefinition = {
  dialect: 'dataflow',
  id: 'price',
  nodes: [
    { id: 'order', type: 'core.input' },
    { id: 'left', type: 'work', cost: 2, retry, inputs: { name: 'left' } },
    { id: 'right', type: 'work', cost: 2, inputs: { name: 'right' } },
    { id: 'both', type: 'work', cost: 1, inputs: { name: 'both' } },
    { id: 'alone', type: 'work', cost: 1, inputs: { name: 'alone' } },
  ],
  edges: [
    { source: 'order', sourceOutput: 'number', target: 'left', targetInput: 'item' },
    { source: 'order', sourceOutput: 'failures', target: 'left', targetInput: 'failures' },
    { source: 'order', sourceOutput: 'broken', target: 'right', targetInput: 'broken' },
    { source: 'left', sourceOutput: 'value', target: 'both', targetInput: 'item' },
    { source: 'right', sourceOutput: 'value', target: 'both', targetInput: 'outer' },
    { source: 'left', sourceOutput: 'value', target: 'alone', targetInput: 'item' },
  ],
};
