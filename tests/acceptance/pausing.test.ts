import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  ended,
  fail,
  go,
  join,
  keep,
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

onEveryHost('pause and resume', (host) => {
  const line = workflow('w', [keep('a', 'x'), work('b')], [go('a', 'b')]);

  test('paused: a result is kept, no token moves, nothing is handed out; resume goes on from there', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, line);
    expect(await run.pause()).toEqual({ applied: true });
    expect(await run.status()).toBe('paused');
    await answer(t, 'a', { x: 1 });
    expect(await visits(run)).toEqual(['a:dispatched']);
    expect(await stateOf(run)).toEqual({});
    expect(callsAt(t, 'b')).toEqual([]);
    expect(await run.resume()).toEqual({ applied: true });
    await t.settle();
    expect(await stateOf(run)).toEqual({ x: 1 });
    expect(await visits(run)).toEqual(['a:completed', 'b:dispatched']);
    expect(await run.status()).toBe('running');
  });

  test('pausing twice, and resuming what runs, changes nothing', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, line);
    expect(await run.resume()).toMatchObject({ applied: false });
    await run.pause();
    expect(await run.pause()).toMatchObject({ applied: false });
    await run.resume();
    expect(await run.resume()).toMatchObject({ applied: false });
    await answer(t, 'a', { x: 1 });
    await answer(t, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('held results are applied in the order in which they came', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('b'), 'after'],
      [
        spawn('start', 'b', 3, 'g'),
        join('b', 'after', 'g', { strategy: { mOfN: 2 }, ...merge('_branch.output.value', 'state.all') }),
      ],
    );
    const run = await launch(t, definition);
    await run.pause();
    await answerBranches(t, 'b', [2, 0, 1]);
    await run.resume();
    await t.advance(0);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: ['v0', 'v2'] });
    expect((await tokensAt(run, 'b')).map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed']);
  });

  test('a held failure fails the run when it goes on, or is tried again', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, line);
    await run.pause();
    await fail(t, 'a', new Error('held'));
    expect(await run.status()).toBe('paused');
    await run.resume();
    await t.advance(0);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'held' } });
  });

  test('timers do not fire while paused; those that came due fire when it goes on', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        { id: 'nap', wait: { seconds: 10 } },
        work('r', { retry: { maxAttempts: 2, initialDelayMs: 20_000 } }),
        work('after'),
      ],
      [go('start', 'nap'), go('start', 'r'), go('nap', 'after')],
    );
    const run = await launch(t, definition);
    await fail(t, 'r');
    await run.pause();
    await t.advance(15_000);
    expect(await visits(run)).toEqual(['start:completed', 'nap:waiting_for_timer', 'r:retrying']);
    await run.resume();
    await t.advance(0);
    expect(await visits(run)).toEqual(['start:completed', 'nap:completed', 'r:retrying', 'after:dispatched']);
    expect(callsAt(t, 'r')).toEqual([]);
    await t.advance(5000);
    expect(callsAt(t, 'r')).toHaveLength(1);
  });

  test('the timeout of the run goes on while it is paused', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, { ...line, timeoutMs: 1000 });
    await run.pause();
    await t.advance(1000);
    expect(await ended(run)).toMatchObject({ status: 'timed_out', error: { code: 'RUN_TIMED_OUT' } });
    expect(await run.resume()).toMatchObject({ applied: false });
  });

  test('a paused run can be cancelled', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, line);
    const call = callAt(t, 'a');
    await run.pause();
    expect(await run.cancel()).toEqual({ applied: true });
    await t.settle();
    expect([await run.status(), call.signal.aborted]).toEqual(['cancelled', true]);
  });

  test('pausing and going on reach the sub-runs, at any depth', async () => {
    const t = await host.open(scripted);
    await register(
      t.engine,
      workflow('child', [work('inner'), work('last')], [go('inner', 'last')]),
      workflow('middle', [{ id: 'call', workflow: 'child' }]),
    );
    const run = await launch(t, workflow('top', [{ id: 'call', workflow: 'middle' }]));
    const middle = t.engine.run((await tokensAt(run, 'call'))[0]!.childRunId!);
    const leaf = t.engine.run((await tokensAt(middle, 'call'))[0]!.childRunId!);
    const all = async () => [await run.status(), await middle.status(), await leaf.status()];
    await run.pause();
    await t.settle();
    expect(await all()).toEqual(['paused', 'paused', 'paused']);
    await answer(t, 'inner');
    expect(callsAt(t, 'last')).toEqual([]);
    await run.resume();
    await t.advance(0);
    expect(await all()).toEqual(['waiting', 'waiting', 'running']);
    await answer(t, 'last');
    expect(await all()).toEqual(['completed', 'completed', 'completed']);
  });

  test('a child that ended before it heard of the pause is kept until its parent goes on', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner', { outputMapping: { 'output.y': 'result.y' } })]));
    const run = await launch(
      t,
      workflow('top', [{ id: 'call', workflow: 'child', outputMapping: { 'state.y': 'result.y' } }]),
    );
    callAt(t, 'inner').complete({ y: 1 });
    const pausing = run.pause();
    await t.settle();
    await pausing;
    await run.resume();
    await t.advance(0);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ y: 1 });
  });

  test('[restart] a run stays paused in the next process; what was under way is handed out when it goes on', async () => {
    const first = await host.open(scripted);
    const { id } = await launch(first, line);
    await first.engine.run(id).pause();
    const second = await host.restart(first, scripted);
    await second.settle();
    const run = second.engine.run(id);
    expect(await run.status()).toBe('paused');
    expect(callsAt(second, 'a')).toEqual([]);
    await run.resume();
    await second.settle();
    await answer(second, 'a', { x: 1 });
    await answer(second, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[restart] a result that was accepted while paused is not lost: its action is not called again', async () => {
    const first = await host.open(scripted);
    const { id } = await launch(first, line);
    await first.engine.run(id).pause();
    await answer(first, 'a', { x: 'accepted' });
    const second = await host.restart(first, scripted);
    await second.settle();
    const run = second.engine.run(id);
    await run.resume();
    await second.settle();
    expect(callsAt(second, 'a')).toEqual([]);
    expect(await stateOf(run)).toEqual({ x: 'accepted' });
    await answer(second, 'b');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });
});
