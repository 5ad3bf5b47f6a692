import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/heddle/src/exports.ts';
import type { Plan } from '../../packages/heddle/src/testing.ts';
import { eventsOf, fan, flow, go, node, PlannedRun, task, typesOf } from './planning.testsuite.ts';

/** The nodes that a plan sends new tokens to. */
const targetsOf = ({ events }: Pick<Plan, 'events'>) =>
  eventsOf(events, 'token.created').map((created) => created.node);

/** `a` with transitions to b, c, d …, each with its settings. */
const fork = (...settings: Readonly<Record<string, unknown>>[]) =>
  flow(
    [task('a'), ...settings.map((_, i) => task('bcdefg'[i]!))],
    settings.map((more, i) => go('a', 'bcdefg'[i]!, more)),
  );

const routed = (definition: object, result: JsonObject = {}, input: JsonObject = {}) => {
  const run = PlannedRun.started(definition, input, { trace: true });
  return { run, plan: run.complete('a', result) };
};

describe('tiers', () => {
  const tiers = fork(
    { priority: 20, condition: 'result.late' },
    { priority: 10, condition: 'result.x' },
    { priority: 10, condition: 'result.y' },
    { priority: 30 },
  );

  test('[T328][T330][T331] the first tier with a match is chosen, and all its matches are followed', () => {
    expect(targetsOf(routed(tiers, { x: true, y: true, late: true }).plan)).toEqual(['c', 'd']);
  });

  test('[T329] tiers are tried from the lowest number up, wherever they stand', () => {
    const { trace } = routed(tiers, { x: false, y: false, late: true }).plan;
    const tried = trace.filter(({ type }) => type === 'decision.routing.condition').map(({ data }) => data);
    expect(tried).toEqual([
      { transition: 'a->c', value: false },
      { transition: 'a->d', value: false },
      { transition: 'a->b', value: true },
    ]);
  });

  test('[T332] what does not match in the chosen tier is not followed', () => {
    expect(targetsOf(routed(tiers, { x: false, y: true, late: true }).plan)).toEqual(['d']);
  });

  test('[T333] later tiers are not even looked at', () => {
    const { trace, events } = routed(tiers, { x: true, y: true, late: true }).plan;
    expect(targetsOf({ events })).toEqual(['c', 'd']);
    expect(trace.some(({ data }) => data['transition'] === 'a->b')).toBe(false);
  });

  test('[T334] a tier without a match leaves it to the next', () => {
    expect(targetsOf(routed(tiers, { x: false, y: false, late: true }).plan)).toEqual(['b']);
    expect(targetsOf(routed(tiers, { x: false, y: false, late: false }).plan)).toEqual(['e']);
  });

  test('[T344] no transitions end the path, no match fails the run: neither makes a token', () => {
    const { plan: ended } = routed(flow([task('a')]));
    expect(typesOf(ended)).toEqual(['task.completed', 'token.completed', 'workflow.completed']);
    const { plan: stuck } = routed(fork({ condition: 'result.x' }), { x: false });
    expect(typesOf(stuck)).toEqual(['task.completed', 'token.completed', 'workflow.failed']);
    expect(stuck.events.at(-1)).toMatchObject({
      error: {
        code: 'NO_TRANSITION_MATCHED',
        nodeId: 'a',
        details: { conditions: ['a->b: result.x'], exhausted: [] },
      },
    });
  });

  test('[T346] how the route was found is told on request', () => {
    const { trace } = routed(tiers, { x: true, y: false, late: false }).plan;
    expect(trace).toContainEqual({
      type: 'decision.routing.start',
      data: { token: 1, node: 'a', outcome: 'success', tiers: 3 },
    });
    const quiet = PlannedRun.started(tiers);
    expect(quiet.complete('a', { x: true, y: false }).trace).toEqual([]);
  });
});

describe('loops', () => {
  const loop = (condition: string) =>
    flow(
      [task('a'), task('b')],
      [
        go('a', 'a', { id: 'again', priority: 1, condition, loopConfig: { maxIterations: 2 } }),
        go('a', 'b', { priority: 2 }),
      ],
    );

  test('[T335] a loop at its limit is passed over before its condition is looked at', () => {
    const run = PlannedRun.started(loop('result.more'));
    run.complete('a', { more: true });
    run.complete('a', { more: true });
    // Without `more` the condition could not be evaluated, and that would fail the run.
    expect(targetsOf(run.complete('a', {}))).toEqual(['b']);
    const early = PlannedRun.started(loop('result.more'));
    expect(early.complete('a', {}).events.at(-1)).toMatchObject({ error: { code: 'CONDITION_FAILED' } });
  });

  test('[T336] a loop of N is taken exactly N times, then the way beside it', () => {
    const run = PlannedRun.started(loop('true'));
    expect([1, 2, 3].map(() => targetsOf(run.complete('a')))).toEqual([['a'], ['a'], ['b']]);
    expect(run.tokensAt('a').map(({ iterationCounts }) => iterationCounts)).toEqual([{}, { again: 1 }, { again: 2 }]);
  });

  test('[T343] the counts go to the children and count the transition that was taken', () => {
    const run = PlannedRun.started(
      flow(
        [task('a'), task('b'), task('c')],
        [
          go('a', 'a', { id: 'again', priority: 1, condition: 'result.more', loop: { maxIterations: 9 } }),
          go('a', 'b', { priority: 2, spawnCount: 2 }),
          go('b', 'c'),
        ],
      ),
    );
    run.complete('a', { more: true });
    run.complete('a', { more: false });
    run.complete('b');
    expect(run.tokens.map((token) => [token.node, token.iterationCounts])).toEqual([
      ['a', {}],
      ['a', { again: 1 }],
      ['b', { again: 1 }],
      ['b', { again: 1 }],
      ['c', { again: 1 }],
    ]);
  });
});

describe('loops that fan out', () => {
  test('[T343] all siblings get the same counts, and so does what goes on after them', () => {
    const run = PlannedRun.started(
      flow(
        [task('a'), task('b')],
        [
          go('a', 'a', {
            id: 'again',
            priority: 1,
            condition: 'result.more',
            spawnCount: 2,
            loop: { maxIterations: 1 },
            siblingGroup: 'g',
          }),
          go('a', 'b', { priority: 2, synchronization: { siblingGroup: 'g', strategy: 'all' } }),
        ],
      ),
    );
    run.complete('a', { more: true });
    run.complete('a', { more: true });
    run.complete('a', { more: true });
    expect(run.tokens.map((token) => [token.node, token.iterationCounts])).toEqual([
      ['a', {}],
      ['a', { again: 1 }],
      ['a', { again: 1 }],
      ['b', { again: 1 }],
      ['b', { again: 1 }],
      ['b', { again: 1 }],
    ]);
  });
});

describe('fan-out', () => {
  test('[T337] a spawn count of N makes N tokens', () => {
    const { run } = routed(fork({ spawnCount: 4 }));
    expect(run.tokensAt('b').map(({ branchIndex, branchTotal, status }) => [branchIndex, branchTotal, status])).toEqual(
      [
        [0, 4, 'dispatched'],
        [1, 4, 'dispatched'],
        [2, 4, 'dispatched'],
        [3, 4, 'dispatched'],
      ],
    );
  });

  test('[T338] foreach makes one token per item, each with its item', () => {
    const work = { inputMapping: { it: 'item' } };
    const run = PlannedRun.started(fan({ strategy: 'all' }, { work }), { items: ['x', { y: 1 }, null] });
    expect(run.tokensAt('work').map(({ input }) => input)).toEqual([{ it: 'x' }, { it: { y: 1 } }, { it: null }]);
  });

  test('[T339] without either it is one token, in no group', () => {
    const { run, plan } = routed(fork({}));
    expect(typesOf(plan)).not.toContain('fan_out.started');
    expect(run.tokensAt('b')).toMatchObject([{ branchIndex: 0, branchTotal: 1, siblingGroup: null, pathId: 'root' }]);
  });

  test('[T340] the path id tells the lineage', () => {
    const run = PlannedRun.started(
      flow(
        [node('a'), task('b'), task('c'), task('d')],
        [go('a', 'b', { spawnCount: 2 }), go('b', 'c', { spawnCount: 3 }), go('c', 'd')],
      ),
    );
    run.complete('b', {}, 1);
    run.complete('c', {}, 2);
    expect(run.tokens.map(({ node: at, pathId }) => `${at} ${pathId}`)).toEqual([
      'a root',
      'b root.a.0',
      'b root.a.1',
      'c root.a.1.b.0',
      'c root.a.1.b.1',
      'c root.a.1.b.2',
      'd root.a.1.b.2',
    ]);
    const single = PlannedRun.started(fan({ strategy: 'all' }), { items: ['only'] });
    expect(single.tokensAt('work')).toMatchObject([{ pathId: 'root', siblingGroup: 'g', branchTotal: 1 }]);
  });

  test('[T341][T342] tokens of one fan-out share a group; indices run from 0, across all its transitions', () => {
    const { run } = routed(
      fork(
        { siblingGroup: 'g', spawnCount: 2 },
        { siblingGroup: 'g' },
        { siblingGroup: 'other' },
        {},
        { siblingGroup: 'g', foreach: { collection: 'input.items' } },
      ),
      {},
      { items: [1, 2] },
    );
    const places = run.tokens
      .slice(1)
      .toSorted((a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : a.branchIndex - b.branchIndex))
      .map((t) => [t.node, t.siblingGroup, t.groupId, t.branchIndex, t.branchTotal]);
    expect(places).toEqual([
      ['b', 'g', 1, 0, 5],
      ['b', 'g', 1, 1, 5],
      ['c', 'g', 1, 2, 5],
      ['d', 'other', 2, 0, 1],
      ['e', null, null, 0, 1],
      ['f', 'g', 1, 3, 5],
      ['f', 'g', 1, 4, 5],
    ]);
  });

  test('[T345] of the transitions that were followed, those with a synchronization lead to a join', () => {
    const synchronization = { siblingGroup: 'g', strategy: 'all' };
    const run = PlannedRun.started(
      flow(
        [node('s'), task('a'), task('b'), task('c'), task('d')],
        [
          go('s', 'a', { spawnCount: 2, siblingGroup: 'g', emptyJoin: 'b' }),
          go('a', 'b', { condition: 'result.b', synchronization }),
          go('a', 'c'),
          go('a', 'd', { priority: 2, synchronization }),
        ],
      ),
    );
    const { events } = run.complete('a', { b: true });
    expect(targetsOf({ events })).toEqual(['b', 'c']);
    expect(eventsOf(events, 'token.waiting').map((waiting) => ('join' in waiting ? waiting.join : null))).toEqual([
      'b/g',
    ]);
    expect(run.tokens.slice(3).map(({ node: at, status }) => [at, status])).toEqual([
      ['b', 'waiting_for_siblings'],
      ['c', 'dispatched'],
    ]);
  });
});
