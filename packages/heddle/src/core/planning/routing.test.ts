import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('which transitions fire', () => {
  test('[RT1] the first tier with a match wins, and all its matches fire, in definition order', () => {
    const trial = new Trial(
      flow(
        ['a', 'late', 'one', 'two', 'no'],
        [
          { from: 'a', to: 'late', priority: 3 },
          { from: 'a', to: 'no', priority: 1, condition: 'false' },
          { from: 'a', to: 'two', priority: 2 },
          { from: 'a', to: 'no', priority: 2, condition: 'input.n > 5' },
          { from: 'a', to: 'one', priority: 2, condition: 'input.n == 1' },
        ],
      ),
      { input: { n: 1 } },
    );
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at a',
      '1 completed',
      '2 created at two',
      '3 created at one',
      '2 completed',
      '3 completed',
      'workflow.completed',
    ]);
  });

  test('[RT1] with distinct priorities the first match alone fires, wherever it stands', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', 'c'],
        [
          { from: 'a', to: 'c', priority: 2 },
          { from: 'a', to: 'b', priority: 1 },
        ],
      ),
    );
    expect(trial.of('token.created').map(({ node }) => node)).toEqual(['a', 'b']);
  });

  test('[RT7] a success is offered the ways for success, a failure those for failure; any is both', () => {
    const definition = flow(
      [task('a'), 'plain', 'mended', 'always'],
      [
        { from: 'a', to: 'plain' },
        { from: 'a', to: 'mended', on: 'failure' },
        { from: 'a', to: 'always', on: 'any' },
      ],
    );
    const success = new Trial(definition);
    success.complete(1);
    expect(success.of('token.created').map(({ node }) => node)).toEqual(['plain', 'always']);
    const failure = new Trial(definition);
    failure.fail(1);
    expect(failure.of('token.created').map(({ node }) => node)).toEqual(['mended', 'always']);
  });
});

describe('when nothing fires', () => {
  test('[RT3] a success with no way out ends the path', () => {
    const trial = new Trial(flow([task('a'), 'b'], [{ from: 'a', to: 'b', on: 'failure' }]));
    trial.complete(1);
    expect(trial.told).toEqual(['1 task.completed', '1 completed', 'workflow.completed']);
  });

  test('[RT4] ways out, but none open: the run fails and says what was tried', () => {
    const trial = new Trial(
      flow(
        ['a', 'b'],
        [
          { id: 'go', from: 'a', to: 'b', condition: 'input.n > 1' },
          { from: 'a', to: 'b', condition: 'input.n < 0' },
        ],
      ),
      { input: { n: 1 } },
    );
    expect(trial.error).toEqual({
      code: 'NO_TRANSITION_MATCHED',
      message: 'Expected a transition from node a to match, but none did (go: input.n > 1; a->b: input.n < 0)',
      nodeId: 'a',
      details: { conditions: ['go: input.n > 1', 'a->b: input.n < 0'], exhausted: [] },
    });
  });

  test('[RT4] a failure that no way out takes keeps its own error', () => {
    const trial = new Trial(flow([task('a'), 'b'], [{ from: 'a', to: 'b', on: 'failure', condition: 'false' }]));
    trial.fail(1, 'OUT_OF_INK');
    expect(trial.error).toEqual({ code: 'OUT_OF_INK', message: 'OUT_OF_INK it is', nodeId: 'a', attempts: 1 });
  });
});

describe('conditions', () => {
  const withCondition = (condition: string) =>
    new Trial(flow(['a', 'b'], [{ id: 'go', from: 'a', to: 'b', condition }]), { input: { n: 1 } });

  test('[RT5] what is neither true nor false is an error that names transition, expression and cause', () => {
    expect(withCondition('input.n').error).toEqual({
      code: 'CONDITION_FAILED',
      message: 'Expected the condition of transition go to be true or false, but found number 1 (input.n)',
      nodeId: 'a',
      details: { transition: 'go', expression: 'input.n' },
    });
  });

  test('[RT5] what is missing is an error that names what is missing, unless it was asked for with has()', () => {
    const { error } = withCondition('input.absent == 1');
    expect(error).toMatchObject({ code: 'CONDITION_FAILED', nodeId: 'a' });
    expect(error?.message).toContain('to be true or false, but input.absent is missing (');
    expect(withCondition('has(input.absent) || input.n == 1').state.outcome).toBe('completed');
  });

  test('[RT5] what cannot be evaluated is an error', () => {
    const { error } = withCondition("input.n > 'x'");
    expect(error).toMatchObject({
      code: 'CONDITION_FAILED',
      details: { transition: 'go', expression: "input.n > 'x'" },
    });
  });
});

describe('loops', () => {
  const twice = flow(
    [task('a'), 'end'],
    [
      { id: 'again', from: 'a', to: 'a', priority: 1, loop: { maxIterations: 2 } },
      { from: 'a', to: 'end', priority: 2 },
    ],
  );

  test('[RT2] a loop at its limit is passed over, and the next tier has its turn', () => {
    const trial = new Trial(twice);
    for (const id of [1, 2, 3]) trial.complete(id);
    expect(trial.journal.filter(({ type }) => type === 'token.created')).toEqual([
      { type: 'token.created', token: 1, node: 'a', branch: [0, 0] },
      { type: 'token.created', token: 2, node: 'a', from: 1, via: 'again', branch: [0, 0], iterations: { again: 1 } },
      { type: 'token.created', token: 3, node: 'a', from: 2, via: 'again', branch: [0, 0], iterations: { again: 2 } },
      {
        type: 'token.created',
        token: 4,
        node: 'end',
        from: 3,
        via: 'a->end',
        branch: [0, 0],
        iterations: { again: 2 },
      },
    ]);
  });

  test('[RT2] [FL12] its condition is not looked at then, and the failure names the limit and the remedy', () => {
    const trial = new Trial(
      flow([task('a')], [{ id: 'again', from: 'a', to: 'a', loop: { maxIterations: 1 }, condition: 'result.go' }]),
    );
    trial.complete(1, { go: true });
    trial.complete(2, {});
    expect(trial.error).toMatchObject({
      code: 'NO_TRANSITION_MATCHED',
      message:
        'Expected a transition from node a to match, but none did (again: result.go; again has been taken 1 times, its limit); raise loop.maxIterations, or add a transition with a higher priority number for what follows the loop',
      details: { exhausted: ['again'] },
    });
  });

  test('[RT6] taking an outer loop begins the inner loops anew', () => {
    const trial = new Trial(
      flow(
        ['outer', task('inner'), 'tail', 'end'],
        [
          { from: 'outer', to: 'inner' },
          { id: 'in', from: 'inner', to: 'inner', priority: 1, loop: { maxIterations: 1 } },
          { from: 'inner', to: 'tail', priority: 2 },
          { id: 'out', from: 'tail', to: 'outer', priority: 1, loop: { maxIterations: 1 } },
          { from: 'tail', to: 'end', priority: 2 },
        ],
      ),
    );
    const visits: string[] = [];
    while (trial.state.outcome === null) {
      const [token] = trial.tokensAt('inner');
      visits.push(JSON.stringify(token?.iterations ?? {}));
      trial.complete(token?.id ?? 0);
    }
    expect(visits).toEqual(['{}', '{"in":1}', '{"out":1}', '{"out":1,"in":1}']);
    expect(trial.state.outcome).toBe('completed');
  });
});
