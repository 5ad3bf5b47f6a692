import { expect, test } from 'vitest';
import { batchFlow, inOrder, numbers } from './batches.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, asks, say } from './prompts.testsuite.ts';
import {
  answer,
  callsAt,
  each,
  ended,
  type Fields,
  go,
  join,
  launch,
  merge,
  register,
  scripted,
  stateOf,
  work,
  workflow,
} from './token-engine.testsuite.ts';

/** A batch over `input.xs` whose slices give `state.out`; the list of those is the output. */
const batch = (more: Fields = {}, id = 'batch'): Fields => ({
  id,
  batch: { items: 'input.xs', batchSize: 1, merge: { source: '_branch.output.out', strategy: 'append' }, ...more },
  outputMapping: { 'output.all': 'result', 'state.out': 'result' },
});

const slice = (from: string, to: string): Fields => go(from, to, { on: 'slice' });

const process = work('process', {
  inputMapping: { xs: 'input.xs', ys: 'state.?ys' },
  outputMapping: { 'state.out': 'result.out' },
});

onEveryHost('batches inside others', (host) => {
  test('[restart] a batch in a batch: each slice of the outer one is cut again', async () => {
    const first = await host.open(scripted);
    const definition = workflow(
      'w',
      [batch({ batchSize: 3, parallelBatches: 2 }, 'outer'), batch({ batchSize: 2 }, 'inner'), process],
      [slice('outer', 'inner'), slice('inner', 'process')],
    );
    const { id } = await launch(first, definition, { xs: numbers(5) });
    expect(callsAt(first, 'process').map(({ input }) => input)).toEqual([{ xs: [0, 1] }, { xs: [3, 4] }]);
    await answer(first, 'process', { out: 'b' }, { xs: [3, 4] });
    const second = await host.restart(first, scripted);
    await second.settle();
    await answer(second, 'process', { out: 'a1' }, { xs: [0, 1] });
    await answer(second, 'process', { out: 'a2' }, { xs: [2] });
    expect(await ended(second.engine.run(id))).toMatchObject({
      status: 'completed',
      output: { all: [['a1', 'a2'], ['b']] },
    });
  });

  test('[restart] a batch in every branch of a fan-out, over a list of its own', async () => {
    const first = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', { id: 'copy', outputMapping: { 'state.ys': 'item' } }, batch({ items: 'state.ys' }), process, 'end'],
      [
        each('start', 'copy', 'input.lists', 'g'),
        go('copy', 'batch'),
        slice('batch', 'process'),
        join('batch', 'end', 'g', merge('_branch.output.out', 'state.all')),
      ],
    );
    const { id } = await launch(first, definition, { lists: [['a', 'b'], [], ['c']] });
    expect(callsAt(first, 'process').map(({ input }) => input)).toEqual([{ ys: ['a'] }, { ys: ['c'] }]);
    await answer(first, 'process', { out: 'A' }, { ys: ['a'] });
    const second = await host.restart(first, scripted);
    await second.settle();
    await answer(second, 'process', { out: 'C' }, { ys: ['c'] });
    await answer(second, 'process', { out: 'B' }, { ys: ['b'] });
    expect(await stateOf(second.engine.run(id))).toEqual({ all: [['A', 'B'], [], ['C']] });
  });

  test('[X23] a fan-out inside a slice, joined in it', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        batch({ batchSize: 2, parallelBatches: 2 }),
        'start',
        work('process', { inputMapping: { item: 'item' }, outputMapping: { 'state.one': 'result.out' } }),
        'end',
      ],
      [
        slice('batch', 'start'),
        each('start', 'process', 'input.xs', 'g'),
        join('process', 'end', 'g', merge('_branch.output.one', 'state.out')),
      ],
    );
    const run = await launch(t, definition, { xs: numbers(5) });
    for (const item of [3, 0, 2, 1, 4]) await answer(t, 'process', { out: item * 10 }, { item });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { all: [[0, 10], [20, 30], [40]] } });
  });

  test('a batch in a loop begins anew each round', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow(
        'w',
        [batch(), process, work('judge'), 'done'],
        [
          slice('batch', 'process'),
          go('batch', 'judge'),
          go('judge', 'batch', { condition: 'result.again', loop: { maxIterations: 3 } }),
          go('judge', 'done', { priority: 2 }),
        ],
      ),
      { xs: ['x', 'y'] },
    );
    for (const again of [true, false]) {
      for (const x of ['x', 'y']) await answer(t, 'process', { out: `${x}${again}` }, { xs: [x] });
      await answer(t, 'judge', { again });
    }
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { all: ['xfalse', 'yfalse'] } });
  });

  test('edge joins work inside each slice for itself', async () => {
    const t = await host.open(scripted);
    const edges = { synchronization: { over: 'edges', require: 'all' } };
    const run = await launch(
      t,
      workflow(
        'w',
        [batch({ parallelBatches: 2 }), 'start', process, work('beside', { inputMapping: { xs: 'input.xs' } }), 'both'],
        [
          slice('batch', 'start'),
          go('start', 'process'),
          go('start', 'beside'),
          go('process', 'both', edges),
          go('beside', 'both', edges),
        ],
      ),
      { xs: [1, 2] },
    );
    await answer(t, 'process', { out: 'p2' }, { xs: [2] });
    await answer(t, 'beside', {}, { xs: [1] });
    await answer(t, 'beside', {}, { xs: [2] });
    expect(await run.status()).toBe('running');
    await answer(t, 'process', { out: 'p1' }, { xs: [1] });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { all: ['p1', 'p2'] } });
  });
});

onEveryHost('batches that wait', (host) => {
  const child = workflow(
    'child',
    [work('inner', { inputMapping: { x: 'input.x' }, outputMapping: { 'output.y': 'result.y' } })],
    [],
  );
  const calling = (parallelBatches: number) =>
    workflow(
      'w',
      [
        batch({ parallelBatches }),
        {
          id: 'sub',
          workflow: 'child',
          inputMapping: { x: 'input.xs[0]' },
          outputMapping: { 'state.out': 'result.y' },
        },
      ],
      [slice('batch', 'sub')],
    );

  test('[X24][restart] four sub-runs at once in a batch, each slice its own', async () => {
    const first = await host.open(scripted);
    await register(first.engine, child);
    const { id } = await launch(first, calling(4), { xs: ['a', 'b', 'c', 'd', 'e'] });
    expect(callsAt(first, 'inner').map(({ input }) => input['x'])).toEqual(['a', 'b', 'c', 'd']);
    await answer(first, 'inner', { y: 'C' }, { x: 'c' });
    expect(callsAt(first, 'inner').map(({ input }) => input['x'])).toEqual(['a', 'b', 'd', 'e']);
    const second = await host.restart(first, scripted);
    await second.settle();
    for (const x of ['e', 'a', 'd', 'b']) await answer(second, 'inner', { y: x.toUpperCase() }, { x });
    expect(await ended(second.engine.run(id))).toMatchObject({
      status: 'completed',
      output: { all: ['A', 'B', 'C', 'D', 'E'] },
    });
  });

  test('a batch inside a sub-run', async () => {
    const t = await host.open(scripted);
    await register(t.engine, { ...batchFlow({ batchSize: 2 }), id: 'child' });
    const run = await launch(
      t,
      workflow('w', [
        {
          id: 'sub',
          workflow: 'child',
          inputMapping: { xs: 'input.xs' },
          outputMapping: { 'output.sums': 'result.sums' },
        },
      ]),
      { xs: numbers(5) },
    );
    await inOrder(t);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { sums: [1, 5, 4] } });
  });

  test('[restart] prompts in slices: the run is suspended until people have answered', async () => {
    const first = await host.open(scripted);
    const definition = workflow(
      'w',
      [batch({ parallelBatches: 2 }), asks('ask', true, { outputMapping: { 'state.out': 'result.ok' } })],
      [slice('batch', 'ask')],
    );
    const { id } = await launch(first, definition, { xs: ['a', 'b', 'c'] });
    const run = first.engine.run(id);
    expect([await run.status(), await asking(run)]).toEqual(['suspended', ['ask', 'ask']]);
    await say(first, run, 'ask', { ok: 1 });
    const second = await host.restart(first, scripted);
    await second.settle();
    const again = second.engine.run(id);
    expect([await again.status(), await asking(again)]).toEqual(['suspended', ['ask', 'ask']]);
    await say(second, again, 'ask', { ok: 1 });
    await say(second, again, 'ask', { ok: 1 });
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { all: [1, 1, 1] } });
  });

  test('[restart] waits in slices are durable, and the slices end in the order of their times', async () => {
    const first = await host.open(scripted);
    const definition = workflow(
      'w',
      [
        batch({ parallelBatches: 2 }),
        { id: 'nap', wait: { seconds: 'input.xs[0]' }, outputMapping: { 'state.out': 'input.xs[0]' } },
      ],
      [slice('batch', 'nap')],
    );
    const { id } = await launch(first, definition, { xs: [30, 10, 5] });
    await first.advance(10_000);
    const second = await host.restart(first, scripted);
    await second.settle();
    expect(await second.engine.run(id).status()).toBe('waiting');
    await second.advance(5_000);
    await second.advance(15_000);
    expect(await ended(second.engine.run(id))).toMatchObject({ status: 'completed', output: { all: [30, 10, 5] } });
  });
});
