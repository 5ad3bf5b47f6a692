// Starts: runs that begin, in every way in which a run can begin, and the definitions that they begin from.

import { branch, each, go, keep, row, spawn, work, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const two = row('w', keep('a'), keep('b'));
const strict = { ...two, inputSchema: { type: 'object', required: ['n'] } };

/** Under a key, so that it can be said again. */
const start = (s: Stage, input: unknown = { n: 1, items: [1, 2, 3] }) =>
  s.order('start', (engine) => engine.start('w', input, { idempotencyKey: 'k' }));

const begin = (name: string, definition: Shape['definitions'], ends: string, more: Partial<Shape> = {}): Shape => ({
  name: `start: ${name}`,
  definitions: definition ?? [],
  send: (s) => start(s),
  makes: 'workflow.started',
  ends,
  ...more,
});

export const starts: readonly Shape[] = [
  begin('without a key', [two], 'w completed', {
    send: (s) => s.order('start', (engine) => engine.start('w', { n: 1 })),
    isSaidOnce: true,
  }),
  begin('under a key', [two], 'w completed'),
  begin('under a key that was used', [two], 'w completed', {
    prepare: (s) => s.start('w', { n: 1 }, { idempotencyKey: 'k' }),
    send: (s) => start(s, { n: 1 }),
    makes: [],
  }),
  begin('under a key that was used for something else', [two], 'w completed', {
    prepare: (s) => s.start('w', { n: 2 }, { idempotencyKey: 'k' }),
    makes: [],
  }),
  begin('with tags', [two], 'w completed', {
    send: (s) =>
      s.order('start', (engine) =>
        engine.start('w', {}, { idempotencyKey: 'k', tags: { team: 'blue', cost: '12' }, trace: true }),
      ),
  }),
  begin('three at once', [two], 'w completed, w completed, w completed', {
    send: (s) =>
      Promise.all(
        ['one', 'two', 'three'].map((n) =>
          s.order(n, (engine) => engine.start('w', { n }, { idempotencyKey: n, tags: { n } })),
        ),
      ),
  }),
  begin('done at once', [row('w', 'a', 'b', 'c')], 'w completed', { makes: 'workflow.completed' }),
  begin('failed at once', [row('w', keep('a', { inputMapping: { x: '1 / 0' } }))], 'w failed', {
    makes: 'workflow.failed',
  }),
  begin('refused input', [strict], '', { send: (s) => start(s, {}), makes: [] }),
  begin('of nothing', [], '', { makes: [] }),
  begin('with a fan-out', [workflow('w', ['s', branch('b')], [spawn('s', 'b', 3)])], 'w completed', {
    makes: 'fan_out.started',
  }),
  begin('with a foreach, two at a time', [workflow('w', ['s', branch('b')], [each('s', 'b', 2)])], 'w completed', {
    makes: 'fan_out.started',
  }),
  begin('with a foreach of nothing', [workflow('w', ['s', branch('b'), 'after'], [each('s', 'b', 2)])], 'w completed', {
    send: (s) => start(s, { items: [] }),
  }),
  begin('two ways at once', [workflow('w', ['s', keep('a'), keep('b')], [go('s', 'a'), go('s', 'b')])], 'w completed'),
  begin('with a wait', [row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a'))], 'w completed', {
    makes: 'token.waiting',
  }),
  begin('with a question', [row('w', { id: 'ask', input: true })], 'w completed', {
    makes: 'input.requested',
    reply: () => ({ yes: true }),
  }),
  begin(
    'with a sub-run',
    [row('child', work('inner')), row('w', { id: 'down', workflow: 'child' })],
    'child completed, w completed',
    { makes: 'subworkflow.dispatched' },
  ),
];

export const registrations: readonly Shape[] = [
  {
    name: 'register: a new workflow',
    send: (s) => s.order('register', () => s.register(two)),
    finish: (s) => start(s),
    ends: 'w completed',
  },
  {
    name: 'register: the same again',
    definitions: [two],
    send: (s) => s.order('register', () => s.register(two)),
    finish: (s) => start(s),
    ends: 'w completed',
  },
  {
    name: 'register: another version, while a run of the first is under way',
    definitions: [two],
    prepare: (s) => s.start('w', { n: 0 }),
    send: (s) => s.order('register', () => s.register(row('w', keep('a'), keep('c')))),
    finish: (s) => start(s),
    ends: 'w completed, w completed',
  },
  {
    name: 'register: what is refused',
    send: (s) => s.order('register', (engine) => engine.register({ id: 'w', nodes: [] } as unknown)),
    finish: (s) => start(s),
    ends: '',
  },
  begin('of a workflow with an action that nobody has', [row('w', { id: 'a', action: 'nobody.has.it' })], 'w failed', {
    makes: 'workflow.failed',
  }),
];
