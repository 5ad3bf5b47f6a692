import { describe, expect, test } from 'vitest';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { lowered, Trial, task } from './planning.testsuite.ts';

const policy = { unhandledFailure: 'record', keepsOutputs: true } as const;
const edges = { over: 'edges', require: 'all' } as const;

/** `start` leads to `a` and `b`; `both` waits for both of them, `next` comes after it; `alone` follows `b`. */
const diamond = (more: Partial<Parameters<typeof task>[1]> = {}) =>
  new Trial(
    lowered(
      ['start', task('a', more), task('b'), task('both'), task('next'), task('alone')],
      [
        { from: 'start', to: 'a' },
        { from: 'start', to: 'b' },
        { from: 'a', to: 'both', synchronization: edges },
        { from: 'b', to: 'both', synchronization: edges },
        { from: 'both', to: 'next' },
        { from: 'b', to: 'alone' },
      ],
      { policy, output: { path: ['nodes'] } },
    ),
  );

const at = (trial: Trial, node: string): number => trial.ids(node)[0] ?? 0;

describe('failures that are recorded', () => {
  test('[DA1] a failed node ends its path; what depends on it is skipped, all else goes on', () => {
    const trial = diamond();
    trial.fail(at(trial, 'a'), 'NO_A');
    expect(trial.told).toEqual(['2 task.failed', 'edges.settled']);
    expect(trial.of('edges.settled')[0]?.skipped).toEqual(['both']);
    trial.complete(at(trial, 'b'), 'B');
    expect(trial.told).toEqual([
      '3 task.completed',
      '3 completed',
      '4 created at both',
      '5 created at alone',
      '4 completed',
      '5 handed out 1.1',
    ]);
    trial.complete(at(trial, 'alone'), 'C');
    expect(trial.state.outcome).toBe('failed');
    expect({ ...trial.state.outputs }).toEqual({ b: 'B', alone: 'C' });
    expect({ ...trial.state.errors }).toEqual({ a: 'NO_A it is' });
  });

  test('[DA2] a run in which nodes have failed ends as failed when nothing is left to do, naming them', () => {
    const trial = diamond();
    trial.fail(at(trial, 'b'), 'NO_B');
    expect(trial.state.outcome).toBeNull();
    trial.fail(at(trial, 'a'), 'NO_A');
    expect(trial.told.at(-1)).toBe('workflow.failed');
    expect(trial.error).toEqual({
      code: 'NODES_FAILED',
      message: 'Expected all nodes to succeed, but node b failed: NO_B it is (and 1 more)',
      nodeId: 'b',
      details: { b: 'NO_B it is', a: 'NO_A it is' },
    });
  });

  test('[DA2] without a failure it completes', () => {
    const trial = diamond();
    for (const node of ['a', 'b', 'alone', 'both', 'next']) trial.complete(at(trial, node), node);
    expect([trial.state.outcome, trial.state.output]).toEqual([
      'completed',
      { a: 'a', b: 'b', alone: 'alone', both: 'both', next: 'next' },
    ]);
  });

  test('[DA1][RY1] retries come first', () => {
    const trial = diamond({ retry: { maxAttempts: 2 } });
    trial.fail(at(trial, 'a'));
    expect(trial.told).toEqual(['2 task.attempt_failed']);
    trial.alarmAt(1_000);
    trial.complete(at(trial, 'a'), 'A');
    expect({ ...trial.state.errors }).toEqual({});
  });

  test('[DA1] an input that cannot be built is a failure of that node alone', () => {
    const inputEdits = [{ set: ['x'], to: { path: ['nodes', 'a', 'missing'] }, required: true }];
    const trial = new Trial(
      lowered(
        ['start', task('a'), { ...task('b'), inputEdits }, task('c')],
        [
          { from: 'start', to: 'a' },
          { from: 'start', to: 'b' },
          { from: 'b', to: 'c' },
        ],
        { policy },
      ),
    );
    expect(trial.tokens).toEqual(['2 a dispatched']);
    trial.complete(2);
    expect(trial.error).toMatchObject({ code: 'NODES_FAILED', nodeId: 'b' });
  });

  test('[DA1] node ids of any kind are kept', () => {
    const ids = ['__x', 'toString', 'a.b', '1'];
    const ways = ids.map((to): TransitionDefinition => ({ from: 'start', to }));
    const trial = new Trial(
      lowered(['start', ...ids.map((id) => task(id))], ways, { policy, output: { path: ['nodes'] } }),
    );
    for (const id of ids) trial.complete(at(trial, id), id);
    expect(trial.state.output).toEqual(Object.fromEntries(ids.map((id) => [id, id])));
  });

  test('[DA1] a limit still fails the run', () => {
    const trial = new Trial(lowered([task('a'), task('b')], [{ from: 'a', to: 'b' }], { policy }), {
      start: { nodeBudget: 1 },
    });
    trial.complete(1);
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'nodesPerRunMax' });
  });
});
