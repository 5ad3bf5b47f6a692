import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  each,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  join,
  keep,
  launch,
  merge,
  register,
  scripted,
  spawn,
  stateOf,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('corners of fan-out and fan-in', (host) => {
  test('a foreach straight into a join: every branch arrives at once, one continuation', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b')],
      [
        join('a', 'b', 'g', merge('item', 'state.all'), {
          foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 2 },
          siblingGroup: 'g',
        }),
      ],
    );
    const run = await launch(t, definition, { items: [1, 2, 3, 4, 5] });
    expect(callsAt(t, 'b')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ all: [1, 2, 3, 4, 5] });
    await answer(t, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test.each(['cancel', 'abandon'])(
    'an early join with %s spawns no more branches of a foreach with few at a time',
    async (onEarlyComplete) => {
      const t = await host.open(scripted);
      const definition = workflow(
        'w',
        ['a', branchWork('b'), 'c'],
        [
          go('a', 'b', { foreach: { collection: 'input.items', maxParallel: 2 }, siblingGroup: 'g' }),
          join('b', 'c', 'g', { strategy: 'any', onEarlyComplete, ...merge('_branch.output.value', 'state.all') }),
        ],
      );
      const run = await launch(t, definition, { items: [1, 2, 3, 4, 5] });
      await answerBranches(t, 'b', [1]);
      if (onEarlyComplete === 'abandon') await answerBranches(t, 'b', [0]);
      expect(await ended(run)).toMatchObject({ status: 'completed' });
      expect(await tokensAt(run, 'b')).toHaveLength(2);
      expect(await stateOf(run)).toEqual({ all: ['v1'] });
    },
  );

  test('few at a time: a branch that ends elsewhere or fails makes room too', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', branchWork('b'), 'away', 'c'],
      [
        go('a', 'b', {
          foreach: { collection: 'input.items', maxParallel: 1 },
          siblingGroup: 'g',
          onBranchFailure: 'end',
        }),
        go('b', 'away', { priority: 1, condition: 'result.away' }),
        join('b', 'c', 'g', merge('_branch.output.value', 'state.all'), { priority: 2 }),
      ],
    );
    const run = await launch(t, definition, { items: [1, 2, 3, 4] });
    const underWay = () => callsAt(t, 'b').map(({ input }) => input['index']);
    expect(underWay()).toEqual([0]);
    await answer(t, 'b', { away: true }, { index: 0 });
    expect(underWay()).toEqual([1]);
    await fail(t, 'b', new Error('no'), { index: 1 });
    expect(underWay()).toEqual([2]);
    await answer(t, 'b', { away: false, value: 'v2' }, { index: 2 });
    await answer(t, 'b', { away: false, value: 'v3' }, { index: 3 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: ['v2', 'v3'] });
  });

  test('a fan-out on failure: every branch knows the error', async () => {
    const t = await host.open(scripted);
    const look = { inputMapping: { index: '_branch.index', error: 'state._last_error.message' } };
    const definition = workflow(
      'w',
      [work('a'), branchWork('b', look), 'c'],
      [spawn('a', 'b', 2, 'g', { on: 'failure' }), join('b', 'c', 'g')],
    );
    const run = await launch(t, definition);
    await fail(t, 'a', new Error('oh'));
    expect(callsAt(t, 'b').map(({ input }) => input)).toEqual([
      { index: 0, error: 'oh' },
      { index: 1, error: 'oh' },
    ]);
    await answerBranches(t, 'b', [0, 1]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('item variables: the nearest of a name is meant; outer ones with other names stay readable', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', 'b', work('c', { inputMapping: { item: 'item', row: 'row' } })],
      [
        go('a', 'b', { foreach: { collection: 'input.rows', itemVar: 'row' }, siblingGroup: 'one' }),
        go('b', 'c2', { foreach: { collection: 'row.items', itemVar: 'item' }, siblingGroup: 'two' }),
        go('c2', 'c', { foreach: { collection: 'item', itemVar: 'item' }, siblingGroup: 'three' }),
      ],
    );
    const nodes = [...(definition['nodes'] as Fields[]), { id: 'c2' }];
    await launch(
      t,
      { ...definition, nodes },
      {
        rows: [
          { n: 1, items: [['x', 'y']] },
          { n: 2, items: [[], ['z']] },
        ],
      },
    );
    expect(callsAt(t, 'c').map(({ input }) => [(input['row'] as Fields)['n'], input['item']])).toEqual([
      [1, 'x'],
      [1, 'y'],
      [2, 'z'],
    ]);
  });

  test('a branch overlay: a write replaces what was written below it, and is layered over the state path by path', async () => {
    const t = await host.open(scripted);
    const step = (id: string, outputMapping: Fields) =>
      work(id, { outputMapping, inputMapping: { a: 'state.a', mine: '_branch.output' } });
    const definition = workflow(
      'w',
      [
        keep('start', 'a'),
        step('one', { 'state.a.b': 'result' }),
        step('two', { 'state.a': 'result' }),
        step('three', { 'state.a.d': 'result', 'output.o': 'result' }),
        step('four', {}),
        'after',
      ],
      [
        spawn('start', 'one', 1, 'g'),
        go('one', 'two'),
        go('two', 'three'),
        go('three', 'four'),
        join('four', 'after', 'g', merge('_branch.output', 'state.merged')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'start', { a: { z: 0 } });
    expect(callAt(t, 'one').input).toEqual({ a: { z: 0 } });
    await answer(t, 'one', 1);
    expect(callAt(t, 'two').input).toEqual({ a: { z: 0, b: 1 }, mine: { a: { b: 1 } } });
    await answer(t, 'two', { c: 2 });
    expect(callAt(t, 'three').input).toEqual({ a: { c: 2 }, mine: { a: { c: 2 } } });
    await answer(t, 'three', 3);
    expect(callAt(t, 'four').input).toEqual({ a: { c: 2, d: 3 }, mine: { a: { c: 2, d: 3 }, o: 3 } });
    await answer(t, 'four', 4);
    expect(await stateOf(run)).toEqual({ a: { z: 0 }, merged: [{ a: { c: 2, d: 3 }, o: 3 }] });
  });

  test('a branch output: where both sections wrote one key, state wins', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', work('b', { outputMapping: { 'state.k': "'state'", 'output.k': "'output'" } }), 'after'],
      [spawn('start', 'b', 1, 'g'), join('b', 'after', 'g', merge('_branch.output.k', 'state.merged'))],
    );
    const run = await launch(t, definition);
    await answer(t, 'b');
    expect(await stateOf(run)).toEqual({ merged: ['state'] });
  });

  test('a merge into the output section of an enclosing branch stays in that branch', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', 'mid', branchWork('leaf'), 'met', 'after'],
      [
        spawn('start', 'mid', 2, 'outer'),
        spawn('mid', 'leaf', 2, 'inner'),
        join('leaf', 'met', 'inner', merge('_branch.output.value', 'output.inner')),
        join('met', 'after', 'outer', merge('_branch.output.inner', 'output.outer', 'concat')),
      ],
    );
    const run = await launch(t, definition);
    for (const index of [0, 0, 1]) await answerBranches(t, 'leaf', [index]);
    expect((await run.state()).output).toEqual({});
    await answerBranches(t, 'leaf', [1]);
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { outer: ['v0', 'v1', 'v0', 'v1'] } });
  });

  test('an empty foreach inside a branch that was left alone ends there', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('b'), 'leaf', work('met'), 'after'],
      [
        spawn('start', 'b', 2, 'g'),
        each('b', 'leaf', '[]', 'inner', { priority: 1, condition: '_branch.index == 1' }),
        join('leaf', 'met', 'inner'),
        ...['b', 'met'].map((node) =>
          join(node, 'after', 'g', { strategy: 'any', onEarlyComplete: 'abandon' }, { priority: 2 }),
        ),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'b', [0, 1]);
    expect(await run.status()).toBe('running');
    await answer(t, 'met');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(run, 'fan_in.completed')).toHaveLength(2);
  });

  test('a sub-run that fails in a tolerant group ends its branch; the sub-runs of a lost branch are cancelled', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner', { inputMapping: { n: 'input.n' } })]));
    const definition = workflow(
      'w',
      [
        'start',
        'fork',
        { id: 'call', workflow: 'child', inputMapping: { n: '_branch.index' } },
        branchWork('beside'),
        'after',
      ],
      [
        spawn('start', 'fork', 3, 'g', { onBranchFailure: 'end' }),
        go('fork', 'call'),
        go('fork', 'beside'),
        ...['call', 'beside'].map((node) => join(node, 'after', 'g', merge('_branch.index', 'state.all'))),
      ],
    );
    const run = await launch(t, definition);
    await fail(t, 'inner', new Error('child'), { n: 0 });
    await fail(t, 'beside', new Error('beside'), { index: 1 });
    await answer(t, 'inner', {}, { n: 2 });
    await answer(t, 'beside', {}, { index: 2 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [2] });
    expect((await t.engine.runs({ subRuns: true, workflow: 'child' })).map(({ status }) => status).toSorted()).toEqual([
      'cancelled',
      'completed',
      'failed',
    ]);
  });

  test('a run that fails cancels its sub-runs', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner')]));
    const run = await launch(
      t,
      workflow('w', ['start', { id: 'call', workflow: 'child' }, work('b')], [go('start', 'call'), go('start', 'b')]),
    );
    await fail(t, 'b');
    expect(await visits(run)).toEqual(['start:completed', 'call:cancelled', 'b:failed']);
    expect((await t.engine.runs({ subRuns: true, workflow: 'child' })).map(({ status }) => status)).toEqual([
      'cancelled',
    ]);
  });

  test('a run that is cancelled right after its start leaves no child behind', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner')]), workflow('w', [{ id: 'call', workflow: 'child' }]));
    const run = await t.engine.start('w');
    await run.cancel();
    await t.settle();
    expect(await run.status()).toBe('cancelled');
    expect((await t.engine.runs({ subRuns: true })).filter(({ status }) => status !== 'cancelled')).toEqual([]);
    expect(callsAt(t, 'inner')).toEqual([]);
  });

  host.testHere('a result that is queued at the deadline of its join is not overtaken by the timer', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('b'), 'after'],
      [
        spawn('start', 'b', 2, 'g'),
        join('b', 'after', 'g', { timeoutMs: 1000, ...merge('_branch.output.value', 'state.all') }),
      ],
    );
    const run = await launch(t, definition);
    const last = callAt(t, 'b', { index: 1 });
    t.clock.schedule(t.clock.now() + 1000, () => last.complete({ value: 'just in time' }));
    await answerBranches(t, 'b', [0]);
    await t.advance(1000);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: ['v0', 'just in time'] });
  });

  test('a long chain of pass-through nodes is one step: no depth of calls grows with it', async () => {
    const t = await host.open();
    const definition = workflow(
      'w',
      ['a', 'b', 'end'],
      [go('a', 'b'), go('b', 'a', { priority: 1, loop: { maxIterations: 20_000 } }), go('b', 'end', { priority: 2 })],
    );
    const run = await launch(t, definition);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await run.tokens()).toHaveLength(40_003);
  });
});
