// Definitions: the workflows that are recorded. Between them they write to every table and to the files beside the
// store: fan-outs and joins, sub-runs, retries, timers, questions, events, credits, artifacts, and results that do not
// fit a page.
//
// Always true: what a run comes to is a function of its input and of the answers, however often its tasks are handed out.

import type { ActionContext, Actions } from '../../packages/heddle/src/executor/action.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';

const retry = { maxAttempts: 4, backoff: 'linear', initialDelayMs: 15 } as const;
const collect = (siblingGroup: string, name: string) => ({
  siblingGroup,
  strategy: 'all',
  merge: { source: `_branch.output.${name}`, target: `state.${name}s`, strategy: 'append' },
});

/** Per item a flaky task, two more below it, and a sub-run. */
const order = {
  id: 'order',
  initialNode: 'begin',
  nodes: [
    { id: 'begin' },
    {
      id: 'fetch',
      action: 'work',
      inputMapping: { item: 'item', failures: 'input.failures' },
      outputMapping: { 'state.fetched': 'result.value' },
      retry,
    },
    {
      id: 'score',
      action: 'work',
      inputMapping: { item: 'state.fetched', index: '_branch.index' },
      outputMapping: { 'state.score': 'result.value' },
    },
    { id: 'scored' },
    {
      id: 'check',
      workflow: 'check',
      inputMapping: { scores: 'state.scores', failures: 'input.failures' },
      outputMapping: { 'state.verdict': 'result.verdict' },
    },
    { id: 'done', wait: { seconds: 0.02 } },
  ],
  transitions: [
    { from: 'begin', to: 'fetch', foreach: { collection: 'input.items', itemVar: 'item' }, siblingGroup: 'items' },
    { from: 'fetch', to: 'score', spawnCount: 2, siblingGroup: 'scores' },
    { from: 'score', to: 'scored', synchronization: collect('scores', 'score') },
    { from: 'scored', to: 'check' },
    { from: 'check', to: 'done', synchronization: collect('items', 'verdict') },
  ],
  outputMapping: { verdicts: 'state.verdicts', nonce: 'input.nonce' },
};

const check = {
  id: 'check',
  initialNode: 'pause',
  nodes: [
    { id: 'pause', wait: { seconds: 0.01 } },
    {
      id: 'judge',
      action: 'work',
      inputMapping: { item: 'input.scores', failures: 'input.failures' },
      outputMapping: { 'output.verdict': 'result.value' },
      retry,
    },
  ],
  transitions: [{ from: 'pause', to: 'judge' }],
};

/** A person is asked; what they say is put aside as bytes, and read again. */
const approve = {
  id: 'approve',
  initialNode: 'ask',
  nodes: [
    { id: 'ask', input: { title: 'Go on?' }, outputMapping: { 'state.answer': 'result.nonce' } },
    {
      id: 'write',
      action: 'write',
      inputMapping: { text: 'state.answer', times: 'input.times' },
      outputMapping: { 'state.file': 'result.file' },
    },
    {
      id: 'read',
      action: 'read',
      inputMapping: { file: 'state.file' },
      outputMapping: { 'output.size': 'result.size', 'output.file': 'state.file.id' },
    },
  ],
  transitions: [
    { from: 'ask', to: 'write' },
    { from: 'write', to: 'read' },
  ],
};

/** Paid for node by node; what its tasks answer does not fit a page. */
const paid = {
  id: 'paid',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'work', cost: 2, inputMapping: { item: 'input.nonce' } },
    {
      id: 'large',
      action: 'fill',
      cost: 1,
      inputMapping: { length: 'input.length', index: '_branch.index' },
      outputMapping: { 'state.text': 'result.text' },
    },
    { id: 'last' },
  ],
  transitions: [
    { from: 'first', to: 'large', spawnCount: 4, siblingGroup: 'texts' },
    { from: 'large', to: 'last', synchronization: collect('texts', 'text') },
  ],
  outputMapping: { size: 'size(state.texts)', nonce: 'input.nonce' },
};

/** Waits until somebody publishes what it waits for. */
const wait = {
  id: 'wait',
  initialNode: 'payment',
  nodes: [
    {
      id: 'payment',
      wait: { event: 'payment', correlation: 'input.correlation' },
      outputMapping: { 'output.paid': 'result.nonce' },
    },
  ],
  transitions: [],
};

/** Started by a trigger. */
const ship = {
  id: 'ship',
  initialNode: 'pack',
  nodes: [
    {
      id: 'pack',
      action: 'work',
      inputMapping: { item: 'input.order' },
      outputMapping: { 'output.packed': 'result.value' },
    },
  ],
  transitions: [],
};

export const definitions = [check, order, approve, paid, wait, ship] as const;

export const trigger = {
  id: 'ship-when-paid',
  type: 'event',
  event: 'payment',
  workflow: 'ship',
  input: { order: 'event.payload.nonce' },
} as const;

/** `busy` counts the tasks that are under way. */
export function makeActions(busy: { count: number }): Actions {
  const counted =
    (body: (context: ActionContext) => Promise<object>) =>
    async (context: ActionContext): Promise<object> => {
      busy.count++;
      try {
        return await body(context);
      } finally {
        busy.count--;
      }
    };
  return { work: counted(work), fill: counted(fill), write: counted(write), read: counted(read) };
}

async function work({ input, attempt }: ActionContext): Promise<object> {
  const { item, index = null, failures = 0 } = input;
  if (attempt <= Number(failures)) throw new ActionError('not yet', { code: 'NOT_YET' });
  const text = JSON.stringify([item, index]);
  return { value: text.length > 120 ? `${text.slice(0, 120)}…${text.length}` : text };
}

async function fill({ input }: ActionContext): Promise<object> {
  return { text: `${JSON.stringify(input['index'])}/`.repeat(Number(input['length'])) };
}

async function write({ input, artifacts }: ActionContext): Promise<object> {
  return { file: await artifacts.put(JSON.stringify(input['text']).repeat(Number(input['times'])), 'text/plain') };
}

async function read({ input, artifacts }: ActionContext): Promise<object> {
  const { file } = input as { file: { id: string; mimeType: string } }; // What `write` answered with.
  return { size: (await artifacts.get(file)).bytes.length };
}
