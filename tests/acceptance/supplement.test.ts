import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  each,
  ended,
  eventsOf,
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

onEveryHost('supplement', (host) => {
  const values = merge('_branch.output.value', 'state.values');

  test('[X01] foreach over a missing path fails the run; over an empty list it creates no token', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', work('b'), work('after')],
      [each('start', 'b', 'input.items', 'g'), join('b', 'after', 'g', values)],
    );
    const missing = await launch(t, definition, {});
    expect(await ended(missing)).toMatchObject({
      status: 'failed',
      error: { code: 'FOREACH_NOT_A_LIST', nodeId: 'start' },
    });
    expect(await visits(missing)).toEqual(['start:completed']);
    const empty = await launch(t, definition, { items: [] });
    expect(await tokensAt(empty, 'b')).toEqual([]);
    expect(await visits(empty)).toEqual(['start:completed', 'after:dispatched']);
    expect(await stateOf(empty)).toEqual({ values: [] });
  });

  const loop = (maxIterations: number) =>
    workflow(
      'w',
      [work('a'), work('z')],
      [
        go('a', 'a', { id: 'again', priority: 1, loop: { maxIterations }, condition: 'result.more' }),
        go('a', 'z', { priority: 2 }),
      ],
    );

  test('[X02] a loop is counted from 0; at its limit it is passed over, before its condition is looked at', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, loop(2));
    await answer(t, 'a', { more: true });
    await answer(t, 'a', { more: true });
    await answer(t, 'a', { nothing: 'that the condition could read' });
    expect(await visits(run)).toEqual(['a:completed', 'a:completed', 'a:completed', 'z:dispatched']);
    expect((await run.tokens()).map(({ iterationCounts }) => iterationCounts)).toEqual([
      {},
      { again: 1 },
      { again: 2 },
      { again: 2 },
    ]);
  });

  test('[X02] a loop of one iteration is taken once', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, loop(1));
    await answer(t, 'a', { more: true });
    await answer(t, 'a', { more: true });
    expect((await run.tokens()).map(({ node }) => node)).toEqual(['a', 'a', 'z']);
  });

  test('[X02] a loop at its limit with no other way fails the run, naming the limit', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow('w', [work('a')], [go('a', 'a', { id: 'again', loop: { maxIterations: 1 } })]),
    );
    await answer(t, 'a');
    await answer(t, 'a');
    const { error } = await ended(run);
    expect(error).toMatchObject({ code: 'NO_TRANSITION_MATCHED', nodeId: 'a', details: { exhausted: ['again'] } });
    expect((error as { message: string }).message).toContain('again has been taken 1 times, its limit');
  });

  test('[X02] the counts are the same for all siblings of one fan-out', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('a'), branchWork('b'), 'after'],
      [
        go('a', 'a', { id: 'again', priority: 1, loop: { maxIterations: 3 }, condition: 'result.more' }),
        spawn('a', 'b', 3, 'g', { priority: 2 }),
        join('b', 'after', 'g'),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { more: true });
    await answer(t, 'a', { more: true });
    await answer(t, 'a', { more: false });
    expect((await tokensAt(run, 'b')).map(({ iterationCounts }) => iterationCounts)).toEqual([
      { again: 2 },
      { again: 2 },
      { again: 2 },
    ]);
    await answerBranches(t, 'b', [2, 1, 0]);
    expect((await tokensAt(run, 'after')).at(-1)).toMatchObject({ iterationCounts: { again: 2 }, status: 'completed' });
  });

  test('[X03] path ids: three levels, none where there is one branch, odd node ids escaped', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a b', 'c.d', 'ü/ß', 'only', work('leaf')],
      [
        spawn('a b', 'c.d', 2, 'one'),
        spawn('c.d', 'only', 1, 'single'),
        spawn('only', 'ü/ß', 2, 'two'),
        spawn('ü/ß', 'leaf', 2, 'three'),
      ],
    );
    const run = await launch(t, definition);
    const paths = (await tokensAt(run, 'leaf')).map(({ pathId }) => pathId);
    expect(paths).toHaveLength(8);
    expect(new Set(paths).size).toBe(8);
    expect(paths).toContain('root.a%20b.1.only.0.%C3%BC%2F%C3%9F.1');
    expect((await tokensAt(run, 'only')).map(({ pathId }) => pathId)).toEqual(['root.a%20b.0', 'root.a%20b.1']);
    expect((await tokensAt(run, 'a b')).map(({ pathId }) => pathId)).toEqual(['root']);
  });

  test('[X03] path ids: a node id with a dot cannot be taken for two levels; a very large index is written out', async () => {
    const t = await host.open();
    const definition = workflow('w', ['x.1', 'leaf'], [each('x.1', 'leaf', 'input.items', 'g')]);
    const run = await launch(t, definition, { items: Array.from({ length: 20_000 }, (_, i) => i) });
    const tokens = await run.tokens();
    expect(tokens).toHaveLength(20_001);
    expect(tokens.at(-1)!.pathId).toBe('root.x%2E1.19999');
  });

  const tolerant = (strategy: unknown) =>
    workflow(
      'w',
      ['start', branchWork('b'), work('after')],
      [spawn('start', 'b', 3, 'g', { onBranchFailure: 'end' }), join('b', 'after', 'g', { strategy, ...values })],
    );

  test('[X04] mOfN ignores siblings that failed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, tolerant({ mOfN: 2 }));
    await answerBranches(t, 'b', [0]);
    await fail(t, 'b', new Error('no'), { index: 1 });
    expect(callsAt(t, 'after')).toEqual([]);
    await answerBranches(t, 'b', [2]);
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ values: ['v0', 'v2'] });
  });

  test('[X04] all counts siblings that failed as done', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, tolerant('all'));
    await answerBranches(t, 'b', [2, 0]);
    await fail(t, 'b', new Error('no'), { index: 1 });
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ values: ['v0', 'v2'] });
    expect(
      (await eventsOf(run, 'branch.ended')).map(({ branch, how, error }) => [branch, how, error?.message]),
    ).toEqual([[[1, 1], 'failed', 'no']]);
  });

  test('[X05] the continuation has no group, index 0 and total 1, at the top; inside it is back in the outer group', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        'inner',
        branchWork('b'),
        work('met', { inputMapping: { index: '_branch.index', parent: '_branch.parent' } }),
        'after',
      ],
      [
        spawn('start', 'inner', 2, 'outer'),
        spawn('inner', 'b', 3, 'inside'),
        join('b', 'met', 'inside'),
        join('met', 'after', 'outer'),
      ],
    );
    const run = await launch(t, definition);
    for (const index of [0, 0, 1, 1, 2, 2]) await answerBranches(t, 'b', [index]);
    const place = ({
      siblingGroup,
      branchIndex,
      branchTotal,
      pathId,
    }: Awaited<ReturnType<typeof tokensAt>>[number]) => [siblingGroup, branchIndex, branchTotal, pathId];
    expect((await tokensAt(run, 'met')).filter(({ via }) => via === null).map(place)).toEqual([
      ['outer', 0, 2, 'root.start.0'],
      ['outer', 1, 2, 'root.start.1'],
    ]);
    expect(callsAt(t, 'met').map(({ input }) => input)).toEqual([{ index: 0 }, { index: 1 }]);
    await answer(t, 'met');
    await answer(t, 'met');
    expect((await tokensAt(run, 'after')).filter(({ via }) => via === null).map(place)).toEqual([[null, 0, 1, 'root']]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  const timed = (timeoutMs: number) =>
    workflow(
      'w',
      ['start', branchWork('b'), work('after')],
      [
        spawn('start', 'b', 2, 'g'),
        join('b', 'after', 'g', { timeoutMs, onTimeout: 'proceed_with_available', ...values }),
      ],
    );

  test('[X06] a join timeout of 0 is none', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, timed(0));
    await answerBranches(t, 'b', [0]);
    await t.advance(1_000_000_000);
    expect(await run.status()).toBe('running');
    expect(callsAt(t, 'after')).toEqual([]);
  });

  test('[X06] elapsed time equal to the timeout counts as timed out, a millisecond less does not', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, timed(1000));
    await t.advance(500);
    await answerBranches(t, 'b', [1]);
    await t.advance(999);
    expect(callsAt(t, 'after')).toEqual([]);
    await t.advance(1);
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ values: ['v1'] });
    expect((await tokensAt(run, 'b')).map(({ status }) => status)).toEqual(['cancelled', 'completed']);
  });

  test('[X07] tokens that are created or end together are one event each, in order; a single one is not batched', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('b'), 'after'],
      [each('start', 'b', 'input.items', 'g'), join('b', 'after', 'g', { strategy: { mOfN: 2 } })],
    );
    const run = await launch(t, definition, { items: ['p', 'q', 'r', 's'] });
    await answerBranches(t, 'b', [1, 0]);
    const created = (await eventsOf(run, 'token.created')).map(({ token, node, count }) => [token, node, count]);
    expect(created).toEqual([
      [1, 'start', undefined],
      [2, 'b', 4],
      [6, 'after', undefined],
      [7, 'after', undefined],
      [8, 'after', undefined],
    ]);
    // Those that came together and those that were called off are told apart.
    expect((await eventsOf(run, 'tokens.completed')).map(({ tokens }) => tokens)).toEqual([[7, 6]]);
    expect((await eventsOf(run, 'tokens.cancelled')).map(({ tokens }) => tokens)).toEqual([[4, 5]]);
    const single = await launch(t, definition, { items: ['p'] });
    expect((await eventsOf(single, 'token.created')).map(({ count }) => count)).toEqual([undefined, undefined]);
  });

  test('[X08] three transitions with one group name to three nodes are siblings 0..2 of 3', async () => {
    const t = await host.open(scripted);
    const nodes = ['p', 'q', 'r'];
    const definition = workflow(
      'w',
      ['start', ...nodes.map((id) => keep(id, 'value')), 'after'],
      nodes.flatMap((id) => [go('start', id, { siblingGroup: 'g' }), join(id, 'after', 'g', values)]),
    );
    const run = await launch(t, definition);
    expect(
      (await run.tokens())
        .slice(1)
        .map(({ node, siblingGroup, branchIndex, branchTotal }) => [node, siblingGroup, branchIndex, branchTotal]),
    ).toEqual([
      ['p', 'g', 0, 3],
      ['q', 'g', 1, 3],
      ['r', 'g', 2, 3],
    ]);
    for (const node of ['r', 'p', 'q']) await answer(t, node, { value: node });
    expect(await stateOf(run)).toEqual({ values: ['p', 'q', 'r'] });
  });

  test('[X09] two fan-outs and fan-ins of 3 in sequence make 15 tokens', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', branchWork('b'), 'c', branchWork('d'), 'e'],
      [spawn('a', 'b', 3, 'one'), join('b', 'c', 'one'), spawn('c', 'd', 3, 'two'), join('d', 'e', 'two')],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'b', [0, 1, 2]);
    await answerBranches(t, 'd', [2, 0, 1]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    const tokens = await run.tokens();
    expect(tokens.map(({ node }) => node).join('')).toBe('abbbccccdddeeee');
    expect(tokens.map(({ id }) => id)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
  });

  test('[X10] merges go by branch index whatever the order of arrival; keyed_by_branch may have gaps', async () => {
    const t = await host.open(scripted);
    const definition = (strategy: string) =>
      workflow(
        strategy.replaceAll('_', '-'),
        ['start', branchWork('b'), 'after'],
        [spawn('start', 'b', 5, 'g'), join('b', 'after', 'g', merge('_branch.output.value', 'state.values', strategy))],
      );
    const list = await launch(t, definition('append'));
    await answerBranches(t, 'b', [3, 1, 4, 0, 2]);
    expect(await stateOf(list)).toEqual({ values: ['v0', 'v1', 'v2', 'v3', 'v4'] });
    const keyed = await launch(t, definition('keyed_by_branch'));
    await answer(t, 'b', {}, { index: 1 });
    await answer(t, 'b', {}, { index: 3 });
    await answerBranches(t, 'b', [4, 2, 0]);
    expect(await stateOf(keyed)).toEqual({ values: { '0': 'v0', '2': 'v2', '4': 'v4' } });
  });

  test('[X10] an unknown merge strategy is refused', async () => {
    const t = await host.open();
    const definition = workflow(
      'w',
      ['a', 'b', 'c'],
      [spawn('a', 'b', 2, 'g'), join('b', 'c', 'g', merge('_branch.output', 'state.x', 'append_all'))],
    );
    const { problems, version } = await t.engine.register(definition);
    expect(version).toBeNull();
    expect(problems.map(({ severity, pointer }) => [severity, pointer])).toEqual([
      ['error', '/transitions/1/synchronization/merge/strategy'],
    ]);
  });

  test('[X11] a pass-through node completes at once with an empty output', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        { id: 'a', outputMapping: { 'state.all': 'result', 'state.x': 'result.x' } },
        work('b', { inputMapping: { all: 'state.all' } }),
      ],
      [go('a', 'b')],
      alarmsAreMeant,
    );
    const run = await launch(t, definition);
    expect(await visits(run)).toEqual(['a:completed', 'b:dispatched']);
    expect(callAt(t, 'b').input).toEqual({ all: {} });
    const [a] = await run.tokens();
    expect(a!.endedAt).toBe(a!.createdAt);
  });

  test('[X12] a failure after earlier successes keeps the state that was written before', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow(
        'w',
        [keep('a', 'x'), work('b', { outputMapping: { 'output.y': 'result.y' } }), keep('c', 'x')],
        [go('a', 'b'), go('b', 'c')],
      ),
    );
    await answer(t, 'a', { x: 1 });
    await answer(t, 'b', { y: 2 });
    await fail(t, 'c');
    expect(await run.state()).toMatchObject({ status: 'failed', state: { x: 1 }, output: { y: 2 } });
  });
});
