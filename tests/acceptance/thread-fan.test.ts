import { describe, expect, test } from 'vitest';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { say } from './prompts.testsuite.ts';
import {
  ask,
  choose,
  code,
  contextOf,
  contextsAt,
  contextsOf,
  type DrawnNode,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  mappingsOf,
  meeting,
  row,
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
  launch,
  register,
  scripted,
  tokensAt,
  visits,
} from './token-engine.testsuite.ts';

/** A fan-out and a fan-in around these nodes. */
const fan = (...branches: readonly DrawnNode[]): Fields => meeting(branches, end());

onEveryHost('fan-out', (host) => {
  test('[T160][T164] every connected output is a branch; those that are not connected are ignored', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), fanOut('fan', 'a', 'b', 'c', 'd'), yields('x'), yields('y'), fanIn('meet'), end()],
      ['start->fan:b->x->meet', 'fan:d->y->meet', 'meet->end'],
    );
    const run = await launch(t, definition);
    expect(await contextOf(run, 'group')).toMatchObject({ node: 'fan', expectedCount: 2, arrivedCount: 0 });
    await answer(t, 'x', { value: 1 });
    await answer(t, 'y', { value: 2 });
    expect(await ended(run)).toEqual(succeeded({ output: [1, 2] }));
  });

  test('[T160] outputs that are not declared are those that connectors name', async () => {
    const t = await host.open(scripted);
    const nodes = [start(), fanOut('fan'), work('x'), work('y')];
    const run = await launch(t, thread('w', nodes, ['start->fan:some->x', 'fan:other->y']));
    expect((await contextOf(run, 'group')).expectedCount).toBe(2);
  });

  test('[T165] with no output connected it is done at once', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, thread('w', [start(), fanOut('fan', 'a', 'b')], ['start->fan']), { kept: 1 });
    expect(await ended(run)).toEqual(succeeded({ kept: 1 }));
    expect(await visits(run)).toEqual(['start:completed', 'fan:completed']);
    const inside = thread(
      'w',
      [start(), fanOut('outer', 'a', 'b'), fanOut('inner', 'c'), yields('x'), fanIn('meet'), end()],
      ['start->outer:a->inner', 'outer:b->x->meet', 'meet->end'],
    );
    const nested = await launch(t, inside);
    await answer(t, 'x', { value: 1 });
    expect(await ended(nested)).toEqual(succeeded({ output: 1 }));
  });

  test('[T161] the branches are in the context of the group, which the thread that fanned out owns', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan(work('a'), work('b')));
    const [owner] = await tokensAt(run, 'fan');
    const group = await contextOf(run, 'group');
    expect([group.ownerThread, group.parentId]).toEqual([owner?.id, run.id]);
    const { threads } = await run.threads();
    expect(threads.map(({ node, contextId }) => [node, contextId])).toEqual([
      ['a', group.contextId],
      ['b', group.contextId],
    ]);
  });

  test('[T156][X17] branches have contexts of their own: nothing leaks to siblings or to the parent', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        edit('one', { 'deep.a': 1, mine: 'one' }, ['shared']),
        edit('two', { 'deep.b': 2 }),
        work('a'),
        work('b'),
        fanIn('meet'),
        end(),
      ],
      ['start->fan:x->one->a->meet', 'fan:y->two->b->meet', 'meet->end'],
    );
    const input = { deep: { c: 3 }, shared: true };
    const run = await launch(t, definition, input);
    const seen = [
      { deep: { a: 1, c: 3 }, mine: 'one' },
      { deep: { b: 2, c: 3 }, shared: true },
    ];
    expect([...(await contextsAt(run, 'a')), ...(await contextsAt(run, 'b'))]).toEqual(seen);
    expect([callsAt(t, 'a')[0]?.input, callsAt(t, 'b')[0]?.input]).toEqual(seen);
    expect((await run.state()).state).toEqual(input);
    await answer(t, 'a');
    await answer(t, 'b');
    expect(await ended(run)).toEqual(succeeded(input));
  });

  test.each<[string, Fields, readonly DrawnNode[], unknown]>([
    ['a key, and removes it', {}, [edit('1', { 'a.b': 1 }), edit('2', {}, ['a.b'])], { a: {} }],
    [
      'a key where a text was, and removes it',
      { a: 'x' },
      [edit('1', { 'a.b': 1 }), edit('2', {}, ['a.b'])],
      { a: {} },
    ],
    [
      'a key beside others, and removes it',
      { a: { c: 1 } },
      [edit('1', { 'a.b': 1 }), edit('2', {}, ['a.b'])],
      { a: { c: 1 } },
    ],
    [
      'an object, and removes a key of it',
      { a: { d: 1 } },
      [edit('1', { a: { b: 1, c: 2 } }), edit('2', {}, ['a.b'])],
      { a: { c: 2 } },
    ],
    ['below what it has removed', { a: { c: 1 } }, [edit('1', {}, ['a']), edit('2', { 'a.b': 1 })], { a: { b: 1 } }],
    ['nothing, and removes what is not there', { a: 1 }, [edit('1', {}, ['a.b.c', 'x.y'])], { a: 1 }],
  ])(
    '[T156][T143] a branch sees of its own edits what it would see outside: it writes %s',
    async (_, input, edits, seen) => {
      const t = await host.open(scripted);
      const outside = await launch(t, row('w', start(), ...edits, work('look')), input);
      const path = ['start->fan:x', ...edits.map(({ id }) => id), 'look', 'meet'].join('->');
      const nodes = [start(), fanOut('fan', 'x'), ...edits, work('look'), fanIn('meet')];
      const inside = await launch(t, thread('v', nodes, [path]), input);
      expect([await contextsAt(outside, 'look'), await contextsAt(inside, 'look')]).toEqual([[seen], [seen]]);
    },
  );

  test('[T157] a thread has no counters: what is counted is in the context of the group', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan(yields('a'), yields('b')));
    await answer(t, 'a', { value: 1 });
    const { threads } = await run.threads();
    for (const found of threads) {
      expect(Object.keys(found).toSorted()).toEqual(['context', 'contextId', 'node', 'status', 'threadId']);
    }
    expect(await contextOf(run, 'group')).toMatchObject({ expectedCount: 2, arrivedCount: 1, pendingCount: 1 });
  });

  describe('without a fan-in', () => {
    const open = thread(
      'w',
      [start(), fanOut('fan', 'x', 'y'), yields('a', 'v.a'), yields('b', 'v.b'), edit('mark', { last: 'b' }, ['old'])],
      ['start->fan:x->a', 'fan:y->b->mark'],
    );

    test.each<[string[], unknown]>([
      [['a', 'b'], { v: { b: 'b' }, last: 'b', kept: 1 }],
      [['b', 'a'], { v: { a: 'a' }, old: 1, kept: 1 }],
    ])('[T166] the context of the branch that ends last wins: %s', async (order, output) => {
      const t = await host.open(scripted);
      const run = await launch(t, open, { old: 1, kept: 1 });
      for (const node of order) await answer(t, node, { value: node });
      expect(await ended(run)).toEqual(succeeded(output));
    });

    test('[T166] also of a fan-out inside a branch: what it comes to is merged further out', async () => {
      const t = await host.open(scripted);
      const definition = thread(
        'w',
        [
          start(),
          fanOut('outer', 'x', 'y'),
          fanOut('inner', 'l', 'r'),
          yields('a'),
          yields('b'),
          yields('c'),
          fanIn('meet'),
          end(),
        ],
        ['start->outer:x->inner:l->a', 'inner:r->b', 'outer:y->c->meet', 'meet->end'],
      );
      const run = await launch(t, definition);
      for (const node of ['b', 'a', 'c']) await answer(t, node, { value: node });
      // The branch with the inner fan-out did not come to the fan-in: it ended elsewhere.
      expect(await ended(run)).toEqual(succeeded({ output: 'c' }));
    });
  });
});

onEveryHost('fan-in', (host) => {
  test.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]])(
    '[T162][T168] it releases the parent when all have come, once, whatever their order: %s',
    async (order) => {
      const t = await host.open(scripted);
      const run = await launch(t, fan(yields('a'), yields('b'), yields('c')));
      const seen: unknown[] = [];
      for (const node of order) {
        seen.push([(await contextOf(run, 'group')).arrivedCount, (await tokensAt(run, 'end')).length]);
        await answer(t, node, { value: node.toUpperCase() });
      }
      expect(seen).toEqual([
        [0, 0],
        [1, 0],
        [2, 0],
      ]);
      expect(await ended(run)).toEqual(succeeded({ output: ['A', 'B', 'C'] }));
      expect((await tokensAt(run, 'end')).length).toBe(1);
      expect(await eventsOf(run, 'fan_in.completed')).toMatchObject([{ branches: 3, timedOut: false }]);
    },
  );

  test('[T162] until the last has come, in whatever order and across restarts, nothing behind it begins', async () => {
    const nodes = [start(), fanOut('fan', 'x', 'y', 'z'), ...['a', 'b1', 'b2', 'c1', 'c2', 'c3'].map((id) => work(id))];
    const ways = ['start->fan:x->a->meet', 'fan:y->b1->b2->meet', 'fan:z->c1->c2->c3->meet', 'meet->after'];
    const definition = thread('w', [...nodes, fanIn('meet'), work('after')], ways);
    for (const order of [
      ['a', 'b1', 'b2', 'c1', 'c2', 'c3'],
      ['c1', 'c2', 'c3', 'b1', 'b2', 'a'],
      ['b1', 'c1', 'a', 'c2', 'c3', 'b2'],
    ]) {
      let t = await host.open(scripted);
      const { id } = await launch(t, definition);
      const arrived: number[] = [];
      for (const [index, node] of order.entries()) {
        const run = t.engine.run(id);
        // The parent is held: it has come no further than its fan-out, and the run goes on only in the branches.
        const { parentId, arrivedCount } = (await contextsOf(run, 'group'))[0] ?? {};
        expect(parentId).toBe(id);
        arrived.push(arrivedCount ?? -1);
        expect(await eventsOf(run, 'fan_in.completed')).toEqual([]);
        expect([await tokensAt(run, 'after'), callsAt(t, 'after'), await standing(run)]).toEqual([[], [], 'Running']);
        if (index % 2 === 1) {
          t = await host.restart(t, scripted);
          await t.settle();
        }
        await answer(t, node);
      }
      const last = new Set(['a', 'b2', 'c3']);
      expect(arrived).toEqual(order.map((_, index) => order.slice(0, index).filter((node) => last.has(node)).length));
      // The last arrival releases it, once.
      const run = t.engine.run(id);
      expect(await contextsOf(run, 'group')).toEqual([]);
      expect(await eventsOf(run, 'fan_in.completed')).toMatchObject([{ branches: 3, timedOut: false }]);
      expect([(await tokensAt(run, 'after')).length, callsAt(t, 'after').length]).toEqual([1, 1]);
      await answer(t, 'after');
      expect(await standing(run)).toBe('Success');
    }
  });

  /** What two branches come to that leave these values in `output` (undefined: nothing). */
  async function merged(h: AcceptanceHost, input: Fields, ...values: readonly unknown[]): Promise<unknown> {
    const t = await h.open();
    const branches = values.map((value, index) => edit(`b${index}`, value === undefined ? {} : { output: value }));
    return (await ended(await launch(t, fan(...branches), input))).output;
  }

  test.each<[string, unknown[], unknown]>([
    ['[T167] one scalar alone stays a scalar', [42, undefined], 42],
    ['[T167] of one branch alone too', [42], 42],
    ['[T167] one list alone stays as it is', [undefined, [1, [2]]], [1, [2]]],
    ['[T168] scalars become a list', ['a', 1, null, false], ['a', 1, null, false]],
    ['[T169] a list and a scalar become one list', [[1, 2], 3], [1, 2, 3]],
    ['[T169] a scalar and a list too', [1, [2, 3]], [1, 2, 3]],
    ['[T169] two lists too', [[1], [], [2, 3]], [1, 2, 3]],
    ['[T170] keys of objects are joined', [{ a: 1 }, { b: { c: 2 } }, { b: { d: 3 } }], { a: 1, b: { c: 2, d: 3 } }],
    [
      '[T170] and their values by the same rules, at any depth',
      [{ a: { b: 1, c: [1] } }, { a: { b: 2, c: 2 } }, { a: { b: [3], d: 4 } }],
      { a: { b: [1, 2, 3], c: [1, 2], d: 4 } },
    ],
  ])('%s', async (_, values, output) => {
    expect(await merged(host, {}, ...values)).toEqual({ output });
  });

  test('[T170] branches that write below `output` are merged by path', async () => {
    const t = await host.open();
    const definition = fan(code('a', '1', 'output.n.a'), code('b', '2', 'output.n.b'), code('c', '3', 'output.n.a'));
    expect(await ended(await launch(t, definition))).toEqual(succeeded({ output: { n: { a: [1, 3], b: 2 } } }));
  });

  test('[T163][X17] only `output` is merged: other changes are dropped and the values of the parent survive', async () => {
    const t = await host.open();
    const definition = fan(
      edit('a', { 'input.value': 100, extra: 1, output: 1 }, ['gone']),
      edit('b', { 'input.value': 200, outputs: 2, output: 2 }),
    );
    const run = await launch(t, definition, { input: { value: 10 }, gone: false });
    expect(await ended(run)).toEqual(succeeded({ input: { value: 10 }, gone: false, output: [1, 2] }));
  });

  test.each<[string, Fields]>([
    ['without an output of its own', { a: 1 }],
    ['with an output from before', { a: 1, output: { b: [1] } }],
  ])('[X17] branches without output leave a context %s as it was', async (_, input) => {
    expect(await merged(host, input, undefined, undefined)).toEqual(input);
  });

  test('[T163] what a branch has removed again does not count', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        edit('set', { output: { k: 1, l: 1 } }),
        edit('unset', {}, ['output.k']),
        edit('other', { 'output.k': 2 }),
        fanIn('meet'),
        end(),
      ],
      ['start->fan:x->set->unset->meet', 'fan:y->other->meet', 'meet->end'],
    );
    expect(await ended(await launch(t, definition))).toEqual(succeeded({ output: { l: 1, k: 2 } }));
  });

  test('[T163] an output from before the fan-out is not counted again', async () => {
    expect(await merged(host, { output: 5 }, undefined, 6)).toEqual({ output: 6 });
    const t = await host.open();
    const definition = fan(code('a', 'context.output.n + 1', 'output.a'), edit('b', { 'output.b': 2 }));
    const run = await launch(t, definition, { output: { n: 1 } });
    expect(await ended(run)).toEqual(succeeded({ output: { n: 1, a: 2, b: 2 } }));
  });

  test('[T163] nor when an answer or the result of a gosub is laid over it', async () => {
    const t = await host.open();
    await register(t.engine, thread('child', [start(), edit('c', { 'output.c': 1 })], ['start->c']));
    const run = await launch(t, fan(ask('a'), gosub('b', 'child')), { output: { n: 1 } });
    await say(t, run, 'a', { output: { a: 1 } });
    expect(await ended(run)).toEqual(succeeded({ output: { n: 1, a: 1, c: 1 } }));
  });

  test('[T163] nor when gosubs hand the context through', async () => {
    const t = await host.open();
    await register(t.engine, thread('child', [start(), edit('c', { extra: 1 })], ['start->c']));
    const run = await launch(t, fan(gosub('a', 'child'), gosub('b', 'child')), { output: 5 });
    expect(await ended(run)).toEqual(succeeded({ output: 5 }));
  });

  test('[T163] nor by a fan-in inside: its output counts once for the outer one', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        fanOut('outer', 'x', 'y'),
        fanOut('inner', 'l', 'r'),
        edit('a', { 'output.v': 1 }),
        edit('b', { 'output.v': 2 }),
        edit('c', { 'output.v': 3 }),
        fanIn('near'),
        fanIn('far'),
        end(),
      ],
      ['start->outer:x->inner:l->a->near', 'inner:r->b->near', 'near->far', 'outer:y->c->far', 'far->end'],
    );
    const run = await launch(t, definition, { output: { n: 1 } });
    expect(await ended(run)).toEqual(succeeded({ output: { n: 1, v: [1, 2, 3] } }));
  });

  test('[T162] what comes after the fan-in sees the merged output', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        code('a', '1'),
        code('b', '2'),
        fanIn('meet'),
        code('count', 'size(context.output)', 'n'),
      ],
      ['start->fan:x->a->meet', 'fan:y->b->meet', 'meet->count'],
    );
    expect(await ended(await launch(t, definition))).toEqual(succeeded({ output: [1, 2], n: 2 }));
  });

  test('[T162] a branch that ends elsewhere is not waited for', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        yields('a'),
        yields('b'),
        choose('if', "stop: context.output == 'stop'", 'on'),
        edit('stopped', {}),
        fanIn('meet'),
        end(),
      ],
      ['start->fan:x->a->meet', 'fan:y->b->if:stop->stopped', 'if:on->meet', 'meet->end'],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { value: 'a' });
    expect(await standing(run)).toBe('Running');
    await answer(t, 'b', { value: 'stop' });
    expect(await ended(run)).toEqual(succeeded({ output: 'a' }));
  });

  test('[T162] every round of a loop has a group of its own', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        code('a', 'context.n'),
        code('b', 'context.n * 10'),
        fanIn('meet'),
        {
          id: 'next',
          type: 'code',
          set: [
            { path: 'all', expression: 'context.all + context.output' },
            { path: 'n', expression: 'context.n + 1' },
          ],
        },
        choose('if', 'again: context.n < 3', 'done'),
        end({ all: 'all' }),
      ],
      ['start->fan:x->a->meet', 'fan:y->b->meet', 'meet->next->if:again->fan', 'if:done->end'],
    );
    const run = await launch(t, definition, { n: 1, all: [] });
    expect(await ended(run)).toEqual(succeeded({ all: [1, 10, 2, 20] }));
  });

  test('[X17] a thread that comes from no fan-out fails the run at a fan-in', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, thread('w', [start(), fanIn('meet'), work('a')], ['start->meet->a']));
    expect((await ended(run)).error).toMatchObject({
      code: 'FAN_IN_WITHOUT_FAN_OUT',
      nodeId: 'meet',
      message: 'Expected a thread at fan-in meet to come from a fan-out, but it comes from none',
    });
    expect([await standing(run), t.script.calls]).toEqual(['Failed', []]);
  });

  test('[T226] branches that meet different fan-ins fail the run, which says which ones', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), fanOut('fan', 'x', 'y'), fanIn('one'), yields('b'), fanIn('two')],
      ['start->fan:x->one', 'fan:y->b->two'],
    );
    const run = await launch(t, definition);
    expect(await standing(run)).toBe('Running');
    await answer(t, 'b', { value: 1 });
    const { message } = (await ended(run)).error as { message: string };
    expect((await ended(run)).error).toMatchObject({ code: 'FAN_IN_DIVERGED', nodeId: 'two' });
    expect(message).toMatch(/Expected all branches of group fan to meet at join one\b.* but one arrived at join two\b/);
  });
});

onEveryHost('nested fan-outs', (host) => {
  /** Two fan-outs inside one, joined inside out; the leaves write the numbers 1 to 4 at these places. */
  const nested = (left: string, right: string): Fields =>
    thread(
      'w',
      [
        start(),
        fanOut('root', 'l', 'r'),
        ...['l', 'r'].flatMap((side) => [fanOut(`out ${side}`, '1', '2'), fanIn(`in ${side}`)]),
        ...[left, left, right, right].map((to, index) => yields(`leaf ${index + 1}`, to)),
        fanIn('final'),
        end(),
      ],
      [
        'start->root:l->out l:1->leaf 1->in l->final->end',
        'out l:2->leaf 2->in l',
        'root:r->out r:1->leaf 3->in r->final',
        'out r:2->leaf 4->in r',
      ],
    );

  test.each<[string, Fields, unknown]>([
    [
      'with keys of their own merge into two lists',
      nested('output.left', 'output.right'),
      { left: [1, 2], right: [3, 4] },
    ],
    ['with the same key merge into one flat list', nested('output', 'output'), [1, 2, 3, 4]],
  ])('[T171][X18] %s', async (_, definition, output) => {
    const t = await host.open(scripted);
    const run = await launch(t, definition);
    for (const leaf of [4, 1, 3, 2]) await answer(t, `leaf ${leaf}`, { value: leaf });
    expect(await ended(run)).toEqual(succeeded({ output }));
  });

  test('[T171] each has a context of its own, inside that of the outer one', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, nested('output', 'output'));
    const groups = await contextsOf(run, 'group');
    const [root, left, right] = groups;
    expect(
      groups.map(({ node, parentId, expectedCount, arrivedCount }) => [node, parentId, expectedCount, arrivedCount]),
    ).toEqual([
      ['root', run.id, 2, 0],
      ['out l', root?.contextId, 2, 0],
      ['out r', root?.contextId, 2, 0],
    ]);
    expect(new Set(groups.map(({ contextId }) => contextId)).size).toBe(3);
    await answer(t, 'leaf 1', { value: 1 });
    await answer(t, 'leaf 2', { value: 2 });
    const after = await contextsOf(run, 'group');
    expect(after.map(({ contextId, arrivedCount }) => [contextId, arrivedCount])).toEqual([
      [root?.contextId, 1],
      [right?.contextId, 0],
    ]);
    expect(after[0]?.mergedContext).toEqual({ output: [1, 2] });
    expect(left?.contextId).toMatch(/./);
  });

  test('[T171] the same fan-out inside itself: two instances that do not mix', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        code('deeper', 'context.depth + 1', 'depth'),
        choose('if', 'again: context.depth < 2', 'leaf'),
        yields('a', 'output', { inputs: mappingsOf({ depth: 'depth' }) }),
        yields('b', 'output', { inputs: mappingsOf({ depth: 'depth' }) }),
        fanIn('meet'),
      ],
      ['start->fan:x->deeper->if:again->fan', 'if:leaf->a->meet', 'fan:y->b->meet', 'meet->meet'],
    );
    const run = await launch(t, definition, { depth: 0 });
    expect((await contextsOf(run, 'group')).map(({ node }) => node)).toEqual(['fan', 'fan']);
    await answer(t, 'b', { value: 'outer' }, { depth: 0 });
    await answer(t, 'b', { value: 'inner' }, { depth: 1 });
    await answer(t, 'a', { value: 'leaf' }, { depth: 2 });
    // The inner one has met, went on to the outer one, and from there comes as a thread of no fan-out.
    expect((await ended(run)).error).toMatchObject({ code: 'FAN_IN_WITHOUT_FAN_OUT' });
    expect((await eventsOf(run, 'fan_in.completed')).length).toBe(2);
    expect((await run.state()).state).toEqual({ depth: 0, output: ['leaf', 'inner', 'outer'] });
  });
});
