import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type {
  BatchMergeDefinition,
  MergeDefinition,
  MergeExisting,
  MergeStrategy,
  SiblingSynchronization,
} from '../../definition/definition.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

/** `before` is at `state.x` when two branches, of which each writes `state.v`, meet by these merges. */
function merged(before: Json | undefined, merge: SiblingSynchronization['merge'], values: readonly Json[]): Trial {
  const trial = new Trial(
    flow(
      [
        task('start', { outputMapping: { 'state.x': 'result.x' } }),
        task('work', { outputMapping: { 'state.v': 'result.v' } }),
        task('after'),
      ],
      [
        { from: 'start', to: 'work', foreach: { collection: 'input.list' }, siblingGroup: 'g' },
        { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', ...(merge ? { merge } : {}) } },
      ],
    ),
    { input: { list: values.map(() => 0) } },
  );
  trial.complete(1, before === undefined ? {} : { x: before });
  for (const [index, id] of trial.ids('work').entries()) {
    const value = values[index];
    trial.complete(id, value === undefined ? {} : { v: value });
  }
  return trial;
}

const values = (strategy: MergeStrategy, existing?: MergeExisting): MergeDefinition => ({
  source: '_branch.output.v',
  target: 'state.x',
  strategy,
  ...(existing ? { existing } : {}),
});

describe('what becomes of what the target holds', () => {
  test.each<[MergeStrategy, MergeExisting | undefined, Json | undefined, readonly Json[], Json]>([
    ['append', undefined, [0], [1, 2], [1, 2]],
    ['append', 'replace', [0], [1, 2], [1, 2]],
    ['merge_object', undefined, { a: 0, b: 0 }, [{ a: 1 }], { a: 1 }],
    ['keyed_by_branch', undefined, { 5: 0 }, ['p'], { 0: 'p' }],
    ['output_merge', undefined, { a: 0, b: { c: 0 } }, [{ b: { d: 1 } }], { a: 0, b: { c: 0, d: 1 } }],
    ['output_merge', undefined, [0], [1, 2], [1, 2]],
    ['output_merge', 'replace', { a: 0 }, [{ b: 1 }], { b: 1 }],
  ])('[MG14] %s, %s: %j and the branches %j give %j', (strategy, existing, before, given, after) => {
    expect(merged(before, values(strategy, existing), given).context.state['x']).toEqual(after);
  });

  test.each<[MergeStrategy, Json, readonly Json[], Json]>([
    ['merge_object', { a: 0, b: { c: 0 } }, [{ a: 1 }, { b: { d: 1 } }], { a: 1, b: { c: 0, d: 1 } }],
    ['keyed_by_branch', { 5: 0 }, ['p', 'q'], { 0: 'p', 1: 'q', 5: 0 }],
    ['append', [0], [1], [1]],
    ['last_wins', { a: 0 }, [{ b: 1 }], { a: 0, b: 1 }],
  ])(
    '[MG12] overlay of %s: an object is laid over %j key by key, other values replace it',
    (strategy, before, given, after) => {
      expect(merged(before, values(strategy, 'overlay'), given).context.state['x']).toEqual(after);
    },
  );

  test.each<[MergeStrategy, Json | undefined, readonly Json[], Json]>([
    ['append', [0, [0]], [[1], 2], [0, [0], [1], 2]],
    ['collect', [0], [1], [0, 1]],
    ['concat', [0, [0]], [[1], 2], [0, [0], 1, 2]],
    ['append', 'one', [1], ['one', 1]],
    ['append', null, [1], [1]],
    ['append', undefined, [1], [1]],
    ['merge_object', { a: 0, b: { c: 0 } }, [{ b: { d: 1 } }], { a: 0, b: { d: 1 } }],
    ['merge_object', [0], [{ b: 1 }], { b: 1 }],
    ['keyed_by_branch', { 0: 'o', 5: 'o' }, ['p'], { 0: 'p', 5: 'o' }],
    ['last_wins', 0, [1, 2], 2],
    ['output_merge', 0, [1, [2]], [0, 1, 2]],
    ['output_merge', { a: 0 }, [{ a: 1 }, { b: 2 }], { a: [0, 1], b: 2 }],
    ['output_merge', [0], [{ a: 1 }, { a: 2 }], [0, { a: 1 }, { a: 2 }]],
  ])('[MG15] extend of %s: %j comes before the branches %j', (strategy, before, given, after) => {
    expect(merged(before, values(strategy, 'extend'), given).context.state['x']).toEqual(after);
  });

  test('[MG15] where no branch gives anything, what is there stays and is not written again', () => {
    for (const strategy of ['append', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins'] as const) {
      const trial = merged([0], values(strategy, 'extend'), []);
      expect([strategy, trial.of('branches.merged'), trial.context.state['x']]).toEqual([strategy, [], [0]]);
    }
    expect(merged(undefined, values('append', 'extend'), []).context.state['x']).toEqual([]);
  });

  test('[MG15] a loop that fans out again and again gathers in one list, within mergedBytesMax', () => {
    const rounds = (limits = {}) =>
      new Trial(
        flow(
          ['split', task('work', { outputMapping: { 'state.v': 'result.v' } }), 'join', 'end'],
          [
            { from: 'split', to: 'work', spawnCount: 2, siblingGroup: 'g' },
            { from: 'work', to: 'join', synchronization: { siblingGroup: 'g', merge: values('append', 'extend') } },
            { from: 'join', to: 'split', priority: 1, loop: { maxIterations: 2 } },
            { from: 'join', to: 'end', priority: 2 },
          ],
        ),
        { limits },
      );
    const play = (trial: Trial): Trial => {
      for (let i = 0; trial.state.outcome === null; i++) trial.complete(trial.ids('work')[0] ?? 0, { v: i });
      return trial;
    };
    expect(play(rounds()).context.state).toEqual({ x: [0, 1, 2, 3, 4, 5] });
    expect(play(rounds({ mergedBytesMax: 10 })).error).toMatchObject({ code: 'MERGE_FAILED', nodeId: 'join' });
  });
});

describe('several merges', () => {
  test('[MG13] are made in order; all read the branches, and each target what was written there before', () => {
    const trial = merged(
      ['old'],
      [
        { source: '_branch.index', target: 'state.indices', strategy: 'append' },
        { ...values('append', 'extend') },
        { source: 'state.x', target: 'state.seen', strategy: 'append' },
        { source: '_branch.index', target: 'state.x', strategy: 'append', existing: 'extend' },
      ],
      ['p', 'q'],
    );
    expect(trial.of('branches.merged').map(({ writes }) => writes)).toEqual([
      [
        ['state.indices', [0, 1]],
        ['state.x', ['old', 'p', 'q']],
        ['state.seen', [['old'], ['old']]],
        ['state.x', ['old', 'p', 'q', 0, 1]],
      ],
    ]);
    expect(trial.context.state['x']).toEqual(['old', 'p', 'q', 0, 1]);
  });

  test('[MG13] if one fails nothing of them is written', () => {
    const wrong = { ...values('append'), source: '_branch.output.v > 1' };
    const trial = merged(['old'], [values('append'), wrong], ['p', 'q']);
    expect([trial.error?.code, trial.context.state['x']]).toEqual(['MERGE_FAILED', ['old']]);
  });
});

describe('the merge of a batch', () => {
  const batch = (merge: BatchMergeDefinition) => {
    const trial = new Trial(
      flow(
        [
          task('start', { outputMapping: { 'state.x': 'result.x' } }),
          {
            id: 'batch',
            batch: { items: 'input.list', batchSize: 1, merge },
            outputMapping: { 'state.result': 'result' },
          },
          task('work', { outputMapping: { 'state.v': 'result.v' } }),
        ],
        [
          { from: 'start', to: 'batch' },
          { from: 'batch', to: 'work', on: 'slice', onBranchFailure: 'end' },
        ],
      ),
      { input: { list: [1, 2] } },
    );
    trial.complete(1, { x: [0] });
    trial.complete(trial.ids('work')[0] ?? 0, { v: 'p' });
    trial.fail(trial.ids('work')[0] ?? 0);
    return trial.context.state;
  };

  test('[BA9][MG15] extends its target; the result of the node is what the slices come to', () => {
    expect(batch(values('append', 'extend'))).toEqual({ x: [0, 'p'], result: ['p'] });
  });

  test('[BA8][MG17] with include: settled it tells how each slice ended', () => {
    expect(batch({ strategy: 'append', include: 'settled' })['result']).toEqual([
      { index: 0, status: 'completed', output: { v: 'p' } },
      { index: 1, status: 'failed', error: { code: 'BROKEN', message: 'BROKEN it is', nodeId: 'work', attempts: 1 } },
    ]);
  });
});
