// What the tests of batches share: a batch over `state.xs`, and what its slices were given.

import type { BatchDefinition, NodeDefinition, TransitionDefinition } from '../../definition/definition.ts';
import { flow, Trial, type TrialOptions, task } from './planning.testsuite.ts';

export const list = (length: number): { readonly xs: readonly number[] } => ({
  xs: Array.from({ length }, (_, i) => i),
});

/** What a slice sees of the list and of itself. */
export const seen = { xs: 'state.xs', batch: '_batch' };
export const work = task('work', { inputMapping: seen, outputMapping: { 'state.sum': 'result.sum' } });

interface Shape {
  readonly batch?: Partial<BatchDefinition>;
  readonly slice?: Partial<TransitionDefinition>;
  readonly nodes?: readonly (string | NodeDefinition)[];
  readonly ways?: readonly TransitionDefinition[];
}

/** `load` reads `input.xs`; `batch` works through `state.xs` at `work`; `after` comes once. */
export function batchOf({ batch, slice, nodes = [work], ways = [] }: Shape = {}) {
  return flow(
    [
      { id: 'load', outputMapping: { 'state.xs': 'input.xs' } },
      {
        id: 'batch',
        batch: { items: 'state.xs', ...batch },
        outputMapping: { 'state.total': 'result' },
      },
      ...nodes,
      task('after', { inputMapping: { xs: 'state.xs', total: 'state.total', batch: '_batch' } }),
    ],
    [
      { from: 'load', to: 'batch' },
      { from: 'batch', to: 'work', on: 'slice', ...slice },
      { from: 'batch', to: 'after' },
      ...ways,
    ],
  );
}

export const append = { source: '_branch.output.sum', strategy: 'append' } as const;

export const started = (shape: Shape, length: number, options: TrialOptions = {}): Trial =>
  new Trial(batchOf(shape), { input: list(length), ...options });

export const inputs = (trial: Trial) => trial.of('task.dispatched').map(({ input }) => input);
