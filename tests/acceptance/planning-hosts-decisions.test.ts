// The events that decisions are made of, as every host journals, tells and replays them.

import { expect, test } from 'vitest';
import type { TraceEvent } from '../../packages/heddle/src/core/trace.ts';
import type { Run } from '../../packages/heddle/src/exports.ts';
import { apply, emptyState, type TestEngine } from '../../packages/heddle/src/testing.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, journaled, journalOf, openWith, refuse, startRun, tokensAt } from './managers.testsuite.ts';
import { fan, flow, go, node, task } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };
const work = { outputMapping: { 'state.x': 'result.x' } };
const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'keyed_by_branch' };

/** Replays what the engine tells of a run; every event must fit. */
async function replayedTokens(run: Run): Promise<[number, string][]> {
  const state = emptyState();
  for (const event of await journalOf(run)) {
    state.at = event.at;
    apply(state, event);
  }
  return [...state.tokens.values()]
    .map(({ id, status }): [number, string] => [id, status])
    .toSorted(([a], [b]) => a - b);
}

const liveOf = async (run: Run) =>
  (await run.tokens())
    .filter(({ endedAt }) => endedAt === null)
    .map(({ id, status }): [number, string] => [id, status]);

async function expectSound(engine: TestEngine, run: Run): Promise<void> {
  expect(await replayedTokens(run)).toEqual(await liveOf(run));
  expect(await engine.engine.audit()).toMatchObject({ problems: [] });
}

onEveryHost('decisions', (host) => {
  test('[T297][T298][T301] what is journaled is plain data: a reader cannot change it, and it replays', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all', merge }, { work })]);
    const run = await startRun(engine, 'w', items);
    await answer(engine, 'work', { x: { deep: 1 } });
    const journal = await journalOf(run);
    const before = JSON.stringify(journal);
    expect(JSON.parse(before)).toEqual(journal);
    for (const event of journal)
      if (event.type === 'context.updated') Object.assign(event.writes, [['state.x', 'forged']]);
    expect(JSON.stringify(await journalOf(run))).toBe(before);
    await expectSound(engine, run);
  });

  test('[T302][T303][T304][T305][T306][T307][T325][T326][T327] tokens are created, handed out, wait, end', async () => {
    const engine = await openWith(host, [fan({ strategy: { mOfN: 2 } })]);
    const run = await startRun(engine, 'w', items);
    expect(await liveOf(run)).toEqual([
      [2, 'dispatched'],
      [3, 'dispatched'],
      [4, 'dispatched'],
    ]);
    await expectSound(engine, run);
    await answer(engine, 'work');
    expect(await liveOf(run)).toEqual([
      [3, 'dispatched'],
      [4, 'dispatched'],
      [5, 'waiting_for_siblings'],
    ]);
    await expectSound(engine, run);
    await answer(engine, 'work');
    expect(await liveOf(run)).toEqual([[7, 'dispatched']]);
    await expectSound(engine, run);
    expect(await journaled(run, 'tokens.completed')).toMatchObject([{ tokens: [5, 6] }]);
    expect(await journaled(run, 'tokens.cancelled')).toMatchObject([
      { tokens: [4], reason: 'join join/g has completed' },
    ]);
  });

  test('[T308][T309][T310][T311][T312][T313][T314][T355][T356] values are written, kept apart, merged and dropped', async () => {
    const engine = await openWith(host, [
      fan({ strategy: 'all', merge }, { work: { outputMapping: { 'state.x': 'result.x', 'output.o.p': 'result' } } }),
    ]);
    const run = await startRun(engine, 'w', items);
    await answer(engine, 'work', { x: 1 }, 1);
    await answer(engine, 'work', {}, 0);
    expect((await run.state()).state).toEqual({});
    await answer(engine, 'work', { x: null });
    const updates = await journaled(run, 'context.updated');
    expect(updates.map(({ branch, writes }) => [branch, writes])).toEqual([
      [
        [1, 1],
        [
          ['state.x', 1],
          ['output.o.p', { x: 1 }],
        ],
      ],
      [[1, 0], [['output.o.p', {}]]],
      [
        [1, 2],
        [
          ['state.x', null],
          ['output.o.p', { x: null }],
        ],
      ],
    ]);
    expect(await run.state()).toMatchObject({ state: { all: { 1: 1, 2: null } }, output: {} });
    await expectSound(engine, run);
  });

  test('[T315][T316][T317][T346] a join is looked at with every arrival and activated by one', async () => {
    const traced: TraceEvent[] = [];
    const engine = await openWith(host, [fan({ strategy: 'any' })], {
      onTrace: ({ type, data }) => traced.push({ type, data }),
    });
    const run = await engine.engine.start('w', items, { trace: true });
    await engine.settle();
    for (const call of callsAt(engine, 'work')) call.complete();
    await engine.settle();
    expect(traced).toContainEqual({
      type: 'decision.sync.check_condition',
      data: { group: 'g', join: 'join/g', arrived: 1, ended: 0, settled: 1, total: 3 },
    });
    expect(traced.map(({ type }) => type)).toContain('decision.routing.start');
    expect(await journaled(run, 'fan_in.completed')).toMatchObject([{ group: 1, join: 'join/g', branches: 1 }]);
    await expectSound(engine, run);
  });

  test('[T318][T319][T320][T351] runs start, go on, complete and fail', async () => {
    const engine = await openWith(host, [
      flow([task('a', { outputMapping: { 'output.x': 'result.x' } }), task('b')], [go('a', 'b')]),
    ]);
    const [good, bad] = [await startRun(engine, 'w', { n: 1 }), await startRun(engine, 'w', { n: 2 })];
    expect(await good.state()).toEqual({ runId: good.id, status: 'running', input: { n: 1 }, state: {}, output: {} });
    await answer(engine, 'a', { x: 1 });
    await answer(engine, 'b');
    await refuse(engine, 'a', 'bad luck');
    const error = { code: 'ACTION_FAILED', message: 'bad luck', nodeId: 'a', attempts: 1 };
    expect(await good.result()).toEqual({ runId: good.id, status: 'completed', output: { x: 1 }, error: undefined });
    expect(await bad.result()).toMatchObject({ runId: bad.id, status: 'failed', output: undefined, error });
    for (const run of [good, bad]) await expectSound(engine, run);
  });

  test('[T321][T322][T323][T324] sub-runs are waited for, go on, fail and take too long', async () => {
    const child = { ...flow([task('c', { outputMapping: { 'output.n': 'result.n' } })]), id: 'child' };
    const call = node('call', { workflow: { id: 'child', timeoutMs: 500 }, outputMapping: { 'output.n': 'result.n' } });
    const engine = await openWith(host, [child, flow([call])]);
    const tokenOf = async (run: Run) => (await tokensAt(run, 'call'))[0];

    const good = await startRun(engine, 'w');
    expect(await tokenOf(good)).toMatchObject({ status: 'waiting_for_subworkflow' });
    expect((await good.summary()).nextTimerAt).toBe(engine.clock.now() + 500);
    await answer(engine, 'c', { n: 1 });
    expect(await good.result()).toMatchObject({ status: 'completed', output: { n: 1 } });

    const bad = await startRun(engine, 'w');
    await refuse(engine, 'c');
    expect(await tokenOf(bad)).toMatchObject({ status: 'failed', error: { code: 'ACTION_FAILED', nodeId: 'call' } });

    const slow = await startRun(engine, 'w');
    const { childRunId } = (await tokenOf(slow))!;
    await engine.advance(500);
    expect(await tokenOf(slow)).toMatchObject({ status: 'timed_out', error: { code: 'SUBWORKFLOW_TIMED_OUT' } });
    expect(await journaled(slow, 'subworkflow.timed_out')).toMatchObject([
      { childRunId, timeoutMs: 500, elapsedMs: 500 },
    ]);
    expect(await engine.engine.run(childRunId!).status()).toBe('cancelled');
    for (const run of [good, bad, slow]) await expectSound(engine, run);
  });
});
