// WaitingWorkflows: runs that go on when somebody answers, or something happens.

import type { WorkflowDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import { collect, retry } from './workflow-parts.ts';

/** Waits for a person, for an event and for a person that a sub-run asks, all at once. The event may come first. */
export const talk: WorkflowDefinition = {
  id: 'talk',
  initialNode: 'begin',
  nodes: [
    { id: 'begin' },
    { id: 'approve', input: { title: 'approve' }, outputMapping: { 'state.word': 'result.word' } },
    {
      id: 'ticket',
      wait: { event: 'ticket', correlation: 'input.ticket', since: 'any' },
      outputMapping: { 'state.word': 'result.word' },
    },
    { id: 'ask', workflow: 'ask', outputMapping: { 'state.word': 'result.word' } },
    {
      id: 'sum-up',
      action: 'work',
      inputMapping: { name: '"sum-up"', item: 'state.words' },
      outputMapping: { 'output.said': 'result.value' },
    },
  ],
  transitions: ['approve', 'ticket', 'ask'].flatMap((to) => [
    { from: 'begin', to, siblingGroup: 'talks' },
    { from: to, to: 'sum-up', synchronization: collect('talks', 'word') },
  ]),
};

export const ask: WorkflowDefinition = {
  id: 'ask',
  initialNode: 'question',
  nodes: [{ id: 'question', input: { title: 'question' }, outputMapping: { 'output.word': 'result.word' } }],
};

/** Asks, but not for long: whoever answers too late hears so, and the run goes another way. */
export const hurry: WorkflowDefinition = {
  id: 'hurry',
  initialNode: 'quick',
  nodes: [
    { id: 'quick', input: { title: 'quick', deadlineMs: 250 }, outputMapping: { 'output.word': 'result.word' } },
    { id: 'late', outputMapping: { 'output.word': '"too late"' } },
    { id: 'done' },
  ],
  transitions: [
    { from: 'quick', to: 'done' },
    { from: 'quick', to: 'late', on: 'failure' },
  ],
};

/** Stands in a queue, with others: each takes one event, which nobody else gets then. The event may come first. */
export const claim: WorkflowDefinition = {
  id: 'claim',
  initialNode: 'turn',
  nodes: [
    { id: 'turn', wait: { event: 'turn', correlation: 'input.queue', once: true, since: 'any' } },
    { id: 'done', action: 'work', inputMapping: { name: '"claim"', item: 'input.number' } },
  ],
  transitions: [{ from: 'turn', to: 'done' }],
};

/** Threads: two branches, one of which cuts a list, one asks a person; then a sub-run. */
export const parcel: WorkflowDefinition = {
  dialect: 'thread',
  id: 'parcel',
  nodes: [
    { id: 'start', type: 'start', initialize: [{ path: 'items' }, { path: 'failures' }] },
    { id: 'both', type: 'fanOut', outputs: ['pack', 'ask'] },
    { id: 'parcels', type: 'batch', items: 'items', batchSize: 2, parallelBatches: 2 },
    {
      id: 'pack',
      type: 'action',
      action: 'work',
      inputs: [
        { to: 'name', value: 'pack' },
        { to: 'item', from: 'items' },
        { to: 'failures', from: 'failures' },
      ],
      outputs: [{ to: 'output.packed', from: 'value' }],
      retry,
    },
    { id: 'approve', type: 'input', title: 'approve' },
    { id: 'keep', type: 'code', path: 'output.word', expression: 'context.word' },
    { id: 'together', type: 'fanIn' },
    {
      id: 'judge',
      type: 'gosub',
      workflow: 'check',
      inputs: [
        { to: 'scores', from: 'output.packed' },
        { to: 'failures', value: 0 },
      ],
      outputs: [{ to: 'verdict', from: 'verdict' }],
    },
    {
      id: 'end',
      type: 'end',
      mappings: [
        { to: 'packed', from: 'output.packed' },
        { to: 'word', from: 'output.word' },
        { to: 'verdict', from: 'verdict' },
      ],
    },
  ],
  connectors: [
    { from: 'start', to: 'both' },
    { from: 'both', output: 'pack', to: 'parcels' },
    { from: 'parcels', output: 'process', to: 'pack' },
    { from: 'parcels', output: 'continue', to: 'together' },
    { from: 'both', output: 'ask', to: 'approve' },
    { from: 'approve', to: 'keep' },
    { from: 'keep', to: 'together' },
    { from: 'together', to: 'judge' },
    { from: 'judge', to: 'end' },
  ],
};
