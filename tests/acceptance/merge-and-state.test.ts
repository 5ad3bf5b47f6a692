import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callAt,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  go,
  join,
  keep,
  launch,
  merge,
  scripted,
  spawn,
  stateOf,
  work,
  workflow,
} from './token-engine.testsuite.ts';

/** Branches that answer with `{ value }`; joined by one strategy into `state.merged`. */
const merging = (strategy: string, count: number, source = '_branch.output.value'): Fields =>
  workflow(
    'w',
    [
      'start',
      work('branch', { inputMapping: { index: '_branch.index' }, outputMapping: { 'state.value': 'result.value' } }),
      'after',
    ],
    [spawn('start', 'branch', count, 'g'), join('branch', 'after', 'g', merge(source, 'state.merged', strategy))],
  );

onEveryHost('merge strategies', (host) => {
  /** The merged value of branches with these outputs, which arrive last first. */
  const merged = async (strategy: string, outputs: readonly unknown[]): Promise<unknown> => {
    const t = await host.open(scripted);
    const run = await launch(t, merging(strategy, outputs.length));
    for (const [index, value] of [...outputs.entries()].toReversed())
      await answer(t, 'branch', value === undefined ? {} : { value }, { index });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    return ((await stateOf(run)) as { merged?: unknown }).merged;
  };

  test('[T046][T047][T054] the merged value is written to the target, and nothing before the fan-in completes', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, merging('append', 2));
    await answer(t, 'branch', { value: 1 }, { index: 1 });
    expect(await stateOf(run)).toEqual({});
    expect(await eventsOf(run, 'branches.merged')).toEqual([]);
    await answer(t, 'branch', { value: 0 }, { index: 0 });
    expect(await stateOf(run)).toEqual({ merged: [0, 1] });
    expect((await eventsOf(run, 'branches.merged')).map(({ writes }) => writes)).toEqual([[['state.merged', [0, 1]]]]);
  });

  test('[T046] the target may be a nested path and replaces what was there; its neighbours stay', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [keep('start', 'a'), work('branch', { outputMapping: { 'state.value': 'result.value' } }), 'after'],
      [spawn('start', 'branch', 2, 'g'), join('branch', 'after', 'g', merge('_branch.output.value', 'state.a.b.list'))],
    );
    const run = await launch(t, definition);
    await answer(t, 'start', { a: { b: { list: ['old'], other: 1 }, c: 2 } });
    await answer(t, 'branch', { value: 'x' });
    await answer(t, 'branch', { value: 'y' });
    expect(await stateOf(run)).toEqual({ a: { b: { list: ['x', 'y'], other: 1 }, c: 2 } });
  });

  const cases: readonly (readonly [string, string, readonly unknown[], unknown])[] = [
    [
      '[T048] append: a list of the outputs as they are',
      'append',
      [1, [2, 3], { a: 4 }, null],
      [1, [2, 3], { a: 4 }, null],
    ],
    ['[T048] collect is append', 'collect', ['b', ['a']], ['b', ['a']]],
    ['append: a branch without the source contributes nothing', 'append', [1, undefined, 3], [1, 3]],
    ['concat: one level is flattened', 'concat', [1, [2, [3]], [], 'x'], [1, 2, [3], 'x']],
    [
      '[T049] merge_object: later keys replace earlier ones, nested objects are replaced whole',
      'merge_object',
      [{ a: 1, n: { x: 1, y: 1 } }, { b: 2, n: { x: 2 } }, { a: 3 }],
      { a: 3, b: 2, n: { x: 2 } },
    ],
    [
      '[T050] keyed_by_branch: an object whose keys are the branch indices',
      'keyed_by_branch',
      ['x', { y: 1 }, [2]],
      { '0': 'x', '1': { y: 1 }, '2': [2] },
    ],
    [
      'keyed_by_branch: indices of branches without the source are left out',
      'keyed_by_branch',
      ['x', undefined, 'z'],
      { '0': 'x', '2': 'z' },
    ],
    ['[T051] last_wins: only the output of the last sibling', 'last_wins', [1, { b: 2 }, 3], 3],
    ['last_wins: the highest index that has one', 'last_wins', [1, 2, undefined], 2],
    ['output_merge: a scalar alone stays a scalar', 'output_merge', [7], 7],
    ['output_merge: scalars gather into a list', 'output_merge', [1, 'a', true], [1, 'a', true]],
    [
      'output_merge: list and scalar in either order give one flat list',
      'output_merge',
      [[1, 2], 3, [4]],
      [1, 2, 3, 4],
    ],
    ['output_merge: scalar then list', 'output_merge', [1, [2, 3]], [1, 2, 3]],
    [
      'output_merge: objects merge by key, recursively',
      'output_merge',
      [
        { a: 1, n: { x: 1, list: [1] }, only: 'l' },
        { a: 2, n: { x: 2, list: [2, 3] }, other: 'r' },
      ],
      { a: [1, 2], n: { x: [1, 2], list: [1, 2, 3] }, only: 'l', other: 'r' },
    ],
  ];

  test.each(cases)('%s', async (_, strategy, outputs, expected) => {
    expect(await merged(strategy, outputs)).toEqual(expected);
  });

  test('output_merge: what was merely inherited from before the fan-out is not counted again', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        keep('start', 'seen'),
        work('branch', { inputMapping: { index: '_branch.index' }, outputMapping: { 'output.found': 'result.found' } }),
        'after',
      ],
      [
        spawn('start', 'branch', 2, 'g'),
        join('branch', 'after', 'g', merge('_branch.output', 'state.all', 'output_merge')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'start', { seen: ['before'] });
    await answer(t, 'branch', { found: 'a' }, { index: 0 });
    await answer(t, 'branch', { found: 'b' }, { index: 1 });
    expect(await stateOf(run)).toEqual({ seen: ['before'], all: { found: ['a', 'b'] } });
  });

  test('without a source the whole branch output is merged; without a merge nothing is written', async () => {
    const t = await host.open(scripted);
    const whole = { merge: { target: 'state.merged', strategy: 'append' } };
    const definition = (id: string, synchronization: Fields) =>
      workflow(
        id,
        ['start', keep('branch', 'value'), 'after'],
        [spawn('start', 'branch', 2, 'g'), join('branch', 'after', 'g', synchronization)],
      );
    const withMerge = await launch(t, definition('with', whole));
    await answer(t, 'branch', { value: 1 });
    await answer(t, 'branch', { value: 2 });
    expect(await stateOf(withMerge)).toEqual({ merged: [{ value: 1 }, { value: 2 }] });
    const without = await launch(t, definition('without', {}));
    await answer(t, 'branch', { value: 1 });
    await answer(t, 'branch', { value: 2 });
    expect(await ended(without)).toMatchObject({ status: 'completed' });
    expect(await stateOf(without)).toEqual({});
  });

  test('a merge source that cannot be evaluated fails the run at the join', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, merging('append', 2, '_branch.output.value * 2'));
    await answer(t, 'branch', { value: 1 });
    await answer(t, 'branch', { value: 'text' });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'MERGE_FAILED', nodeId: 'after' } });
  });
});

onEveryHost('state flow', (host) => {
  test('[T052] outside a fan-out an output mapping writes straight into the state and the output', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        work('a', {
          outputMapping: { 'state.a.b': 'result.x', 'output.y': 'result.y', 'state.gone': 'result.missing' },
        }),
        work('b', { inputMapping: { seen: 'state.a' } }),
      ],
      [go('a', 'b')],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { x: 1, y: 2 });
    expect(await run.state()).toMatchObject({ state: { a: { b: 1 } }, output: { y: 2 } });
    expect(callAt(t, 'b').input).toEqual({ seen: { b: 1 } });
    await answer(t, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { y: 2 } });
  });

  test('[T053] inside a fan-out it writes into the branch output alone; the state stays as it was', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        keep('start', 'base'),
        work('one', { outputMapping: { 'state.base.x': 'result.x', 'output.o': 'result.o' } }),
        work('two', { inputMapping: { branch: '_branch.output', state: 'state', output: 'output' } }),
        'after',
      ],
      [
        spawn('start', 'one', 1, 'g'),
        go('one', 'two'),
        join('two', 'after', 'g', merge('_branch.output', 'state.merged')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'start', { base: { x: 0, y: 0 } });
    await answer(t, 'one', { x: 1, o: 2 });
    expect(await run.state()).toMatchObject({ state: { base: { x: 0, y: 0 } }, output: {} });
    // Reads in the branch layer what it wrote over what encloses it, path by path.
    expect(callAt(t, 'two').input).toEqual({
      branch: { base: { x: 1 }, o: 2 },
      state: { base: { x: 1, y: 0 } },
      output: { o: 2 },
    });
    await answer(t, 'two', { never: 'read' });
    expect(await stateOf(run)).toEqual({ base: { x: 0, y: 0 }, merged: [{ base: { x: 1 }, o: 2 }] });
  });

  test('a branch in which no mapping wrote has the last raw output; it is not readable as state', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', work('one'), work('two', { inputMapping: { raw: '_branch.output', state: 'state' } }), 'pass', 'after'],
      [
        spawn('start', 'one', 1, 'g'),
        go('one', 'two'),
        go('two', 'pass'),
        join('pass', 'after', 'g', merge('_branch.output', 'state.merged')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'one', { first: 1 });
    expect(callAt(t, 'two').input).toEqual({ raw: { first: 1 }, state: {} });
    await answer(t, 'two', { second: 2 });
    expect(await stateOf(run)).toEqual({ merged: [{ second: 2 }] });
  });

  test('[T054][T055] after the fan-in the outputs are in the state and `_branch` is gone', async () => {
    const t = await host.open(scripted);
    const look = { inputMapping: { branch: '_branch', value: 'state.value', merged: 'state.merged' } };
    const definition = workflow(
      'w',
      ['start', keep('branch', 'value'), work('after', look), work('later', look)],
      [
        spawn('start', 'branch', 2, 'g'),
        join('branch', 'after', 'g', merge('_branch.output', 'state.merged')),
        go('after', 'later'),
      ],
      alarmsAreMeant,
    );
    await launch(t, definition);
    await answer(t, 'branch', { value: 1 });
    await answer(t, 'branch', { value: 2 });
    expect(callAt(t, 'after').input).toEqual({ merged: [{ value: 1 }, { value: 2 }] });
    await answer(t, 'after');
    expect(callsAt(t, 'later').map(({ input }) => input)).toEqual([{ merged: [{ value: 1 }, { value: 2 }] }]);
  });

  test('a write that does not fit the state schema fails the node, and its failure can be handled', async () => {
    const t = await host.open(scripted);
    const stateSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const definition = workflow(
      'w',
      [keep('a', 'n'), keep('b', 'n', { inputMapping: { error: 'state._last_error.code' } })],
      [go('a', 'b', { on: 'failure' })],
      { stateSchema },
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { n: 'text' });
    expect(callAt(t, 'b').input).toEqual({ error: 'STATE_INVALID' });
    await answer(t, 'b', { n: 5 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ n: 5 });
  });
});
