import { describe, expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/exports.ts';
import { fan, flow, go, PlannedRun, task, typesOf } from './planning.testsuite.ts';

describe('start', () => {
  test('[T362] a start makes one token, at the initial node', () => {
    const run = PlannedRun.started({ ...flow([task('b'), task('a')], [go('a', 'b')]), initialNode: 'a' }, { n: 1 });
    expect(run.events.slice(1)).toEqual([
      { type: 'token.created', token: 1, node: 'a', branch: [0, 0] },
      { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: {} },
    ]);
    expect(run.tokens).toMatchObject([{ id: 1, node: 'a', from: null, via: null, pathId: 'root' }]);
  });
});

describe('mappings', () => {
  test('[T359] the output mapping makes the output from the values of the run', () => {
    const outputMapping = { total: 'state.a + state.b', 'nested.name': 'input.name', absent: 'state.nothing' };
    const work = { outputMapping: { 'state.a': 'result.a', 'state.b': 'result.b' } };
    const run = PlannedRun.started(flow([task('a', work)], [], { outputMapping }), { name: 'n' });
    const { events, state } = run.complete('a', { a: 1, b: 2 });
    expect(events.at(-1)).toEqual({
      type: 'workflow.completed',
      at: 1_000,
      output: { total: 3, nested: { name: 'n' } },
    });
    expect(state.output).toEqual({ total: 3, nested: { name: 'n' } });
  });

  test('[T360] an input mapping makes the task’s input from paths of input, state and output', () => {
    const write = { outputMapping: { 'state.deep.x': 'result.x', 'output.y': 'result.y' } };
    const inputMapping = { first: 'input.list[0]', 'deep.x': 'state.deep.x', y: 'output.y', none: 'state.none' };
    const run = PlannedRun.started(flow([task('a', write), task('b', { inputMapping })], [go('a', 'b')]), {
      list: ['l'],
    });
    const { effects } = run.complete('a', { x: 1, y: [2] });
    expect(effects).toMatchObject([{ type: 'dispatch', node: 'b', input: { first: 'l', deep: { x: 1 }, y: [2] } }]);
  });

  test('[T361] no mappings, no values: an empty input, nothing written, an empty output', () => {
    const run = PlannedRun.started(flow([task('a')]), { n: 1 });
    expect(run.effects).toMatchObject([{ type: 'dispatch', input: {} }]);
    const { events } = run.complete('a', { x: 1 });
    expect(typesOf({ events })).toEqual(['task.completed', 'token.completed', 'workflow.completed']);
    expect(events.at(-1)).toMatchObject({ output: {} });
    expect(run.context).toEqual({ state: {}, output: {} });
    const none = PlannedRun.started(
      flow([task('a', { inputMapping: {}, outputMapping: {} })], [], { outputMapping: {} }),
    );
    expect(none.effects).toMatchObject([{ type: 'dispatch', input: {} }]);
    expect(none.complete('a', { x: 1 }).state.output).toEqual({});
  });
});

describe('merges', () => {
  /** Three branches that come in another order than that of their indices. */
  function merged(strategy: string, outputs: readonly Json[]): Json | undefined {
    const merge = { source: '_branch.output', target: 'state.all', strategy };
    const run = PlannedRun.started(fan({ strategy: 'all', merge }), { items: outputs });
    for (const index of [2, 0, 1]) run.complete('work', outputs[index], index);
    return run.context.state['all'];
  }

  test('[T363] append: a list of the outputs, in the order of the branches', () => {
    expect(merged('append', [{ x: 1 }, [2, 3], 4])).toEqual([{ x: 1 }, [2, 3], 4]);
  });

  test('[T364] collect: the outputs as they are', () => {
    expect(merged('collect', [[1], [[2]], { x: [3] }])).toEqual([[1], [[2]], { x: [3] }]);
  });

  test('[T365] merge_object: one object; the higher index wins, whole', () => {
    expect(merged('merge_object', [{ a: { x: 1 }, b: 1 }, { a: { y: 2 } }, { c: 3 }])).toEqual({
      a: { y: 2 },
      b: 1,
      c: 3,
    });
  });

  test('[T366] keyed_by_branch: an object by branch index', () => {
    expect(merged('keyed_by_branch', ['a', 'b', 'c'])).toEqual({ 0: 'a', 1: 'b', 2: 'c' });
  });

  test('[T367] last_wins: the output of the highest index', () => {
    expect(merged('last_wins', ['a', 'b', 'c'])).toBe('c');
  });
});
