import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { MergeDefinition, MergeStrategy } from '../../definition/definition.ts';
import { type Contribution, mergeContributions } from './merge.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const from = (...values: Json[]): Contribution[] => values.map((value, index) => ({ index, value }));

describe('strategies', () => {
  const cases: readonly [string, MergeStrategy, Contribution[], Json][] = [
    ['[MG1] append: a list of the values as they are', 'append', from(1, [2], { a: 3 }), [1, [2], { a: 3 }]],
    ['[MG1] collect is append', 'collect', from([1], 2), [[1], 2]],
    ['[MG1] append of nothing', 'append', [], []],
    ['[MG2] concat: one level of lists is flattened', 'concat', from([1, [2]], 3, []), [1, [2], 3]],
    ['[MG2] concat of nothing', 'concat', [], []],
    [
      '[MG3] merge_object: shallow, the higher index wins',
      'merge_object',
      from({ a: { x: 1 }, b: 1 }, { a: { y: 2 } }),
      { a: { y: 2 }, b: 1 },
    ],
    ['[MG3] merge_object: what is no object has no keys to give', 'merge_object', from([1], 'x', { a: 1 }), { a: 1 }],
    ['[MG3] merge_object of nothing', 'merge_object', [], {}],
    [
      '[MG4] keyed_by_branch: by index, with gaps',
      'keyed_by_branch',
      [
        { index: 0, value: 'a' },
        { index: 7, value: 'b' },
      ],
      { 0: 'a', 7: 'b' },
    ],
    ['[MG4] keyed_by_branch of nothing', 'keyed_by_branch', [], {}],
    ['[MG5] last_wins: the highest index', 'last_wins', from(1, 2, 0), 0],
    ['[MG5] last_wins of nothing', 'last_wins', [], null],
    ['[MG6] output_merge: a scalar alone stays one', 'output_merge', from(1), 1],
    ['[MG6] output_merge: scalars gather into a list', 'output_merge', from(1, 'x', null), [1, 'x', null]],
    ['[MG6] output_merge: list and scalar', 'output_merge', from([1], 2), [1, 2]],
    ['[MG6] output_merge: scalar and list', 'output_merge', from(1, [2, 3]), [1, 2, 3]],
    [
      '[MG6] output_merge: objects by key, recursively',
      'output_merge',
      from({ a: 1, b: { c: [1] } }, { a: 2, b: { c: 2, d: 3 } }),
      { a: [1, 2], b: { c: [1, 2], d: 3 } },
    ],
    ['[MG6] output_merge of nothing', 'output_merge', [], {}],
  ];
  test.each(cases)('%s', (_, strategy, contributions, merged) => {
    const before = JSON.stringify(contributions);
    expect(mergeContributions(strategy, contributions)).toEqual(merged);
    expect(JSON.stringify(contributions)).toBe(before);
  });
});

describe('the merge of a join', () => {
  const fan = (merge: MergeDefinition | null, more = {}) =>
    flow(
      ['start', task('work', { outputMapping: { 'state.v': 'result.v' } }), task('after')],
      [
        { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g' },
        {
          from: 'work',
          to: 'after',
          synchronization: { siblingGroup: 'g', strategy: 'all', ...(merge ? { merge } : {}) },
        },
      ],
      more,
    );
  const list: MergeDefinition = { source: '_branch.output.v', target: 'state.list', strategy: 'append' };

  test('[MG7] without a merge nothing is written, and the run goes on', () => {
    const trial = new Trial(fan(null));
    for (const id of [2, 3, 4]) trial.complete(id, { v: id });
    expect(trial.of('branches.merged')).toEqual([]);
    expect(trial.context.state).toEqual({});
    expect(trial.ids('after')).toHaveLength(1);
  });

  test('[MG8] branches contribute in the order of their index, whatever the order of arrival; one whose source is missing gives nothing', () => {
    const trial = new Trial(fan(list));
    trial.complete(4, { v: 'third' });
    trial.complete(3, {});
    trial.complete(2, { v: 'first' });
    expect(trial.of('branches.merged')).toEqual([
      { type: 'branches.merged', group: 1, branch: [0, 0], writes: [['state.list', ['first', 'third']]] },
    ]);
  });

  test('[MG9] the merged value replaces its target, in the branch that fanned out', () => {
    const trial = new Trial(
      flow(
        [
          task('start', { outputMapping: { 'state.all.rows': 'result.old' } }),
          'row',
          task('cell', { outputMapping: { 'state.v': 'result' } }),
          'sum',
          task('after'),
        ],
        [
          { from: 'start', to: 'row', spawnCount: 2, siblingGroup: 'rows' },
          { from: 'row', to: 'cell', spawnCount: 2, siblingGroup: 'cells' },
          {
            from: 'cell',
            to: 'sum',
            synchronization: {
              siblingGroup: 'cells',
              strategy: 'all',
              merge: { source: '_branch.output.v', target: 'state.row', strategy: 'append' },
            },
          },
          {
            from: 'sum',
            to: 'after',
            synchronization: {
              siblingGroup: 'rows',
              strategy: 'all',
              merge: { source: '_branch.output.row', target: 'state.all.rows', strategy: 'append' },
            },
          },
        ],
      ),
    );
    trial.complete(1, { old: ['gone'] });
    const cells = trial.ids('cell');
    for (const [index, id] of cells.entries()) trial.complete(id, index);
    const merges = trial.journal.flatMap((event) => (event.type === 'branches.merged' ? [event] : []));
    expect(merges.map(({ branch, writes }) => [branch, writes])).toEqual([
      [[1, 0], [['state.row', [0, 1]]]],
      [[1, 1], [['state.row', [2, 3]]]],
      [
        [0, 0],
        [
          [
            'state.all.rows',
            [
              [0, 1],
              [2, 3],
            ],
          ],
        ],
      ],
    ]);
    expect(trial.context.state).toEqual({
      all: {
        rows: [
          [0, 1],
          [2, 3],
        ],
      },
    });
  });

  test('[MG11] a merge that is too large, does not fit the state, or cannot be evaluated fails like its node', () => {
    const large = new Trial(fan(list), { limits: { mergedBytesMax: 50 } });
    const typed = new Trial(fan(list, { stateSchema: { properties: { list: { maxItems: 2 } } } }));
    const wrong = new Trial(fan({ ...list, source: '_branch.output.v > 1' }));
    for (const trial of [large, typed, wrong]) {
      for (const id of [2, 3, 4]) trial.complete(id, { v: 'x'.repeat(20) });
      expect(trial.error?.nodeId).toBe('after');
    }
    expect(large.error?.message).toMatch(/50 bytes .*; the engine was made with it, raise it with .*mergedBytesMax/);
    expect([large.error?.code, typed.error?.code, wrong.error?.code]).toEqual([
      'MERGE_FAILED',
      'STATE_INVALID',
      'MERGE_FAILED',
    ]);
  });

  test('[MG6] output_merge does not count again what was there before the fan-out', () => {
    const trial = new Trial(
      flow(
        [
          task('start', { outputMapping: { 'state.list': 'result' } }),
          task('work', { outputMapping: { 'state.list': 'result.list' } }),
          task('after'),
        ],
        [
          { from: 'start', to: 'work', spawnCount: 2, siblingGroup: 'g' },
          {
            from: 'work',
            to: 'after',
            synchronization: {
              siblingGroup: 'g',
              strategy: 'all',
              merge: { target: 'state.merged', strategy: 'output_merge' },
            },
          },
        ],
      ),
    );
    trial.complete(1, ['old']);
    trial.complete(2, { list: ['new'] });
    trial.complete(3, { list: 'newer' });
    expect(trial.context.state).toEqual({ list: ['old'], merged: { list: ['new', 'newer'] } });
  });

  test('[MG10] output_merge does not count again what a branch only sees from before the fan-out', () => {
    const merged = (write: string) => {
      const trial = new Trial(
        flow(
          [
            task('start', { outputMapping: { 'state.list': 'result' } }),
            task('work', { outputMapping: { [write]: 'result.new' } }),
            task('after'),
          ],
          [
            { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g' },
            {
              from: 'work',
              to: 'after',
              synchronization: {
                siblingGroup: 'g',
                strategy: 'all',
                merge: { source: 'state.list', target: 'state.list', strategy: 'output_merge' },
              },
            },
          ],
        ),
      );
      trial.complete(1, ['old']);
      trial.complete(2, {});
      trial.complete(3, { new: ['x'] });
      trial.complete(4, {});
      return trial.context.state['list'];
    };
    expect(merged('state.list')).toEqual(['x']);
    expect(merged('state.list.deeper')).toEqual({ deeper: ['x'] });
    expect(merged('state.other')).toEqual(['old']);
    expect(merged('state.listing')).toEqual(['old']);
  });
});

describe('output_merge of many', () => {
  const isObject = (value: Json): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [value]);
  /** The rule as it reads: each value is merged into what those before it gave. */
  const mergeTwo = (left: Json, right: Json): Json => {
    if (!isObject(left) || !isObject(right)) return [...asList(left), ...asList(right)];
    const both = Object.keys(right).filter((key) => Object.hasOwn(left, key));
    return { ...left, ...right, ...Object.fromEntries(both.map((key) => [key, mergeTwo(left[key]!, right[key]!)])) };
  };
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('json'), { noNullPrototype: true }),
    ),
  }));

  test('[MG6] gives what merging one after another gives', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 6 }), (values) => {
        const merged = mergeContributions(
          'output_merge',
          values.map((value, index) => ({ index, value })),
        );
        expect(merged).toEqual(values.slice(1).reduce(mergeTwo, values[0]!));
      }),
      { numRuns: 2_000 },
    );
  });

  test('[MG6] costs as much as there is: 100,000 scalars and as many keys', () => {
    const indices = Array.from({ length: 100_000 }, (_, index) => index);
    const scalars = indices.map((index) => ({ index, value: index }));
    expect(mergeContributions('output_merge', scalars)).toHaveLength(100_000);
    const keys = indices.map((index) => ({ index, value: { [`k${index}`]: index } }));
    expect(Object.keys(mergeContributions('output_merge', keys) as JsonObject)).toHaveLength(100_000);
  });
});
