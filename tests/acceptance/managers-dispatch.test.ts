import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/exports.ts';
import { apply } from '../../packages/heddle/src/testing.ts';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  journaled,
  journalOf,
  journalTypes,
  openWith,
  refuse,
  startRun,
  tokensAt,
} from './managers.testsuite.ts';
import { encoded, fan, flow, go, node, PlannedRun, task } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };
const child = { ...flow([task('c', { outputMapping: { 'output.n': 'result.n' } })]), id: 'child' };

/** The types of the events of the newest command. */
const lastRow = (journal: readonly RunEvent[]) =>
  journal.filter(({ seq }) => seq === journal.at(-1)?.seq).map(({ type }) => type);

onEveryHost('carrying out decisions', (host) => {
  test('[T413] what a command led to is told: how much, which tokens, which tasks, which join', async () => {
    const engine = await openWith(host, [fan({ strategy: { mOfN: 2 } })]);
    const run = await startRun(engine, 'w', items);
    await answer(engine, 'work');
    const { events, effects } = await engine.engine.introspection.simulateRouting(run.id, 3, { output: {} });
    await answer(engine, 'work');
    const journal = await journalOf(run);
    const row = journal.filter(({ seq }) => seq === journal.at(-1)?.seq);
    // What was foretold is what happened, in one row.
    expect(row.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(row.flatMap((event) => (event.type === 'token.created' ? [event.token] : []))).toEqual([6, 7]);
    expect(row.flatMap((event) => (event.type === 'task.dispatched' ? [event.token] : []))).toEqual([7]);
    expect(row.filter(({ type }) => type === 'fan_in.completed')).toHaveLength(1);
    expect(effects).toContainEqual(expect.objectContaining({ type: 'dispatch', token: 7, node: 'join' }));
  });

  test('[T414] a decision that cannot be carried out is named, and nothing of it is done', async () => {
    const definition = flow(
      [task('a'), task('b'), task('c')],
      [go('a', 'b'), go('a', 'c', { id: 'each', foreach: { collection: 'state.list' } })],
      alarmsAreMeant,
    );
    const engine = await openWith(host, [definition]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a');
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'FOREACH_NOT_A_LIST', nodeId: 'a', details: { transition: 'each', expression: 'state.list' } },
    });
    expect((await run.tokens()).map((token) => token.node)).toEqual(['a']);
    expect(await engine.engine.audit()).toMatchObject({ problems: [] });
  });

  test('[T415][T426] tokens that are created one after another are one event with as many entries', async () => {
    const engine = await openWith(host, [flow([node('s'), task('a')], [go('s', 'a', { spawnCount: 3 })])]);
    const run = await startRun(engine, 'w');
    const created = await journaled(run, 'token.created');
    expect(created).toMatchObject([{ token: 1 }, { token: 2, count: 3, node: 'a', branch: [1, 0] }]);
    expect((await tokensAt(run, 'a')).map(({ id, branchIndex }) => [id, branchIndex])).toEqual([
      [2, 0],
      [3, 1],
      [4, 2],
    ]);
  });

  test('[T415][T427] only what belongs together is one event; the order is kept', async () => {
    const engine = await openWith(host, [
      flow(
        [node('s'), task('a'), task('b'), task('c')],
        [
          go('s', 'a', { siblingGroup: 'g', spawnCount: 2 }),
          go('s', 'b', { siblingGroup: 'g' }),
          go('s', 'c', { siblingGroup: 'h', spawnCount: 2 }),
        ],
      ),
    ]);
    const run = await startRun(engine, 'w');
    const journal = await journalOf(run);
    expect(journal.slice(3).map((event) => `${event.type} ${'node' in event ? event.node : ''}`.trim())).toEqual([
      'fan_out.started s',
      'token.created a',
      'token.created b',
      'fan_out.started s',
      'token.created c',
      'task.dispatched',
      'task.dispatched',
      'task.dispatched',
      'task.dispatched',
      'task.dispatched',
    ]);
    expect(journal.flatMap((event) => (event.type === 'token.created' ? [event.count ?? 1] : []))).toEqual([
      1, 2, 1, 2,
    ]);
  });

  test('[T416] milestones are told as they are reached, in the order of the journal', async () => {
    const told: RunEvent[] = [];
    const engine = await openWith(host, [fan({ strategy: 'all' })], { onEvent: (event) => told.push(event) });
    const run = await startRun(engine, 'w', { items: [1] });
    expect(told.map(({ type }) => type)).toEqual([
      'workflow.started',
      'token.created',
      'token.completed',
      'fan_out.started',
      'token.created',
      'task.dispatched',
    ]);
    await answer(engine, 'work');
    await answer(engine, 'join');
    expect(told).toEqual(await journalOf(run));
    expect(told.at(-1)).toMatchObject({ type: 'workflow.completed', runId: run.id });
  });

  test('[T417] the end of a run reaches its sub-runs and its parent', async () => {
    const call = node('call', { workflow: 'child', outputMapping: { 'output.n': 'result.n' } });
    const engine = await openWith(host, [child, flow([node('s'), call, task('t')], [go('s', 'call'), go('s', 't')])]);
    const completed = await startRun(engine, 'w');
    await answer(engine, 't');
    expect(await completed.status()).toBe('waiting');
    await answer(engine, 'c', { n: 3 });
    expect(await completed.result()).toMatchObject({ status: 'completed', output: { n: 3 } });

    const failed = await startRun(engine, 'w');
    await refuse(engine, 'c', 'no luck');
    expect(await failed.result()).toMatchObject({ status: 'failed', error: { nodeId: 'call', code: 'ACTION_FAILED' } });
    expect(callsAt(engine, 't')).toMatchObject([{ signal: { aborted: true } }]);

    const left = await startRun(engine, 'w');
    await refuse(engine, 't', 'no luck', 1);
    expect(await left.result()).toMatchObject({ status: 'failed', error: { nodeId: 't' } });
    expect(await engine.engine.runs({ subRuns: true, parentRunId: left.id })).toMatchObject([{ status: 'cancelled' }]);
  });

  test('[T418] a token is sent to what its node says, with mapped input, and nobody waits for it', async () => {
    const inputMapping = { n: 'input.n' };
    const engine = await openWith(host, [
      child,
      flow(
        [node('s'), task('t', { inputMapping }), node('call', { workflow: 'child', inputMapping }), node('pass')],
        [go('s', 't'), go('s', 'call'), go('s', 'pass')],
      ),
    ]);
    const run = await startRun(engine, 'w', { n: 7, m: 8 });
    expect(await run.status()).toBe('running');
    expect(callsAt(engine, 't')).toMatchObject([{ input: { n: 7 }, isAnswered: false, nodeId: 't', attempt: 1 }]);
    expect(await engine.engine.runs({ subRuns: true, parentRunId: run.id })).toMatchObject([
      { workflow: 'child', status: 'running' },
    ]);
    expect((await engine.engine.run((await tokensAt(run, 'call'))[0]!.childRunId!).state()).input).toEqual({ n: 7 });
    expect((await run.tokens()).map((token) => `${token.node} ${token.status}`)).toEqual([
      's completed',
      't dispatched',
      'call waiting_for_subworkflow',
      'pass completed',
    ]);
  });

  test('[T419][T420][T422] a result ends its token, its output is mapped, then conditions see the new values', async () => {
    const engine = await openWith(host, [
      flow(
        [task('a', { outputMapping: { 'state.n': 'result.n' } }), task('b'), task('c')],
        [go('a', 'b', { condition: 'state.n == 5 && result.n == 5' }), go('a', 'c', { priority: 2 })],
      ),
    ]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a', { n: 5 });
    expect(lastRow(await journalOf(run))).toEqual([
      'task.completed',
      'context.updated',
      'token.completed',
      'token.created',
      'task.dispatched',
    ]);
    expect((await run.state()).state).toEqual({ n: 5 });
    expect((await run.tokens()).map((token) => [token.node, token.status])).toEqual([
      ['a', 'completed'],
      ['b', 'dispatched'],
    ]);
  });

  test('[T421][T422] in a branch the output goes to the branch, and its conditions see it there', async () => {
    const engine = await openWith(host, [
      flow(
        [node('s'), task('a', { outputMapping: { 'state.n': 'result.n' } }), task('b'), task('c')],
        [go('s', 'a', { spawnCount: 2 }), go('a', 'b', { condition: 'state.n == 5' }), go('a', 'c', { priority: 2 })],
      ),
    ]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a', { n: 5 });
    await answer(engine, 'a', { n: 6 });
    expect((await run.state()).state).toEqual({});
    expect((await run.tokens()).slice(3).map((token) => [token.node, token.branchIndex])).toEqual([
      ['b', 0],
      ['c', 1],
    ]);
    expect(await journaled(run, 'context.updated')).toMatchObject([{ branch: [1, 0] }, { branch: [1, 1] }]);
  });

  test('[T423][T424] tokens that come to a join wait there; the others are handed out in the same step', async () => {
    const synchronization = { siblingGroup: 'g', strategy: 'all' };
    const engine = await openWith(host, [
      flow(
        [node('s'), task('a'), task('side'), task('j')],
        [go('s', 'a', { spawnCount: 2, siblingGroup: 'g' }), go('a', 'j', { synchronization }), go('a', 'side')],
      ),
    ]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'a');
    expect(lastRow(await journalOf(run))).toEqual([
      'task.completed',
      'token.completed',
      'token.created',
      'token.created',
      'token.waiting',
      'task.dispatched',
    ]);
    expect((await run.tokens()).slice(3).map((token) => [token.node, token.status])).toEqual([
      ['j', 'waiting_for_siblings'],
      ['side', 'dispatched'],
    ]);
    // A branch has arrived when nothing else of it lives.
    await answer(engine, 'a');
    await answer(engine, 'side');
    expect(await journalTypes(run)).not.toContain('fan_in.completed');
    await answer(engine, 'side');
    expect(await journalTypes(run)).toContain('fan_in.completed');
  });

  test('[T425] results for tokens that have ended are ignored', async () => {
    const engine = await openWith(host, [fan({ strategy: 'any' })]);
    const run = await startRun(engine, 'w', items);
    const late = callsAt(engine, 'work').slice(1);
    await answer(engine, 'work');
    const journal = await journalOf(run);
    late[0]?.complete({ late: true });
    late[1]?.fail(new Error('late'));
    await engine.settle();
    expect(await journalOf(run)).toEqual(journal);
    await answer(engine, 'join');
    expect(await run.status()).toBe('completed');
    expect(await engine.engine.audit()).toMatchObject({ problems: [] });
  });
});

describe('carrying out one decision', () => {
  test('[T414] an event that does not fit the state is refused with its ids, and changes nothing', () => {
    const { state } = PlannedRun.started(flow([task('a')]));
    const before = encoded(state);
    expect(() => apply(state, { type: 'token.completed', token: 9 })).toThrow(
      'Expected token 9 to be alive, but it is not',
    );
    expect(() => apply(state, { type: 'group.closed', group: 4 })).toThrow(
      'Expected group 4 to be open, but it is not',
    );
    expect(encoded(state)).toEqual(before);
  });

  test('[T425] a result is answered with why it was ignored', () => {
    const run = PlannedRun.started(flow([task('a'), task('b')], [go('a', 'b')]));
    run.complete('a');
    const outcome = { type: 'completed', output: {} } as const;
    const replies = [
      run.send({ type: 'task.result', token: 1, dispatch: 1, outcome }),
      run.send({ type: 'task.result', token: 2, dispatch: 9, outcome }),
      run.send({ type: 'task.result', token: 99, dispatch: 1, outcome }),
    ];
    expect(replies.map(({ reply, events }) => [reply, events])).toEqual([
      [{ applied: false, reason: 'token has ended' }, []],
      [{ applied: false, reason: 'superseded hand-out' }, []],
      [{ applied: false, reason: 'unknown token' }, []],
    ]);
  });
});
