import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  ended,
  eventsOf,
  type Fields,
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
  work,
  workflow,
} from './token-engine.testsuite.ts';

const values = merge('_branch.output.value', 'state.values');

onEveryHost('branches that a join left alone', (host) => {
  const abandoning = (more: Fields = {}) =>
    workflow(
      'w',
      [
        'start',
        branchWork('b'),
        keep('late', 'value', { inputMapping: { mine: '_branch.output.value', shared: 'state.values' }, ...more }),
        work('after'),
      ],
      [
        spawn('start', 'b', 2, 'g'),
        go('b', 'late', { priority: 1, condition: '_branch.index == 1' }),
        ...['b', 'late'].map((node) =>
          join(node, 'after', 'g', { strategy: 'any', onEarlyComplete: 'abandon', ...values }, { priority: 2 }),
        ),
      ],
    );

  test('they keep running with their own values; the run is complete only after them; their arrival is absorbed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, abandoning());
    await answerBranches(t, 'b', [1, 0]);
    expect(callAt(t, 'late').input).toEqual({ mine: 'v1' });
    await answer(t, 'after');
    expect(await run.status()).toBe('running');
    await answer(t, 'late', { value: 'never merged' });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: ['v0'] });
    expect(await eventsOf(run, 'fan_in.completed')).toHaveLength(1);
  });

  test('a node entered after the join still reads its own branch over the shared state', async () => {
    const t = await host.open(scripted);
    await launch(t, abandoning());
    await answerBranches(t, 'b', [0]);
    await answerBranches(t, 'b', [1]);
    expect(callAt(t, 'late').input).toEqual({ mine: 'v1', shared: ['v0'] });
  });

  test('their failure ends the branch, never the run', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, abandoning({ retry: { maxAttempts: 2, initialDelayMs: 100 } }));
    await answerBranches(t, 'b', [0, 1]);
    await answer(t, 'after');
    await fail(t, 'late', new Error('first'));
    expect(await run.status()).toBe('waiting');
    await t.advance(100);
    await fail(t, 'late', new Error('for good'));
    expect(await ended(run)).toMatchObject({ status: 'completed', error: undefined });
    expect(
      (await eventsOf(run, 'branch.abandoned_failed')).map(({ branch, error }) => [branch, error.message]),
    ).toEqual([[[1, 1], 'for good']]);
  });

  test('their failure before the continuation is done does not disturb it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, abandoning());
    await answerBranches(t, 'b', [0]);
    await fail(t, 'b', new Error('no'), { index: 1 });
    expect(await run.status()).toBe('running');
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test.each(['failure', 'cancel'])("the run's end by %s cancels them", async (how) => {
    const t = await host.open(scripted);
    const run = await launch(t, abandoning());
    await answerBranches(t, 'b', [1, 0]);
    const late = callAt(t, 'late');
    if (how === 'failure') await fail(t, 'after');
    else await run.cancel();
    await t.settle();
    expect(await run.status()).toBe(how === 'failure' ? 'failed' : 'cancelled');
    expect(late.signal.aborted).toBe(true);
    expect((await tokensAt(run, 'late')).map(({ status }) => status)).toEqual(['cancelled']);
  });

  test('fan-outs inside them are joined as usual; what comes out is absorbed', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        'start',
        branchWork('b'),
        branchWork('leaf'),
        keep('met', 'seen', { inputMapping: { inner: 'state.inner' } }),
        'after',
      ],
      [
        spawn('start', 'b', 2, 'g'),
        spawn('b', 'leaf', 2, 'inner', { priority: 1, condition: '_branch.index == 1' }),
        join('leaf', 'met', 'inner', merge('_branch.output.value', 'state.inner')),
        join('b', 'after', 'g', { strategy: 'any', onEarlyComplete: 'abandon', ...values }, { priority: 2 }),
        join('met', 'after', 'g', { strategy: 'any', onEarlyComplete: 'abandon', ...values }),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'b', [1, 0]);
    await answerBranches(t, 'leaf', [1, 0]);
    expect(callAt(t, 'met').input).toEqual({ inner: ['v0', 'v1'] });
    await answer(t, 'met', { seen: true });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ values: ['v0'] });
  });

  test('an enclosing join that cancels takes them with it, also out of a branch that has arrived', async () => {
    const t = await host.open(scripted);
    const at = { inputMapping: { at: '[_branch.parent.index, _branch.index]' } };
    const definition = workflow(
      'w',
      ['start', 'mid', work('leaf', at), 'met', work('after')],
      [
        spawn('start', 'mid', 2, 'outer'),
        spawn('mid', 'leaf', 2, 'inner'),
        join('leaf', 'met', 'inner', { strategy: 'any', onEarlyComplete: 'abandon' }),
        join('met', 'after', 'outer', { strategy: 'any', onEarlyComplete: 'cancel' }),
      ],
    );
    const run = await launch(t, definition);
    const [left, right] = [callAt(t, 'leaf', { at: [0, 1] }), callAt(t, 'leaf', { at: [1, 0] })];
    await answer(t, 'leaf', {}, { at: [0, 0] });
    expect(callsAt(t, 'after')).toHaveLength(1);
    expect(right.signal.aborted).toBe(true);
    expect(left.signal.aborted).toBe(true);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await tokensAt(run, 'leaf')).map(({ status }) => status)).toEqual([
      'completed',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  test('their sub-runs go on too', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner')]));
    const definition = workflow(
      'w',
      ['start', branchWork('b'), { id: 'call', workflow: 'child' }, 'after'],
      [
        spawn('start', 'b', 2, 'g'),
        go('b', 'call', { priority: 1, condition: '_branch.index == 1' }),
        ...['b', 'call'].map((node) =>
          join(node, 'after', 'g', { strategy: 'any', onEarlyComplete: 'abandon' }, { priority: 2 }),
        ),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'b', [1, 0]);
    expect(await run.status()).toBe('waiting');
    await fail(t, 'inner');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(run, 'branch.abandoned_failed')).toHaveLength(1);
  });
});

onEveryHost('joins that give up', (host) => {
  const timed = (more: Fields) =>
    workflow(
      'w',
      ['start', branchWork('b'), work('after')],
      [spawn('start', 'b', 3, 'g'), join('b', 'after', 'g', { timeoutMs: 1000, ...values, ...more })],
    );

  test('fail: counted from the first arrival, waiting tokens are timed out, the run fails and names the group', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, timed({}));
    await t.advance(5000);
    expect(await run.status()).toBe('running');
    await answerBranches(t, 'b', [1]);
    await t.advance(600);
    await answerBranches(t, 'b', [0]);
    await t.advance(399);
    expect(await run.status()).toBe('running');
    await t.advance(1);
    const { status, error } = await ended(run);
    expect([status, error]).toMatchObject(['failed', { code: 'FAN_IN_TIMED_OUT', nodeId: 'after' }]);
    expect((error as { message: string }).message).toContain('group g');
    expect((await tokensAt(run, 'after')).map(({ status: s }) => s)).toEqual(['timed_out', 'timed_out']);
    expect((await tokensAt(run, 'b')).map(({ status: s }) => s)).toEqual(['completed', 'completed', 'cancelled']);
    expect(await stateOf(run)).toEqual({});
  });

  test.each(['cancel', 'abandon'])(
    'proceed_with_available: goes on with those that came, cancels the others (early completion: %s)',
    async (onEarlyComplete) => {
      const t = await host.open(scripted);
      const run = await launch(t, timed({ onTimeout: 'proceed_with_available', onEarlyComplete }));
      const slow = callAt(t, 'b', { index: 0 });
      await answerBranches(t, 'b', [2, 1]);
      await t.advance(1000);
      expect(slow.signal.aborted).toBe(true);
      expect(await stateOf(run)).toEqual({ values: ['v1', 'v2'] });
      expect((await eventsOf(run, 'fan_in.completed')).map(({ branches, timedOut }) => [branches, timedOut])).toEqual([
        [2, true],
      ]);
      await answer(t, 'after');
      expect(await ended(run)).toMatchObject({ status: 'completed' });
    },
  );

  test('a join that was met in time is not disturbed by its timer', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, timed({}));
    await answerBranches(t, 'b', [0, 1, 2]);
    await t.advance(10_000);
    expect(await run.status()).toBe('running');
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[restart] the deadline of a join survives a restart, also one that passed meanwhile', async () => {
    const first = await host.open(scripted);
    const { id } = await launch(first, timed({ onTimeout: 'proceed_with_available' }));
    await answerBranches(first, 'b', [2]);
    await first.engine.close({ graceMs: 0 });
    await first.clock.advance(60_000);
    const second = await host.restart(first, scripted);
    await second.settle();
    const run = second.engine.run(id);
    expect(await stateOf(run)).toEqual({ values: ['v2'] });
    await answer(second, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('a timed-out join inside a branch of a tolerant group ends that branch alone', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', 'mid', work('leaf', { inputMapping: { at: '[_branch.parent.index, _branch.index]' } }), 'met', 'after'],
      [
        spawn('start', 'mid', 2, 'outer', { onBranchFailure: 'end' }),
        spawn('mid', 'leaf', 2, 'inner'),
        join('leaf', 'met', 'inner', { timeoutMs: 1000 }),
        join('met', 'after', 'outer', merge('_branch.index', 'state.all')),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'leaf', {}, { at: [0, 0] });
    await t.advance(1000);
    await answer(t, 'leaf', {}, { at: [1, 0] });
    await answer(t, 'leaf', {}, { at: [1, 1] });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ all: [1] });
    expect(
      (await eventsOf(run, 'branch.ended')).filter(({ how }) => how === 'failed').map(({ error }) => error?.code),
    ).toEqual(['FAN_IN_TIMED_OUT']);
  });
});
