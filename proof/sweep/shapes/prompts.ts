// Prompts: questions to people: asked, queued, answered, answered again, and never answered.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { go, keep, row, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const asks = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  input: { title: id, ...more },
  outputMapping: { [`state.${id}`]: 'result' },
});

const serial = { inputPolicy: 'serial' };
const one = row('w', asks('ask'), keep('after'));
/** Two questions side by side, one at a time. */
const queue = { ...workflow('w', ['s', asks('x'), asks('y')], [go('s', 'x'), go('s', 'y')]), ...serial };
const tree = [
  { ...row('child', asks('inner')), ...serial },
  {
    ...workflow('w', ['s', asks('outer'), { id: 'down', workflow: 'child' }], [go('s', 'outer'), go('s', 'down')]),
    ...serial,
  },
];

async function begin(s: Stage): Promise<void> {
  await s.start('w');
  await s.notePrompts();
}

const reply = (s: Stage, node: string, payload = 'yes', key = 'k') =>
  s.order(`reply ${payload.slice(0, 10)}`, () => s.run('w').reply(s.noted(`prompt ${node}`), payload, { key }));

const person = ({ nodeId }: { nodeId: string }): unknown => `${nodeId} was answered`;

const shape = (name: string, definitions: readonly JsonObject[], more: Partial<Shape>): Shape => ({
  name,
  definitions,
  prepare: begin,
  send: (s) => reply(s, 'ask'),
  reply: person,
  ends: 'w completed',
  ...more,
});

export const prompts: readonly Shape[] = [
  shape('ask: after a result', [row('w', keep('a'), asks('ask'))], {
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: ['input.requested', 'workflow.suspended'],
  }),
  shape('ask: while another question is open', [{ ...row('w', keep('a'), asks('ask')), ...serial }], {
    definitions: [
      {
        ...workflow(
          'w',
          ['s', asks('first'), keep('a'), asks('ask')],
          [go('s', 'first'), go('s', 'a'), go('a', 'ask')],
        ),
        ...serial,
      },
    ],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'input.queued',
  }),
  shape('ask: a sub-run, while its root has a question open', tree, {
    prepare: () => Promise.resolve(),
    send: (s) => s.order('start', (engine) => engine.start('w', {}, { idempotencyKey: 'k' })),
    makes: ['input.queued', 'input_queue.joined'],
    ends: 'child completed, w completed',
  }),
  shape('reply: the only question', [one], { makes: 'input.resumed' }),
  shape('reply: by its secret', [one], {
    prepare: async (s) => {
      await begin(s);
      s.note('secret', await s.engine.promptSecret(s.noted('prompt ask')));
    },
    send: (s) => s.order('reply', (engine) => engine.reply(s.noted('secret'), 'yes', { key: 'k' })),
    makes: 'input.resumed',
  }),
  shape('reply: the next in the queue may ask', [queue], {
    send: (s) => reply(s, 'x'),
    makes: ['input.resumed', 'input.requested'],
  }),
  shape('reply: the next in the queue is a sub-run', tree, {
    send: (s) => reply(s, 'outer'),
    makes: ['input.resumed', 'input.requested'],
    ends: 'child completed, w completed',
  }),
  shape('reply: to a sub-run, through its root', tree, {
    prepare: async (s) => {
      await begin(s);
      await s.run('w').reply(s.noted('prompt outer'), 'yes');
      await s.settle();
      await s.notePrompts();
    },
    send: (s) => reply(s, 'inner'),
    makes: ['input.resumed', 'input_queue.left'],
    ends: 'child completed, w completed',
  }),
  shape('reply: two at once, of which one is taken', [one], {
    send: (s) => Promise.all([reply(s, 'ask', 'yes', 'one'), reply(s, 'ask', 'no', 'two')]),
    makes: 'input.resumed',
  }),
  shape('reply: the same again', [one], {
    prepare: async (s) => {
      await begin(s);
      await s.run('w').reply(s.noted('prompt ask'), 'yes', { key: 'k' });
      await s.settle();
    },
  }),
  shape('reply: another one, too late', [one], {
    prepare: async (s) => {
      await begin(s);
      await s.run('w').reply(s.noted('prompt ask'), 'no', { key: 'other' });
      await s.settle();
    },
  }),
  shape(
    'reply: after the deadline',
    [workflow('w', [asks('ask', { deadlineMs: 60_000 }), keep('after')], [go('ask', 'after', { on: 'failure' })])],
    {
      prepare: async (s) => {
        await begin(s);
        await s.pass(60_000);
      },
    },
  ),
  shape('reply: what its schema refuses', [row('w', asks('ask', { schema: { type: 'number' } }))], { reply: () => 7 }),
  shape('reply: while the run is paused', [one], {
    prepare: async (s) => {
      await begin(s);
      await s.run('w').pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: 'workflow.held',
    reply: () => 'yes',
  }),
  shape('reply: while the run is paused, with a snapshot', [one], {
    options: { limits: { snapshotEveryBytes: 3_000 } },
    prepare: async (s) => {
      await begin(s);
      await s.run('w').pause();
    },
    send: (s) => reply(s, 'ask', 'yes'.repeat(2_000)),
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: ['workflow.held', 'snapshot'],
    reply: () => 'yes',
  }),
  shape('cancel: the run that asks, others wait in its queue', tree, {
    send: (s) => s.order('cancel', () => s.run('w').cancel('enough')),
    makes: 'workflow.cancelled',
    ends: 'child cancelled, w cancelled',
  }),
];
