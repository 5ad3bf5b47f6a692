import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  branchWork,
  callAt,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
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

const edge = (from: string, to: string, more: Fields = {}, require?: string): Fields =>
  go(from, to, { synchronization: { over: 'edges', ...(require === undefined ? {} : { require }) }, ...more });

onEveryHost('edge joins', (host) => {
  test.each(['some', 'all'])(
    '[EJ3] nodes without work before a join over edges (%s): it runs, once',
    async (require) => {
      const t = await host.open(scripted);
      const ways = [go('s', 'a'), go('s', 'b'), edge('a', 'j', {}, require), edge('b', 'j', {}, require)];
      const run = await launch(t, workflow('w', ['s', 'a', 'b', work('j')], ways));
      expect(callsAt(t, 'j')).toHaveLength(1);
      await answer(t, 'j');
      expect(await run.status()).toBe('completed');
    },
  );

  const diamond = (require?: string, b: Fields = {}) =>
    workflow(
      'w',
      [work('a'), keep('b', 'b'), keep('c', 'c'), work('d', { inputMapping: { b: 'state.b', c: 'state.c' } })],
      [go('a', 'b', b), go('a', 'c'), edge('b', 'd', {}, require), edge('c', 'd', {}, require)],
    );

  test.each([
    ['b', 'c'],
    ['c', 'b'],
  ])('diamond: the node runs once, when all edges are settled; %s first, then %s', async (first, second) => {
    const t = await host.open(scripted);
    const run = await launch(t, diamond());
    await answer(t, 'a');
    await answer(t, first, { [first]: 1 });
    expect(callsAt(t, 'd')).toEqual([]);
    expect((await tokensAt(run, 'd')).map(({ status }) => status)).toEqual(['waiting_for_edges']);
    await answer(t, second, { [second]: 1 });
    expect(callsAt(t, 'd').map(({ input }) => input)).toEqual([{ b: 1, c: 1 }]);
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await tokensAt(run, 'd')).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect((await eventsOf(run, 'edge_join.completed')).map(({ node }) => node)).toEqual(['d']);
  });

  const never = { condition: 'false' };

  test('require some (the default): an edge whose source never ran is dead; the others are enough', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, diamond(undefined, never));
    await answer(t, 'a');
    await answer(t, 'c', { c: 1 });
    expect(callAt(t, 'd').input).toEqual({ c: 1 });
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('require all: one dead edge and the node is dead itself; the run completes without it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, diamond('all', never));
    await answer(t, 'a');
    await answer(t, 'c', { c: 1 });
    expect(callsAt(t, 'd')).toEqual([]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await eventsOf(run, 'edges.settled')).flatMap(({ skipped }) => skipped)).toEqual(['d']);
    expect(await visits(run)).toEqual(['a:completed', 'c:completed', 'd:completed']);
  });

  test('an edge is dead when its source ended without taking it', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b'), work('c'), work('d'), 'e'],
      [
        go('a', 'b'),
        go('a', 'c'),
        edge('b', 'd', { priority: 2 }),
        go('b', 'e', { priority: 1, condition: 'result.away' }),
        edge('c', 'd'),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'c');
    expect(callsAt(t, 'd')).toEqual([]);
    await answer(t, 'b', { away: true });
    expect(callsAt(t, 'd')).toHaveLength(1);
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('an edge is dead when its source failed and the failure was handled', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b'), work('c'), work('d', { inputMapping: { error: 'state._last_error' } }), work('rescue')],
      [go('a', 'b'), go('a', 'c'), edge('b', 'd'), go('b', 'rescue', { on: 'failure' }), edge('c', 'd')],
    );
    const run = await launch(t, definition);
    await answer(t, 'c');
    await fail(t, 'b');
    expect(callAt(t, 'd').input).toEqual({});
    await answer(t, 'd');
    await answer(t, 'rescue');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  /** a → b → c → d in a row and x beside them; every node from b on needs all of its edges. */
  test('deadness travels on: a whole chain behind a dead node is skipped, what does not need it runs', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('x'), 'b', 'c', work('d'), work('z')],
      [
        go('a', 'x'),
        go('a', 'b', never),
        edge('b', 'c', {}, 'all'),
        edge('c', 'd', {}, 'all'),
        edge('x', 'd', {}, 'all'),
        edge('x', 'z'),
        edge('d', 'z'),
      ],
    );
    const run = await launch(t, definition);
    expect(callsAt(t, 'z')).toEqual([]);
    await answer(t, 'x');
    expect(callsAt(t, 'd')).toEqual([]);
    expect(callsAt(t, 'z')).toHaveLength(1);
    await answer(t, 'z');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await eventsOf(run, 'edges.settled')).flatMap(({ skipped }) => skipped).toSorted()).toEqual(['c', 'd']);
  });

  test('everything dead: the run completes', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('a'), 'b', 'c', work('d'), 'e'],
      [go('a', 'b', never), go('a', 'c', never), go('a', 'e', { priority: 2 }), edge('b', 'd'), edge('c', 'd')],
    );
    const run = await launch(t, definition);
    await answer(t, 'a');
    expect(await visits(run)).toEqual(['a:completed', 'e:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('a second token on an edge is absorbed, before the node ran and after', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('p'), work('q'), work('b'), work('c'), work('d')],
      [go('a', 'p'), go('a', 'q'), go('a', 'c'), go('p', 'b'), go('q', 'b'), edge('b', 'd'), edge('c', 'd')],
    );
    const run = await launch(t, definition);
    await answer(t, 'p');
    await answer(t, 'b');
    await answer(t, 'c');
    // q may still bring a token to b, but the edge from b is taken: it is settled.
    expect(callsAt(t, 'd')).toHaveLength(1);
    await answer(t, 'q');
    await answer(t, 'b');
    expect(callsAt(t, 'd')).toHaveLength(1);
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await tokensAt(run, 'd')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
    ]);
    expect((await eventsOf(run, 'edge_join.completed')).map(({ node }) => node)).toEqual(['d']);
  });

  test('a join behind a loop waits until the loop is over', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b'), work('c'), work('d')],
      [
        go('a', 'b'),
        go('a', 'c'),
        go('b', 'b', { priority: 1, loop: { maxIterations: 5 }, condition: 'result.more' }),
        edge('b', 'd', { priority: 2, condition: 'result.join' }),
        go('b', 'e', { priority: 3 }),
        edge('c', 'd'),
      ],
    );
    const run = await launch(t, { ...definition, nodes: [...(definition['nodes'] as Fields[]), { id: 'e' }] });
    await answer(t, 'c');
    await answer(t, 'b', { more: true });
    await answer(t, 'b', { more: true });
    expect(callsAt(t, 'd')).toEqual([]);
    await answer(t, 'b', { more: false, join: false });
    expect(callsAt(t, 'd')).toHaveLength(1);
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  /** l waits for ticks for ever; j1 and j2 are joins over edges, and j1 leads to j2 only if it says so. */
  const ticking = workflow(
    'ticking',
    ['s', { id: 'l', wait: { event: 'tick' } }, work('b'), work('j1'), work('j2'), 'away'],
    [
      go('s', 'l'),
      go('s', 'b'),
      go('l', 'l'),
      edge('l', 'j1'),
      edge('b', 'j1'),
      edge('l', 'j2'),
      edge('j1', 'j2', { condition: 'result.x' }),
      go('j1', 'away', { priority: 2 }),
    ],
  );

  test('[EJ7] an edge from a join that has run is dead, though a loop that never ends still leads there', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, ticking);
    await t.engine.publish('tick', {});
    await t.settle();
    await answer(t, 'b');
    expect(callsAt(t, 'j2')).toEqual([]);
    await answer(t, 'j1', { x: false });
    expect(callsAt(t, 'j2')).toHaveLength(1);
    await t.engine.publish('tick', {});
    await t.settle();
    expect((await eventsOf(run, 'edge_join.completed')).map(({ node }) => node)).toEqual(['j1', 'j2']);
    await answer(t, 'j2');
    expect(await run.status()).toBe('suspended');
  });

  test('[EJ8] require all: one dead edge is enough, whatever still comes; what does not need the node runs', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b'), work('slow'), work('d'), work('e')],
      [
        go('a', 'b'),
        go('a', 'slow'),
        edge('b', 'd', { condition: 'result.go' }, 'all'),
        edge('slow', 'd', {}, 'all'),
        edge('b', 'e'),
        edge('d', 'e'),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'b', { go: false });
    expect(callsAt(t, 'e')).toHaveLength(1);
    await answer(t, 'e');
    await answer(t, 'slow');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual([
      'a:completed',
      'b:completed',
      'slow:completed',
      'e:completed',
      'e:completed',
      'd:completed',
    ]);
  });

  test('[EJ9] a fan-out that is open beside a join over edges and leads elsewhere does not keep it waiting', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', branchWork('leaf'), 'met', work('b'), work('d')],
      [
        spawn('a', 'leaf', 2, 'g'),
        join('leaf', 'met', 'g', merge('_branch.output.value', 'state.values')),
        go('a', 'b'),
        edge('a', 'd', never),
        edge('b', 'd'),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'b');
    expect(callsAt(t, 'd')).toHaveLength(1);
    await answer(t, 'd');
    for (const index of [0, 1]) await answer(t, 'leaf', { value: index }, { index });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('in branches: one instance per branch, and each branch settles for itself', async () => {
    const t = await host.open(scripted);
    const index = { inputMapping: { index: '_branch.index' } };
    const definition = workflow(
      'w',
      [
        'start',
        'fork',
        keep('l', 'l', index),
        keep('r', 'r', index),
        branchWork('d', { inputMapping: { index: '_branch.index', l: 'state.l', r: 'state.r' } }),
        'after',
      ],
      [
        spawn('start', 'fork', 2, 'g'),
        go('fork', 'l'),
        go('fork', 'r', { condition: '_branch.index == 0' }),
        edge('l', 'd'),
        edge('r', 'd'),
        join('d', 'after', 'g', merge('_branch.output.value', 'state.values')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'l', { l: 'l0' }, { index: 0 });
    expect(callsAt(t, 'd')).toEqual([]);
    await answer(t, 'l', { l: 'l1' }, { index: 1 });
    expect(callsAt(t, 'd').map(({ input }) => input)).toEqual([{ index: 1, l: 'l1' }]);
    await answer(t, 'r', { r: 'r0' }, { index: 0 });
    expect(callAt(t, 'd', { index: 0 }).input).toEqual({ index: 0, l: 'l0', r: 'r0' });
    await answer(t, 'd', { value: 'one' }, { index: 1 });
    await answer(t, 'd', { value: 'zero' }, { index: 0 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: ['zero', 'one'] });
  });

  test('a fan-out on the way keeps its edge open until its branches are joined', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', 'b', branchWork('leaf'), 'met', work('c'), work('d', { inputMapping: { values: 'state.values' } })],
      [
        go('a', 'b'),
        go('a', 'c'),
        spawn('b', 'leaf', 2, 'g'),
        join('leaf', 'met', 'g', merge('_branch.output.value', 'state.values')),
        edge('met', 'd'),
        edge('c', 'd'),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'c');
    await answer(t, 'leaf', { value: 1 }, { index: 1 });
    expect(callsAt(t, 'd')).toEqual([]);
    await answer(t, 'leaf', { value: 0 }, { index: 0 });
    expect(callAt(t, 'd').input).toEqual({ values: [0, 1] });
    await answer(t, 'd');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('what cannot be an edge join is refused', async () => {
    const t = await host.open();
    const codes = async (definition: Fields) =>
      (await t.engine.register(definition)).problems
        .filter(({ severity }) => severity === 'error')
        .map(({ code }) => code);
    expect(await codes(workflow('w', ['a', 'd'], [edge('a', 'd', { spawnCount: 2 })]))).toEqual([
      'FAN_OUT_INTO_EDGE_JOIN',
    ]);
    expect(await codes(workflow('w', ['a', 'd'], [edge('a', 'd', { foreach: { collection: 'input.x' } })]))).toEqual([
      'FAN_OUT_INTO_EDGE_JOIN',
    ]);
    expect(await codes(workflow('w', ['a', 'd'], [edge('a', 'd'), go('d', 'a')]))).toEqual(['EDGE_JOIN_ON_CYCLE']);
    expect(await codes(workflow('w', ['a', 'b', 'd'], [go('a', 'b'), edge('a', 'd'), go('b', 'd')]))).toEqual([
      'EDGE_JOIN_MIXED',
    ]);
    expect(
      await codes(
        workflow('w', ['a', 'b', 'd'], [go('a', 'b'), edge('a', 'd', {}, 'all'), edge('b', 'd', {}, 'some')]),
      ),
    ).toEqual(['JOIN_DISAGREES']);
  });
});
