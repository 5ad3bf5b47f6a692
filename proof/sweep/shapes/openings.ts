// Openings: the process itself begins and ends: the first file, the last commit, and what is left undone in between.

import { go, keep, row, work, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const busy = workflow(
  'w',
  ['s', keep('a'), keep('b'), { id: 'nap', wait: { seconds: 60 } }, { id: 'ask', input: { deadlineMs: 90_000 } }],
  ['a', 'b', 'nap', 'ask'].map((to) => go('s', to)),
);

const laterIndexes = [
  'roots_by_status',
  'roots_by_workflow_and_status',
  'sub_runs_by_status',
  'sub_runs_by_workflow_and_status',
  'runs_by_root',
  'runs_in_quarantine',
  'tags_by_value',
  'keys_by_run',
];

/** Before there were indexes for every list, and before rows had checksums. */
const backToVersion2 = [
  ...laterIndexes.map((index) => `DROP INDEX ${index}`),
  'CREATE INDEX runs_by_age ON runs (created_at, run_id)',
  'CREATE INDEX runs_by_status ON runs (status, created_at, run_id)',
  'CREATE INDEX runs_by_workflow ON runs (workflow, created_at, run_id)',
  ...['runs', 'outbox', 'keys', 'definitions', 'records'].map((table) => `ALTER TABLE ${table} DROP COLUMN checksum`),
  'PRAGMA user_version = 2',
].join(';');

/** A page in the log, with what stands before it. */
const frameLength = 4_120;
const logPages = 60;

/** Commits small things until the log has so many pages. */
async function fillLog(s: Stage, pages: number): Promise<void> {
  while (s.logLength < pages * frameLength) await s.engine.credits.deposit('acme', 1);
}

const begin = (s: Stage) => s.order('start', (engine) => engine.start('w', {}, { idempotencyKey: 'k' }));

export const openings: readonly Shape[] = [
  {
    name: 'open: the first time',
    isFromTheBeginning: true,
    send: async (s) => {
      await s.order('register', () => s.register(row('w', work('a'))));
      await begin(s);
    },
    ends: 'w completed',
  },
  {
    name: 'open: again, with nothing under way',
    definitions: [row('w', work('a'))],
    send: (s) => s.reopen(),
    finish: begin,
    ends: 'w completed',
  },
  {
    name: 'open: again, with tasks, a timer and a question under way',
    definitions: [busy],
    prepare: (s) => s.start('w'),
    send: (s) => s.reopen(),
    makes: 'tasks.lost',
    reply: () => 'yes',
    ends: 'w completed',
  },
  {
    name: 'open: again, with a timer that came due meanwhile',
    definitions: [row('w', { id: 'nap', wait: { seconds: 60 } }, keep('a'))],
    prepare: async (s) => {
      await s.start('w');
      await s.away(120_000);
    },
    send: () => Promise.resolve(), // opened it is anyway
    makes: 'timer.fired',
    ends: 'w completed',
  },
  {
    name: 'open: a file of version 2, which is brought up to date',
    definitions: [busy],
    prepare: async (s) => {
      await s.start('w', {}, { idempotencyKey: 'k' });
      await s.away(1);
      s.damage(backToVersion2);
    },
    send: () => Promise.resolve(),
    makes: 'tasks.lost',
    reply: () => 'yes',
    ends: 'w completed',
  },
  {
    name: 'open: again, with runs that call each other under way',
    definitions: [row('child', work('inner')), row('w', { id: 'down', workflow: 'child' }, keep('after'))],
    prepare: (s) => s.start('w'),
    send: (s) => s.reopen(),
    makes: 'tasks.lost',
    ends: 'child completed, w completed',
  },
  {
    name: 'open: again, with a task that was lost too often',
    definitions: [workflow('w', [keep('a'), 'b'], [go('a', 'b', { on: 'failure' })])],
    options: { limits: { dispatchesMax: 1 } },
    prepare: (s) => s.start('w'),
    send: (s) => s.reopen(),
    makes: 'task.failed',
    ends: 'w completed',
  },
  {
    name: 'log: a commit makes it long, and it is moved into the database',
    definitions: [row('w', work('a'))],
    logPages,
    prepare: (s) => fillLog(s, logPages - 3),
    send: begin,
    makes: 'workflow.started',
    ends: 'w completed',
  },
  {
    name: 'log: it begins anew, over what was moved into the database',
    definitions: [row('w', work('a'))],
    logPages,
    prepare: (s) => fillLog(s, logPages),
    send: begin,
    makes: 'workflow.started',
    ends: 'w completed',
  },
];
