// Children: runs that call runs: how those begin, how they end, and who still waits for them then.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { ActionError } from '../../../packages/heddle/src/executor/action-error.ts';
import type { ScriptedCall } from '../../../packages/heddle/src/testing/scripted-actions.ts';
import { each, join, keep, row, spawn, work, workflow } from '../drawing.ts';
import { never, type Shape } from '../shape.ts';
import type { Stage } from '../stage.ts';

const child = row('child', keep('inner'));
const call = (more: JsonObject = {}, node: JsonObject = {}): JsonObject => ({
  id: 'down',
  workflow: { id: 'child', ...more },
  outputMapping: { 'state.down': 'result' },
  ...node,
});
const parent = (more: JsonObject = {}, node: JsonObject = {}): JsonObject => row('w', call(more, node), keep('after'));
const caught = { onFailure: 'catch' };

/** Runs of the child, in the order of their ids. */
async function childrenOf(s: Stage): Promise<readonly string[]> {
  const { rows } = await s.store.pageRuns({ limit: 10, workflow: 'child' });
  return rows.map(({ runId }) => runId).toSorted();
}

async function begin(s: Stage, input: unknown = {}): Promise<void> {
  await s.start('w', input);
  for (const [index, id] of (await childrenOf(s)).entries()) s.note(`child ${index}`, id);
}

const cancelChild = (s: Stage, index = 0) =>
  s.order('cancel', (engine) => engine.run(s.noted(`child ${index}`)).cancel('enough'));

const failing = ({ nodeId }: ScriptedCall): unknown => {
  if (nodeId === 'inner') throw new ActionError('no', { code: 'NO' });
  return { value: nodeId };
};

interface End {
  readonly status: string;
  readonly more: Partial<Shape>;
}

const ways: readonly End[] = [
  { status: 'completed', more: { send: (s) => s.answer('inner') } },
  { status: 'failed', more: { send: (s) => s.answer('inner'), answer: failing } },
  { status: 'cancelled', more: { send: (s) => cancelChild(s) } },
  {
    status: 'timed_out',
    more: { send: (s) => s.pass(60_000), answer: ({ nodeId }) => (nodeId === 'inner' ? never : { value: nodeId }) },
  },
];

const endings = ways.flatMap(({ status, more }): Shape[] => {
  const drawn = status === 'timed_out' ? { ...child, timeoutMs: 60_000 } : child;
  const isWell = status === 'completed';
  const shape = (name: string, definition: JsonObject, ends: string): Shape => ({
    name: `sub-run ${status}: ${name}`,
    definitions: [drawn, definition],
    prepare: (s) => begin(s),
    send: () => Promise.resolve(),
    makes: 'subworkflow.completed',
    ends: `child ${status}, w ${ends}`,
    ...more,
  });
  return [
    shape('its parent waits for it', parent(), isWell ? 'completed' : 'failed'),
    shape('its parent catches what it comes to', parent(caught), 'completed'),
    {
      ...shape('its parent is paused', parent(caught), 'completed'),
      prepare: async (s) => {
        await begin(s);
        await s.run('w').pause();
      },
      makes: [],
      finish: (s) => s.order('resume', () => s.run('w').resume()),
    },
    {
      ...shape('its parent is being cancelled', parent(), 'cancelled'),
      send: (s) =>
        Promise.all([s.order('cancel parent', () => s.run('w').cancel('enough')), more.send?.(s)]).then(
          () => undefined,
        ),
      makes: 'workflow.cancelled',
      ends: `child ${status === 'timed_out' ? 'cancelled' : status}, w cancelled`,
    },
  ];
});

export const children: readonly Shape[] = [
  {
    name: 'sub-run: it starts after a result',
    definitions: [child, row('w', keep('a'), call())],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'workflow.started',
    ends: 'child completed, w completed',
  },
  {
    name: 'sub-run: three start at once',
    definitions: [
      row('child', keep('inner', { inputMapping: { n: 'input.n' } })),
      workflow(
        'w',
        ['s', call({}, { inputMapping: { n: 'item' } }), keep('after')],
        [each('s', 'down', null), join('down', 'after')],
      ),
    ],
    send: (s) => s.order('start', (engine) => engine.start('w', { items: [1, 2, 3] }, { idempotencyKey: 'k' })),
    makes: 'subworkflow.dispatched',
    ends: 'child completed, child completed, child completed, w completed',
  },
  {
    name: 'sub-run: of a workflow that is not there',
    definitions: [row('w', keep('a'), call())],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'subworkflow.completed',
    ends: 'w failed',
  },
  {
    name: 'sub-run: it refuses its input',
    definitions: [{ ...child, inputSchema: { type: 'object', required: ['n'] } }, row('w', keep('a'), call(caught))],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'subworkflow.completed',
    ends: 'w completed',
  },
  {
    name: 'sub-run: it is done at once',
    definitions: [row('child', 'inner'), row('w', keep('a'), call())],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('a'),
    makes: 'workflow.completed',
    ends: 'child completed, w completed',
  },
  ...endings.filter(({ name }) => name !== 'sub-run cancelled: its parent is being cancelled'),
  {
    name: 'sub-run failed: it is tried again',
    definitions: [child, parent({}, { retry: { maxAttempts: 2, initialDelayMs: 1_000 } })],
    prepare: (s) => begin(s),
    send: (s) => s.answer('inner'),
    answer: failing,
    makes: 'task.attempt_failed',
    ends: 'child failed, child failed, w failed',
  },
  {
    name: 'sub-run of a sub-run: its end ends all',
    definitions: [child, row('middle', call()), row('w', { id: 'down', workflow: 'middle' })],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('inner'),
    makes: 'workflow.completed',
    ends: 'child completed, middle completed, w completed',
  },
  {
    name: 'sub-run: the first of three that a join waits for has ended',
    definitions: [
      row('child', keep('inner', { inputMapping: { n: 'input.n' } })),
      workflow(
        'w',
        ['s', call({}, { inputMapping: { n: '_branch.index' } }), keep('after')],
        [spawn('s', 'down', 3), join('down', 'after', { strategy: 'any' })],
      ),
    ],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('inner', { n: 1 }),
    makes: ['fan_in.completed', 'workflow.cancelled'],
    ends: 'child cancelled, child cancelled, child completed, w completed',
    tolerates: { order: 'runs tell of their ends in any order' },
  },
  {
    name: 'sub-run: a join within it is met, and it ends',
    definitions: [
      workflow(
        'child',
        ['s', keep('inner', { inputMapping: { index: '_branch.index' } }), 'met'],
        [spawn('s', 'inner', 2), join('inner', 'met')],
      ),
      parent(),
    ],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('inner', { index: 1 });
    },
    send: (s) => s.answer('inner', { index: 0 }),
    makes: ['fan_in.completed', 'subworkflow.completed'],
    ends: 'child completed, w completed',
  },
  {
    name: 'sub-run: it asks, and its parent is suspended with it',
    definitions: [row('child', work('inner'), { id: 'ask', input: true }), parent()],
    prepare: (s) => s.start('w'),
    send: (s) => s.answer('inner'),
    reply: () => 'yes',
    makes: ['workflow.suspended', 'subworkflow.suspended'],
    ends: 'child completed, w completed',
  },
  {
    name: 'sub-run: it is answered, and its parent resumes with it',
    definitions: [row('child', { id: 'ask', input: true }, work('inner')), parent()],
    prepare: async (s) => {
      await s.start('w');
      await s.notePrompts();
    },
    send: (s) => s.order('reply', () => s.run('w').reply(s.noted('prompt ask'), 'yes', { key: 'k' })),
    makes: ['workflow.resumed', 'subworkflow.resumed'],
    ends: 'child completed, w completed',
  },
];
