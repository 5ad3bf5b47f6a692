import { expect, test } from 'vitest';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost, problemsOf } from './hosts.testsuite.ts';
import {
  batch,
  choose,
  code,
  contextOf,
  contextsAt,
  contextsOf,
  edit,
  end,
  fanIn,
  fanOut,
  mappingsOf,
  standing,
  start,
  succeeded,
  thread,
  work,
  yields,
} from './thread.testsuite.ts';
import {
  answer,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
  launch,
  scripted,
  tokensAt,
  visits,
} from './token-engine.testsuite.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The action of each slice gets the slice and what is known of it. */
const slicing = {
  inputs: [...mappingsOf({ list: 'list' }), { to: 'batch', expression: '_batch' }],
};

/** A batch over `list` whose slices the test works on, and what comes afterwards. */
const batching = (batchSize?: number, parallelBatches?: number): Fields =>
  thread(
    'w',
    [
      start(),
      batch('slices', 'list', batchSize, parallelBatches),
      yields('process', 'output', slicing),
      edit('after', {}),
      end(),
    ],
    ['start->slices:process->process', 'slices:continue->after->end'],
  );

/** The slices that are being worked on, in the order in which they began. */
const underWay = (t: TestEngine): unknown[] => callsAt(t, 'process').map(({ input }) => input['list']);

/** Answers the slice that begins with a number by its own items. */
async function answerSlice(t: TestEngine, first: number): Promise<void> {
  const call = callsAt(t, 'process').find(({ input }) => (input['list'] as unknown[])[0] === first);
  call?.complete({ value: call.input['list'] });
  await t.settle();
}

onEveryHost('batches', (host) => {
  test('[T172] a batch makes a group with the node that processes and the node that continues', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(2, 1), { list: numbers(5) });
    const [owner] = await tokensAt(run, 'slices');
    const [process] = await tokensAt(run, 'process');
    expect(await contextOf(run, 'group')).toMatchObject({
      node: 'slices',
      ownerThread: owner?.id,
      processNode: 'process',
      continueNode: 'after',
      expectedCount: 3,
      arrivedCount: 0,
    });
    const { threads } = await run.threads();
    expect(threads.map(({ threadId, node, status }) => [threadId, node, status])).toEqual([
      [owner?.id, 'slices', 'waiting'],
      [process?.id, 'process', 'continued'],
    ]);
  });

  test.each<[string, number, number, number[][]]>([
    ['[T173][T174] in order, the last one shorter', 5, 2, [[0, 1], [2, 3], [4]]],
    [
      '[T173][T174] without a rest',
      4,
      2,
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ['[T174] one by one', 3, 1, [[0], [1], [2]]],
    ['[T174] larger than the list', 2, 10, [[0, 1]]],
    ['[T175] of size 0: one with the complete list', 3, 0, [[0, 1, 2]]],
  ])('slices %s', async (_, count, size, slices) => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(size, 10), { list: numbers(count) });
    expect(underWay(t)).toEqual(slices);
    for (const [first = 0] of slices) await answerSlice(t, first);
    expect(await ended(run)).toEqual(succeeded({ list: numbers(count), output: numbers(count) }));
  });

  test('[T175] size and parallel slices may be left out: the complete list, one at a time', async () => {
    const t = await host.open(scripted);
    await launch(t, batching(), { list: numbers(3) });
    expect(underWay(t)).toEqual([[0, 1, 2]]);
    const other = await host.open(scripted);
    await launch(other, batching(1), { list: numbers(3) });
    expect(underWay(other)).toEqual([[0]]);
  });

  test('[T176] an empty list skips the process and continues once', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(2, 2), { list: [], output: 'from before' });
    expect(await ended(run)).toEqual(succeeded({ list: [], output: 'from before' }));
    expect(await visits(run)).toEqual(['start:completed', 'slices:completed', 'after:completed', 'end:completed']);
  });

  test('[T177][T178][T181] as many as may be in parallel begin; as each ends the next one begins', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(1, 3), { list: numbers(6) });
    const seen = [underWay(t)];
    for (const first of [1, 0, 3, 2]) {
      await answerSlice(t, first);
      seen.push(underWay(t));
    }
    expect(seen).toEqual([
      [[0], [1], [2]],
      [[0], [2], [3]],
      [[2], [3], [4]],
      [[2], [4], [5]],
      [[4], [5]],
    ]);
    expect((await tokensAt(run, 'after')).length).toBe(0);
  });

  test('[T178] fewer slices than may be in parallel all begin at once', async () => {
    const t = await host.open(scripted);
    await launch(t, batching(1, 8), { list: numbers(2) });
    expect(underWay(t)).toEqual([[0], [1]]);
  });

  test('[T152][T177] slices that wait are listed with their items', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(10, 2), { list: numbers(45) });
    const look = async () => {
      const { pendingSlices, pendingCount, expectedCount, arrivedCount, mergedContext } = await contextOf(run, 'group');
      return { pendingSlices, pendingCount, expectedCount, arrivedCount, mergedContext };
    };
    const [three, four, five] = [
      { index: 2, start: 20, end: 30 },
      { index: 3, start: 30, end: 40 },
      { index: 4, start: 40, end: 45 },
    ];
    expect(await look()).toEqual({
      pendingSlices: [three, four, five],
      pendingCount: 5,
      expectedCount: 5,
      arrivedCount: 0,
      mergedContext: {},
    });
    await answerSlice(t, 10);
    expect(await look()).toEqual({
      pendingSlices: [four, five],
      pendingCount: 4,
      expectedCount: 5,
      arrivedCount: 1,
      mergedContext: { output: numbers(20).slice(10) },
    });
    await answerSlice(t, 0);
    expect(await look()).toMatchObject({ pendingSlices: [five], mergedContext: { output: numbers(20) } });
  });

  test('[T179] a slice sees its own list and the rest of the context, and changes nothing for others', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), batch('slices', 'deep.list', 1, 2), code('mark', 'context.deep.list[0]', 'mark'), work('process')],
      ['start->slices:process->mark->process'],
    );
    const input = { deep: { list: ['a', 'b'], other: 1 }, kept: true };
    const run = await launch(t, definition, input);
    const seen = ['a', 'b'].map((item) => ({ deep: { list: [item], other: 1 }, kept: true, mark: item }));
    expect(await contextsAt(run, 'process')).toEqual(seen);
    expect(t.script.calls.map((call) => call.input)).toEqual(seen);
    expect((await run.state()).state).toEqual(input);
  });

  test('[T180] a slice knows which one it is', async () => {
    const t = await host.open(scripted);
    await launch(t, batching(2, 3), { list: numbers(5) });
    expect(callsAt(t, 'process').map(({ input }) => input['batch'])).toEqual([
      { index: 0, count: 3, start: 0, end: 2, totalItems: 5 },
      { index: 1, count: 3, start: 2, end: 4, totalItems: 5 },
      { index: 2, count: 3, start: 4, end: 5, totalItems: 5 },
    ]);
  });

  test('[T180] outside of a batch nothing of that is there', async () => {
    const t = await host.open(scripted);
    const after = work('after', { inputs: [{ to: 'batch', expression: '_batch', optional: true }] });
    const nodes = [start(), batch('slices', 'list', 1, 1), edit('process', {}), after];
    await launch(t, thread('w', nodes, ['start->slices:process->process', 'slices:continue->after']), { list: [1] });
    expect(callsAt(t, 'after').map(({ input }) => input)).toEqual([{}]);
  });

  test.each([[[0, 2, 4]], [[4, 2, 0]], [[2, 4, 0]]])(
    '[T182] after the last one it continues exactly once, whatever their order: %s',
    async (order) => {
      const t = await host.open(scripted);
      const run = await launch(t, batching(2, 3), { list: numbers(5) });
      const continued: number[] = [];
      for (const first of order) {
        await answerSlice(t, first);
        continued.push((await tokensAt(run, 'after')).length);
      }
      expect(continued).toEqual([0, 0, 1]);
      expect(await ended(run)).toEqual(succeeded({ list: numbers(5), output: numbers(5) }));
      expect(await eventsOf(run, 'batch.completed')).toMatchObject([{ slices: 3, output: numbers(5) }]);
    },
  );

  test('[T182] also if nothing is to be waited for on the way', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        batch('slices', 'list', 1, 2),
        code('process', 'context.list[0] * 2'),
        code('after', 'size(context.output)', 'n'),
      ],
      ['start->slices:process->process', 'slices:continue->after'],
    );
    const run = await launch(t, definition, { list: [1, 2, 3] });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2, 3], output: [2, 4, 6], n: 3 }));
    expect((await tokensAt(run, 'after')).length).toBe(1);
  });

  test('[T183] the list is intact afterwards, whatever slices do to theirs', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        batch('slices', 'list', 1, 1),
        choose('if', 'first: _batch.index == 0', 'other'),
        edit('write', { list: 'gone' }),
        edit('delete', {}, ['list']),
        end(),
      ],
      ['start->slices:process->if:first->write', 'if:other->delete', 'slices:continue->end'],
    );
    expect(await ended(await launch(t, definition, { list: [1, 2] }))).toEqual(succeeded({ list: [1, 2] }));
  });

  test.each<[string, Fields, string]>([
    ['is missing', {}, 'nothing'],
    ['is something else', { list: { 0: 1 } }, 'an object'],
  ])('a list that %s fails the run, in the words of the dialect', async (_, input, found) => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(1, 1), input);
    expect((await ended(run)).error).toMatchObject({
      code: 'BATCH_NOT_A_LIST',
      nodeId: 'slices',
      message: `Expected a list at context.list for the batch of node slices, but found ${found}`,
    });
  });

  test.each([-1, 1.5, 'two'])('a batch size of %s is refused', async (batchSize) => {
    const t = await host.open();
    const definition = thread(
      'w',
      [start(), { id: 'b', type: 'batch', items: 'list', batchSize, parallelBatches: 0 }],
      ['start->b'],
    );
    const pointers = (await problemsOf(t, definition)).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/nodes/1/batchSize', '/nodes/1/parallelBatches']);
  });

  test('a batch in a loop makes its slices anew in every round', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        batch('slices', 'list', 1, 1),
        code('process', '[context.list[0] * 2]'),
        code('next', 'context.output', 'list'),
        choose('if', 'again: context.list[0] < 8', 'done'),
        end({ list: 'list' }),
      ],
      ['start->slices:process->process', 'slices:continue->next->if:again->slices', 'if:done->end'],
    );
    const run = await launch(t, definition, { list: [1, 3] });
    expect(await ended(run)).toEqual(succeeded({ list: [8, 24] }));
    expect((await tokensAt(run, 'process')).length).toBe(6);
  });

  test('a batch inside a batch: each slice has its own, and its own place', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        batch('rows', 'rows', 1, 2),
        code('row', 'context.rows[0]', 'row'),
        batch('cells', 'row', 1, 1),
        yields('cell', 'output', { inputs: [...mappingsOf({ row: 'row' }), { to: 'at', expression: '_batch.index' }] }),
        end(),
      ],
      ['start->rows:process->row->cells:process->cell', 'rows:continue->end'],
    );
    const run = await launch(t, definition, { rows: [['a', 'b'], ['c'], ['d', 'e']] });
    const seen: unknown[] = [];
    for (let calls = callsAt(t, 'cell'); calls.length > 0; calls = callsAt(t, 'cell')) {
      seen.push(calls.map(({ input }) => input));
      const last = calls.at(-1);
      last?.complete({ value: (last.input['row'] as string[])[0]?.toUpperCase() });
      await t.settle();
    }
    expect(seen).toEqual([
      [
        { row: ['a'], at: 0 },
        { row: ['c'], at: 0 },
      ],
      [
        { row: ['a'], at: 0 },
        { row: ['d'], at: 0 },
      ],
      [
        { row: ['a'], at: 0 },
        { row: ['e'], at: 1 },
      ],
      [{ row: ['a'], at: 0 }],
      [{ row: ['b'], at: 1 }],
    ]);
    const { output } = (await ended(run)).output as { output: unknown };
    expect(output).toEqual(['A', 'B', 'C', 'D', 'E']);
  });
});

onEveryHost('what batches come to', (host) => {
  test('[X22] 99 items, two by two, eight in parallel: merged in their order, and seen afterwards', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        batch('slices', 'list', 2, 8),
        yields('process', 'output', slicing),
        code('after', 'context.output == context.list', 'same'),
      ],
      ['start->slices:process->process', 'slices:continue->after'],
    );
    const run = await launch(t, definition, { list: numbers(99) });
    const peaks = new Set<number>();
    for (let calls = callsAt(t, 'process'); calls.length > 0; calls = callsAt(t, 'process')) {
      peaks.add(calls.length);
      // The youngest first, so that the order of their ends is not that of the list.
      const last = calls.at(-1);
      last?.complete({ value: last.input['list'] });
      await t.settle();
    }
    expect(Math.max(...peaks)).toBe(8);
    expect(await ended(run)).toEqual(succeeded({ list: numbers(99), output: numbers(99), same: true }));
    expect((await tokensAt(run, 'process')).length).toBe(50);
  });

  test('[X22] a slice that fails, fails the run and merges nothing; the others are called off', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, batching(1, 2), { list: [0, 1, 2, 3] });
    await answerSlice(t, 0);
    const [other] = callsAt(t, 'process', { list: [2] });
    await fail(t, 'process', new Error('boom'), { list: [1] });
    expect((await ended(run)).error).toMatchObject({ nodeId: 'process', message: expect.stringContaining('boom') });
    expect([await standing(run), other?.signal.aborted, underWay(t)]).toEqual(['Failed', true, []]);
    expect((await run.state()).state).toEqual({ list: [0, 1, 2, 3] });
    expect(await eventsOf(run, 'batch.completed', 'branches.merged')).toEqual([]);
    expect((await visits(run)).slice(1)).toEqual([
      'slices:cancelled',
      'process:completed',
      'process:failed',
      'process:cancelled',
    ]);
  });

  test('[X22] slices without output merge nothing, and what else they write is dropped', async () => {
    const t = await host.open();
    const nodes = [start(), batch('slices', 'list', 1, 2), edit('process', { processed: true })];
    const run = await launch(t, thread('w', nodes, ['start->slices:process->process']), { list: [1, 2], output: 0 });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2], output: 0 }));
  });

  test('[X22] one slice alone keeps its scalar; objects merge by key', async () => {
    const t = await host.open();
    const by = (expression: string) =>
      thread(
        'w',
        [start(), batch('slices', 'list', 1, 2), code('process', expression)],
        ['start->slices:process->process'],
      );
    expect((await ended(await launch(t, by('context.list[0]'), { list: [7] }))).output).toEqual({
      list: [7],
      output: 7,
    });
    const objects = by("_batch.index == 0 ? {'n': context.list[0], 'first': true} : {'n': context.list[0]}");
    expect((await ended(await launch(t, objects, { list: [7, 8] }))).output).toEqual({
      list: [7, 8],
      output: { n: [7, 8], first: true },
    });
  });

  test('[X23] with the process not connected it only continues', async () => {
    const t = await host.open();
    const nodes = [start(), batch('slices', 'list', 1, 1), edit('after', { after: true })];
    const run = await launch(t, thread('w', nodes, ['start->slices:continue->after']), { list: [1, 2] });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2], after: true }));
    expect(await visits(run)).toEqual(['start:completed', 'slices:completed', 'after:completed']);
  });

  test('[X23] with nothing connected it does nothing', async () => {
    const t = await host.open();
    const run = await launch(t, thread('w', [start(), batch('slices', 'list')], ['start->slices']), { list: [1] });
    expect(await ended(run)).toEqual(succeeded({ list: [1] }));
  });

  test('[X23] with the continue not connected it ends with the merged context', async () => {
    const t = await host.open();
    const nodes = [start(), batch('slices', 'list', 2, 2), code('process', 'context.list')];
    const run = await launch(t, thread('w', nodes, ['start->slices:process->process']), { list: [1, 2, 3] });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2, 3], output: [1, 2, 3] }));
    expect(await contextsOf(run, 'group')).toEqual([]);
  });

  const fanning = (...more: readonly string[]): Fields =>
    thread(
      'w',
      [
        start(),
        batch('slices', 'list', 2, 1),
        fanOut('fan', 'l', 'r'),
        yields('left', 'output', slicing),
        yields('right', 'output', slicing),
        fanIn('meet'),
        end(),
      ],
      ['start->slices:process->fan:l->left', 'fan:r->right', 'slices:continue->end', ...more],
    );

  test('[X23] a fan-out inside the process: both paths run, and meet within their slice', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fanning('left->meet', 'right->meet'), { list: [1, 2, 3] });
    await answer(t, 'right', { value: 'r1' });
    await answer(t, 'left', { value: 'l1' });
    await answer(t, 'left', { value: 'l2' });
    await answer(t, 'right', { value: 'r2' });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2, 3], output: ['l1', 'r1', 'l2', 'r2'] }));
  });

  test('[X23] without a fan-in the path that ends last counts for its slice', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fanning(), { list: [1, 2, 3] });
    await answer(t, 'right', { value: 'r1' });
    await answer(t, 'left', { value: 'l1' });
    await answer(t, 'left', { value: 'l2' });
    await answer(t, 'right', { value: 'r2' });
    expect(await ended(run)).toEqual(succeeded({ list: [1, 2, 3], output: ['l1', 'r2'] }));
  });

  test('[X23] an end inside the process makes the result, which a later end replaces', async () => {
    const t = await host.open();
    const nodes = [start(), batch('slices', 'list', 1, 1), end({ list: 'list' }, 'inside')];
    const inside = ['start->slices:process->inside'];
    const run = await launch(t, thread('w', nodes, inside), { list: [1, 2] });
    expect(await ended(run)).toEqual(succeeded({ list: [2] }));
    const later = await launch(t, thread('w', [...nodes, end()], [...inside, 'slices:continue->end']), {
      list: [1, 2],
    });
    expect(await ended(later)).toEqual(succeeded({ list: [1, 2] }));
  });

  test('[X17] nobody leaves a slice by a fan-in outside', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [start(), fanOut('fan', 'x', 'y'), batch('slices', 'list', 1, 1), edit('other', {}), fanIn('meet')],
      ['start->fan:x->slices:process->meet', 'fan:y->other->meet'],
    );
    const run = await launch(t, definition, { list: [1] });
    expect((await ended(run)).error).toMatchObject({ code: 'FAN_IN_WITHOUT_FAN_OUT', nodeId: 'meet' });
  });
});
