// Tasks whose action nobody has: they wait, visibly, and run when the action comes.

import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { graph, node } from './dataflow.testsuite.ts';
import { onEveryHost, onStoreHosts } from './hosts.testsuite.ts';
import {
  answer,
  ended,
  eventsOf,
  go,
  keep,
  launch,
  spawn,
  tokensAt,
  work,
  workflow,
} from './token-engine.testsuite.ts';
import { finish, leaseOne } from './workers.testsuite.ts';

const waiting = { missingActions: 'wait' } as const;
const having = { ...waiting, scripted: ['work'] } as const;

/** `a` needs an action that engines may lack. */
const one = workflow('w', [keep('a', 'x')]);

const typesOf = async (run: Run): Promise<string[]> => {
  const types: string[] = [];
  for await (const { type } of run.events({ follow: false })) types.push(type);
  return types;
};

onEveryHost('missing actions', (host) => {
  test('[EX22][TS11] a task whose action nobody has waits, and runs on an engine that has it', async () => {
    const first = await host.open(waiting);
    const run = await launch(first, one);
    expect(await run.status()).toBe('waiting');
    const second = await host.restart(first, having);
    await second.settle();
    await answer(second, 'a', { x: 1 });
    const again = second.engine.run(run.id);
    expect(await ended(again)).toMatchObject({ status: 'completed' });
    expect((await eventsOf(again, 'task.dispatched')).map(({ attempt, dispatch }) => [attempt, dispatch])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await eventsOf(again, 'tasks.lost')).toEqual([]);
  });

  test('[TS13] engines without the action come and go, and cost nothing', async () => {
    let t = await host.open({ ...waiting, limits: { dispatchesMax: 2 } });
    const run = await launch(t, one);
    const types = await typesOf(run);
    for (let i = 0; i < 4; i++) {
      t = await host.restart(t, { ...waiting, limits: { dispatchesMax: 2 } });
      await t.settle();
    }
    expect(await typesOf(t.engine.run(run.id))).toEqual(types);
    t = await host.restart(t, { ...having, limits: { dispatchesMax: 2 } });
    await t.settle();
    await answer(t, 'a', { x: 1 });
    expect(await ended(t.engine.run(run.id))).toMatchObject({ status: 'completed' });
  });

  test('[EX25] the wait has a name and a beginning, in tokens, nodes and events', async () => {
    const t = await host.open(waiting);
    await t.advance(1_000);
    const run = await launch(t, one);
    const waitsFor = { action: 'work', since: t.clock.now() };
    await t.advance(60_000);
    expect(await tokensAt(run, 'a')).toMatchObject([{ status: 'waiting_for_action', waitsFor, attempt: 1 }]);
    expect(await run.nodes()).toMatchObject([{ nodeId: 'a', status: 'waiting', waitsFor }]);
    expect(await eventsOf(run, 'token.waiting')).toMatchObject([{ for: 'action', action: 'work' }]);
    expect(await run.summary()).toMatchObject({ status: 'waiting', nextTimerAt: null });
  });

  test('[EX24] whoever watches is told once for each action', async () => {
    const told: string[] = [];
    const onError = (error: Error) => void told.push(error.message);
    const t = await host.open({ ...waiting, onError });
    await launch(
      t,
      workflow('w', ['s', work('a'), work('b', { action: 'other' })], [spawn('s', 'a', 3, 'g'), go('s', 'b')]),
    );
    await launch(t, one);
    expect(told.toSorted()).toEqual([
      expect.stringMatching(/^Expected an action named "other", but .* wait until an engine or a worker has it$/),
      expect.stringMatching(/^Expected an action named "work", but .* wait until an engine or a worker has it$/),
    ]);
  });

  test('[EX22][EX10] with missingActions: fail it fails at once', async () => {
    const t = await host.open({ missingActions: 'fail' });
    expect(await ended(await launch(t, one))).toMatchObject({
      status: 'failed',
      error: { code: 'ACTION_NOT_FOUND', attempts: 1 },
    });
  });

  test('[DA46] a dataflow node of an unknown type fails, and the rest of the graph runs', async () => {
    const t = await host.open(waiting);
    const run = await launch(t, graph([node('no', 'nobody'), node('in', 'core.input')]));
    const { status, nodes } = await run.dataflow();
    expect([status, nodes.map((each) => each.status)]).toEqual(['error', ['failed', 'completed']]);
  });

  test('a run that waits for an action can be paused, cancelled, and runs out of time', async () => {
    const t = await host.open(waiting);
    const paused = await launch(t, one);
    await paused.pause();
    await paused.resume();
    await t.settle();
    expect(await paused.status()).toBe('waiting');
    await paused.cancel('enough');
    expect(await ended(paused)).toMatchObject({ status: 'cancelled' });
    const timed = await launch(t, workflow('timed', [work('a')], [], { timeoutMs: 1_000 }));
    await t.advance(1_000);
    expect(await ended(timed)).toMatchObject({ status: 'timed_out' });
  });

  test('where nodes run one at a time, a missing action holds those behind it', async () => {
    const drawing = {
      dialect: 'handle',
      id: 'h',
      nodes: ['a', 'b', 'c'].map((id) => ({ id, type: id === 'b' ? 'absent' : 'WORK' })),
      connections: [
        { fromNodeId: 'a', toNodeId: 'b' },
        { fromNodeId: 'a', toNodeId: 'c' },
      ],
    };
    const executors = { WORK: () => ({}) };
    const t = await host.open({ ...waiting, executors });
    const run = await launch(t, drawing);
    expect((await run.tokens()).map(({ node: id, status }) => `${id} ${status}`)).toEqual([
      'a completed',
      'b waiting_for_action',
      'c ready',
    ]);
    const again = await host.restart(t, { ...waiting, executors: { ...executors, absent: () => ({}) } });
    await again.settle();
    expect(await ended(again.engine.run(run.id))).toMatchObject({ status: 'completed' });
  });

  test('a fan-out beyond the window waits whole, and runs whole', async () => {
    const t = await host.open({ ...waiting, limits: { dispatchWindow: 4 } });
    const run = await launch(t, workflow('fan', ['s', work('a')], [spawn('s', 'a', 20, 'g')]));
    expect(new Set((await tokensAt(run, 'a')).map(({ status }) => status))).toEqual(new Set(['waiting_for_action']));
    const again = await host.restart(t, { ...waiting, actions: { work: () => ({}) }, limits: { dispatchWindow: 4 } });
    await again.settle();
    expect(await ended(again.engine.run(run.id))).toMatchObject({ status: 'completed' });
  });
});

onStoreHosts('actions that come to a running engine', (host) => {
  test('[TS12][WK22] a worker announces it', async () => {
    const t = await host.open({ ...waiting, workers: 'announced' });
    const run = await launch(t, one);
    expect(await run.status()).toBe('waiting');
    await t.engine.tasks.announce('late', [{ name: 'work' }]);
    await t.settle();
    const task = await leaseOne(t);
    expect([task.attempt, task.dispatch]).toEqual([1, 1]);
    await finish(t, task, { x: 1 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[EX26] loadAction finds it later: it is asked again with other work, at most every 30 seconds', async () => {
    const asked: string[] = [];
    let isThere = false;
    const loadAction = (name: string) => {
      asked.push(name);
      return isThere ? () => ({ x: 1 }) : undefined;
    };
    const t = await host.open({ ...waiting, loadAction, actions: { other: () => ({}) } });
    const other = workflow('other', [work('o', { action: 'other' })]);
    const run = await launch(t, one);
    isThere = true;
    await t.advance(29_999);
    await launch(t, other);
    expect([asked, await run.status()]).toEqual([['work'], 'waiting']);
    await t.advance(1);
    await launch(t, other);
    expect(asked).toEqual(['work', 'work']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[EX12][TS13] another version of the action counts as missing', async () => {
    const versioned = workflow('v', [{ id: 'a', action: { name: 'work', version: 2 } }]);
    const actions = (version: number) => ({ work: { run: () => ({}), version } });
    const t = await host.open({ ...waiting, actions: actions(1) });
    const run = await launch(t, versioned);
    expect(await tokensAt(run, 'a')).toMatchObject([{ status: 'waiting_for_action', waitsFor: { action: 'work' } }]);
    const same = await host.restart(t, { ...waiting, actions: actions(1) });
    await same.settle();
    expect(await same.engine.run(run.id).status()).toBe('waiting');
    const next = await host.restart(same, { ...waiting, actions: actions(2) });
    await next.settle();
    expect(await ended(next.engine.run(run.id))).toMatchObject({ status: 'completed' });
  });

  test('an engine with nothing but waiting tasks is idle, and closes at once', async () => {
    const t: TestEngine = await host.open(waiting);
    await launch(t, one);
    expect([t.engine.isIdle, t.clock.nextAt]).toEqual([true, null]);
    await t.engine.close({ graceMs: 1_000_000 });
  });

  test('[OP11] any other word is refused', async () => {
    await expect(host.open({ missingActions: 'hope' as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
