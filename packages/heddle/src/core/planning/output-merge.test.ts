import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { EditDefinition } from '../../definition/lowered.ts';
import { lowered, Trial, task } from './planning.testsuite.ts';

const join = {
  siblingGroup: 'g',
  strategy: 'all',
  merge: { source: 'state.output', target: 'state.output', strategy: 'output_merge' },
} as const;

const set = (path: string, value: Json): EditDefinition => ({ set: path.split('.'), to: { literal: value } });
const remove = (path: string): EditDefinition => ({ delete: path.split('.') });

/** Every list of edits is a branch; what the run has before and after they meet. */
function merged(branches: readonly (readonly EditDefinition[])[], before: readonly EditDefinition[] = []): Trial {
  const nodes = branches.map((edits, i) => ({ id: `b${i}`, edits }));
  return new Trial(
    lowered(
      [{ id: 'split', edits: before }, ...nodes, 'meet'],
      nodes.flatMap(({ id }) => [
        { from: 'split', to: id, siblingGroup: 'g' },
        { from: id, to: 'meet', synchronization: join },
      ]),
    ),
  );
}

describe('what a branch contributes', () => {
  test.each([
    ['a value', [set('output', 1)], 1],
    ['below the path', [set('output.a', 1), set('output.b.c', 2)], { a: 1, b: { c: 2 } }],
    ['below the path, then all of it', [set('output.a', 1), set('output', [2])], [2]],
    ['all of it, then below', [set('output', { a: 1 }), set('output.b', 2)], { a: 1, b: 2 }],
    ['all of it, then less', [set('output', { a: 1, b: 2 }), remove('output.a')], { b: 2 }],
    ['below, then less', [set('output.a', { x: 1, y: 2 }), remove('output.a.x')], { a: { y: 2 } }],
  ] as const)('[MG10] what it wrote: %s', (_, edits, value) => {
    expect(merged([edits, []]).context.state).toEqual({ output: value });
  });

  test.each([
    ['nothing', []],
    ['beside the path', [set('other', 1), set('outputs', 2)]],
    ['and removed it again', [set('output', 1), remove('output')]],
    ['and removed what it did not write', [remove('output.before')]],
  ] as const)('[MG10][X17] it wrote %s: it contributes nothing, and the state stays as it was', (_, edits) => {
    const trial = merged([edits, edits], [set('output', { before: 1 }), set('own', true)]);
    expect(trial.of('branches.merged')).toEqual([]);
    expect(trial.context.state).toEqual({ output: { before: 1 }, own: true });
  });

  test('[MG10] the path may be longer than what was written', () => {
    const merge = { source: 'state.a.b', target: 'state.all', strategy: 'output_merge' } as const;
    const trial = new Trial(
      lowered(
        ['split', { id: 'x', edits: [set('a', { b: 1, c: 2 })] }, { id: 'y', edits: [set('a', 3)] }, 'meet'],
        [
          { from: 'split', to: 'x', siblingGroup: 'g' },
          { from: 'split', to: 'y', siblingGroup: 'g' },
          { from: 'x', to: 'meet', synchronization: { ...join, merge } },
          { from: 'y', to: 'meet', synchronization: { ...join, merge } },
        ],
      ),
    );
    expect(trial.context.state).toEqual({ all: 1 });
  });

  test('[MG10] a source that is no path is evaluated as it is', () => {
    const merge = { source: 'state.base + state.n', target: 'state.all', strategy: 'output_merge' } as const;
    const trial = new Trial(
      lowered(
        [{ id: 'split', edits: [set('base', 10)] }, { id: 'x', edits: [set('n', 1)] }, 'meet'],
        [
          { from: 'split', to: 'x', spawnCount: 2, siblingGroup: 'g' },
          { from: 'x', to: 'meet', synchronization: { ...join, merge } },
        ],
      ),
    );
    expect(trial.context.state).toEqual({ base: 10, all: [11, 11] });
  });

  test('[CX2] what a branch removed is no part of its output', () => {
    const merge = { source: '_branch.output', target: 'state.all', strategy: 'append' } as const;
    const edits = [set('a', { x: 1, y: 2 }), remove('a.x'), remove('before'), set('b', 1), remove('b')];
    const trial = new Trial(
      lowered(
        [{ id: 'split', edits: [set('before', 1)] }, { id: 'x', edits }, 'meet'],
        [
          { from: 'split', to: 'x', spawnCount: 2, siblingGroup: 'g' },
          { from: 'x', to: 'meet', synchronization: { ...join, merge } },
        ],
      ),
    );
    expect(trial.context.state).toEqual({ before: 1, all: [{ a: { y: 2 } }, { a: { y: 2 } }] });
  });
});

describe('what becomes of the target', () => {
  test.each([
    ['scalars gather', [[set('output', 1)], [set('output', 'two')], [set('output', null)]], [1, 'two', null]],
    ['a scalar alone stays one', [[set('output', 1)], []], 1],
    ['lists and scalars give one flat list', [[set('output', 1)], [set('output', [2, [3]])]], [1, 2, [3]]],
    ['by key, recursively', [[set('output.a.b', 1)], [set('output.a', { b: [2], c: 3 })]], { a: { b: [1, 2], c: 3 } }],
  ] as const)('[MG6][X17] %s', (_, branches, value) => {
    expect(merged(branches).context.state).toEqual({ output: value });
  });

  test("[MG12][X17] an object is laid over the parent's, key by key; what is not written stays", () => {
    const before = [set('output', { kept: { a: 1 }, list: [0], n: 5 })];
    const trial = merged(
      [
        [set('output.kept.b', 2), set('output.list', 1)],
        [set('output.list', [2]), set('output.n', 6)],
      ],
      before,
    );
    expect(trial.of('branches.merged')).toEqual([
      {
        type: 'branches.merged',
        group: 1,
        branch: [0, 0],
        writes: [
          ['state.output.kept.b', 2],
          ['state.output.list', [1, 2]],
          ['state.output.n', 6],
        ],
      },
    ]);
    expect(trial.context.state).toEqual({ output: { kept: { a: 1, b: 2 }, list: [1, 2], n: 6 } });
  });

  test.each([
    [{ a: 1 }, [[set('output', 1)], [set('output', 2)]], [1, 2]],
    [[0], [[set('output', { a: 1 })], []], { a: 1 }],
    ['text', [[set('output.a', 1)], [set('output.a', 2)]], { a: [1, 2] }],
  ] as const)('[MG12] other values replace it: %j', (before, branches, value) => {
    expect(merged(branches, [set('output', before)]).context.state).toEqual({ output: value });
  });

  test('[MG12][MP4] what is written must fit the state schema', () => {
    const stateSchema = { type: 'object', properties: { output: { type: 'number' } } };
    const trial = new Trial(
      lowered(
        ['split', { id: 'x', edits: [set('output', 1)] }, 'meet'],
        [
          { from: 'split', to: 'x', spawnCount: 2, siblingGroup: 'g' },
          { from: 'x', to: 'meet', synchronization: join },
        ],
        { stateSchema },
      ),
    );
    expect(trial.error).toMatchObject({ code: 'STATE_INVALID', nodeId: 'meet' });
  });
});

describe('merges inside merges', () => {
  /** Two branches, each of which fans out again; the inner ones write by `write`. */
  const nested = (write: (outer: string, inner: string) => EditDefinition) => {
    const halves = ['l', 'r'].map((outer) => ({
      nodes: [outer, ...['1', '2'].map((inner) => ({ id: outer + inner, edits: [write(outer, inner)] })), `${outer}m`],
      ways: [
        { from: 'split', to: outer, siblingGroup: 'g' },
        ...['1', '2'].flatMap((inner) => [
          { from: outer, to: outer + inner, siblingGroup: outer },
          { from: outer + inner, to: `${outer}m`, synchronization: { ...join, siblingGroup: outer } },
        ]),
        { from: `${outer}m`, to: 'meet', synchronization: join },
      ],
    }));
    return new Trial(
      lowered(
        [{ id: 'split', edits: [set('output', { before: 0 })] }, ...halves.flatMap(({ nodes }) => nodes), 'meet'],
        halves.flatMap(({ ways }) => ways),
      ),
    );
  };

  test('[X18][MG10] separate keys give two lists', () => {
    const trial = nested((outer, inner) => set(`output.${outer}`, outer + inner));
    expect(trial.context.state).toEqual({ output: { before: 0, l: ['l1', 'l2'], r: ['r1', 'r2'] } });
  });

  test('[X18][MG10] the same key gives one flat list', () => {
    const trial = nested((outer, inner) => set('output.all', outer + inner));
    expect(trial.context.state).toEqual({ output: { before: 0, all: ['l1', 'l2', 'r1', 'r2'] } });
  });

  test('[MG10][BA9] a batch in a branch counts what its slices wrote, not what was there', () => {
    const trial = new Trial(
      lowered(
        [
          { id: 'split', edits: [set('output', { before: 0 }), set('xs', [1, 2, 3])] },
          { id: 'batch', batch: { items: 'state.xs', batchSize: 2, parallelBatches: 2, merge: join.merge } },
          task('work', { outputMapping: { 'state.output.n': 'result' } }),
          'meet',
        ],
        [
          { from: 'split', to: 'batch', spawnCount: 2, siblingGroup: 'g' },
          { from: 'batch', to: 'work', on: 'slice' },
          { from: 'batch', to: 'meet', synchronization: join },
        ],
      ),
    );
    for (const id of trial.ids('work').toReversed()) trial.complete(id, id);
    expect(trial.context.state).toEqual({ xs: [1, 2, 3], output: { before: 0, n: [4, 5, 6, 7] } });
  });
});
