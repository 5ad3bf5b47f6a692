import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  ended,
  eventsOf,
  go,
  join,
  keep,
  launch,
  merge,
  scripted,
  spawn,
  stateOf,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('nested fan-outs', (host) => {
  const at = {
    inputMapping: { at: '[_branch.parent.parent.index, _branch.parent.index, _branch.index]', branch: '_branch' },
  };
  const deep = workflow(
    'w',
    ['a', 'b', 'c', keep('leaf', 'v', at), 'd', 'e', 'f'],
    [
      spawn('a', 'b', 2, 'one'),
      spawn('b', 'c', 2, 'two'),
      spawn('c', 'leaf', 2, 'three'),
      join('leaf', 'd', 'three', merge('_branch.output.v', 'state.threes')),
      join('d', 'e', 'two', merge('_branch.output.threes', 'state.twos', 'keyed_by_branch')),
      join('e', 'f', 'one', merge('_branch.output.twos', 'state.ones')),
    ],
  );

  test('three deep: every leaf knows its place, joins fire inside out, an inner merge writes into the enclosing branch', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, deep);
    expect(callsAt(t, 'leaf')).toHaveLength(8);
    expect(callAt(t, 'leaf', { at: [1, 0, 1] }).input['branch']).toEqual({
      index: 1,
      total: 2,
      fanOutNodeId: 'c',
      parent: { index: 0, total: 2, fanOutNodeId: 'b', parent: { index: 1, total: 2, fanOutNodeId: 'a' } },
    });
    const order = ['101', '000', '111', '011', '100', '110', '001', '010'];
    for (const place of order) {
      expect(await stateOf(run)).toEqual({});
      await answer(t, 'leaf', { v: place }, { at: place.split('').map(Number) });
    }
    expect(await stateOf(run)).toEqual({
      ones: [
        { '0': ['000', '001'], '1': ['010', '011'] },
        { '0': ['100', '101'], '1': ['110', '111'] },
      ],
    });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await eventsOf(run, 'fan_in.completed')).map(({ join: id }) => id)).toEqual([
      'd/three',
      'd/three',
      'e/two',
      'd/three',
      'd/three',
      'e/two',
      'f/one',
    ]);
  });

  test('an early join takes everything inside its other branches with it, at any depth', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', 'b', 'c', keep('leaf', 'v', at), 'd', 'after'],
      [
        spawn('a', 'b', 2, 'one'),
        spawn('b', 'c', 2, 'two'),
        spawn('c', 'leaf', 2, 'three'),
        join('leaf', 'd', 'three'),
        join('d', 'after', 'two', { strategy: 'any' }),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'leaf', {}, { at: [0, 0, 0] });
    await answer(t, 'leaf', {}, { at: [0, 1, 1] });
    await answer(t, 'leaf', {}, { at: [0, 1, 0] });
    const left = callsAt(t, 'leaf').map(({ input }) => input['at']);
    expect(left).toEqual([
      [1, 0, 0],
      [1, 0, 1],
      [1, 1, 0],
      [1, 1, 1],
    ]);
    expect((await tokensAt(run, 'd')).map(({ status, pathId }) => [status, pathId])).toEqual([
      ['cancelled', 'root.a.0.b.0.c.0'],
      ['completed', 'root.a.0.b.1.c.1'],
      ['completed', 'root.a.0.b.1.c.0'],
      ['completed', 'root.a.0.b.1'],
    ]);
  });

  test('a join without a name is over the innermost group', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', 'b', branchWork('leaf'), 'd', 'after'],
      [
        go('a', 'b', { spawnCount: 2 }),
        go('b', 'leaf', { spawnCount: 2 }),
        go('leaf', 'd', { synchronization: { strategy: 'all', ...merge('_branch.output.value', 'state.inner') } }),
        go('d', 'after', { synchronization: { strategy: 'all', ...merge('_branch.output.inner', 'state.outer') } }),
      ],
    );
    const run = await launch(t, definition);
    for (const index of [1, 1, 0, 0]) await answerBranches(t, 'leaf', [index]);
    expect(await stateOf(run)).toEqual({
      outer: [
        ['v0', 'v1'],
        ['v0', 'v1'],
      ],
    });
  });

  test('a group inside a group of the same name: a join means the nearest instance', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', 'b', branchWork('leaf'), work('d', { inputMapping: { index: '_branch.index' } }), 'after'],
      [spawn('a', 'b', 2, 'g'), spawn('b', 'leaf', 3, 'g'), join('leaf', 'd', 'g'), join('d', 'after', 'g')],
    );
    const run = await launch(t, definition);
    for (const index of [0, 1, 2]) await answerBranches(t, 'leaf', [index]);
    for (const index of [0, 1, 2]) await answerBranches(t, 'leaf', [index]);
    expect(callsAt(t, 'd').map(({ input }) => input)).toEqual([{ index: 0 }, { index: 1 }]);
    await answer(t, 'd');
    expect(await run.status()).toBe('running');
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(run, 'fan_in.completed')).toHaveLength(3);
  });
});

onEveryHost('loops and fan-outs', (host) => {
  test('a loop inside a branch: the branch arrives once, after its last round', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        work('step', {
          inputMapping: { index: '_branch.index', n: '_branch.output.n' },
          outputMapping: { 'state.n': 'result.n' },
        }),
        'after',
      ],
      [
        spawn('start', 'step', 2, 'g'),
        go('step', 'step', { id: 'again', priority: 1, loop: { maxIterations: 3 }, condition: '_branch.index == 1' }),
        join('step', 'after', 'g', merge('_branch.output.n', 'state.ns'), { priority: 2 }),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'step', { n: 'zero' }, { index: 0 });
    for (const n of [1, 2, 3]) {
      await answer(t, 'step', { n }, { index: 1 });
      expect(await run.status()).toBe('running');
    }
    expect(callAt(t, 'step').input).toEqual({ index: 1, n: 3 });
    await answer(t, 'step', { n: 4 }, { index: 1 });
    expect(await stateOf(run)).toEqual({ ns: ['zero', 4] });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await tokensAt(run, 'after')).at(-1)).toMatchObject({ iterationCounts: {}, branchTotal: 1 });
  });

  test('a fan-out inside a loop: every round is its own instance; left-overs of one never count in the next', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        work('b', {
          inputMapping: { index: '_branch.index', round: 'state.round' },
          outputMapping: { 'state.v': 'result.v' },
        }),
        keep('met', 'round'),
        'end',
      ],
      [
        spawn('start', 'b', 3, 'g'),
        join('b', 'met', 'g', {
          strategy: { mOfN: 2 },
          onEarlyComplete: 'abandon',
          ...merge('_branch.output.v', 'state.vs'),
        }),
        go('met', 'start', { priority: 1, loop: { maxIterations: 1 } }),
        go('met', 'end', { priority: 2 }),
      ],
    );
    const run = await launch(t, definition);
    const old = callAt(t, 'b', { index: 2 });
    await answer(t, 'b', { v: 'a0' }, { index: 0 });
    await answer(t, 'b', { v: 'a1' }, { index: 1 });
    await answer(t, 'met', { round: 2 });
    expect(callsAt(t, 'b', { round: 2 })).toHaveLength(3);
    await answer(t, 'b', { v: 'b1' }, { index: 1, round: 2 });
    old.complete({ v: 'late' });
    await t.settle();
    expect(callsAt(t, 'met')).toEqual([]);
    await answer(t, 'b', { v: 'b2' }, { index: 2, round: 2 });
    expect(await stateOf(run)).toEqual({ round: 2, vs: ['b1', 'b2'] });
    await answer(t, 'met', { round: 3 });
    await answer(t, 'b', { v: 'b0' }, { index: 0, round: 2 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(new Set((await tokensAt(run, 'b')).map(({ groupId }) => groupId))).toEqual(new Set([1, 2]));
    expect((await eventsOf(run, 'fan_in.completed')).map(({ group, branches }) => [group, branches])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('nested loops work in every outer round: taking the outer one begins the inner one anew', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('outer'), work('inner'), 'end'],
      [
        go('outer', 'inner'),
        go('inner', 'inner', { id: 'in', priority: 1, loop: { maxIterations: 2 } }),
        go('inner', 'outer', { id: 'out', priority: 2, loop: { maxIterations: 2 } }),
        go('inner', 'end', { priority: 3 }),
      ],
    );
    const run = await launch(t, definition);
    while ((await run.status()) === 'running') {
      for (const node of ['outer', 'inner']) if (callsAt(t, node).length > 0) await answer(t, node);
    }
    expect((await visits(run)).map((visit) => visit[0]).join('')).toBe('oiiioiiioiiie');
    expect((await run.tokens()).at(-1)!.iterationCounts).toEqual({ in: 2, out: 2 });
  });
});

onEveryHost('a token of an inner group at an outer join', (host) => {
  const bypass = (strategy: unknown) =>
    workflow(
      'w',
      [
        'start',
        keep('mid', 'm', { inputMapping: { index: '_branch.index' } }),
        keep('leaf', 'v', { inputMapping: { at: '[_branch.parent.index, _branch.index]' } }),
        'after',
      ],
      [
        spawn('start', 'mid', 2, 'outer'),
        spawn('mid', 'leaf', 2, 'inner'),
        join('leaf', 'after', 'outer', { strategy, ...merge('_branch.output', 'state.all') }),
      ],
    );

  test('it arrives for its branch of the outer group; the inner one closes unjoined, its writes are discarded', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, bypass('all'));
    await answer(t, 'mid', { m: 'm0' }, { index: 0 });
    await answer(t, 'mid', { m: 'm1' }, { index: 1 });
    await answer(t, 'leaf', { v: 1 }, { at: [0, 0] });
    await answer(t, 'leaf', { v: 2 }, { at: [1, 1] });
    expect(
      (await tokensAt(run, 'after')).map(({ status, siblingGroup, branchIndex }) => [
        status,
        siblingGroup,
        branchIndex,
      ]),
    ).toEqual([
      ['waiting_for_siblings', 'outer', 0],
      ['waiting_for_siblings', 'outer', 1],
    ]);
    // A branch has arrived when no other token of it lives.
    await answer(t, 'leaf', { v: 3 }, { at: [0, 1] });
    expect(await eventsOf(run, 'fan_in.completed')).toEqual([]);
    await answer(t, 'leaf', { v: 4 }, { at: [1, 0] });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [{ m: 'm0' }, { m: 'm1' }] });
    expect((await eventsOf(run, 'branch.discarded')).map(({ paths }) => paths)).toEqual([
      ['state.v'],
      ['state.v'],
      ['state.v'],
      ['state.v'],
    ]);
    expect((await tokensAt(run, 'after')).map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => 'completed'),
    );
  });

  test('any: the first such token is enough; what is left of the inner groups is cancelled', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, bypass('any'));
    await answer(t, 'mid', { m: 'm0' }, { index: 0 });
    await answer(t, 'leaf', { v: 1 }, { at: [0, 1] });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [{ m: 'm0' }] });
    expect((await run.tokens()).map(({ node, status }) => `${node}:${status}`)).toEqual([
      'start:completed',
      'mid:completed',
      'mid:cancelled',
      'leaf:cancelled',
      'leaf:completed',
      'after:completed',
      'after:completed',
    ]);
  });
});
