// Events: published to runs that wait, to runs that will wait, and to triggers that start runs.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import type { ActionContext } from '../../../packages/heddle/src/executor/action.ts';
import { go, keep, row, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const waits = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  wait: { event: 'paid', ...more },
  outputMapping: { [`state.${id}`]: 'result' },
});
const one = row('w', waits('wait'), keep('after'));
const of = row('w', waits('wait', { correlation: 'input.id' }));

const publish = (s: Stage, payload: unknown = { amount: 1 }, options: object = {}) =>
  s.order(`publish ${JSON.stringify(payload)}`, (engine) => engine.publish('paid', payload, { id: 'p1', ...options }));

const shape = (name: string, definitions: readonly JsonObject[], more: Partial<Shape>): Shape => ({
  name: `publish: ${name}`,
  definitions,
  prepare: (s) => s.start('w'),
  send: (s) => publish(s),
  ends: 'w completed',
  ...more,
});

/** Publishes, under a key of its own. */
const tell = async ({ publish: say, idempotencyKey }: ActionContext) => {
  const { eventId } = await say('paid', { from: 'a run' }, { id: idempotencyKey });
  return { eventId };
};
const telling = row('teller', { id: 'tell', action: 'tell' });

const onPaid = (id: string, target: string, more: JsonObject = {}) => ({
  id,
  type: 'event' as const,
  event: 'paid',
  workflow: target,
  ...more,
});
const listening =
  (...triggers: readonly ReturnType<typeof onPaid>[]): ((s: Stage) => Promise<void>) =>
  async (s) => {
    for (const trigger of triggers) await s.engine.triggers.create(trigger);
  };

export const events: readonly Shape[] = [
  shape('to one run that waits', [one], { makes: 'event.received' }),
  shape('without an id', [one], {
    send: (s) => s.order('publish', (engine) => engine.publish('paid', 1)),
    finish: (s) => s.order('last', (engine) => engine.publish('paid', 2, { id: 'last' })),
    isSaidOnce: true,
    makes: 'event.received',
  }),
  shape('to three runs that wait', [one], {
    prepare: async (s) => {
      for (const n of ['1', '2', '3']) await s.start('w', { n }, { tags: { n } });
    },
    makes: 'event.received',
    ends: 'w completed, w completed, w completed',
  }),
  shape('to the one that its key names', [of], {
    prepare: async (s) => {
      for (const id of ['a', 'b']) await s.start('w', { id });
    },
    send: (s) => publish(s, 1, { correlation: 'a' }),
    finish: (s) => publish(s, 2, { correlation: 'b', id: 'p2' }),
    makes: 'event.received',
    ends: 'w completed, w completed',
  }),
  shape('to two waits of one run', [workflow('w', ['s', waits('x'), waits('y')], [go('s', 'x'), go('s', 'y')])], {
    makes: 'event.received',
  }),
  shape('to nobody yet', [row('w', keep('a'), waits('wait'))], { ends: 'w completed' }),
  shape('the same again', [one], {
    prepare: async (s) => {
      await s.start('w');
      await s.engine.publish('paid', { amount: 1 }, { id: 'p1' });
      await s.settle();
    },
  }),
  shape('another one under its id', [one], {
    prepare: async (s) => {
      await s.start('w');
      await s.engine.publish('paid', { amount: 2 }, { id: 'p1' });
      await s.settle();
    },
  }),
  shape('to a run that is paused', [one], {
    prepare: async (s) => {
      await (await s.start('w')).pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
    makes: 'workflow.held',
  }),
  shape('by a run', [one, telling], {
    options: { actions: { tell } },
    send: (s) => s.order('start', (engine) => engine.start('teller', {}, { idempotencyKey: 'k' })),
    makes: 'event.received',
    ends: 'teller completed, w completed',
  }),
  {
    name: 'wait: for an event that was kept',
    definitions: [row('w', keep('a'), waits('wait'), waits('again'))],
    prepare: async (s) => {
      for (const n of [1, 2]) await s.engine.publish('paid', n, { id: `p${n}` });
      await s.start('w');
    },
    send: (s) => s.answer('a'),
    makes: 'event.received',
    ends: 'w completed',
  },
  {
    name: 'wait: for an event that was kept too long',
    definitions: [row('w', keep('a'), waits('wait', { timeoutMs: 1_000, since: 'any' }))],
    prepare: async (s) => {
      await s.engine.publish('paid', 1, { id: 'p1', ttlMs: 1_000 });
      await s.pass(2_000);
      await s.start('w');
    },
    send: async (s) => {
      await s.answer('a');
      await s.order('publish', (engine) => engine.publish('other', 1, { id: 'p2' }));
    },
    makes: 'event.awaited',
    ends: 'w failed',
    tolerates: { records: 'a new engine sweeps what has expired, whenever it begins' },
  },
  {
    name: 'publish: a trigger starts a run',
    definitions: [row('v', keep('a'))],
    prepare: listening(onPaid('t', 'v')),
    send: (s) => publish(s),
    makes: 'workflow.started',
    ends: 'v completed',
  },
  {
    name: 'publish: two triggers start runs, one is filtered out, one has no workflow, and a run waits',
    definitions: [one, row('v', keep('a')), row('u', 'x')],
    prepare: async (s) => {
      await s.start('w');
      await listening(
        onPaid('a', 'v'),
        onPaid('b', 'u', { input: { n: 'event.payload.amount' } }),
        onPaid('c', 'v', { filter: 'event.payload.amount > 5' }),
        onPaid('d', 'nobody'),
      )(s);
    },
    send: (s) => publish(s),
    makes: ['workflow.started', 'event.received'],
    ends: 'u completed, v completed, w completed',
    tolerates: { reports: 'nobody is no workflow' },
  },
];
