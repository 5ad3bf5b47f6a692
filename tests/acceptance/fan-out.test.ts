import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callAt,
  callsAt,
  each,
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

/** In the words of the seed: node-level fan-out, snake case. */
const seedFanOut = (fanOut: string, more: object = {}) => ({
  id: 'w',
  initial_node_id: 'fan',
  nodes: [
    { id: 'fan', fan_out: fanOut },
    ...['a', 'b', 'c'].map((id) => ({
      id,
      action: 'work',
      input_mapping: { branch: '_branch' },
      output_mapping: { 'state.mine': 'result.mine' },
    })),
  ],
  transitions: [
    { from_node_id: 'fan', to_node_id: 'a', priority: 1 },
    { from_node_id: 'fan', to_node_id: 'b', priority: 2 },
    { from_node_id: 'fan', to_node_id: 'c', priority: 3 },
  ],
  ...more,
});

onEveryHost('fan-out', (host) => {
  test('[T028][T029][T030][T031] fan_out all spawns one token per branch, each with index, total and fan-out node', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, seedFanOut('all'));
    expect(await visits(run)).toEqual(['fan:completed', 'a:dispatched', 'b:dispatched', 'c:dispatched']);
    expect(['a', 'b', 'c'].map((node) => callAt(t, node).input['branch'])).toEqual([
      { index: 0, total: 3, fanOutNodeId: 'fan' },
      { index: 1, total: 3, fanOutNodeId: 'fan' },
      { index: 2, total: 3, fanOutNodeId: 'fan' },
    ]);
    const tokens = (await run.tokens()).slice(1);
    expect(
      tokens.map(({ siblingGroup, branchIndex, branchTotal, pathId }) => [
        siblingGroup,
        branchIndex,
        branchTotal,
        pathId,
      ]),
    ).toEqual([
      ['fan', 0, 3, 'root.fan.0'],
      ['fan', 1, 3, 'root.fan.1'],
      ['fan', 2, 3, 'root.fan.2'],
    ]);
  });

  test('[T028] fan_out all spawns only the branches whose condition holds', async () => {
    const t = await host.open(scripted);
    const { transitions, ...rest } = seedFanOut('all');
    const conditions = ['input.a', 'input.b', 'input.c'];
    const run = await launch(
      t,
      { ...rest, transitions: transitions.map((transition, i) => ({ ...transition, condition: conditions[i] })) },
      { a: true, b: false, c: true },
    );
    expect(
      (await run.tokens()).slice(1).map(({ node, branchIndex, branchTotal }) => [node, branchIndex, branchTotal]),
    ).toEqual([
      ['a', 0, 2],
      ['c', 1, 2],
    ]);
  });

  test('[T032] what one branch writes is invisible to its siblings', async () => {
    const t = await host.open(scripted);
    const look = { inputMapping: { mine: '_branch.output.mine', state: 'state.mine' } };
    const definition = workflow(
      'w',
      ['fan', keep('one', 'mine', { inputMapping: { index: '_branch.index' } }), work('two', look)],
      [spawn('fan', 'one', 2, 'g'), go('one', 'two')],
    );
    const run = await launch(t, definition);
    await answer(t, 'one', { mine: 'zero' }, { index: 0 });
    expect(callAt(t, 'two').input).toEqual({ mine: 'zero', state: 'zero' });
    await answer(t, 'one', {}, { index: 1 });
    expect(callsAt(t, 'two').map(({ input }) => input)).toEqual([{ mine: 'zero', state: 'zero' }, {}]);
    expect(await stateOf(run)).toEqual({});
  });

  test('[T033] fan_out first_match follows only the first match: one token, no parallelism', async () => {
    const t = await host.open(scripted);
    const { transitions, ...rest } = seedFanOut('first_match');
    const run = await launch(
      t,
      {
        ...rest,
        ...alarmsAreMeant,
        transitions: transitions.map((transition, i) => ({
          ...transition,
          priority: 1,
          condition: `input.n >= ${2 - i}`,
        })),
      },
      { n: 1 },
    );
    expect(await visits(run)).toEqual(['fan:completed', 'b:dispatched']);
    expect(callAt(t, 'b').input).toEqual({});
    expect(await eventsOf(run, 'fan_out.started')).toEqual([]);
    expect((await run.tokens())[1]).toMatchObject({ branchIndex: 0, branchTotal: 1, siblingGroup: null });
  });

  test('matches of one tier that share a name form one group; other names form their own', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['fan', work('a'), work('b'), work('c'), work('d')],
      [
        spawn('fan', 'a', 2, 'g'),
        go('fan', 'd', { siblingGroup: 'other' }),
        each('fan', 'b', 'input.items', 'g'),
        go('fan', 'c', { siblingGroup: 'g' }),
      ],
    );
    const run = await launch(t, definition, { items: ['x', 'y', 'z'] });
    const place = async (node: string) =>
      (await tokensAt(run, node)).map((token) => [
        token.siblingGroup,
        token.branchIndex,
        token.branchTotal,
        token.pathId,
      ]);
    expect(await place('a')).toEqual([
      ['g', 0, 6, 'root.fan.0'],
      ['g', 1, 6, 'root.fan.1'],
    ]);
    expect(await place('b')).toEqual([
      ['g', 2, 6, 'root.fan.2'],
      ['g', 3, 6, 'root.fan.3'],
      ['g', 4, 6, 'root.fan.4'],
    ]);
    expect(await place('c')).toEqual([['g', 5, 6, 'root.fan.5']]);
    expect(await place('d')).toEqual([['other', 0, 1, 'root']]);
  });

  test.each([
    ['spawnCount', { spawnCount: 2 }],
    ['foreach', { foreach: { collection: '[1, 2]' } }],
  ])('%s without a group name opens a group named after the node', async (_, how) => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', ['fan', work('a'), 'z'], [go('fan', 'a', how), join('a', 'z', 'fan')]));
    expect(
      (await tokensAt(run, 'a')).map(({ siblingGroup, branchIndex, branchTotal }) => [
        siblingGroup,
        branchIndex,
        branchTotal,
      ]),
    ).toEqual([
      ['fan', 0, 2],
      ['fan', 1, 2],
    ]);
    await answer(t, 'a');
    await answer(t, 'a');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual([
      'fan:completed',
      'a:completed',
      'a:completed',
      'z:completed',
      'z:completed',
      'z:completed',
    ]);
  });

  test('maxParallel: no more than so many branches of a foreach are under way, and all are in the end', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['fan', keep('a', 'value', { inputMapping: { item: 'item' } }), 'z'],
      [
        go('fan', 'a', { foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 2 }, siblingGroup: 'g' }),
        join('a', 'z', 'g', merge('_branch.output.value', 'state.values')),
      ],
      { outputMapping: { values: 'state.values' } },
    );
    const run = await launch(t, definition, { items: ['p', 'q', 'r', 's', 't'] });
    const underWay = () => callsAt(t, 'a').map(({ input }) => input['item']);
    expect(underWay()).toEqual(['p', 'q']);
    await answer(t, 'a', { value: 'Q' }, { item: 'q' });
    expect(underWay()).toEqual(['p', 'r']);
    await answer(t, 'a', { value: 'R' }, { item: 'r' });
    expect(underWay()).toEqual(['p', 's']);
    await answer(t, 'a', { value: 'S' }, { item: 's' });
    await answer(t, 'a', { value: 'P' }, { item: 'p' });
    expect(underWay()).toEqual(['t']);
    await answer(t, 'a', { value: 'T' }, { item: 't' });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { values: ['P', 'Q', 'R', 'S', 'T'] } });
    expect((await tokensAt(run, 'a')).map(({ branchIndex, branchTotal }) => [branchIndex, branchTotal])).toEqual(
      [0, 1, 2, 3, 4].map((i) => [i, 5]),
    );
  });

  test('a fan-out that nobody joins: what its branches wrote is discarded, and said to be', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['fan', keep('a', 'x', { inputMapping: { index: '_branch.index' } })],
      [spawn('fan', 'a', 2, 'g')],
    );
    const { problems } = await t.engine.register(definition);
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'FAN_OUT_UNJOINED']]);
    const run = await launch(t, definition);
    await answer(t, 'a', { x: 1 }, { index: 0 });
    await answer(t, 'a', { x: 2 }, { index: 1 });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: {} });
    expect(await stateOf(run)).toEqual({});
    expect((await eventsOf(run, 'branch.discarded')).map(({ branch, paths }) => [branch, paths])).toEqual([
      [[1, 0], ['state.x']],
      [[1, 1], ['state.x']],
    ]);
  });
});
