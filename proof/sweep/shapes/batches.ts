// Batches: a list in slices, the end of each, and the edges that wait for each other.

import type { JsonObject } from '../../../packages/heddle/src/base/json.ts';
import { go, keep, work, workflow } from '../drawing.ts';
import type { Shape } from '../shape.ts';

const flow = (parallelBatches: number, slice: JsonObject = {}): JsonObject =>
  workflow(
    'w',
    [
      { id: 'load', outputMapping: { 'state.xs': 'input.xs' } },
      {
        id: 'batch',
        batch: {
          items: 'state.xs',
          batchSize: 2,
          parallelBatches,
          merge: { source: '_branch.output.value', strategy: 'append', target: 'state.values' },
        },
      },
      work('process', { inputMapping: { xs: 'state.xs' }, outputMapping: { 'state.value': 'result.value' } }),
      keep('after'),
    ],
    [go('load', 'batch'), go('batch', 'process', { on: 'slice', ...slice }), go('batch', 'after')],
  );

const slices = [[1, 2], [3, 4], [5]];

/** The end of a slice, after those before it. */
const slice = (
  name: string,
  parallel: number,
  [before, at]: [number[][], number[]],
  more: Partial<Shape> = {},
): Shape => ({
  name: `batch: ${name}`,
  definitions: [flow(parallel)],
  prepare: async (s) => {
    await s.start('w', { xs: [1, 2, 3, 4, 5] });
    for (const xs of before) await s.answer('process', { xs });
  },
  send: (s) => s.answer('process', { xs: at }),
  makes: 'task.completed',
  ends: 'w completed',
  ...more,
});

const [first = [], second = [], third = []] = slices;

const edge = (from: string, to: string, more: JsonObject = {}): JsonObject =>
  go(from, to, { synchronization: { over: 'edges' }, ...more });

const diamond = (condition = 'true'): JsonObject =>
  workflow(
    'w',
    [keep('a'), keep('b'), keep('c'), keep('d')],
    [go('a', 'b'), go('a', 'c', { condition }), edge('b', 'd'), edge('c', 'd')],
  );

export const batches: readonly Shape[] = [
  {
    name: 'batch: it begins',
    definitions: [flow(2)],
    send: (s) => s.order('start', (engine) => engine.start('w', { xs: [1, 2, 3, 4, 5] }, { idempotencyKey: 'k' })),
    makes: 'fan_out.started',
    ends: 'w completed',
  },
  slice('the first slice of three, one at a time', 1, [[], first]),
  slice('the middle slice of three, one at a time', 1, [[first], second]),
  slice('the last slice, one at a time', 1, [[first, second], third], { makes: 'batch.completed' }),
  slice('the second slice first, two at a time', 2, [[], second]),
  slice('the last slice, two at a time', 2, [[second, third], first], { makes: 'batch.completed' }),
  slice('a slice fails', 1, [[first], second], {
    answer: ({ input }) => {
      if (JSON.stringify(input['xs']) === '[3,4]') throw Object.assign(new Error('no'), { retryable: false });
      return { value: 1 };
    },
    makes: 'workflow.failed',
    ends: 'w failed',
  }),
];

export const edges: readonly Shape[] = [
  {
    name: 'join over edges: the first arrives',
    definitions: [diamond()],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
    },
    send: (s) => s.answer('b'),
    makes: 'token.waiting',
    ends: 'w completed',
  },
  {
    name: 'join over edges: the last arrives',
    definitions: [diamond()],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
      await s.answer('c');
    },
    send: (s) => s.answer('b'),
    makes: 'edge_join.completed',
    ends: 'w completed',
  },
  {
    name: 'join over edges: one is dead, and the other is enough',
    definitions: [diamond('false')],
    prepare: async (s) => {
      await s.start('w');
      await s.answer('a');
    },
    send: (s) => s.answer('b'),
    makes: 'edge_join.completed',
    ends: 'w completed',
  },
];
