import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost, problemsOf } from './hosts.testsuite.ts';
import { say } from './prompts.testsuite.ts';
import {
  ask,
  batch,
  childOf,
  code,
  contextOf,
  contextsAt,
  type DrawnNode,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  mappingsOf,
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
  fail,
  launch,
  register,
  scripted,
  tokensAt,
  visits,
} from './token-engine.testsuite.ts';

const child = (...nodes: readonly DrawnNode[]): Fields => row('child', start(), ...nodes);

/** A parent that calls the child, and what it does afterwards. */
const calling = (more: Fields = {}, ...after: readonly DrawnNode[]): Fields =>
  row('w', start(), gosub('call', 'child', more), ...after);

onEveryHost('gosub', (host) => {
  test('[T184] a gosub that names no workflow is refused', async () => {
    const t = await host.open();
    const definition = thread('w', [start(), { id: 'call', type: 'gosub' }], ['start->call']);
    expect(await problemsOf(t, definition)).toMatchObject([
      {
        severity: 'error',
        code: 'MISSING_FIELD',
        pointer: '/nodes/1',
        message: 'Expected node "call" to have "workflow", but it has none',
      },
    ]);
  });

  test('[T184] the seed name of the field is understood too', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { a: 1 })));
    const run = await launch(
      t,
      thread('w', [start(), { id: 'call', type: 'gosub', workflowId: 'child' }], ['start->call']),
    );
    expect(await ended(run)).toEqual(succeeded({ a: 1 }));
  });

  test('[T185] the child starts with the mapped inputs and nothing else', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(work('toil')));
    const inputs = [
      { to: 'who.name', from: 'user.name' },
      { to: 'twice', expression: 'context.n * 2' },
      { to: 'fixed', value: [1] },
      { to: 'absent', from: 'user.age', optional: true },
    ];
    const run = await launch(t, calling({ inputs }), { user: { name: 'Ada' }, n: 21 });
    const input = { who: { name: 'Ada' }, twice: 42, fixed: [1] };
    const sub = await childOf(t, run);
    expect([(await sub.state()).input, callsAt(t, 'toil')[0]?.input]).toEqual([input, input]);
    expect(await eventsOf(run, 'subworkflow.dispatched')).toMatchObject([{ workflow: 'child', input }]);
  });

  test('[T185] without mappings it starts with the whole context', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(work('toil')));
    await launch(t, thread('w', [start(), edit('set', { b: 2 }), gosub('call', 'child')], ['start->set->call']), {
      a: 1,
    });
    expect(callsAt(t, 'toil')[0]?.input).toEqual({ a: 1, b: 2 });
  });

  test('[T185] a version may be named', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { v: 1 })), child(edit('a', { v: 2 })));
    expect((await ended(await launch(t, calling()))).output).toEqual({ v: 2 });
    expect((await ended(await launch(t, calling({ version: 1 })))).output).toEqual({ v: 1 });
  });

  test('[T186] the parent does not block: it has nothing under way and waits', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    await register(t.engine, child(work('toil')));
    const run = await launch(t, calling({}, work('after')));
    expect([await standing(run), await run.status()]).toEqual(['Waiting', 'waiting']);
    expect(await visits(run)).toEqual(['start:completed', 'call:waiting_for_subworkflow']);
    // The only slot is the child's.
    expect(callsAt(t, 'toil').length).toBe(1);
    await answer(t, 'toil');
    expect(await visits(run)).toEqual(['start:completed', 'call:completed', 'after:dispatched']);
  });

  test('[T187] the mapped outputs are kept, and nothing else', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(work('toil', { outputs: mappingsOf({ shown: 'a', hidden: 'b' }) })));
    const outputs = [
      { to: 'user.shown', from: 'shown' },
      { to: 'sum', expression: 'result.hidden + context.n' },
      { to: 'none', from: 'nothing.there', optional: true },
    ];
    const run = await launch(t, calling({ inputs: [], outputs }), { n: 1, user: { id: 7 } });
    await answer(t, 'toil', { a: 'A', b: 41 });
    expect(await ended(run)).toEqual(succeeded({ n: 1, user: { id: 7, shown: 'A' }, sum: 42 }));
  });

  test('[T187] without mappings the result is merged over the context, key by key', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { 'user.name': 'Ada', list: [2], n: 5 }, ['gone'])));
    const run = await launch(t, calling(), { user: { id: 7, name: 'Bob' }, list: [1, 1], gone: 1 });
    // What the child deleted of its own is still the parent's.
    expect(await ended(run)).toEqual(succeeded({ user: { id: 7, name: 'Ada' }, list: [2], gone: 1, n: 5 }));
  });

  test('[T187] what an end of the child maps is what comes back', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { a: 1, b: 2 }), end({ b: 'b' })));
    expect(await ended(await launch(t, calling({ inputs: [] }), { c: 3 }))).toEqual(succeeded({ c: 3, b: 2 }));
  });

  test('[T188] the parent goes on at the node that comes next, once', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(work('toil')));
    const run = await launch(t, calling({ outputs: [] }, work('next'), work('last')));
    expect((await contextOf(run, 'subworkflow')).continuation).toBe('next');
    await answer(t, 'toil');
    expect(callsAt(t, 'next').length).toBe(1);
    await answer(t, 'next');
    expect((await visits(run)).slice(1)).toEqual(['call:completed', 'next:completed', 'last:dispatched']);
    expect((await eventsOf(run, 'subworkflow.completed')).length).toBe(1);
  });

  test('[T189] in a branch of a fan-out it lets the others go on', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(yields('toil')));
    const definition = thread(
      'w',
      [start(), fanOut('fan', 'x', 'y'), gosub('call', 'child'), work('one'), yields('two'), fanIn('meet'), end()],
      ['start->fan:x->call->meet', 'fan:y->one->two->meet', 'meet->end'],
    );
    const run = await launch(t, definition);
    await answer(t, 'one');
    await answer(t, 'two', { value: 'own' });
    expect([await standing(run), (await contextOf(run, 'group')).arrivedCount]).toEqual(['Waiting', 1]);
    await answer(t, 'toil', { value: 'called' });
    expect(await ended(run)).toEqual(succeeded({ output: ['called', 'own'] }));
  });

  test('[T189][T156] two in two branches: each child has the context of its branch', async () => {
    const t = await host.open();
    await register(t.engine, child(code('echo', 'context.path')));
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        edit('left', { path: 'left' }),
        edit('right', { path: 'right' }),
        gosub('a', 'child'),
        gosub('b', 'child'),
        fanIn('meet'),
        end(),
      ],
      ['start->fan:x->left->a->meet', 'fan:y->right->b->meet', 'meet->end'],
    );
    expect(await ended(await launch(t, definition))).toEqual(succeeded({ output: ['left', 'right'] }));
  });

  test('[T190][X24] in a batch it works slice by slice: four children, two in parallel', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(yields('toil')));
    const definition = thread(
      'w',
      [start(), batch('slices', 'items', 1, 2), gosub('call', 'child'), end()],
      ['start->slices:process->call', 'slices:continue->end'],
    );
    const items = ['alpha', 'beta', 'gamma', 'delta'];
    const run = await launch(t, definition, { items });
    const peaks: unknown[] = [];
    for (let calls = callsAt(t, 'toil'); calls.length > 0; calls = callsAt(t, 'toil')) {
      peaks.push(calls.map(({ input }) => input['items']));
      const last = calls.at(-1);
      last?.complete({ value: (last.input['items'] as string[])[0]?.toUpperCase() });
      await t.settle();
    }
    expect(peaks).toEqual([[['alpha'], ['beta']], [['alpha'], ['gamma']], [['alpha'], ['delta']], [['alpha']]]);
    expect(await ended(run)).toEqual(succeeded({ items, output: ['ALPHA', 'BETA', 'GAMMA', 'DELTA'] }));
    expect((await t.engine.runs({ subRuns: true, parentRunId: run.id })).length).toBe(4);
  });
});

onEveryHost('gosub: corners', (host) => {
  test('[X24] children may call children', async () => {
    const t = await host.open();
    await register(
      t.engine,
      thread('grand', [start(), edit('g', { value: 'grand' }), end()], ['start->g->end']),
      thread(
        'child',
        [start(), edit('c', { child: 'yes' }), gosub('down', 'grand'), code('after', 'context.value', 'result'), end()],
        ['start->c->down->after->end'],
      ),
    );
    const run = await launch(t, calling({}, end()));
    expect(await ended(run)).toEqual(succeeded({ child: 'yes', value: 'grand', result: 'grand' }));
  });

  test('[X24] a gosub that leads nowhere ends its path with the result of the child', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { child: 'ok' }), end()));
    expect(await ended(await launch(t, calling(), { parent: 'yes' }))).toEqual(
      succeeded({ parent: 'yes', child: 'ok' }),
    );
  });

  test('[X24] an end of the child does not set the result of the parent', async () => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { value: 'child' }), end()));
    const run = await launch(t, calling({}, edit('after', { value: 'parent', result: 'after' })));
    expect(await ended(run)).toEqual(succeeded({ value: 'parent', result: 'after' }));
    expect(await eventsOf(run, 'workflow.result_set')).toEqual([]);
  });

  test('[X24] a child with a fan-out and no fan-in gives what came last', async () => {
    const t = await host.open(scripted);
    const nodes = [
      start(),
      fanOut('fan', 'x', 'y'),
      yields('a', 'v'),
      end({ v: 'v' }, 'e1'),
      yields('b', 'v'),
      end({ v: 'v' }, 'e2'),
    ];
    await register(t.engine, thread('child', nodes, ['start->fan:x->a->e1', 'fan:y->b->e2']));
    const run = await launch(t, calling({}, end()));
    await answer(t, 'b', { value: 'b' });
    await answer(t, 'a', { value: 'a' });
    expect(await ended(run)).toEqual(succeeded({ v: 'a' }));
  });

  test.each<[string, Fields, string]>([
    ['inputs', { inputs: [{ to: 'a', from: 'missing' }] }, 'a from context.missing'],
    ['outputs', { inputs: [], outputs: [{ to: 'a', from: 'missing' }] }, 'a from result.missing'],
  ])('[X24] a mandatory mapping of %s without a value fails the run, and says which', async (_, more, which) => {
    const t = await host.open();
    await register(t.engine, child(edit('a', { b: 1 })));
    const run = await launch(t, calling(more), { kept: 1 });
    expect((await ended(run)).error).toMatchObject({
      code: 'VALUE_MISSING',
      nodeId: 'call',
      message: expect.stringContaining(`Expected a value for ${which}`),
    });
    expect((await run.state()).state).toEqual({ kept: 1 });
  });

  test('[X24] an optional mapping without a value writes nothing', async () => {
    const t = await host.open();
    await register(t.engine, thread('child', [start(), code('a', 'size(context)', 'size')], ['start->a']));
    const more = {
      inputs: [{ to: 'a', from: 'x', optional: true }],
      outputs: [
        { to: 'b', from: 'x', optional: true },
        { to: 'n', from: 'size' },
      ],
    };
    expect(await ended(await launch(t, calling(more)))).toEqual(succeeded({ n: 0 }));
  });

  test('[X24] what the start of the child needs and is not given fails the child, and with it the parent', async () => {
    const t = await host.open();
    await register(t.engine, thread('child', [start('input.name'), end()], ['start->end']));
    const run = await launch(t, calling({}, end()), { kept: 1 });
    expect((await ended(run)).error).toMatchObject({
      nodeId: 'call',
      message: expect.stringContaining('Expected a value for input.name'),
    });
    expect([await standing(run), await standing(await childOf(t, run))]).toEqual(['Failed', 'Failed']);
    const given = await launch(t, calling({}, end()), { input: { name: 'Ada', age: 36 } });
    expect(await ended(given)).toEqual(succeeded({ input: { name: 'Ada', age: 36 } }));
  });

  test('[X24] a child that fails maps nothing and fails the parent with its error', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(edit('set', { a: 1 }), work('toil')));
    const run = await launch(t, calling({}, work('after')), { kept: 1 });
    await fail(t, 'toil', new Error('boom'));
    expect((await ended(run)).error).toMatchObject({ nodeId: 'call', message: expect.stringContaining('boom') });
    expect([(await run.state()).state, callsAt(t, 'after')]).toEqual([{ kept: 1 }, []]);
  });

  test('[X24] a child that is not there fails the run, and says which', async () => {
    const t = await host.open();
    const { problems } = await t.engine.register(calling());
    expect(problems).toMatchObject([{ severity: 'warning', pointer: '/nodes/1/workflow' }]);
    const run = await t.engine.start('w');
    await t.settle();
    expect((await ended(run)).error).toMatchObject({ nodeId: 'call', message: expect.stringContaining('child') });
    expect(await standing(run)).toBe('Failed');
  });

  test.each<[string, Fields[]]>([
    ['without a start', [edit('a', {})]],
    ['with two starts', [start(), { ...start(), id: 'other' }]],
  ])('[X24] a child %s cannot be registered, so whoever calls it fails', async (_, nodes) => {
    const t = await host.open();
    const { id } = await t.engine.register(thread('child', nodes));
    expect(id).toBeNull();
    const run = await launch(t, calling());
    expect(await standing(run)).toBe('Failed');
    expect((await ended(run)).error).toMatchObject({ nodeId: 'call', message: expect.stringContaining('child') });
  });

  const recursive = thread('w', [start(), gosub('call', 'w'), end()], ['start->call->end'], alarmsAreMeant);

  test('[X24][T140] self-recursion stops at the node limit, which parent and children share', async () => {
    const t = await host.open({ limits: { nodesPerRunMax: 20 } });
    const run = await launch(t, recursive);
    const { error } = await ended(run);
    expect(error).toMatchObject({ nodeId: 'call', message: expect.stringContaining('nodesPerRunMax') });
    const runs = await t.engine.runs({ subRuns: true, limit: 100 });
    const tokens = await Promise.all(runs.map(({ runId }) => t.engine.run(runId).tokens()));
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['failed']));
    expect(tokens.flat().length).toBeLessThanOrEqual(20);
    expect(tokens.flat().length).toBeGreaterThan(15);
  });

  test('[X24] and at the nesting limit', async () => {
    const t = await host.open({ limits: { nestingMax: 3 } });
    const run = await launch(t, recursive);
    expect((await ended(run)).error).toMatchObject({ message: expect.stringContaining('nestingMax') });
    expect((await t.engine.runs({ subRuns: true, limit: 100 })).length).toBe(4);
  });

  test('[T140] what children used counts for the parent afterwards', async () => {
    const t = await host.open({ limits: { nodesPerRunMax: 12 } });
    await register(t.engine, child(edit('a', {}), edit('b', {}), edit('c', {})));
    const call = (count: number): Fields => {
      const ids = Array.from({ length: count }, (_, index) => `call ${index}`);
      return thread('w', [start(), ...ids.map((id) => gosub(id, 'child'))], [['start', ...ids].join('->')]);
    };
    expect(await standing(await launch(t, call(2)))).toBe('Success');
    const run = await launch(t, call(3));
    expect((await ended(run)).error).toMatchObject({ message: expect.stringContaining('nodesPerRunMax') });
  });

  test('a workflow of any dialect can be called', async () => {
    const t = await host.open();
    await register(t.engine, {
      id: 'child',
      initialNode: 'a',
      nodes: [
        { id: 'a', action: 'core.echo', inputMapping: { n: 'input.n + 1' }, outputMapping: { 'output.n': 'result.n' } },
      ],
      transitions: [],
    });
    expect(await ended(await launch(t, calling(), { n: 1 }))).toEqual(succeeded({ n: 2 }));
  });

  test('cancelling the parent cancels the child, also while it asks', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(ask('who')));
    const run = await launch(t, calling());
    const sub = await childOf(t, run);
    await run.cancel();
    await t.settle();
    expect([await standing(run), await standing(sub), await t.engine.prompts()]).toEqual([
      'Cancelled',
      'Cancelled',
      [],
    ]);
  });

  test('[T187] an answer that a child was given comes back to the parent', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child(ask('who'), end({ name: 'user.name' })));
    const run = await launch(t, calling({ inputs: [], outputs: mappingsOf({ who: 'name' }) }, work('after')), {
      kept: 1,
    });
    await say(t, run, 'who', { user: { name: 'Ada' } });
    expect(await contextsAt(run, 'after')).toEqual([{ kept: 1, who: 'Ada' }]);
    expect((await tokensAt(run, 'call')).map(({ status }) => status)).toEqual(['completed']);
  });
});
