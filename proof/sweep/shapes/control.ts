// Control: orders to runs that are under way: cancel, pause, resume.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { branch, each, go, join, keep, row, work, workflow } from '../drawing.ts';
import { never, type Shape } from '../shape.ts';

const cancel: Shape['send'] = (s) => s.order('cancel', () => s.run('w').cancel('enough'));
const pause: Shape['send'] = (s) => s.order('pause', () => s.run('w').pause());
const resume: Shape['send'] = (s) => s.order('resume', () => s.run('w').resume());

const order = (name: string, definitions: readonly JsonObject[], more: Partial<Shape>): Shape => ({
  name,
  definitions,
  prepare: (s) => s.start('w', { items: [1, 2, 3, 4] }),
  send: cancel,
  ends: 'w cancelled',
  ...more,
});

const two = row('w', keep('a'), keep('b'));
const tree = [
  row('leaf', work('inner')),
  row('middle', { id: 'down', workflow: 'leaf' }),
  workflow('w', ['s', keep('a'), { id: 'down', workflow: 'middle' }], [go('s', 'a'), go('s', 'down')]),
];
const cancelled = 'workflow.cancelled';
const paused: Shape['prepare'] = async (s) => {
  await (await s.start('w')).pause();
};

export const control: readonly Shape[] = [
  order('cancel: a run with a task', [two], { makes: cancelled }),
  order('cancel: a run that waits for a timer', [row('w', { id: 'nap', wait: { seconds: 60 } })], { makes: cancelled }),
  order('cancel: a run that asks', [row('w', { id: 'ask', input: true })], { makes: cancelled }),
  order('cancel: a run that waits for an event', [row('w', { id: 'wait', wait: { event: 'paid' } })], {
    makes: cancelled,
  }),
  order(
    'cancel: a run with branches, some arrived, some under way, some not begun',
    [
      workflow(
        'w',
        ['s', branch('b', { inputMapping: { item: 'item' } }), 'after'],
        [each('s', 'b', 2), join('b', 'after')],
      ),
    ],
    {
      prepare: async (s) => {
        await s.start('w', { items: [1, 2, 3, 4] });
        await s.answer('b', { item: 1 });
      },
      makes: cancelled,
    },
  ),
  order(
    'cancel: a run with a retry ahead',
    [row('w', keep('a', { retry: { maxAttempts: 2, initialDelayMs: 60_000 } }))],
    {
      prepare: async (s) => {
        await s.start('w');
        await s.answer('a');
      },
      answer: () => {
        throw new Error('no');
      },
      makes: cancelled,
    },
  ),
  order('cancel: a tree of runs', tree, { makes: cancelled, ends: 'leaf cancelled, middle cancelled, w cancelled' }),
  order('cancel: a run that is paused', [two], { prepare: paused, makes: cancelled }),
  order('cancel: a run that has ended', [row('w', 'a')], { ends: 'w completed' }),
  order('cancel: in one go with the last result', [row('w', keep('a'))], {
    send: async (s) => {
      const answered = s.answer('a');
      await Promise.all([answered, cancel(s)]);
    },
    ends: 'w cancelled',
    makes: cancelled,
  }),
  order('pause: a run with a task', [two], {
    send: pause,
    finish: resume,
    makes: 'workflow.paused',
    ends: 'w completed',
  }),
  order('pause: a tree of runs', tree, {
    send: pause,
    finish: resume,
    makes: 'workflow.paused',
    ends: 'leaf completed, middle completed, w completed',
    tolerates: {
      order: 'a task that was lost is answered when the run goes on, after the sub-run that was not paused',
    },
  }),
  order('pause: a run that is paused', [two], { prepare: paused, send: pause, finish: resume, ends: 'w completed' }),
  order('resume: a run whose task was lost', [two], {
    prepare: async (s) => {
      await paused(s);
      await s.reopen();
    },
    send: resume,
    makes: 'workflow.unpaused',
    ends: 'w completed',
  }),
  order('resume: a run with a result that came meanwhile', [two], {
    prepare: async (s) => {
      await paused(s);
      await s.answer('a');
    },
    send: resume,
    makes: ['workflow.unpaused', 'task.completed'],
    ends: 'w completed',
  }),
  order(
    'resume: a run with a timer that came due meanwhile',
    [row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a'))],
    {
      prepare: async (s) => {
        await paused(s);
        await s.pass(90_000);
      },
      send: resume,
      makes: 'workflow.unpaused',
      ends: 'w completed',
    },
  ),
  order('resume: a run that is not paused', [two], {
    send: resume,
    answer: ({ nodeId }) => (nodeId === 'x' ? never : { value: nodeId }),
    ends: 'w completed',
  }),
];
