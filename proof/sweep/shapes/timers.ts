// Timers: what happens by itself when its time has come.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { ActionError } from '../../../packages/heddle/src/executor/action-error.ts';
import { branch, go, join, keep, row, spawn, work, workflow } from '../drawing.ts';
import { never, type Shape } from '../shape.ts';

const minute = 60_000;

/** A run whose time has come, and what it goes on to. */
const due = (name: string, definition: JsonObject, more: Partial<Shape> = {}): Shape => ({
  name: `timer: ${name}`,
  definitions: [definition],
  prepare: (s) => s.start('w'),
  send: (s) => s.pass(minute),
  ends: 'w completed',
  ...more,
});

const hangs: Shape['answer'] = ({ nodeId }) => (nodeId === 'a' ? never : { value: nodeId });
const orElse = (node: JsonObject, otherwise: JsonObject = {}): JsonObject =>
  workflow('w', [node, keep('b', otherwise), 'c'], [go('a', 'b', { on: 'failure' }), go('a', 'c')]);
/** Its hand-out outweighs twice the row that its run began with. */
const heavy = { inputMapping: { text: `"${'x'.repeat(2_500)}"` } };

/** Of three branches one never comes. */
const gathering = (synchronization: JsonObject): JsonObject =>
  workflow(
    'w',
    ['s', branch('b'), keep('after')],
    [spawn('s', 'b', 3), join('b', 'after', { timeoutMs: minute, ...synchronization })],
  );
const gathered: Partial<Shape> = {
  prepare: async (s) => {
    await s.start('w');
    for (const index of [2, 0]) await s.answer('b', { index });
  },
  answer: ({ nodeId, input }) => (input['index'] === 1 ? never : { value: `${nodeId} ${JSON.stringify(input)}` }),
};

/** The timeout of an attempt is the executor's, which begins it anew with each hand-out. */
const fromHandOut = { times: 'an attempt that is handed out again has its whole time again' };

const child = { id: 'a', workflow: { id: 'child', timeoutMs: minute } };

export const timers: readonly Shape[] = [
  due('a wait is over', row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a')), { makes: 'timer.fired' }),
  due('the last wait is over', row('w', { id: 'nap', wait: { seconds: 60 } }), { makes: 'workflow.completed' }),
  due(
    'two waits of one run are over at once',
    workflow(
      'w',
      ['s', { id: 'x', wait: { seconds: 60 } }, { id: 'y', wait: { seconds: 60 } }],
      [go('s', 'x'), go('s', 'y')],
    ),
    {
      makes: ['timer.fired', 'workflow.completed'],
    },
  ),
  due('waits of three runs are over at once', row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a')), {
    prepare: async (s) => {
      for (const n of [1, 2, 3]) await s.start('w', { n }, { tags: { n: String(n) } });
    },
    makes: 'timer.fired',
    ends: 'w completed, w completed, w completed',
  }),
  due(
    'waits, one after the other',
    row(
      'w',
      { id: 'x', wait: { seconds: 20 } },
      { id: 'y', wait: { seconds: 20 } },
      { id: 'z', wait: { seconds: 20 } },
      keep('a'),
    ),
    {
      makes: 'timer.fired',
    },
  ),
  due('a wait of a paused run is over', row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a')), {
    prepare: async (s) => {
      await (await s.start('w')).pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
  }),
  due('a retry', row('w', keep('a', { retry: { maxAttempts: 2, initialDelayMs: minute } })), {
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
    },
    answer: ({ attempt }) => {
      if (attempt === 1) throw new ActionError('no');
      return { value: attempt };
    },
    makes: 'task.dispatched',
  }),
  due('a join gives up and goes on', gathering({ onTimeout: 'proceed_with_available' }), {
    ...gathered,
    makes: 'fan_in.completed',
  }),
  due('a join gives up and fails', gathering({ onTimeout: 'fail' }), {
    ...gathered,
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  due(
    'the run has taken too long',
    { ...row('w', keep('a')), timeoutMs: minute },
    {
      answer: hangs,
      makes: 'workflow.timed_out',
      ends: 'w timed_out',
    },
  ),
  due(
    'the run has taken too long, with a sub-run',
    { ...row('w', { id: 'down', workflow: 'child' }), timeoutMs: minute },
    {
      definitions: [row('child', keep('a')), { ...row('w', { id: 'down', workflow: 'child' }), timeoutMs: minute }],
      answer: hangs,
      makes: ['workflow.timed_out', 'workflow.cancelled'],
      ends: 'child cancelled, w timed_out',
    },
  ),
  due('a task has taken too long', orElse(keep('a', { timeoutMs: minute })), {
    answer: hangs,
    makes: 'task.failed',
    tolerates: fromHandOut,
  }),
  due(
    'a task has taken too long and is tried again',
    row('w', keep('a', { timeoutMs: minute, retry: { maxAttempts: 2, initialDelayMs: 1_000 } })),
    {
      answer: ({ attempt }) => (attempt === 1 ? never : { value: attempt }),
      makes: 'task.attempt_failed',
      tolerates: fromHandOut,
    },
  ),
  due('a sub-run has taken too long', orElse(child), {
    definitions: [row('child', work('a')), orElse(child)],
    answer: ({ workflow: id, nodeId }) => (id === 'child' ? never : { value: nodeId }),
    makes: ['subworkflow.timed_out', 'workflow.cancelled'],
    ends: 'child cancelled, w completed',
  }),
  due('a sub-run has taken too long, and ends after a snapshot', orElse(child, heavy), {
    definitions: [row('child', work('a')), orElse(child, heavy)],
    options: { limits: { snapshotEveryBytes: 1_000 } },
    answer: ({ workflow: id, nodeId }) => (id === 'child' ? never : { value: nodeId }),
    makes: ['subworkflow.timed_out', 'snapshot', 'subworkflow.ended_late'],
    ends: 'child cancelled, w completed',
  }),
  due('a question was not answered', orElse({ id: 'a', input: { deadlineMs: minute } }), { makes: 'input.expired' }),
  due('an event did not come', orElse({ id: 'a', wait: { event: 'paid', timeoutMs: minute } }), {
    makes: 'task.failed',
  }),
  due(
    'a wait and a result at one time',
    workflow(
      'w',
      ['s', { id: 'nap', wait: { seconds: 60 } }, keep('a'), keep('c')],
      [go('s', 'nap'), go('s', 'a'), go('nap', 'c')],
    ),
    {
      send: async (s) => {
        await s.pass(minute);
        await s.answer('a');
      },
      makes: ['timer.fired', 'task.completed'],
    },
  ),
];
