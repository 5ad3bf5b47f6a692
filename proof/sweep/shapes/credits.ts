// Credits: what is asked of the ledger, granted, refused, given back, and paid in.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { branch, join, keep, row, spawn, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const steps = row('w', keep('a', { cost: 3 }), keep('b', { cost: 4 }));
const acme = { organization: 'acme' };

const begin = (s: Stage) => s.order('start', (engine) => engine.start('w', {}, { ...acme, idempotencyKey: 'k' }));

const paying = (name: string, definitions: readonly JsonObject[], more: Partial<Shape>, balance = 20): Shape => ({
  name: `credits: ${name}`,
  definitions,
  prepare: async (s) => {
    await s.engine.credits.deposit('acme', balance);
    await s.start('w', {}, acme);
  },
  send: (s) => s.answer('a'),
  ends: 'w completed',
  ...more,
});

const rich: Shape['prepare'] = (s) => s.engine.credits.deposit('acme', 20);
const fan = workflow('w', ['s', branch('b', { cost: 3 }), keep('after')], [spawn('s', 'b', 3), join('b', 'after')]);

export const credits: readonly Shape[] = [
  paying('the first task is granted', [steps], { prepare: rich, send: begin, makes: 'credits.granted' }),
  paying('the next task is granted', [steps], { makes: 'credits.granted' }),
  paying('the next task is refused', [steps], { makes: 'workflow.exhausted', ends: 'w exhausted' }, 5),
  paying('nothing is there', [steps], {
    prepare: () => Promise.resolve(),
    send: begin,
    makes: 'workflow.exhausted',
    ends: 'w exhausted',
  }),
  paying('three branches ask at once', [fan], { prepare: rich, send: begin, makes: 'credits.granted' }),
  paying('three branches ask at once, and two get', [fan], {
    prepare: (s) => s.engine.credits.deposit('acme', 7),
    send: begin,
    makes: 'workflow.exhausted',
    ends: 'w exhausted',
  }),
  paying('the end gives nothing back', [row('w', keep('a', { cost: 3 }))], { makes: 'workflow.completed' }),
  paying('the end gives back what did not run', [steps], {
    prepare: async (s) => {
      await s.engine.credits.deposit('acme', 20);
      await s.start('w', {}, acme);
      for (const call of s.workers.calls) s.workers.give(call);
      await s.run('w').pause(); // The grant for `b` comes too late to hand it out.
    },
    send: (s) => s.order('cancel', () => s.run('w').cancel('enough')),
    makes: 'workflow.cancelled',
    ends: 'w cancelled',
  }),
  paying(
    'a sub-run pays too',
    [row('child', keep('inner', { cost: 2 })), row('w', keep('a'), { id: 'down', workflow: 'child' })],
    {
      makes: 'credits.requested',
      ends: 'child completed, w completed',
    },
  ),
  paying(
    'a sub-run is refused',
    [
      row('child', keep('inner', { cost: 50 })),
      row('w', keep('a'), { id: 'down', workflow: { id: 'child', onFailure: 'catch' } }),
    ],
    {
      makes: 'workflow.exhausted',
      ends: 'child exhausted, w completed',
    },
  ),
  paying(
    'a graph reserves the whole of it',
    [
      {
        dialect: 'dataflow',
        id: 'w',
        nodes: ['a', 'b'].map((id) => ({ id, type: 'work', cost: 4 })),
        edges: [{ source: 'a', sourceOutput: 'value', target: 'b', targetInput: 'value' }],
      },
    ],
    {
      prepare: rich,
      send: begin,
      makes: 'credits.granted',
    },
  ),
  paying('a paused run is granted', [steps], {
    prepare: async (s) => {
      await s.engine.credits.deposit('acme', 20);
      await (await s.start('w', {}, acme)).pause();
    },
    finish: (s) => s.order('resume', () => s.run('w').resume()),
  }),
  {
    name: 'deposit: under a key',
    definitions: [steps],
    send: (s) => s.order('deposit', (engine) => engine.credits.deposit('acme', 20, { key: 'june' })),
    finish: begin,
    ends: 'w completed',
  },
  {
    name: 'deposit: without a key',
    definitions: [steps],
    prepare: rich,
    send: (s) => s.order('deposit', (engine) => engine.credits.deposit('acme', 20)),
    isSaidOnce: true,
    finish: begin,
    ends: 'w completed',
  },
  {
    name: 'deposit: under a key that was used for another amount',
    definitions: [steps],
    prepare: (s) => s.engine.credits.deposit('acme', 20, { key: 'june' }),
    send: (s) => s.order('deposit', (engine) => engine.credits.deposit('acme', 21, { key: 'june' })),
    finish: begin,
    ends: 'w completed',
  },
];
