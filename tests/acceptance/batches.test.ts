import { expect, test } from 'vitest';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { batchFlow, inOrder, numbers, slices, sum, workOn } from './batches.testsuite.ts';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  ended,
  eventsOf,
  fail,
  go,
  launch,
  scripted,
  stateOf,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('batches', (host) => {
  test('[T172] a batch opens a group of its own, with a way for its slices and a way on', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 2 }), { xs: numbers(3) });
    expect(await eventsOf(run, 'fan_out.started')).toMatchObject([
      { name: 'batch', node: 'batch', total: 2, batch: 2, spawns: [{ node: 'process', count: 2 }] },
    ]);
    await workOn(t, [0, 1]);
    await workOn(t, [2]);
    expect(await visits(run)).toEqual([
      'load:completed',
      'batch:completed',
      'process:completed',
      'process:completed',
      'after:dispatched',
    ]);
  });

  test.each([
    [5, 2, [[0, 1], [2, 3], [4]]],
    [
      4,
      2,
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [3, 5, [[0, 1, 2]]],
    [3, 1, [[0], [1], [2]]],
    [3, 0, [[0, 1, 2]]],
  ])('[T173][T174][T175] %i items in slices of %i', async (count, batchSize, expected) => {
    const t = await host.open(scripted);
    await launch(t, batchFlow({ batchSize, parallelBatches: 10 }), { xs: numbers(count) });
    expect(slices(t)).toEqual(expected);
  });

  test('[T176] an empty list: the way for slices is not taken, the way on once', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 2 }), { xs: [] });
    expect(await visits(run)).toEqual(['load:completed', 'batch:completed', 'after:dispatched']);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { sums: [] } });
  });

  test('[T177][T178][T181] as many as may be are under way at once; the next begins as one ends', async () => {
    const t = await host.open(scripted);
    await launch(t, batchFlow({ batchSize: 1, parallelBatches: 3 }), { xs: numbers(6) });
    expect(slices(t)).toEqual([[0], [1], [2]]);
    await workOn(t, [1]);
    expect(slices(t)).toEqual([[0], [2], [3]]);
    await workOn(t, [3]);
    await workOn(t, [0]);
    expect(slices(t)).toEqual([[2], [4], [5]]);
    await workOn(t, [5]);
    expect(slices(t)).toEqual([[2], [4]]);
  });

  test('[T178] one at a time is the default', async () => {
    const t = await host.open(scripted);
    await launch(t, batchFlow({ batchSize: 1 }), { xs: numbers(3) });
    expect(slices(t)).toEqual([[0]]);
  });

  test('[T179][T180] each slice sees only its own part of the list, and which one it is', async () => {
    const t = await host.open(scripted);
    await launch(t, batchFlow({ batchSize: 2, parallelBatches: 2 }), { xs: numbers(3) });
    expect(callsAt(t, 'process').map(({ input }) => input)).toEqual([
      { xs: [0, 1], batch: { index: 0, count: 2, start: 0, end: 2, totalItems: 3 } },
      { xs: [2], batch: { index: 1, count: 2, start: 2, end: 3, totalItems: 3 } },
    ]);
  });

  test('[T179] what a slice writes is its own: neither its siblings nor the run see it', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        { id: 'batch', batch: { items: 'input.xs', batchSize: 1, parallelBatches: 2 } },
        work('process', { inputMapping: { xs: 'input.xs' }, outputMapping: { 'state.mine': 'result.mine' } }),
        work('look', { inputMapping: { xs: 'input.xs', mine: 'state.mine' } }),
        work('after', { inputMapping: { mine: 'state.mine' } }),
      ],
      [go('batch', 'process', { on: 'slice' }), go('process', 'look'), go('batch', 'after')],
      alarmsAreMeant,
    );
    const run = await launch(t, definition, { xs: ['a', 'b'] });
    await answer(t, 'process', { mine: 1 }, { xs: ['a'] });
    await answer(t, 'process', {}, { xs: ['b'] });
    expect(callsAt(t, 'look').map(({ input }) => input)).toEqual([{ xs: ['a'], mine: 1 }, { xs: ['b'] }]);
    await answer(t, 'look');
    await answer(t, 'look');
    expect(callsAt(t, 'after').map(({ input }) => input)).toEqual([{}]);
    expect(await stateOf(run)).toEqual({});
  });

  test('[T182] after the last slice the way on is taken exactly once, whatever the order', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 1, parallelBatches: 4 }), { xs: numbers(4) });
    for (const item of [3, 1, 0]) {
      await workOn(t, [item]);
      expect(await tokensAt(run, 'after')).toEqual([]);
    }
    await workOn(t, [2]);
    expect(await tokensAt(run, 'after')).toHaveLength(1);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { sums: [0, 1, 2, 3] } });
  });

  test('[T183] on the way on the list is whole again', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 2 }), { xs: numbers(3) });
    await inOrder(t);
    expect(callsAt(t, 'after').map(({ input }) => input)).toEqual([{ xs: [0, 1, 2], sums: [1, 2] }]);
    expect(await stateOf(run)).toEqual({ xs: [0, 1, 2], sums: [1, 2] });
  });

  test('[X22] 99 items, slices of 2, 8 at a time: the result is in the order of the list', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 2, parallelBatches: 8 }), { xs: numbers(99) });
    let most = 0;
    while (slices(t).length > 0) {
      most = Math.max(most, slices(t).length);
      await workOn(t, slices(t).at(-1) ?? []); // the newest first
    }
    expect(most).toBe(8);
    await answer(t, 'after');
    const expected = numbers(50).map((index) => sum(numbers(99).slice(index * 2, index * 2 + 2)));
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { sums: expected } });
  });

  test('[X22] a slice that fails fails the run, and nothing is merged', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 1, parallelBatches: 2 }), { xs: numbers(4) });
    await workOn(t, [0]);
    await fail(t, 'process', new Error('no'), { xs: [1] });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'no', nodeId: 'process' } });
    expect(await stateOf(run)).toEqual({ xs: numbers(4) });
    expect(slices(t)).toEqual([]); // what was under way is aborted
  });

  test('[X23] without a way for slices the batch only goes on', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [{ id: 'batch', batch: { items: 'input.xs', batchSize: 1 } }, 'after'],
      [go('batch', 'after')],
    );
    const run = await launch(t, definition, { xs: numbers(3) });
    expect(await visits(run)).toEqual(['batch:completed', 'after:completed']);
  });

  test('[X23] without a way on the run ends with what was merged', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        { id: 'batch', batch: { items: 'input.xs', merge: { strategy: 'append', target: 'output.all' } } },
        work('process'),
      ],
      [go('batch', 'process', { on: 'slice' })],
    );
    const run = await launch(t, definition, { xs: [1] });
    await answer(t, 'process', 'done');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { all: ['done'] } });
  });
});

onEveryHost('batches that go wrong', (host) => {
  test('tolerated failures end their slices; the others are merged', async () => {
    const t = await host.open(scripted);
    const slice = { onBranchFailure: 'end', maxFailures: 2 };
    const run = await launch(t, batchFlow({ batchSize: 1, parallelBatches: 4 }, slice), { xs: numbers(4) });
    await fail(t, 'process', new Error('no'), { xs: [2] });
    await workOn(t, [3]);
    await fail(t, 'process', new Error('no'), { xs: [0] });
    await workOn(t, [1]);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { sums: [1, 3] } });
  });

  test('without a list the node fails, and a transition may handle it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({}), { xs: 'abc' });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'BATCH_NOT_A_LIST', nodeId: 'batch' } });
  });

  test('[restart] retries inside a slice hold only that slice', async () => {
    const options = (node: object) => ({ ...node, retry: { maxAttempts: 2, initialDelayMs: 1_000 } });
    const base = batchFlow({ batchSize: 1, parallelBatches: 2 });
    const nodes = (base['nodes'] as { id: string }[]).map((node) => (node.id === 'process' ? options(node) : node));
    const first = await host.open(scripted);
    const { id } = await launch(first, { ...base, nodes }, { xs: numbers(3) });
    await fail(first, 'process', new Error('no'), { xs: [0] });
    await workOn(first, [1]);
    expect(slices(first)).toEqual([[2]]);
    await workOn(first, [2]);
    const second = await host.restart(first, scripted);
    expect(await second.engine.run(id).status()).toBe('waiting');
    await second.advance(1_000);
    await workOn(second, [0]);
    await answer(second, 'after');
    expect(await ended(second.engine.run(id))).toMatchObject({ status: 'completed', output: { sums: [0, 1, 2] } });
  });

  test('a retry of a run that failed in a slice goes on with that slice; the others are not done again', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 1 }), { xs: numbers(3) });
    await workOn(t, [0]);
    await fail(t, 'process', new Error('no'), { xs: [1] });
    const again = await run.retry();
    await t.settle();
    expect(slices(t)).toEqual([[1]]);
    await inOrder(t);
    await answer(t, 'after');
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { sums: [0, 1, 2] } });
  });

  test('cancelling a run whose batch waits aborts its slices', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 1, parallelBatches: 2 }), { xs: numbers(4) });
    const calls = callsAt(t, 'process');
    await run.cancel('enough');
    await t.settle();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(await visits(run)).toEqual(['load:completed', 'batch:cancelled', 'process:cancelled', 'process:cancelled']);
  });

  test('a paused run begins no further slices until it goes on', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batchFlow({ batchSize: 1 }), { xs: numbers(2) });
    await run.pause();
    await workOn(t, [0]);
    expect(slices(t)).toEqual([]);
    await run.resume();
    await t.settle();
    expect(slices(t)).toEqual([[1]]);
  });
});

onEveryHost('batches and restarts', (host) => {
  /** Works through the run with a restart after every answer. */
  async function throughRestarts(parallelBatches: number, restarts: boolean): Promise<unknown> {
    let t: TestEngine = await host.open(scripted);
    const { id } = await launch(t, batchFlow({ batchSize: 2, parallelBatches }), { xs: numbers(7) });
    for (let answered = 0; answered < 4; answered++) {
      await workOn(t, slices(t).at(answered % 2 === 0 ? -1 : 0) ?? []);
      if (restarts) {
        t = await host.restart(t, scripted);
        await t.settle();
      }
    }
    await answer(t, 'after');
    const run = t.engine.run(id);
    return [await ended(run), await stateOf(run), await visits(run)];
  }

  test.each([1, 2, 4])('[restart] a restart after every step changes nothing (%i at a time)', async (parallel) => {
    expect(await throughRestarts(parallel, true)).toEqual(await throughRestarts(parallel, false));
  });
});
