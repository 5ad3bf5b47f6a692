// Tasks: what workers answer, of every kind.

import { ActionError } from '../../../packages/heddle/src/executor/action-error.ts';
import type { ScriptedCall } from '../../../packages/heddle/src/testing/scripted-actions.ts';
import { go, keep, row, work, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';

/** The worker fails at node `a`, as often as it is told. */
const failing =
  (attempts: number, error: () => Error = () => new ActionError('no', { code: 'NO' })) =>
  ({ nodeId, attempt }: ScriptedCall) => {
    if (nodeId === 'a' && attempt <= attempts) throw error();
    return { value: `${nodeId} ${attempt}` };
  };

const retry = { maxAttempts: 3, backoff: 'linear', initialDelayMs: 1_000, jitter: 0.5 };
const two = row('w', keep('a'), keep('b'));
const patient = row('w', keep('a', { retry }), keep('b'));

/** A run at node `a`, which is answered. */
const result = (name: string, definition: Shape['definitions'], more: Partial<Shape> = {}): Shape => ({
  name: `result: ${name}`,
  definitions: definition ?? [],
  prepare: (s) => s.start('w'),
  send: (s) => s.answer('a'),
  makes: 'task.completed',
  ends: 'w completed',
  ...more,
});

export const tasks: readonly Shape[] = [
  result('more is to do', [two]),
  result('the last one', [row('w', keep('a'))], { makes: 'workflow.completed' }),
  result('one of two at once', [workflow('w', ['s', keep('a'), keep('b')], [go('s', 'a'), go('s', 'b')])]),
  result('two in one commit', [workflow('w', ['s', keep('a'), keep('b')], [go('s', 'a'), go('s', 'b')])], {
    send: async (s) => {
      for (const call of s.workers.calls) s.workers.give(call);
      await s.settle();
    },
    makes: 'workflow.completed',
  }),
  result('it leads two ways', [workflow('w', [keep('a'), keep('b'), keep('c')], [go('a', 'b'), go('a', 'c')])]),
  result('it leads nowhere', [workflow('w', [keep('a'), keep('b')], [go('a', 'b', { condition: 'false' })])], {
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  result('again in a loop', [
    workflow('w', [keep('a'), keep('b')], [go('a', 'a', { priority: 1, loop: { maxIterations: 2 } }), go('a', 'b')]),
  ]),
  result('a failure with retries left', [patient], {
    answer: failing(1),
    makes: 'task.attempt_failed',
  }),
  result('a failure that asks for more time', [patient], {
    answer: failing(1, () => new ActionError('busy', { retryAfterMs: 30_000 })),
    makes: 'task.attempt_failed',
  }),
  result('a failure that is retried at once', [row('w', keep('a', { retry: { maxAttempts: 2, backoff: 'none' } }))], {
    answer: failing(1),
    makes: 'task.attempt_failed',
  }),
  result('the last failure', [patient], {
    answer: failing(3),
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
      await s.pass(1_000);
      await s.answer('a');
      await s.pass(2_000);
    },
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  result('a failure for good', [patient], {
    answer: failing(1, () => new ActionError('never', { retryable: false })),
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  result('a failure that is handled', [workflow('w', [keep('a'), keep('b')], [go('a', 'b', { on: 'failure' })])], {
    answer: failing(1),
    makes: 'task.failed',
  }),
  result('a failure beside other tasks', [workflow('w', ['s', keep('a'), keep('b')], [go('s', 'a'), go('s', 'b')])], {
    answer: failing(1),
    makes: 'tokens.cancelled',
    ends: 'w failed',
  }),
  result('too large', [two], {
    options: { limits: { payloadBytesMax: 500 } },
    answer: ({ nodeId }) => ({ value: nodeId.repeat(600) }),
    makes: 'task.failed',
    ends: 'w failed',
  }),
  result('what cannot be mapped', [row('w', work('a', { outputMapping: { 'state.a': '1 / 0' } }))], {
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  result('while the run is paused', [two], {
    prepare: async (s) => {
      await (await s.start('w')).pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: 'workflow.held',
  }),
  result('a failure while the run is paused', [patient], {
    answer: failing(1),
    prepare: async (s) => {
      await (await s.start('w')).pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: 'workflow.held',
  }),
];
