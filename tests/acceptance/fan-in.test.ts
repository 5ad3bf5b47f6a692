import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  go,
  join,
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

const values = merge('_branch.output.value', 'state.values');

const fan = (synchronization: Fields, count = 3, more: Fields = {}): Fields =>
  workflow(
    'w',
    ['start', branchWork('branch'), work('after')],
    [spawn('start', 'branch', count, 'g'), join('branch', 'after', 'g', { ...values, ...synchronization })],
    more,
  );

/** In the words of the seed: `fan_out` and `fan_in` of nodes, snake case. */
const seedFan = (fanIn: unknown, more: Fields = {}): Fields => ({
  id: 'w',
  initial_node_id: 'start',
  nodes: [
    { id: 'start', fan_out: 'all' },
    ...['a', 'b', 'c'].map((id) => ({ id, action: 'work', output_mapping: { 'state.value': 'result.value' } })),
    {
      id: 'after',
      action: 'work',
      fan_in: fanIn,
      merge: { source: '_branch.output.value', target: 'values', strategy: 'append' },
      ...more,
    },
  ],
  transitions: ['a', 'b', 'c'].flatMap((id) => [
    { from_node_id: 'start', to_node_id: id },
    { from_node_id: id, to_node_id: 'after' },
  ]),
});

onEveryHost('fan-in synchronisation', (host) => {
  test('[T034][T035] siblings are those of one fan-out of one run: two fan-outs at one time do not count each other', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', 'left', 'right', branchWork('l'), branchWork('r'), work('after')],
      [
        go('start', 'left'),
        go('start', 'right'),
        spawn('left', 'l', 2, 'g'),
        spawn('right', 'r', 2, 'g'),
        join('l', 'after', 'g', values),
        join('r', 'after', 'g', values),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'l', [0]);
    await answerBranches(t, 'r', [1]);
    expect(callsAt(t, 'after')).toEqual([]);
    await answerBranches(t, 'r', [0]);
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await tokensAt(run, 'l')).toMatchObject([{ status: 'completed' }, { status: 'dispatched' }]);
    await answerBranches(t, 'l', [1]);
    expect(callsAt(t, 'after')).toHaveLength(2);
    expect((await eventsOf(run, 'fan_in.completed')).map(({ group, branches }) => [group, branches])).toEqual([
      [2, 2],
      [1, 2],
    ]);
  });

  test('[T036] tokens of another run of the same workflow are not counted', async () => {
    const t = await host.open(scripted);
    const one = await launch(t, fan({ strategy: { mOfN: 2 } }));
    const two = await t.engine.start('w');
    await t.settle();
    const answerOf = async (runId: string, index: number) => {
      callsAt(t, 'branch', { index })
        .find((call) => call.runId === runId)!
        .complete({ value: `v${index}` });
      await t.settle();
    };
    await answerOf(one.id, 0);
    await answerOf(two.id, 1);
    expect(callsAt(t, 'after')).toEqual([]);
    await answerOf(two.id, 2);
    expect(callsAt(t, 'after').map(({ runId }) => runId)).toEqual([two.id]);
    expect(await stateOf(one)).toEqual({});
    expect(await stateOf(two)).toEqual({ values: ['v1', 'v2'] });
  });

  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];

  test.each(orders)(
    '[T038][T041] all: the merge starts with the last arrival, in the order %d, %d, %d',
    async (...order) => {
      const t = await host.open(scripted);
      const run = await launch(t, fan({}));
      await answerBranches(t, 'branch', order.slice(0, 2));
      expect(callsAt(t, 'after')).toEqual([]);
      expect(await eventsOf(run, 'branches.merged', 'fan_in.completed')).toEqual([]);
      expect((await tokensAt(run, 'after')).map(({ status, branchIndex }) => [status, branchIndex])).toEqual(
        order.slice(0, 2).map((index) => ['waiting_for_siblings', index]),
      );
      await answerBranches(t, 'branch', order.slice(2));
      expect(callsAt(t, 'after')).toHaveLength(1);
      expect(await stateOf(run)).toEqual({ values: ['v0', 'v1', 'v2'] });
    },
  );

  test('[T038][T041] fan_in all, in the words of the seed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, seedFan('all'));
    await answer(t, 'c', { value: 3 });
    await answer(t, 'a', { value: 1 });
    expect(callsAt(t, 'after')).toEqual([]);
    await answer(t, 'b', { value: 2 });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: [1, 2, 3] });
  });

  test('[T039][T040] fan_in any: the first arrival goes on, the others are cancelled', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, seedFan('any'));
    const others = [...callsAt(t, 'a'), ...callsAt(t, 'c')];
    await answer(t, 'b', { value: 2 });
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(others.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(await visits(run)).toEqual([
      'start:completed',
      'a:cancelled',
      'b:completed',
      'c:cancelled',
      'after:completed',
      'after:dispatched',
    ]);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: [2] });
  });

  test('[T042][T043] fan_in m_of_n: the n-th arrival goes on, not an earlier one; the rest is cancelled', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, seedFan({ m_of_n: 2 }, { on_early_complete: 'cancel' }));
    await answer(t, 'c', { value: 3 });
    expect(callsAt(t, 'after')).toEqual([]);
    await answer(t, 'a', { value: 1 });
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect((await tokensAt(run, 'b')).map(({ status }) => status)).toEqual(['cancelled']);
    expect(await stateOf(run)).toEqual({ values: [1, 3] });
  });

  test('[T042] the quorum may be an expression over the state at the fan-out', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan({ strategy: { mOfN: 'input.need' } }), { need: 2 });
    await answerBranches(t, 'branch', [2]);
    expect(callsAt(t, 'after')).toEqual([]);
    await answerBranches(t, 'branch', [0]);
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ values: ['v0', 'v2'] });
  });

  test.each([0, -1, 1.5, 'two', null, 4])('a quorum of %j from an expression fails the run', async (need) => {
    const t = await host.open(scripted);
    const run = await launch(t, fan({ strategy: { mOfN: 'input.need' } }), { need });
    await answerBranches(t, 'branch', [0]);
    const code = need === 4 ? 'FAN_IN_UNREACHABLE' : 'QUORUM_INVALID';
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code, nodeId: 'after' } });
  });

  test('[T044] m_of_n with on_early_complete abandon: the rest is left alone, its results have no effect', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, seedFan({ m_of_n: 1 }, { on_early_complete: 'abandon' }));
    await answer(t, 'a', { value: 1 });
    const left = callsAt(t, 'b');
    expect([...left, ...callsAt(t, 'c')].map(({ signal }) => signal.aborted)).toEqual([false, false]);
    await answer(t, 'after');
    expect(await run.status()).toBe('running');
    await answer(t, 'b', { value: 2 });
    await answer(t, 'c', { value: 3 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: [1] });
    expect(await visits(run)).toEqual([
      'start:completed',
      'a:completed',
      'b:completed',
      'c:completed',
      'after:completed',
      'after:completed',
      'after:completed',
      'after:completed',
    ]);
  });

  test.each(['all', 'any', { mOfN: 2 }])(
    '[T045] exactly one continuation results from a fan-in of %j',
    async (strategy) => {
      const t = await host.open(scripted);
      const run = await launch(t, fan({ strategy, onEarlyComplete: 'abandon' }, 4));
      await answerBranches(t, 'branch', [3, 1, 0, 2]);
      expect(callsAt(t, 'after')).toHaveLength(1);
      await answer(t, 'after');
      expect(await ended(run)).toMatchObject({ status: 'completed' });
      expect(await eventsOf(run, 'fan_in.completed')).toHaveLength(1);
      expect(
        (await tokensAt(run, 'after')).filter(({ arrivedAt, via }) => arrivedAt === undefined && via === null),
      ).toHaveLength(1);
    },
  );

  test('[T045] results that arrive in one turn make one continuation too', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan({ strategy: { mOfN: 2 } }, 6));
    for (const call of callsAt(t, 'branch')) call.complete({ value: `v${Number(call.input['index'])}` });
    await t.settle();
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(await stateOf(run)).toEqual({ values: ['v0', 'v1'] });
    expect((await tokensAt(run, 'branch')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  test('an arrival at another join over the same group fails the run, naming both', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('branch'), 'here', 'there'],
      [
        spawn('start', 'branch', 2, 'g', { emptyJoin: 'here' }),
        join('branch', 'here', 'g', {}, { priority: 1, condition: '_branch.index == 0' }),
        join('branch', 'there', 'g', {}, { priority: 2 }),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'branch', [1, 0]);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'FAN_IN_DIVERGED' } });
    const { message } = (await ended(run)).error as { message: string };
    for (const part of ['group g', 'here/g', 'there/g']) expect(message).toContain(part);
  });

  test('a token in no instance of the named group passes straight through', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('start'), branchWork('branch'), work('after')],
      [
        spawn('start', 'branch', 2, 'g', { priority: 1, condition: 'input.fan' }),
        join('start', 'after', 'g', {}, { priority: 2 }),
        join('branch', 'after', 'g'),
      ],
    );
    const run = await launch(t, definition, { fan: false });
    await answer(t, 'start');
    await answer(t, 'after');
    expect(await visits(run)).toEqual(['start:completed', 'after:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('all: a branch with several tokens has arrived when one waits and no other lives; the second is absorbed', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        'split',
        work('slow'),
        work('fast', { outputMapping: { 'state.value': 'result.value' } }),
        work('after'),
      ],
      [
        spawn('start', 'split', 1, 'g'),
        go('split', 'slow'),
        go('split', 'fast'),
        join('slow', 'after', 'g', values),
        join('fast', 'after', 'g', values),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'fast', { value: 'f' });
    expect(callsAt(t, 'after')).toEqual([]);
    await answer(t, 'slow');
    expect(callsAt(t, 'after')).toHaveLength(1);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual(
      ['start', 'split', 'slow', 'fast', 'after', 'after', 'after'].map((node) => `${node}:completed`),
    );
    expect(await stateOf(run)).toEqual({ values: ['f'] });
  });

  test('any: the other tokens of the branch that arrived are cancelled with the rest', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', 'split', work('slow'), work('fast'), 'after'],
      [
        spawn('start', 'split', 2, 'g'),
        go('split', 'slow'),
        go('split', 'fast'),
        ...['slow', 'fast'].map((node) => join(node, 'after', 'g', { strategy: 'any' })),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'fast');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await tokensAt(run, 'slow')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await tokensAt(run, 'fast')).map(({ status }) => status)).toEqual(['completed', 'cancelled']);
  });

  test('joins that a definition cannot mean are refused when it is registered, all at once', async () => {
    const t = await host.open();
    const definition = workflow(
      'w',
      ['start', 'branch', 'other', 'after', 'end'],
      [
        spawn('start', 'branch', 2, 'g'),
        go('branch', 'other'),
        join('branch', 'after', 'g', { strategy: { mOfN: 3 } }),
        join('other', 'after', 'g', { strategy: 'any' }),
        join('after', 'end', 'nobody'),
      ],
    );
    const { problems, version } = await t.engine.register(definition);
    expect(version).toBeNull();
    expect(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ code }) => code)
        .toSorted(),
    ).toEqual(['JOIN_DISAGREES', 'QUORUM_ABOVE_TOTAL', 'UNKNOWN_GROUP']);
    await register(t.engine, fan({}));
  });
});
