import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  each,
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
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('retry from the failed node', (host) => {
  const line = workflow(
    'w',
    [keep('a', 'x'), keep('b', 'y', { inputMapping: { x: 'state.x' }, retry: { maxAttempts: 2 } })],
    [go('a', 'b')],
    {
      outputMapping: { x: 'state.x', y: 'state.y' },
    },
  );

  test.each([false, true])(
    'it is a new run that goes on with the state before the failure (keepKeys: %s)',
    async (keepKeys) => {
      const t = await host.open(scripted);
      const run = await launch(t, line, { from: 'user' });
      await answer(t, 'a', { x: 1 });
      await fail(t, 'b');
      await t.advance(0);
      await fail(t, 'b', new Error('broken'));
      expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'broken', attempts: 2 } });
      const before = await eventsOf(run);

      const again = await run.retry({ keepKeys });
      await t.settle();
      expect(again.id).not.toBe(run.id);
      expect((await eventsOf(again, 'workflow.started'))[0]).toMatchObject({
        retryOf: run.id,
        workflow: 'w',
        version: 1,
        input: { from: 'user' },
      });
      expect(callsAt(t, 'a')).toEqual([]);
      expect(callAt(t, 'b')).toMatchObject({
        runId: again.id,
        attempt: 1,
        input: { x: 1 },
        idempotencyKey: `${keepKeys ? run.id : again.id}/2`,
      });
      await answer(t, 'b', { y: 2 });
      expect(await ended(again)).toMatchObject({ status: 'completed', output: { x: 1, y: 2 } });
      // Terminal is final: the run that failed stays as it was.
      expect(await eventsOf(run)).toEqual(before);
    },
  );

  test('tokens that lived then are there again: waiting ones wait, those under way begin anew', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('b'), 'after'],
      [spawn('start', 'b', 3, 'g'), join('b', 'after', 'g', merge('_branch.output.value', 'state.all'))],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'b', [1]);
    await fail(t, 'b', new Error('no'), { index: 2 });
    const again = await run.retry();
    await t.settle();
    expect(callsAt(t, 'b').map(({ input, runId }) => [input['index'], runId])).toEqual([
      [0, again.id],
      [2, again.id],
    ]);
    await answerBranches(t, 'b', [2, 0]);
    expect(await ended(again)).toMatchObject({ status: 'completed' });
    expect(await stateOf(again)).toEqual({ all: ['v0', 'v1', 'v2'] });
    expect((await t.engine.audit()).problems).toEqual([]);
  });

  test('a retry can fail and be retried too', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [work('a')]));
    await fail(t, 'a');
    const second = await run.retry();
    await t.settle();
    await fail(t, 'a', new Error('again'));
    expect(await ended(second)).toMatchObject({ status: 'failed', error: { message: 'again' } });
    const third = await second.retry({ keepKeys: true });
    await t.settle();
    expect(callAt(t, 'a').idempotencyKey).toBe(`${second.id}/1`);
    await answer(t, 'a');
    expect(await ended(third)).toMatchObject({ status: 'completed' });
  });

  test('sub-runs that were waited for are started anew; waits keep their time', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner', { outputMapping: { 'output.y': 'result.y' } })]));
    const definition = workflow(
      'w',
      [
        'start',
        { id: 'call', workflow: 'child', outputMapping: { 'state.y': 'result.y' } },
        work('b'),
        { id: 'nap', wait: { seconds: 60 } },
      ],
      [go('start', 'call'), go('start', 'b'), go('start', 'nap')],
    );
    const run = await launch(t, definition);
    await t.advance(20_000);
    await fail(t, 'b');
    const again = await run.retry();
    await t.settle();
    await answer(t, 'b');
    await answer(t, 'inner', { y: 1 });
    expect(await visits(again)).toContain('nap:waiting_for_timer');
    await t.advance(40_000);
    expect(await ended(again)).toMatchObject({ status: 'completed' });
    expect(await stateOf(again)).toEqual({ y: 1 });
    expect((await t.engine.runs({ subRuns: true, parentRunId: again.id })).map(({ status }) => status)).toEqual([
      'completed',
    ]);
  });

  test('only a run that failed or timed out can be retried', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [work('a')], [], { timeoutMs: 1000 }));
    await expect(run.retry()).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    await expect(t.engine.run('nobody').retry()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await t.advance(1000);
    const again = await run.retry();
    await t.advance(999);
    await answer(t, 'a');
    expect(await ended(again)).toMatchObject({ status: 'completed' });
    await expect(again.retry()).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
  });
});

onEveryHost('the end of a run', (host) => {
  test('timeout: counts from the start, ends timed_out, cancels tokens and sub-runs', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [work('inner')]));
    const definition = workflow(
      'w',
      ['start', work('a'), { id: 'call', workflow: 'child' }, { id: 'nap', wait: { seconds: 9 } }],
      ['a', 'call', 'nap'].map((node) => go('start', node)),
      { timeoutMs: 5000 },
    );
    const run = await launch(t, definition);
    const calls = [callAt(t, 'a'), callAt(t, 'inner')];
    const childRunId = (await tokensAt(run, 'call'))[0]!.childRunId!;
    await t.advance(4999);
    expect(await run.status()).toBe('running');
    await t.advance(1);
    expect(await ended(run)).toMatchObject({ status: 'timed_out', error: { code: 'RUN_TIMED_OUT' } });
    expect(await visits(run)).toEqual(['start:completed', 'a:cancelled', 'call:cancelled', 'nap:cancelled']);
    expect(await t.engine.run(childRunId).status()).toBe('cancelled');
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('output: by the output mapping; what is missing is not written', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow('w', [keep('a', 'x')], [], {
        ...alarmsAreMeant,
        outputMapping: { 'deep.x': 'state.x', 'deep.y': 'input.y', gone: 'state.gone' },
      }),
      { y: 2 },
    );
    await answer(t, 'a', { x: 1 });
    expect(await run.result()).toEqual({
      runId: run.id,
      status: 'completed',
      output: { deep: { x: 1, y: 2 } },
      error: undefined,
    });
  });

  test('output: without a mapping the output section', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow('w', [work('a', { outputMapping: { 'output.x': 'result.x', 'state.y': 'result.x' } })]),
    );
    await answer(t, 'a', { x: 1 });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: 1 } });
  });

  test('output that does not fit its schema, or cannot be mapped, fails the run', async () => {
    const t = await host.open(scripted);
    const outputSchema = { type: 'object', required: ['x'], properties: { x: { type: 'number' } } };
    const invalid = await launch(
      t,
      workflow('w', [keep('a', 'x')], [], { outputMapping: { x: 'state.x' }, outputSchema }),
    );
    await answer(t, 'a', { x: 'text' });
    expect(await ended(invalid)).toMatchObject({
      status: 'failed',
      error: { code: 'OUTPUT_INVALID', message: expect.stringContaining('/x') },
    });
    const broken = await launch(t, workflow('v', [keep('a', 'x')], [], { outputMapping: { x: 'state.x * 2' } }));
    await answer(t, 'a', { x: 'text' });
    expect(await ended(broken)).toMatchObject({
      status: 'failed',
      error: { code: 'MAPPING_FAILED', message: expect.stringContaining('state.x * 2') },
    });
  });

  test('input that does not fit its schema starts nothing', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('w', [work('a')], [], { inputSchema: { type: 'object', required: ['url'] } }));
    await expect(t.engine.start('w', {})).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await t.engine.runs({ subRuns: true })).toEqual([]);
    expect((await t.engine.start('w', { url: 'x' })).id).toMatch(/^\w{26}(~[12])?$/);
  });

  test.each(['inputMapping', 'outputMapping'])(
    'an %s that fails is a failure of its node, and can be handled',
    async (mapping) => {
      const t = await host.open(scripted);
      const target = mapping === 'inputMapping' ? 'y' : 'state.y';
      const definition = workflow(
        'w',
        [
          work('a', { [mapping]: { [target]: 'input.x * 2' } }),
          work('b', { inputMapping: { code: 'state._last_error.code' } }),
        ],
        [go('a', 'b', { on: 'failure' })],
      );
      const run = await launch(t, definition, { x: 'text' });
      if (mapping === 'outputMapping') await answer(t, 'a');
      expect(callAt(t, 'b').input).toEqual({ code: 'MAPPING_FAILED' });
      await answer(t, 'b');
      expect(await ended(run)).toMatchObject({ status: 'completed' });
    },
  );

  test('cancel: tokens are cancelled, actions aborted; a second cancel and late results change nothing', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', ['start', work('b')], [spawn('start', 'b', 2, 'g')]));
    const calls = callsAt(t, 'b');
    expect(await run.cancel('changed my mind')).toEqual({ applied: true });
    expect(await ended(run)).toMatchObject({ status: 'cancelled', error: { message: 'changed my mind' } });
    await t.settle();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    const events = await eventsOf(run);
    expect(await run.cancel('again')).toEqual({ applied: false, reason: 'run has ended: cancelled' });
    calls[0]!.complete({});
    await t.settle();
    expect(await eventsOf(run)).toEqual(events);
    expect(events.at(-1)!.type).toBe('workflow.cancelled');
  });

  test('a run that fails within a command has its events in order, the terminal one last', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow(
        'w',
        ['start', 'b', 'c'],
        [each('start', 'b', 'input.items', 'g'), go('b', 'c', { condition: 'item == 1' })],
      ),
      { items: [1, 2] },
    );
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'NO_TRANSITION_MATCHED', nodeId: 'b' } });
    expect((await eventsOf(run)).filter(({ type }) => type.startsWith('workflow.')).map(({ type }) => type)).toEqual([
      'workflow.started',
      'workflow.failed',
    ]);
    expect((await eventsOf(run)).at(-1)!.type).toBe('workflow.failed');
  });
});

const sameRequest = { idempotencyKey: 'order-17' };

onEveryHost('idempotency keys of starts', (host) => {
  const definition: Fields = workflow('w', [work('a')]);

  test('the same key and request give the same run, also at the same time and after a restart', async () => {
    const first = await host.open(scripted);
    await register(first.engine, definition);
    const runs = await Promise.all([1, 2, 3, 4].map(() => first.engine.start('w', { a: 1, b: 2 }, sameRequest)));
    const ids = new Set(runs.map(({ id }) => id));
    expect(ids.size).toBe(1);
    const second = await host.restart(first, scripted);
    expect((await second.engine.start('w', { b: 2, a: 1 }, sameRequest)).id).toBe([...ids][0]);
    expect(await second.engine.runs({ subRuns: true })).toHaveLength(1);
    await second.settle();
    expect(callsAt(second, 'a')).toHaveLength(1);
    await answer(second, 'a');
    expect(await (await second.engine.start('w', { a: 1, b: 2 }, sameRequest)).status()).toBe('completed');
  });

  test('the same key with another workflow, version or input is refused', async () => {
    const t = await host.open(scripted);
    await register(t.engine, definition, { ...definition, id: 'v' });
    await t.engine.start('w', { a: 1 }, sameRequest);
    for (const again of [
      () => t.engine.start('w', { a: 2 }, sameRequest),
      () => t.engine.start('v', { a: 1 }, sameRequest),
      () => t.engine.start('w', { a: 1 }, { ...sameRequest, version: 1 }),
    ]) {
      await expect(again()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    }
    expect(await t.engine.runs({ subRuns: true })).toHaveLength(1);
  });

  test('a start that was refused does not use up its key', async () => {
    const t = await host.open(scripted);
    await register(t.engine, { ...definition, inputSchema: { type: 'object', required: ['url'] } });
    await expect(t.engine.start('w', {}, sameRequest)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await (await t.engine.start('w', { url: 'x' }, sameRequest)).status()).toBe('running');
  });

  test('without a key every start is a run', async () => {
    const t = await host.open(scripted);
    await register(t.engine, definition);
    const ids = [await t.engine.start('w'), await t.engine.start('w')].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});
