import { describe, expect, test } from 'vitest';
import { copyState } from '../apply/apply.ts';
import { encodeState } from '../apply/snapshot.ts';
import { plan } from './plan.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const nested = flow(
  [
    task('s'),
    task('row', { outputMapping: { 'state.r': '_branch.index' } }),
    task('cell', { retry: { maxAttempts: 2, initialDelayMs: 5 } }),
    'sum',
    'end',
  ],
  [
    { from: 's', to: 'row', spawnCount: 3, siblingGroup: 'rows' },
    {
      from: 'row',
      to: 'cell',
      foreach: { collection: 'input.list', itemVar: 'x', maxParallel: 2 },
      siblingGroup: 'cells',
    },
    { from: 'cell', to: 'sum', synchronization: { siblingGroup: 'cells', strategy: { mOfN: 2 }, timeoutMs: 50 } },
    {
      from: 'sum',
      to: 'end',
      synchronization: { siblingGroup: 'rows', strategy: 'all', merge: { target: 'state.all', strategy: 'append' } },
    },
  ],
);
const halfway = () => {
  const trial = new Trial(nested, { input: { list: [1, 2, 3] } });
  trial.complete(1);
  trial.complete(3);
  trial.complete(trial.ids('cell')[0] ?? 0, { v: 1 });
  trial.fail(trial.ids('cell')[0] ?? 0);
  return trial;
};

describe('plans', () => {
  test('[PL1] a plan follows from graph, state and command alone; what it was given is not altered', () => {
    const { graph, state } = halfway();
    const before = encodeState(copyState(state));
    const command = {
      type: 'task.result',
      at: 2_000,
      token: 2,
      dispatch: 1,
      outcome: { type: 'completed', output: {} },
    } as const;
    const first = plan(graph, state, command);
    const second = plan(graph, state, command);
    expect(first.events.length).toBeGreaterThan(3);
    expect([second.events, second.effects, second.reply]).toEqual([first.events, first.effects, first.reply]);
    expect(encodeState(second.state)).toEqual(encodeState(first.state));
    expect(encodeState(state)).toEqual(before);
  });

  test('[PL2] every event is applied before the next rule looks: one command goes on until nothing is left to do', () => {
    const trial = new Trial(
      flow(
        [
          'a',
          { id: 'b', outputMapping: { 'state.n': '1' } },
          { id: 'c', outputMapping: { 'state.n': 'state.n + 1' } },
          task('d', { inputMapping: { n: 'state.n' } }),
        ],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'c', condition: 'state.n == 1' },
          { from: 'c', to: 'd', condition: 'state.n == 2' },
        ],
      ),
    );
    expect(trial.events.at(-1)).toEqual({
      type: 'task.dispatched',
      token: 4,
      attempt: 1,
      dispatch: 1,
      input: { n: 2 },
    });
  });

  test('[PL3] a limit in the middle of a plan fails the run after what was already decided; nothing of it is lost', () => {
    const trial = new Trial(
      flow(
        ['a', { id: 'b', outputMapping: { 'state.n': '1' } }, task('c'), task('d')],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'c' },
          { from: 'b', to: 'd', foreach: { collection: 'input' }, siblingGroup: 'g' },
        ],
      ),
      { input: [1, 2, 3, 4, 5], limits: { branchesPerFanOutMax: 4 } },
    );
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at a',
      '1 completed',
      '2 created at b',
      '0:0 state.n=1',
      '2 completed',
      '3 created at c',
      '3 cancelled',
      'workflow.failed',
    ]);
    expect(trial.context.state).toEqual({ n: 1 });
    expect(trial.effects).toEqual([]);
  });
});
