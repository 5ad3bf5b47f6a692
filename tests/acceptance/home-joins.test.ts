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
  scripted,
  spawn,
  stateOf,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('a group that nobody can arrive for', (host) => {
  const overItems = (synchronization: Fields) =>
    workflow(
      'w',
      ['start', work('b'), work('after')],
      [each('start', 'b', 'input.items', 'g'), join('b', 'after', 'g', synchronization)],
    );

  test.each([
    ['append', []],
    ['collect', []],
    ['concat', []],
    ['merge_object', {}],
    ['keyed_by_branch', {}],
    ['output_merge', {}],
  ])('all over an empty foreach goes on with an empty merge: %s', async (strategy, empty) => {
    const t = await host.open(scripted);
    const run = await launch(t, overItems(merge('_branch.output', 'state.all', strategy)), { items: [] });
    expect(await stateOf(run)).toEqual({ all: empty });
    await answer(t, 'after');
    expect(await visits(run)).toEqual(['start:completed', 'after:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test.each(['any', { mOfN: 1 }, { mOfN: 'input.need' }])(
    '%j over an empty foreach fails the run at once',
    async (strategy) => {
      const t = await host.open(scripted);
      const run = await launch(t, overItems({ strategy }), { items: [], need: 2 });
      expect(await ended(run)).toMatchObject({
        status: 'failed',
        error: { code: 'FAN_IN_UNREACHABLE', nodeId: 'after' },
      });
      expect(await visits(run)).toEqual(['start:completed']);
    },
  );

  test('an empty foreach in a branch: the join acts in the scope of the fan-out token, and the outer join gets it', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', work('b'), 'met', 'after'],
      [
        go('start', 'b', { foreach: { collection: 'input.lists', itemVar: 'list' }, siblingGroup: 'outer' }),
        go('b', 'b2', { foreach: { collection: 'list', itemVar: 'x' }, siblingGroup: 'inner' }),
        join('b2', 'met', 'inner', merge('x', 'state.xs')),
        join('met', 'after', 'outer', merge('_branch.output.xs', 'state.all')),
      ],
    );
    const nodes = [...(definition['nodes'] as Fields[]), { id: 'b2' }];
    const run = await launch(t, { ...definition, nodes }, { lists: [[1, 2], [], [3]] });
    for (let i = 0; i < 3; i++) await answer(t, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [[1, 2], [], [3]] });
  });

  /** Branches go to the join, or to a node without a way on. */
  const leaving = (strategy: unknown, count = 3) =>
    workflow(
      'w',
      ['start', branchWork('b'), 'away', work('after')],
      [
        spawn('start', 'b', count, 'g'),
        go('b', 'away', { priority: 1, condition: "result.value == 'away'" }),
        join('b', 'after', 'g', { strategy, ...merge('_branch.output.value', 'state.all') }, { priority: 2 }),
      ],
    );
  const away = { value: 'away' };

  test('all: branches that ended elsewhere count as done, and contribute nothing', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, leaving('all'));
    await answer(t, 'b', away, { index: 0 });
    await answerBranches(t, 'b', [1]);
    expect(callsAt(t, 'after')).toEqual([]);
    await answer(t, 'b', away, { index: 2 });
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ all: ['v1'] });
    expect((await eventsOf(run, 'branch.ended')).map(({ branch, how }) => [branch, how])).toEqual([
      [[1, 0], 'completed'],
      [[1, 2], 'completed'],
    ]);
  });

  test('all: if every branch ended elsewhere the home join goes on with an empty merge', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, leaving('all', 2));
    await answer(t, 'b', away);
    expect(callsAt(t, 'after')).toEqual([]);
    await answer(t, 'b', away);
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ all: [] });
  });

  test.each([
    ['any', 3],
    [{ mOfN: 2 }, 2],
    [{ mOfN: 3 }, 1],
  ])('%j of 3 fails the run as soon as %d ended elsewhere, and cancels the rest', async (strategy, leave) => {
    const t = await host.open(scripted);
    const run = await launch(t, leaving(strategy));
    for (let index = 0; index < leave; index++) {
      expect(await run.status()).toBe('running');
      await answer(t, 'b', away, { index });
    }
    const { status, error } = await ended(run);
    expect([status, error]).toMatchObject(['failed', { code: 'FAN_IN_UNREACHABLE', nodeId: 'after' }]);
    expect((error as { message: string }).message).toContain('group g');
    expect((await tokensAt(run, 'b')).filter(({ status: s }) => s === 'cancelled')).toHaveLength(3 - leave);
  });

  test('mOfN with an arrival already: still fails at once when the rest cannot make it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, leaving({ mOfN: 2 }));
    await answerBranches(t, 'b', [0]);
    await answer(t, 'b', away, { index: 1 });
    expect(await run.status()).toBe('running');
    await answer(t, 'b', away, { index: 2 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'FAN_IN_UNREACHABLE' } });
    expect((await tokensAt(run, 'after')).map(({ status }) => status)).toEqual(['cancelled']);
  });

  test('no home join: the path ends', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', ['start', work('b')], [each('start', 'b', 'input.items', 'g')]), {
      items: [],
    });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  const twoJoins = (more: Fields) =>
    workflow(
      'w',
      ['start', branchWork('b'), work('here'), work('there')],
      [
        each('start', 'b', 'input.items', 'g', more),
        join('b', 'here', 'g', {}, { priority: 1, condition: 'input.here' }),
        join('b', 'there', 'g', {}, { priority: 2 }),
      ],
    );

  test('several candidates: validation asks for emptyJoin', async () => {
    const t = await host.open();
    const { problems, version } = await t.engine.register(twoJoins({}));
    expect(version).toBeNull();
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, pointer }) => [code, pointer])).toEqual([['EMPTY_JOIN_AMBIGUOUS', '/transitions/0']]);
  });

  test('several candidates: emptyJoin acts when nobody arrives, the one that was reached otherwise', async () => {
    const t = await host.open(scripted);
    const empty = await launch(t, twoJoins({ emptyJoin: 'there' }), { items: [], here: true });
    expect(await visits(empty)).toEqual(['start:completed', 'there:dispatched']);
    const full = await launch(t, twoJoins({ emptyJoin: 'there' }), { items: [1], here: true });
    await answerBranches(t, 'b', [0]);
    expect(await visits(full)).toEqual(['start:completed', 'b:completed', 'here:completed', 'here:dispatched']);
  });
});

onEveryHost('tolerated branch failures', (host) => {
  const tolerant = (more: Fields, strategy: unknown = 'all') =>
    workflow(
      'w',
      ['start', branchWork('b', { retry: { maxAttempts: 2 } }), work('after')],
      [
        spawn('start', 'b', 4, 'g', { onBranchFailure: 'end', ...more }),
        join('b', 'after', 'g', { strategy, ...merge('_branch.output.value', 'state.all', 'keyed_by_branch') }),
      ],
    );
  const failTwice = async (t: Parameters<typeof fail>[0], index: number) => {
    await fail(t, 'b', new Error(`first of ${index}`), { index });
    await t.advance(0);
    await fail(t, 'b', new Error(`last of ${index}`), { index });
  };

  test('a failure that nobody handled ends its branch, after its retries; the others go on', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, tolerant({}));
    await failTwice(t, 1);
    await answerBranches(t, 'b', [0, 2]);
    await failTwice(t, 3);
    expect(await stateOf(run)).toEqual({ all: { '0': 'v0', '2': 'v2' } });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(
      (await eventsOf(run, 'branch.ended')).map(({ branch, how, error }) => [
        branch[1],
        how,
        error?.message,
        error?.attempts,
      ]),
    ).toEqual([
      [1, 'failed', 'last of 1', 2],
      [3, 'failed', 'last of 3', 2],
    ]);
    expect((await tokensAt(run, 'b')).map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'completed',
      'failed',
    ]);
  });

  test('beyond maxFailures the run fails with the error of the branch that was one too many', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, tolerant({ maxFailures: 1 }));
    await failTwice(t, 2);
    expect(await run.status()).toBe('running');
    await failTwice(t, 0);
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { message: 'last of 0', nodeId: 'b', attempts: 2 },
    });
    expect((await tokensAt(run, 'b')).map(({ status }) => status)).toEqual([
      'failed',
      'cancelled',
      'failed',
      'cancelled',
    ]);
  });

  test('if all fail, all goes on with nothing, mOfN cannot be met', async () => {
    const t = await host.open(scripted);
    const all = await launch(t, tolerant({}));
    for (const index of [0, 1, 2, 3]) await failTwice(t, index);
    expect(await stateOf(all)).toEqual({ all: {} });
    await answer(t, 'after');
    expect(await ended(all)).toMatchObject({ status: 'completed' });
    const two = await launch(t, { ...tolerant({}, { mOfN: 2 }), id: 'two' });
    for (const index of [0, 1, 2]) await failTwice(t, index);
    expect(await ended(two)).toMatchObject({ status: 'failed', error: { code: 'FAN_IN_UNREACHABLE' } });
  });

  test('a handled failure is no failure of the branch', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        branchWork('b'),
        keep('rescue', 'value', { inputMapping: { error: 'state._last_error.message' } }),
        'after',
      ],
      [
        spawn('start', 'b', 2, 'g', { onBranchFailure: 'end', maxFailures: 0 }),
        go('b', 'rescue', { on: 'failure' }),
        ...['b', 'rescue'].map((node) => join(node, 'after', 'g', merge('_branch.output.value', 'state.all'))),
      ],
    );
    const run = await launch(t, definition);
    await fail(t, 'b', new Error('oh'), { index: 0 });
    await answerBranches(t, 'b', [1]);
    expect(callAt(t, 'rescue').input).toEqual({ error: 'oh' });
    await answer(t, 'rescue', { value: 'saved' });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: ['saved', 'v1'] });
    expect(await eventsOf(run, 'branch.ended')).toEqual([]);
  });

  test('the nearest group that tolerates loses its branch, with all that lives in it', async () => {
    const t = await host.open(scripted);
    const at = { inputMapping: { at: '[_branch.parent.index, _branch.index]' } };
    const definition = workflow(
      'w',
      ['start', 'mid', work('leaf', at), 'met', 'after'],
      [
        spawn('start', 'mid', 2, 'outer', { onBranchFailure: 'end' }),
        spawn('mid', 'leaf', 2, 'inner'),
        join('leaf', 'met', 'inner'),
        join('met', 'after', 'outer', merge('_branch.index', 'state.all')),
      ],
    );
    const run = await launch(t, definition);
    const other = callAt(t, 'leaf', { at: [0, 1] });
    await fail(t, 'leaf', new Error('no'), { at: [0, 0] });
    expect(other.signal.aborted).toBe(true);
    await answer(t, 'leaf', {}, { at: [1, 0] });
    await answer(t, 'leaf', {}, { at: [1, 1] });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [1] });
    expect((await tokensAt(run, 'leaf')).map(({ status }) => status)).toEqual([
      'failed',
      'cancelled',
      'completed',
      'completed',
    ]);
  });
});
