import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { copyState } from '../apply/apply.ts';
import type { Decision } from '../decisions.ts';
import { planInPlace } from './plan.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

/** What the condition of the way out of `a` reads when `a` gives this. */
function readsWith(condition: string, output: Json, input: Json = {}) {
  const trial = new Trial(
    flow(
      [task('a'), 'b', 'c'],
      [
        { from: 'a', to: 'b', condition },
        { from: 'a', to: 'c' },
      ],
    ),
    { input },
  );
  const decisions: Decision[] = [];
  const result = {
    type: 'task.result',
    at: 2_000,
    token: 1,
    dispatch: 1,
    outcome: { type: 'completed', output },
  } as const;
  planInPlace(trial.graph, copyState(trial.state), result, decisions);
  const routing = decisions.find((decision) => decision.type === 'routing');
  return routing?.ways.map(({ reads }) => reads);
}

test('[RD13] the members that a condition reads are listed with their values, also those that it only asks for', () => {
  expect(
    readsWith('result.total < 1000 && (!has(input.vip) || result.total < input.max)', { total: 1200 }, { max: 9 }),
  ).toEqual([
    [{ name: 'input.max', value: 9 }, { name: 'result.total', value: 1200 }, { name: 'input.vip' }],
    undefined,
  ]);
});

test('[RD13] of a long value only that it is long, and of many the first twenty', () => {
  expect(readsWith('size(result.text) > 3', { text: 'x'.repeat(2_000) })?.[0]).toEqual([
    { name: 'result.text', isLong: true },
  ]);
  const many = Array.from({ length: 25 }, (_, index) => `result.n${index} == ${index}`).join(' || ');
  expect(readsWith(many, { n0: 0 })?.[0]).toHaveLength(20);
});
