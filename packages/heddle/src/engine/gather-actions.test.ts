import { expect, test } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import { InvalidActionsError } from '../executor/registry.ts';
import { gatherActions } from './gather-actions.ts';

const executor = ({ context }: { readonly context: object }) => context as never;

function problemsOf(options: object): readonly string[] {
  try {
    gatherActions(options, defaultLimits);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidActionsError)) throw error;
    return error.problems.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

test('[OP7] all that is wrong with actions, executors and node types is told at once', () => {
  const actions = { fine: () => 1, slow: { run: () => 1, timeout: 5 }, none: 7 };
  expect(problemsOf({ actions, executors: { 'a b': executor, c: 5 }, nodeTypes: { x: 3, y: 4, fine: 5 } })).toEqual([
    '/slow/timeout UNKNOWN_FIELD',
    '/none WRONG_TYPE',
    '/a b INVALID_NAME',
    '/c WRONG_TYPE',
    '/x WRONG_TYPE',
    '/y WRONG_TYPE',
    '/fine WRONG_TYPE',
  ]);
});

test('[OP7] what is fine is gathered', () => {
  const action = () => 1;
  expect(gatherActions({ actions: { action }, executors: { X: executor } }, defaultLimits)).toEqual({
    action,
    X: expect.any(Function),
  });
});
