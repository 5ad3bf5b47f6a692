// Joins: results of branches, which a join waits for, fires by, or no longer wants.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { ActionError } from '../../../packages/heddle/src/executor/action-error.ts';
import { branch, each, go, join, keep, spawn, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';

const three = (synchronization: JsonObject): JsonObject =>
  workflow('w', ['s', branch('b'), keep('after')], [spawn('s', 'b', 3), join('b', 'after', synchronization)]);

/** The result of branch 2, 0 or 1, after the others before it. */
const order = [2, 0, 1];
const places = ['first', 'middle', 'last'];

const strategies: readonly [string, JsonObject, fires: number][] = [
  ['all', { strategy: 'all' }, 2],
  ['any', { strategy: 'any' }, 0],
  ['any, leaving the others alone', { strategy: 'any', onEarlyComplete: 'abandon' }, 0],
  ['two of three', { strategy: { mOfN: 2 } }, 1],
  ['two of three, leaving the other alone', { strategy: { mOfN: 2 }, onEarlyComplete: 'abandon' }, 1],
];

/** Only those that can come: a join that cancels has no calls left once it has fired. */
const results = strategies.flatMap(([strategy, synchronization, fires]): Shape[] =>
  order.flatMap((index, place): Shape[] => {
    const isLate = place > fires;
    if (isLate && synchronization['onEarlyComplete'] === undefined) return [];
    return [
      {
        name: `join ${strategy}: the ${places[place]} result`,
        definitions: [three(synchronization)],
        prepare: async (s) => {
          await s.start('w');
          for (const before of order.slice(0, place)) await s.answer('b', { index: before });
        },
        send: (s) => s.answer('b', { index }),
        rank: ({ nodeId, input }) => (nodeId === 'b' ? order.indexOf(input['index'] as number) : 9),
        makes: place === fires ? 'fan_in.completed' : 'task.completed',
        ends: 'w completed',
      },
    ];
  }),
);

const inner = { siblingGroup: 'h' };
const nested = workflow(
  'w',
  ['s', 'i', branch('b', { inputMapping: { at: '[_branch.parent.index, _branch.index]' } }), keep('m'), keep('after')],
  [
    spawn('s', 'i', 2),
    spawn('i', 'b', 2, inner),
    join('b', 'm', { ...inner, merge: { source: '_branch.output.value', target: 'state.value', strategy: 'append' } }),
    join('m', 'after'),
  ],
);

const items = { items: ['p', 'q', 'r', 's'] };
const list = (more: JsonObject = {}): JsonObject =>
  workflow(
    'w',
    ['s', branch('b', { inputMapping: { item: 'item' } }), keep('after')],
    [each('s', 'b', 2, more), join('b', 'after')],
  );

const failingAt =
  (...bad: readonly string[]) =>
  ({ nodeId, input }: { nodeId: string; input: JsonObject }) => {
    if (bad.includes(input['item'] as string)) throw new ActionError('bad', { code: 'BAD', retryable: false });
    return { value: `${nodeId} ${JSON.stringify(input)}` };
  };

const listed = (name: string, before: readonly string[], item: string, more: Partial<Shape> = {}): Shape => ({
  name: `foreach, two at a time: ${name}`,
  definitions: [list()],
  prepare: async (s) => {
    await s.start('w', items);
    for (const one of before) await s.answer('b', { item: one });
  },
  send: (s) => s.answer('b', { item }),
  makes: 'task.completed',
  ends: 'w completed',
  ...more,
});

export const joins: readonly Shape[] = [
  ...results,
  {
    name: 'join in a join: the last inner result',
    definitions: [nested],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('b', { at: [0, 1] });
    },
    send: (s) => s.answer('b', { at: [0, 0] }),
    makes: 'fan_in.completed',
    ends: 'w completed',
  },
  {
    name: 'join in a join: the last result of all',
    definitions: [
      { ...nested, nodes: (nested['nodes'] as JsonObject[]).map((n) => (n['id'] === 'm' ? { id: 'm' } : n)) },
    ],
    prepare: async (s) => {
      await s.start('w');
      for (const at of [
        [0, 1],
        [1, 0],
        [0, 0],
      ])
        await s.answer('b', { at });
    },
    send: (s) => s.answer('b', { at: [1, 1] }),
    makes: 'fan_in.completed',
    ends: 'w completed',
  },
  {
    name: 'join any in a join: its branches are called off with all that is in them',
    definitions: [
      workflow(
        'w',
        ['s', 'i', branch('b', { inputMapping: { at: '[_branch.parent.index, _branch.index]' } }), keep('m'), 'after'],
        [spawn('s', 'i', 2), spawn('i', 'b', 2, inner), join('b', 'm', inner), join('m', 'after', { strategy: 'any' })],
      ),
    ],
    prepare: async (s) => {
      await s.start('w');
      for (const at of [
        [0, 0],
        [1, 0],
        [1, 1],
      ])
        await s.answer('b', { at });
    },
    send: (s) => s.answer('m'),
    makes: ['fan_in.completed', 'tokens.cancelled'],
    ends: 'w completed',
  },
  listed('the first result', [], 'q'),
  listed('the third result', ['q', 'p'], 's', {}),
  listed('the last result', ['q', 'p', 's'], 'r', { makes: 'fan_in.completed' }),
  listed('a failure that is tolerated', ['q'], 'p', {
    definitions: [list({ onBranchFailure: 'end' })],
    answer: failingAt('p'),
    makes: 'branch.ended',
  }),
  listed('one failure too many', ['q', 'p'], 'r', {
    definitions: [list({ onBranchFailure: 'end', maxFailures: 1 })],
    answer: failingAt('p', 'r'),
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  listed('a failure that nobody handles', ['q'], 'p', {
    answer: failingAt('p'),
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
  {
    name: 'fan-out: without a join, the last branch ends the run',
    definitions: [workflow('w', ['s', branch('b'), branch('c')], [spawn('s', 'b', 2), go('b', 'c')])],
    prepare: async (s) => {
      await s.start('w');
      for (const [node, index] of [
        ['b', 0],
        ['b', 1],
        ['c', 1],
      ] as const)
        await s.answer(node, { index });
    },
    send: (s) => s.answer('c', { index: 0 }),
    makes: 'group.closed',
    ends: 'w completed',
  },
];
