// Triggers: what starts runs by itself, and the book that is kept of it.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import type { NewTrigger } from '../../../packages/heddle/src/operations/triggers.ts';
import { keep, row } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const hour = 3_600_000;
const quick = row('quick', 'x');
const slow = row('slow', keep('a'));
const hourly = (workflow: string, more: JsonObject = {}): NewTrigger => ({
  id: 's',
  type: 'schedule',
  cron: '0 * * * *',
  workflow,
  ...more,
});
const manual: NewTrigger = { id: 'm', type: 'manual', workflow: 'quick' };
const after: NewTrigger = { id: 'f', type: 'workflow_finished', source: 'w', workflow: 'quick' };

const create = (trigger: NewTrigger) => (s: Stage) => s.order('create', (engine) => engine.triggers.create(trigger));
const remove = (s: Stage) => s.order('remove', (engine) => engine.triggers.remove('s'));

/** The hours pass by; at the end the schedule is removed. */
const schedule = (name: string, trigger: NewTrigger, more: Partial<Shape>): Shape => ({
  name: `schedule: ${name}`,
  definitions: [quick, slow],
  prepare: (s) => s.engine.triggers.create(trigger),
  send: (s) => s.pass(hour),
  restMs: hour + 1,
  finish: remove,
  makes: 'workflow.started',
  ends: 'quick completed',
  ...more,
});

export const triggers: readonly Shape[] = [
  schedule('it fires', hourly('quick'), {}),
  schedule('it fires twice', hourly('quick'), {
    send: (s) => s.pass(2 * hour),
    restMs: 2 * hour + 1,
    ends: 'quick completed, quick completed',
  }),
  schedule('it skips a time, for its run is under way', hourly('slow', { overlap: 'skip' }), {
    prepare: async (s) => {
      await s.engine.triggers.create(hourly('slow', { overlap: 'skip' }));
      await s.pass(hour);
    },
    makes: [],
    ends: 'slow completed',
  }),
  schedule('it queues a time, for its run is under way', hourly('slow', { overlap: 'queue' }), {
    prepare: async (s) => {
      await s.engine.triggers.create(hourly('slow', { overlap: 'queue' }));
      await s.pass(hour);
    },
    makes: [],
    ends: 'slow completed, slow completed',
  }),
  schedule('the next of the queue starts, for the run before has ended', hourly('slow', { overlap: 'queue' }), {
    prepare: async (s) => {
      await s.engine.triggers.create(hourly('slow', { overlap: 'queue' }));
      await s.pass(2 * hour);
    },
    send: (s) => s.answer('a'),
    restMs: 1,
    ends: 'slow completed, slow completed',
  }),
  schedule('it starts another beside the one under way', hourly('slow', { overlap: 'allow' }), {
    prepare: async (s) => {
      await s.engine.triggers.create(hourly('slow', { overlap: 'allow' }));
      await s.pass(hour);
    },
    ends: 'slow completed, slow completed',
  }),
  schedule('it makes up for two of the times that were missed', hourly('quick', { catchUp: 2 }), {
    prepare: async (s) => {
      await s.engine.triggers.create(hourly('quick', { catchUp: 2, overlap: 'allow' }));
      await s.away(5 * hour);
    },
    send: () => Promise.resolve(),
    restMs: 1,
    ends: 'quick completed, quick completed',
  }),
  {
    name: 'trigger: created',
    definitions: [quick],
    send: create(hourly('quick')),
    finish: remove,
    restMs: hour,
    ends: 'quick completed',
  },
  {
    name: 'trigger: replaced',
    definitions: [quick, slow],
    prepare: (s) => s.engine.triggers.create(hourly('slow')),
    send: (s) => s.order('replace', (engine) => engine.triggers.create(hourly('quick'), { replace: true })),
    finish: remove,
    restMs: hour,
    ends: 'quick completed',
  },
  {
    name: 'trigger: switched off',
    definitions: [quick],
    prepare: (s) => s.engine.triggers.create(hourly('quick')),
    send: (s) => s.order('disable', (engine) => engine.triggers.disable('s')),
    restMs: 3 * hour,
    ends: '',
  },
  {
    name: 'trigger: switched on',
    definitions: [quick],
    prepare: (s) => s.engine.triggers.create(hourly('quick', { enabled: false })),
    send: (s) => s.order('enable', (engine) => engine.triggers.enable('s')),
    finish: remove,
    restMs: hour,
    ends: 'quick completed',
  },
  {
    name: 'trigger: removed',
    definitions: [quick],
    prepare: (s) => s.engine.triggers.create(hourly('quick')),
    send: remove,
    ends: '',
  },
  {
    name: 'trigger: fired by hand',
    definitions: [quick],
    prepare: (s) => s.engine.triggers.create(manual),
    send: (s) => s.order('fire', (engine) => engine.triggers.fire('m', { n: 1 }, { id: 'once' })),
    makes: 'workflow.started',
    ends: 'quick completed',
  },
  {
    name: 'trigger: fired by the end of a run',
    definitions: [quick, row('w', keep('a'))],
    prepare: async (s) => {
      await s.engine.triggers.create(after);
      await s.start('w');
    },
    send: (s) => s.answer('a'),
    makes: 'workflow.started',
    ends: 'quick completed, w completed',
  },
  {
    name: 'trigger: a chain of two is fired by the end of a run',
    definitions: [quick, row('w', keep('a')), row('next', 'x')],
    prepare: async (s) => {
      await s.engine.triggers.create(after);
      await s.engine.triggers.create({ ...after, id: 'g', source: 'quick', workflow: 'next' });
      await s.start('w');
    },
    send: (s) => s.order('cancel', () => s.run('w').cancel('enough')),
    makes: 'workflow.started',
    ends: 'next completed, quick completed, w cancelled',
  },
];
