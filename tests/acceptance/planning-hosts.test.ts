// Planning on every host: what an engine journals is what the pure core answers to the same commands.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/heddle/src/exports.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { answer, journalOf, openWith, startRun } from './managers.testsuite.ts';
import { fan, flow, go, node, PlannedRun, task } from './planning.testsuite.ts';

interface Play {
  readonly definition: object;
  readonly input?: JsonObject;
  /** Answers to tasks (which one of those at the node that wait, if not the oldest), or time that passes. */
  readonly steps: readonly (
    | readonly [nodeId: string, output: JsonObject, position?: number]
    | { readonly ms: number }
  )[];
}

/** An event without what an engine adds to it. */
function bare(event: object): object {
  const added = new Set(['runId', 'id', 'seq', 'at']);
  return Object.fromEntries(Object.entries(event).filter(([key]) => !added.has(key)));
}

/** Plays it on the engine and on the pure core; answers with the engine's output and values. */
async function playBoth(host: AcceptanceHost, { definition, input = {}, steps }: Play) {
  const engine = await openWith(host, [definition]);
  const run = await startRun(engine, 'w', input);
  const pure = new PlannedRun(definition);
  pure.at = engine.clock.now();
  pure.start(input, { runId: run.id, rootRunId: run.id, keyRunId: run.id });
  for (const step of steps) {
    if ('ms' in step) {
      await engine.advance(step.ms);
      pure.advance(step.ms);
      continue;
    }
    const [nodeId, output, position = 0] = step;
    const waiting = [...pure.state.tokens.values()].filter((t) => t.node === nodeId && t.status === 'dispatched');
    await answer(engine, nodeId, output, position);
    pure.complete(nodeId, output, waiting[position]?.branch.index);
  }
  const journal = await journalOf(run);
  expect(journal.map(bare)).toEqual(pure.events.map(bare));
  const { status, output } = await run.summary();
  return { status, output, state: (await run.state()).state, nodes: (await run.tokens()).map((t) => t.node) };
}

onEveryHost('planning', (host) => {
  const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };
  const work = { outputMapping: { 'state.x': 'result.x' } };
  const items = { items: ['a', 'b', 'c'] };

  test('[T328][T329][T330][T331][T332][T333][T334] tiers are tried in order; all matches of the first are followed', async () => {
    const definition = flow(
      [task('a'), task('b'), task('c'), task('d'), task('e')],
      [
        go('a', 'b', { priority: 3 }),
        go('a', 'c', { priority: 2, condition: 'result.n > 1' }),
        go('a', 'd', { priority: 2, condition: 'result.n > 0' }),
        go('a', 'e', { priority: 1, condition: 'result.n > 2' }),
      ],
    );
    const nodesFor = async (n: number) => (await playBoth(host, { definition, steps: [['a', { n }]] })).nodes;
    expect(await nodesFor(0)).toEqual(['a', 'b']);
    expect(await nodesFor(1)).toEqual(['a', 'd']);
    expect(await nodesFor(2)).toEqual(['a', 'c', 'd']);
    expect(await nodesFor(3)).toEqual(['a', 'e']);
  });

  test('[T335][T336][T343][T344] a loop is taken as often as it may be, then the run ends in an error without a way out', async () => {
    const again = go('a', 'a', { loop: { maxIterations: 2 }, condition: 'result.more' });
    const { status, nodes } = await playBoth(host, {
      definition: flow([task('a')], [again]),
      steps: [
        ['a', { more: true }],
        ['a', { more: true }],
        ['a', { more: true }],
      ],
    });
    expect({ status, nodes }).toEqual({ status: 'failed', nodes: ['a', 'a', 'a'] });
  });

  test('[T337][T338][T339][T340][T341][T342][T345] fan-outs make their tokens', async () => {
    const definition = flow(
      [node('s'), task('a'), task('b'), task('j')],
      [
        go('s', 'a', { siblingGroup: 'g', spawnCount: 2 }),
        go('s', 'b', { siblingGroup: 'g', foreach: { collection: 'input.items' } }),
        go('a', 'j', { synchronization: { siblingGroup: 'g', strategy: 'all' } }),
        go('b', 'j', { synchronization: { siblingGroup: 'g', strategy: 'all' } }),
      ],
    );
    const { nodes } = await playBoth(host, {
      definition,
      input: items,
      steps: [
        ['b', {}, 2],
        ['a', {}, 1],
        ['a', {}],
        ['b', {}],
        ['b', {}],
      ],
    });
    expect(nodes).toEqual(['s', 'a', 'a', 'b', 'b', 'b', 'j', 'j', 'j', 'j', 'j', 'j']);
  });

  test.each([
    ['any', [1]],
    ['all', [1, 1, 0]],
    [{ mOfN: 2 }, [2, 0]],
  ] as const)('[T347][T348][T349][T350][T354][T355][T363] a join of strategy %j', async (strategy, positions) => {
    // Each branch gives its own item back, so that the merge shows who came.
    const definition = fan({ strategy, merge: { ...merge, source: 'item' } }, { work });
    const waiting = ['a', 'b', 'c'];
    const come = positions.map((position) => waiting.splice(position, 1)[0]!);
    const { status, state } = await playBoth(host, {
      definition,
      input: items,
      steps: [...positions.map((position) => ['work', { x: 1 }, position] as const), ['join', {}]],
    });
    expect({ status, state }).toEqual({ status: 'completed', state: { all: come.toSorted() } });
  });

  test('[T352][T353][T357] a join’s time is up exactly then: the run fails, or goes on with what is there', async () => {
    const settings = { strategy: 'all', timeoutMs: 100, merge };
    const failed = await playBoth(host, {
      definition: fan(settings, { work }),
      input: items,
      steps: [{ ms: 500 }, ['work', { x: 1 }], { ms: 99 }, { ms: 1 }],
    });
    expect(failed).toMatchObject({ status: 'failed', state: {} });
    const went = await playBoth(host, {
      definition: fan({ ...settings, onTimeout: 'proceed_with_available' }, { work }),
      input: items,
      steps: [['work', { x: 1 }, 1], { ms: 100 }, ['join', {}]],
    });
    expect(went).toMatchObject({ status: 'completed', state: { all: [1] } });
  });

  test('[T358] a run wakes at the earliest of its deadlines, and at none if it has none', async () => {
    const timed = (timeoutMs: number | null, group: string) => ({
      siblingGroup: group,
      strategy: 'all',
      ...(timeoutMs === null ? {} : { timeoutMs }),
    });
    const definition = (first: number | null, second: number | null) =>
      flow(
        [node('s'), task('a'), task('b'), node('x'), node('y')],
        [
          go('s', 'a', { spawnCount: 2, siblingGroup: 'g' }),
          go('s', 'b', { spawnCount: 2, siblingGroup: 'h' }),
          go('a', 'x', { synchronization: timed(first, 'g') }),
          go('b', 'y', { synchronization: timed(second, 'h') }),
        ],
      );
    const wakesAfter = async (first: number | null, second: number | null) => {
      const engine = await openWith(host, [definition(first, second)]);
      const run = await startRun(engine, 'w');
      const before = (await run.summary()).nextTimerAt;
      await answer(engine, 'a');
      await answer(engine, 'b');
      const { nextTimerAt } = await run.summary();
      return [before, nextTimerAt === null ? null : nextTimerAt - engine.clock.now()];
    };
    expect(await wakesAfter(500, 300)).toEqual([null, 300]);
    expect(await wakesAfter(500, null)).toEqual([null, 500]);
    expect(await wakesAfter(null, null)).toEqual([null, null]);
  });

  test('[T359][T360][T361][T362] a run from its first token to its output', async () => {
    const definition = flow(
      [task('a', { inputMapping: { n: 'input.n' }, outputMapping: { 'state.sum': 'result.n + 1' } }), task('b')],
      [go('a', 'b')],
      { outputMapping: { sum: 'state.sum' } },
    );
    const played = await playBoth(host, {
      definition,
      input: { n: 1 },
      steps: [
        ['a', { n: 1 }],
        ['b', {}],
      ],
    });
    expect(played).toEqual({ status: 'completed', output: { sum: 2 }, state: { sum: 2 }, nodes: ['a', 'b'] });
  });

  test.each([
    ['append', [{ x: 0 }, { x: 1 }, { x: 2 }]],
    ['collect', [{ x: 0 }, { x: 1 }, { x: 2 }]],
    ['merge_object', { x: 2 }],
    ['keyed_by_branch', { 0: { x: 0 }, 1: { x: 1 }, 2: { x: 2 } }],
    ['last_wins', { x: 2 }],
  ] as const)('[T363][T364][T365][T366][T367] merge strategy %s', async (strategy, all) => {
    const { state } = await playBoth(host, {
      definition: fan({ strategy: 'all', merge: { target: 'state.all', strategy } }),
      input: items,
      steps: [
        ['work', { x: 2 }, 2],
        ['work', { x: 0 }, 0],
        ['work', { x: 1 }],
      ],
    });
    expect(state).toEqual({ all });
  });

  test('[T299] the state of a run is its own until it completes; then its result is in the store', async () => {
    const engine = await openWith(host, [
      flow([task('a', { outputMapping: { 'output.x': 'result.x' } }), task('b')], [go('a', 'b')]),
    ]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a', { x: 1 });
    expect((await run.state()).output).toEqual({ x: 1 });
    expect(await engine.engine.runs({ subRuns: true })).toMatchObject([
      { runId: run.id, status: 'running', output: undefined, endedAt: null },
    ]);
    await answer(engine, 'b');
    const end = { runId: run.id, status: 'completed', output: { x: 1 }, endedAt: engine.clock.now() };
    expect(await engine.engine.runs({ subRuns: true })).toMatchObject([end]);
    const later = await host.restart(engine);
    expect(await later.engine.runs({ subRuns: true })).toMatchObject([end]);
  });

  test('[T295][T296][T300] the journal replays to the stored state, also after a restart', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all', merge }, { work })]);
    const run = await startRun(engine, 'w', items);
    await answer(engine, 'work', { x: 1 }, 1);
    const before = await run.state();
    expect(await engine.engine.audit()).toMatchObject({ runs: 1, problems: [] });
    const later = await host.restart(engine, { scripted: ['work'] });
    await later.settle();
    expect(await later.engine.run(run.id).state()).toEqual(before);
    expect(await later.engine.audit()).toMatchObject({ runs: 1, problems: [] });
    for (const x of [0, 2]) await answer(later, 'work', { x });
    await answer(later, 'join');
    expect((await later.engine.run(run.id).state()).state).toEqual({ all: [0, 1, 2] });
    expect(await later.engine.audit()).toMatchObject({ runs: 1, problems: [] });
  });
});
