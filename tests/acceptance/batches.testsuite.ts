// What the acceptance tests of batches share: a batch whose slices the test works on.

import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { alarmsAreMeant } from './hosts.testsuite.ts';
import { answer, callsAt, type Fields, go, work, workflow } from './token-engine.testsuite.ts';

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const sum = (items: readonly number[]): number => items.reduce((total, item) => total + item, 0);

/** `load` keeps the list as `state.xs`; `process` works on each slice of it; `after` comes once, and puts out `sums`. */
export const batchFlow = (batch: Fields, slice: Fields = {}): Fields =>
  workflow(
    'w',
    [
      { id: 'load', outputMapping: { 'state.xs': 'input.xs' } },
      {
        id: 'batch',
        batch: {
          items: 'state.xs',
          merge: { source: '_branch.output.sum', strategy: 'append', target: 'state.sums' },
          ...batch,
        },
        outputMapping: { 'output.sums': 'result' },
      },
      work('process', {
        inputMapping: { xs: 'state.xs', batch: '_batch' },
        outputMapping: { 'state.sum': 'result.sum' },
      }),
      work('after', { inputMapping: { xs: 'state.xs', sums: 'state.sums', batch: '_batch' } }),
    ],
    [go('load', 'batch'), go('batch', 'process', { on: 'slice', ...slice }), go('batch', 'after')],
    alarmsAreMeant, // `after` looks for a slice that is over
  );

/** The slices that are being worked on, in the order in which they began. */
export const slices = (t: TestEngine): number[][] => callsAt(t, 'process').map(({ input }) => input['xs'] as number[]);

/** Answers a slice by the sum of its items. */
export const workOn = (t: TestEngine, xs: readonly number[]): Promise<void> =>
  answer(t, 'process', { sum: sum(xs) }, { xs });

/** Answers all slices, the oldest first. */
export async function inOrder(t: TestEngine): Promise<void> {
  for (let [next] = slices(t); next; [next] = slices(t)) await workOn(t, next);
}
