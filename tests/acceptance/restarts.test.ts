import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { cancelAfterEachStep, playScenario, type Scenario } from './scenario-play.testsuite.ts';
import { branchWork, each, go, join, keep, merge, spawn, work, workflow } from './token-engine.testsuite.ts';

const nested: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        'a',
        'b',
        'c',
        work('leaf', {
          inputMapping: { at: '[_branch.parent.parent.index, _branch.parent.index, _branch.index]' },
          outputMapping: { 'state.v': 'result.v' },
        }),
        'd',
        'e',
        'f',
      ],
      [
        spawn('a', 'b', 2, 'one'),
        spawn('b', 'c', 2, 'two'),
        spawn('c', 'leaf', 2, 'three'),
        join('leaf', 'd', 'three', merge('_branch.output.v', 'state.threes')),
        join('d', 'e', 'two', merge('_branch.output.threes', 'state.twos')),
        join('e', 'f', 'one', merge('_branch.output.twos', 'state.ones')),
      ],
      { outputMapping: { all: 'state.ones' } },
    ),
  ],
  reply: ({ input }) => ({ v: (input['at'] as number[]).join('') }),
  rank: ({ input }) => -Number((input['at'] as number[]).join('')),
};

const loops: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        keep('round', 'round', { inputMapping: { last: 'state.round' } }),
        work('step', {
          inputMapping: { i: '_branch.index', n: '_branch.output.n', round: 'state.round' },
          outputMapping: { 'state.n': 'result.n' },
        }),
        keep('met', 'all', { inputMapping: { merged: 'state.merged', before: 'state.all' } }),
        'end',
      ],
      [
        spawn('round', 'step', 3, 'g'),
        go('step', 'step', { priority: 1, loop: { maxIterations: 5 }, condition: '_branch.output.n < _branch.index' }),
        join('step', 'met', 'g', merge('_branch.output.n', 'state.merged'), { priority: 2 }),
        go('met', 'round', { priority: 1, loop: { maxIterations: 10 }, condition: 'state.round < 3' }),
        go('met', 'end', { priority: 2 }),
      ],
      { outputMapping: { all: 'state.all' } },
    ),
  ],
  reply: ({ nodeId, input }) => {
    if (nodeId === 'round') return { round: Number(input['last'] ?? 0) + 1 };
    if (nodeId === 'step') return { n: Number(input['n'] ?? -1) + 1 };
    return { all: [...((input['before'] as unknown[] | undefined) ?? []), input['merged']] };
  },
};

const tolerant: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        'start',
        work('b', {
          inputMapping: { item: 'item' },
          outputMapping: { 'state.v': 'result.v' },
          retry: { maxAttempts: 3, initialDelayMs: 100, backoff: 'linear' },
        }),
        'after',
      ],
      [
        go('start', 'b', {
          foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 2 },
          siblingGroup: 'g',
          onBranchFailure: 'end',
          maxFailures: 2,
        }),
        join('b', 'after', 'g', merge('_branch.output.v', 'state.all', 'keyed_by_branch')),
      ],
      { outputMapping: { all: 'state.all' } },
    ),
  ],
  input: { items: [0, 1, 2, 3, 4, 5] },
  reply: ({ input, attempt }) => {
    const item = input['item'] as number;
    if (item % 3 === 1 || (item === 2 && attempt < 3)) throw new Error(`item ${item}, attempt ${attempt}`);
    return { v: `${item} by ${attempt}` };
  },
};

const children: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        'start',
        {
          id: 'call',
          workflow: { id: 'child', onFailure: 'catch' },
          inputMapping: { n: 'item' },
          retry: { maxAttempts: 2, initialDelayMs: 10 },
        },
        work('after', { inputMapping: { all: 'state.all' }, outputMapping: { 'output.all': 'result.all' } }),
      ],
      [
        each('start', 'call', 'input.items', 'g'),
        join(
          'call',
          'after',
          'g',
          merge('has(_branch.output.error) ? _branch.output.error.code : _branch.output.y', 'state.all'),
        ),
      ],
    ),
    workflow(
      'child',
      [
        'go',
        work('inner', { inputMapping: { n: 'input.n' }, outputMapping: { 'output.y': 'result.y' } }),
        { id: 'nap', wait: { seconds: '5 * input.n' } },
      ],
      [spawn('go', 'inner', 2, 'h'), join('inner', 'nap', 'h', merge('_branch.output.y', 'output.y'))],
    ),
  ],
  input: { items: [1, 2, 3] },
  reply: ({ nodeId, input }) => {
    if (nodeId === 'after') return { all: input['all'] };
    if (input['n'] === 2) throw Object.assign(new Error('never'), { code: 'TWO' });
    return { y: Number(input['n']) * 10 };
  },
};

const abandoned: Scenario = {
  definitions: [
    workflow(
      'w',
      ['start', branchWork('b'), keep('late', 'v'), work('after'), work('end')],
      [
        spawn('start', 'b', 4, 'g'),
        go('b', 'late', { priority: 1, condition: '_branch.index > 1' }),
        ...['b', 'late'].map((node) =>
          join(
            node,
            'after',
            'g',
            { strategy: { mOfN: 2 }, onEarlyComplete: 'abandon', ...merge('_branch.output.value', 'state.values') },
            { priority: 2 },
          ),
        ),
        go('after', 'end'),
      ],
      { outputMapping: { values: 'state.values' } },
    ),
  ],
  rank: ({ nodeId }) => ['b', 'after', 'late', 'end'].indexOf(nodeId),
  reply: ({ nodeId, input }) => {
    if (nodeId === 'late') throw new Error('nobody minds');
    return { value: `v${Number(input['index'])}` };
  },
};

const edges: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        keep('a', 'way'),
        keep('b', 'b'),
        keep('c', 'c'),
        keep('d', 'd'),
        keep('e', 'e'),
        keep('z', 'z', { inputMapping: { b: 'state.b', c: 'state.c', d: 'state.d', e: 'state.e' } }),
      ],
      [
        go('a', 'b'),
        go('a', 'c'),
        go('a', 'd', { condition: "state.way == 'd'" }),
        ...[
          ['b', 'e'],
          ['d', 'e'],
          ['c', 'z'],
          ['e', 'z'],
          ['d', 'z'],
        ].map(([from, to]) => go(from!, to!, { synchronization: { over: 'edges' } })),
      ],
      { outputMapping: { z: 'state.z' } },
    ),
  ],
  reply: ({ nodeId, input }) => (nodeId === 'z' ? { z: input } : { way: 'c', b: 'B', c: 'C', d: 'D', e: 'E' }),
};

const timed: Scenario = {
  definitions: [
    workflow(
      'w',
      [
        'start',
        branchWork('b'),
        { id: 'nap', wait: { seconds: '_branch.index * 10' } },
        keep('after', 'values', { inputMapping: { values: 'state.values' } }),
      ],
      [
        spawn('start', 'b', 4, 'g'),
        go('b', 'nap'),
        join('nap', 'after', 'g', {
          timeoutMs: 15_000,
          onTimeout: 'proceed_with_available',
          ...merge('_branch.output.value', 'state.values'),
        }),
      ],
      { outputMapping: { values: 'state.values' } },
    ),
  ],
  reply: ({ nodeId, input }) =>
    nodeId === 'after' ? { values: input['values'] } : { value: `v${Number(input['index'])}` },
};

const scenarios: readonly (readonly [string, Scenario, unknown])[] = [
  [
    'fan-outs three deep, joined inside out',
    nested,
    {
      status: 'completed',
      output: {
        all: [
          [
            ['000', '001'],
            ['010', '011'],
          ],
          [
            ['100', '101'],
            ['110', '111'],
          ],
        ],
      },
    },
  ],
  [
    'loops in branches of a fan-out in a loop',
    loops,
    {
      status: 'completed',
      output: {
        all: [
          [0, 1, 2],
          [0, 1, 2],
          [0, 1, 2],
        ],
      },
    },
  ],
  [
    'a foreach with few at a time, retries and tolerated failures',
    tolerant,
    { status: 'completed', output: { all: { '0': '0 by 1', '2': '2 by 3', '3': '3 by 1', '5': '5 by 1' } } },
  ],
  [
    'sub-workflows with fan-outs and waits, retried and caught',
    children,
    { status: 'completed', output: { all: [[10, 10], 'TWO', [30, 30]] } },
  ],
  ['abandoned branches that fail later', abandoned, { status: 'completed', output: { values: ['v0', 'v1'] } }],
  ['edge joins with a dead branch', edges, { status: 'completed', output: { z: { b: 'B', c: 'C', e: 'E' } } }],
  ['waits and a join that gives up', timed, { status: 'completed', output: { values: ['v0', 'v1'] } }],
];

onEveryHost('an engine that dies at every step', (host) => {
  test.each(scenarios)('[restart] %s', async (_, scenario, expected) => {
    const undisturbed = await playScenario(host, scenario, 'undisturbed');
    expect(undisturbed).toMatchObject(expected as object);
    expect(undisturbed['problems']).toEqual([]);
    expect(await playScenario(host, scenario, 'restarts')).toEqual(undisturbed);
  });

  test.each(scenarios)('[PL7] [FO13] with little done in each command: %s', async (_, scenario, expected) => {
    const narrow = { ...scenario, limits: { spawnWindow: 1, commandCostMax: 3_000 } };
    const played = await playScenario(host, narrow, 'restarts');
    expect(played).toMatchObject(expected as object);
    expect(played['problems']).toEqual([]);
  });

  /** Results so large that the engine writes snapshots on the way and loads from them. */
  const padded = (scenario: Scenario): Scenario => ({
    ...scenario,
    reply: (call) => ({ pad: 'x'.repeat(400_000), ...(scenario.reply(call) as object) }),
  });

  test.each(scenarios)('[restart] with snapshots: %s', async (_, scenario, expected) => {
    const disturbed = await playScenario(host, padded(scenario), 'restarts');
    expect(disturbed).toMatchObject(expected as object);
    expect(disturbed['problems']).toEqual([]);
  });

  test.each(scenarios)('[restart] every answer comes while it is paused: %s', async (_, scenario, expected) => {
    const paused = await playScenario(host, scenario, 'pauses');
    expect(paused).toMatchObject(expected as object);
    expect(paused).toEqual(await playScenario(host, scenario, 'undisturbed'));
  });

  test.each(scenarios)('a cancel after any step leaves nothing behind: %s', async (_, scenario) => {
    expect(await cancelAfterEachStep(host, scenario)).toEqual([]);
  });

  const failing = scenarios.filter(
    ([, scenario]) => scenario !== tolerant && scenario !== children && scenario !== abandoned,
  );

  test.each(failing)(
    'every action fails the run once, which is retried each time: %s',
    async (_, scenario, expected) => {
      const retried = await playScenario(host, scenario, 'retries');
      expect(retried).toMatchObject(expected as object);
      expect(retried['problems']).toEqual([]);
    },
  );
});
