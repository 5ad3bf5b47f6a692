import { expect, test } from 'vitest';
import { onEveryHost, problemsOf } from './hosts.testsuite.ts';
import {
  choose,
  code,
  edit,
  end,
  fanIn,
  fanOut,
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
  scripted,
  visits,
} from './token-engine.testsuite.ts';

onEveryHost('start nodes', (host) => {
  test('[T142] without entries the whole input is the context', async () => {
    const t = await host.open();
    const run = await launch(t, row('w', start()), { a: { b: 1 }, c: null });
    expect(await ended(run)).toEqual(succeeded({ a: { b: 1 }, c: null }));
  });

  test.each<[string, Fields[], Fields, unknown]>([
    ['[T142] only entries are taken from the input', [{ path: 'a.b' }], { a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }],
    ['[T142] an optional entry that is missing is not there', [{ path: 'a.b', optional: true }], { a: 1 }, {}],
    ['[T142] or has its default', [{ path: 'a.b', optional: true, default: [1] }], {}, { a: { b: [1] } }],
    ['[T142] which only counts if it is missing', [{ path: 'a', default: 1 }], { a: 0 }, { a: 0 }],
    ['[T142] a default may be null', [{ path: 'a', default: null }], {}, { a: null }],
    [
      '[T142] or an expression, which sees the input and the entries before',
      [{ path: 'a' }, { path: 'b', optional: true, expression: 'context.a + input.c' }],
      { a: 1, c: 41 },
      { a: 1, b: 42 },
    ],
    [
      '[X21] null counts as provided',
      [{ path: 'a' }, { path: 'b', default: 1 }],
      { a: null, b: null },
      { a: null, b: null },
    ],
    ['[X21] no entries give an empty context', [], { a: 1 }, {}],
  ])('%s', async (_, initialize, input, context) => {
    const t = await host.open();
    const run = await launch(t, row('w', { ...start(), initialize }, end()), input);
    expect(await ended(run)).toEqual(succeeded(context));
  });

  test.each<[string, Fields]>([
    ['nothing', {}],
    ['something else on the way', { a: [1] }],
  ])('[T142] a mandatory entry that is missing fails the run: the input has %s', async (_, input) => {
    const t = await host.open(scripted);
    const run = await launch(t, row('w', start('a.b'), work('after')), input);
    const message = expect.stringMatching(/^Expected a value for a\.b from input\.a\.b, but/);
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'VALUE_MISSING', message, nodeId: 'start' },
    });
    expect([await standing(run), await visits(run)]).toEqual(['Failed', ['start:failed']]);
  });

  test('[T142] a default that cannot be computed fails the run', async () => {
    const t = await host.open();
    const run = await launch(t, row('w', start({ path: 'a', expression: 'input.b / 0' })), { b: 1 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { nodeId: 'start' } });
  });

  test.each<[string, Fields[], string[]]>([
    ['none', [edit('a', {})], ['START_MISSING /nodes']],
    ['two', [start(), { ...start(), id: 'other' }], ['START_REPEATED /nodes/1']],
  ])('[X21] exactly one start: %s is an error, and nothing is stored', async (_, nodes, expected) => {
    const t = await host.open();
    const definition = thread('w', nodes);
    const problems = (await problemsOf(t, definition)).filter(({ severity }) => severity === 'error');
    expect(problems.map(({ code: found, pointer }) => `${found} ${pointer}`)).toEqual(expected);
    await t.engine.register(definition);
    expect(await t.engine.definitions()).toEqual([]);
  });
});

onEveryHost('edit nodes', (host) => {
  test.each<[string, Fields, unknown]>([
    ['does nothing', { upserts: [], deletes: [] }, { a: { b: 1, c: 2 } }],
    [
      'writes at new places and over old ones',
      edit('e', { 'a.b': null, 'x.y': [1] }),
      { a: { b: null, c: 2 }, x: { y: [1] } },
    ],
    ['deletes', edit('e', {}, ['a.b']), { a: { c: 2 } }],
    ['deletes what is not there', edit('e', {}, ['a.x.y', 'z']), { a: { b: 1, c: 2 } }],
    [
      'deletes after it has written, whatever is named first',
      { deletes: ['a.b'], upserts: [{ path: 'a.b', value: 5 }] },
      { a: { c: 2 } },
    ],
    [
      'writes in order, each value seeing those before',
      {
        upserts: [
          { path: 'n', value: 1 },
          { path: 'n', expression: 'context.n + context.a.c' },
          { path: 'm', expression: '[context.n, context.a.b]' },
        ],
        deletes: ['a'],
      },
      { n: 3, m: [3, 1] },
    ],
  ])('[T143] an edit %s', async (_, fields, context) => {
    const t = await host.open();
    const run = await launch(t, row('w', start(), { ...fields, id: 'e', type: 'edit' }), { a: { b: 1, c: 2 } });
    expect(await ended(run)).toEqual(succeeded(context));
  });

  test('[T143] an edit that fails has changed nothing, and fails the run', async () => {
    const t = await host.open();
    const upserts = [
      { path: 'a', value: 2 },
      { path: 'b', expression: 'context.a / 0' },
    ];
    const run = await launch(t, row('w', start(), { id: 'e', type: 'edit', upserts }), { a: 1 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { nodeId: 'e' } });
    expect((await run.state()).state).toEqual({ a: 1 });
  });

  test('[T143] paths that lead nowhere and expressions that do not parse are found before anything runs', async () => {
    const t = await host.open();
    const upserts = [
      { path: '', value: 1 },
      { path: 'list[0]', value: 1 },
      { path: 'a', expression: 'context.' },
      { path: 'a', expression: 'elsewhere.x' },
    ];
    const problems = await problemsOf(
      t,
      row('w', start(), { id: 'e', type: 'edit', upserts, deletes: ['a', '__proto__.b'] }),
    );
    expect(
      problems.map(({ code: found, pointer }) => [found.replace(/^EXPRESSION_.*/, 'EXPRESSION'), pointer]),
    ).toEqual([
      ['INVALID_TARGET', '/nodes/1/upserts/0/path'],
      ['INVALID_TARGET', '/nodes/1/upserts/1/path'],
      ['EXPRESSION', '/nodes/1/upserts/2/expression'],
      ['EXPRESSION', '/nodes/1/upserts/3/expression'],
      ['INVALID_TARGET', '/nodes/1/deletes/1'],
    ]);
  });
});

onEveryHost('switch nodes', (host) => {
  const nameOf = (entry: string): string => entry.replace(/:[^]*/, '');
  /** A switch whose entries lead to nodes that say their names; the connectors are in the opposite order. */
  const switching = (entries: readonly string[], connected = entries.map(nameOf)): Fields =>
    thread(
      'w',
      [start(), choose('if', ...entries), ...connected.map((name) => code(name, `'${name}'`, 'way'))],
      ['start->if', ...connected.toReversed().map((name) => `if:${name}->${name}`)],
    );

  test.each<[string, string[], string[] | undefined, string]>([
    ['the first that holds', ['a: context.n > 50', 'b: context.n > 40', 'c: true', 'd'], undefined, 'b'],
    ['the default if none does', ['a: context.n > 50', 'd'], undefined, 'd'],
    ['the default if there is nothing else', ['d'], undefined, 'd'],
    ['the default whatever its own expression says', ['a: false', 'd: false'], undefined, 'd'],
    ['the next one if what matches is not connected', ['a: true', 'b: true', 'd'], ['b', 'd'], 'b'],
    ['the default if all that matches is not connected', ['a: true', 'd'], ['d'], 'd'],
  ])('[T144] a switch takes %s', async (_, entries, connected, way) => {
    const t = await host.open();
    const run = await launch(t, switching(entries, connected), { n: 42 });
    expect(await ended(run)).toEqual(succeeded({ n: 42, way }));
    expect(await visits(run)).toEqual(['start:completed', 'if:completed', `${way}:completed`]);
  });

  test.each<[object, string]>([
    [{ field: 'context.n', op: '>', value: 40 }, 'a'],
    [{ field: 'context.n', op: '>', value: 50 }, 'd'],
    [{ field: 'context.missing', op: '==', value: 1 }, 'd'],
  ])('[TH20] an entry as data: %j', async (expression, way) => {
    const t = await host.open();
    const entries = [{ name: 'a', expression }, { name: 'd' }];
    const ways = [code('a', "'a'", 'way'), code('d', "'d'", 'way')];
    const nodes = [start(), { id: 'if', type: 'switch', entries }, ...ways];
    const run = await launch(t, thread('w', nodes, ['start->if', 'if:a->a', 'if:d->d']), { n: 42 });
    expect(await ended(run)).toEqual(succeeded({ n: 42, way }));
  });

  test.each([
    ['absent', 'a'],
    ['empty', 'a: '],
    ['blank', 'a:  \n'],
  ])('[X20] an entry whose expression is %s is ignored', async (_, entry) => {
    const t = await host.open();
    const run = await launch(t, switching([entry, 'd']));
    expect(await ended(run)).toEqual(succeeded({ way: 'd' }));
  });

  test.each<[string, string, string[]]>([
    ['null', 'null', ['a', 'd']],
    ['a number', '123', ['a', 'd']],
    ['a text', "'true'", ['a', 'd']],
    ['a value that is missing', 'context.missing', ['a', 'd']],
    ['an error', '1 / (context.n - 42) > 0', ['a', 'd']],
    ['null, where it is not connected', 'null', ['d']],
    ['a number, where it is not connected', '123', ['d']],
    ['an error, where it is not connected', '1 / (context.n - 42) > 0', ['d']],
  ])('[X20] an entry that gives %s fails the run', async (_, expression, connected) => {
    const t = await host.open();
    const run = await launch(t, switching([`a: ${expression}`, 'd'], connected), { n: 42 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { nodeId: 'if', code: 'CONDITION_FAILED' } });
    expect((await visits(run)).slice(2)).toEqual([]);
  });

  test('[X20] an entry behind the one that is taken is not looked at', async () => {
    const t = await host.open();
    const run = await launch(t, switching(['a: true', 'b: null', 'd']));
    expect(await ended(run)).toEqual(succeeded({ way: 'a' }));
  });

  test('[X20] an entry that does not compile, and a default that is not connected, are refused', async () => {
    const t = await host.open();
    const definition = switching(['a: missing', 'b: context.n >', 'd'], ['a', 'b']);
    const errors = (await problemsOf(t, definition)).map(({ code: found, pointer }) => `${found} ${pointer}`);
    expect(errors.toSorted()).toEqual([
      'DEFAULT_UNCONNECTED /nodes/1/entries/2',
      'EXPRESSION_SYNTAX /nodes/1/entries/1/expression',
      'EXPRESSION_UNKNOWN_NAME /nodes/1/entries/0/expression',
    ]);
    await t.engine.register(definition);
    expect(await t.engine.definitions()).toEqual([]);
  });
});

onEveryHost('end nodes', (host) => {
  test('[T145] an end applies its mappings to the context: nothing else is in the result', async () => {
    const t = await host.open();
    const mappings = [
      { to: 'a.b', from: 'x.y' },
      { to: 'a.c', expression: 'context.n * 2' },
      { to: 'v', value: null },
      { to: 'gone', from: 'z', optional: true },
    ];
    const run = await launch(t, row('w', start(), { ...end(), mappings }), { x: { y: null, z: 1 }, n: 2 });
    expect(await ended(run)).toEqual(succeeded({ a: { b: null, c: 4 }, v: null }));
  });

  test('[T145] an end without mappings gives the context, with an empty list nothing', async () => {
    const t = await host.open();
    expect(await ended(await launch(t, row('w', start(), end()), { a: 1 }))).toEqual(succeeded({ a: 1 }));
    expect(await ended(await launch(t, row('w', start(), end({})), { a: 1 }))).toEqual(succeeded({}));
  });

  test('[T145] without an end the context is the result', async () => {
    const t = await host.open();
    expect(await ended(await launch(t, row('w', start(), edit('e', { b: 2 })), { a: 1 }))).toEqual(
      succeeded({ a: 1, b: 2 }),
    );
  });

  const two = (nodes: readonly Fields[], connectors: readonly string[]): Fields =>
    thread(
      'w',
      [start(), fanOut('both', 'x', 'y'), yields('a', 'v'), yields('b', 'v'), ...nodes],
      ['start->both:x->a', 'both:y->b', ...connectors],
    );

  test.each([
    [['a', 'b'], 'from b'],
    [['b', 'a'], 'from a'],
  ])('[T145][X19] of two ends the later one wins: %s', async (order, v) => {
    const t = await host.open(scripted);
    const run = await launch(t, two([end({ v: 'v' }, 'one'), end({ v: 'v' }, 'two')], ['a->one', 'b->two']));
    for (const node of order) await answer(t, node, { value: `from ${node}` });
    expect(await ended(run)).toEqual(succeeded({ v }));
  });

  test.each([[['a', 'b']], [['b', 'a']]])(
    '[X19] the result of an end is not displaced by a branch without one: %s',
    async (order) => {
      const t = await host.open(scripted);
      const run = await launch(t, two([end()], ['a->end']));
      for (const node of order) await answer(t, node, { value: `from ${node}` });
      expect(await ended(run)).toEqual(succeeded({ v: 'from a' }));
    },
  );

  test('[T145] the same end may be reached twice: the later time counts', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, two([end()], ['a->end', 'b->end']));
    for (const node of ['b', 'a']) await answer(t, node, { value: `from ${node}` });
    expect(await ended(run)).toEqual(succeeded({ v: 'from a' }));
  });
});

onEveryHost('what threads have kept', (host) => {
  /** One of every kind that does not wait. */
  const classic = thread(
    'w',
    [
      start('n', { path: 'step', default: 1 }),
      code('add', 'context.n + context.step', 'n'),
      choose('enough', 'no: context.n < 3', 'yes'),
      fanOut('both', 'x', 'y'),
      code('plus', 'context.n + 1', 'output.plus'),
      edit('fixed', { 'output.fixed': true }),
      fanIn('meet'),
      end({ n: 'n', output: 'output' }),
    ],
    ['start->add->enough:no->add', 'enough:yes->both:x->plus->meet', 'both:y->fixed->meet', 'meet->end'],
  );

  test('[T134][T221] a workflow without waits runs as ever, and has none of the new statuses', async () => {
    const t = await host.open();
    const run = await launch(t, classic, { n: 0 });
    expect([await standing(run), (await run.summary()).output]).toEqual([
      'Success',
      { n: 3, output: { plus: 4, fixed: true } },
    ]);
    const waits = ['workflow.suspended', 'workflow.resumed', 'input.queued', 'input.requested'] as const;
    expect(await eventsOf(run, ...waits, 'subworkflow.dispatched', 'event.awaited')).toEqual([]);
    const { contexts, inputQueue } = await run.threads();
    expect([contexts.map(({ kind }) => kind), inputQueue]).toEqual([['workflow'], []]);
  });

  test('[T221] while it is at work it is running, also when it only waits to try again', async () => {
    const t = await host.open(scripted);
    const retry = { maxAttempts: 2, initialDelayMs: 1_000 };
    const run = await launch(t, row('w', start(), work('a', { retry }), end()));
    const seen = [await standing(run)];
    await fail(t, 'a');
    seen.push(await standing(run));
    await t.advance(1_000);
    seen.push(await standing(run));
    await answer(t, 'a');
    seen.push(await standing(run));
    expect(seen).toEqual(['Running', 'Running', 'Running', 'Success']);
  });

  test('[T139] each execution of a node leaves a trace: when, with what, and what came of it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, row('w', start(), edit('set', { a: 1 }), work('toil'), end()), { b: 2 });
    await t.advance(500);
    await answer(t, 'toil', { done: true });
    const at = t.clock.now();
    const tokens = await run.tokens();
    const traces = tokens.map(({ node, status, createdAt, endedAt }) => [
      node,
      status,
      createdAt - at,
      (endedAt ?? 0) - at,
    ]);
    expect(traces).toEqual([
      ['start', 'completed', -500, -500],
      ['set', 'completed', -500, -500],
      ['toil', 'completed', -500, 0],
      ['end', 'completed', 0, 0],
    ]);
    expect(tokens[2]).toMatchObject({ input: { a: 1, b: 2 }, output: { done: true } });
    expect(await eventsOf(run, 'task.dispatched', 'task.completed')).toMatchObject([
      { type: 'task.dispatched', token: 3, input: { a: 1, b: 2 } },
      { type: 'task.completed', token: 3, output: { done: true } },
    ]);
  });

  test('[T140] the node limit of a run stops a loop that nobody ends', async () => {
    const t = await host.open({ limits: { nodesPerRunMax: 20 } });
    const loop = thread('w', [start(), edit('a', {}), edit('b', {})], ['start->a->b->a']);
    const run = await launch(t, loop);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
    expect((await ended(run)).error).toMatchObject({ message: expect.stringContaining('nodesPerRunMax') });
    expect((await visits(run)).length).toBe(20);
  });

  test('[T140] a definition may lower the node limit', async () => {
    const t = await host.open();
    const nodes = [start(), edit('a', {}), edit('b', {})];
    const lowered = (nodesPerRunMax: number): Fields => ({ ...row('w', ...nodes), limits: { nodesPerRunMax } });
    expect(await ended(await launch(t, lowered(3)))).toMatchObject({ status: 'completed' });
    expect(await ended(await launch(t, lowered(2)))).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } });
  });

  test('[T141] a node that fails, fails the run with its error; what else is under way is called off', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), fanOut('both', 'x', 'y'), work('a'), work('b'), fanIn('meet'), work('after')],
      ['start->both:x->a->meet', 'both:y->b->meet', 'meet->after'],
    );
    const run = await launch(t, definition);
    const [other] = callsAt(t, 'b');
    await fail(t, 'a', Object.assign(new Error('boom'), { code: 'BOOM' }));
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      output: undefined,
      error: { code: 'BOOM', message: expect.stringContaining('boom'), nodeId: 'a' },
    });
    expect([await standing(run), other?.signal.aborted]).toEqual(['Failed', true]);
    expect(await visits(run)).toEqual(['start:completed', 'both:completed', 'a:failed', 'b:cancelled']);
  });

  test('[T141] a code node whose expression fails, fails the run', async () => {
    const t = await host.open();
    const run = await launch(t, row('w', start(), code('c', 'context.n / 0'), end()), { n: 1 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { nodeId: 'c' } });
  });

  test('[T223] invalid connections are all found at once, each with its place', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [start(), fanOut('both', 'x', 'y'), { id: 'slices', type: 'batch', items: 'list' }, edit('a', {}), end()],
      [
        'start->both:z->a',
        'both->a',
        'slices:next->a',
        'a->nowhere',
        'a:x->end',
        'end->a',
        'a->start',
        'both:x->end',
        'both:x->a',
      ],
    );
    const found = (await problemsOf(t, definition)).filter(({ severity }) => severity === 'error');
    expect(found.map(({ code: what, pointer }) => `${what} ${pointer}`)).toEqual([
      'UNKNOWN_OUTPUT /connectors/1/output',
      'UNKNOWN_OUTPUT /connectors/2',
      'UNKNOWN_OUTPUT /connectors/3/output',
      'UNKNOWN_NODE /connectors/4/to',
      'UNKNOWN_OUTPUT /connectors/5/output',
      'NOT_ALLOWED /connectors/6/from',
      'NOT_ALLOWED /connectors/7/to',
      'DUPLICATE_CONNECTOR /connectors/7',
      'DUPLICATE_CONNECTOR /connectors/9',
    ]);
    expect(found[0]?.message).toBe(
      'Expected connector "both:z->a" to name an output (x, y) of node "both", but found "z"',
    );
  });

  test('[T223] an output that an action does not give fails its node, and says which', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, row('w', start(), yields('a', 'deep.score'), end()));
    await answer(t, 'a', { other: 1 });
    expect((await ended(run)).error).toMatchObject({
      code: 'VALUE_MISSING',
      nodeId: 'a',
      message: expect.stringMatching(/^Expected a value for deep\.score from result\.value, but/),
    });
  });

  test('[T223] a value that an end or an action needs and the context does not have fails its node', async () => {
    const t = await host.open(scripted);
    const ending = await launch(t, row('w', start(), end({ x: 'a.b' })), { a: {} });
    expect((await ended(ending)).error).toMatchObject({ code: 'VALUE_MISSING', nodeId: 'end' });
    const acting = await launch(t, row('w', start(), work('a', { inputs: [{ to: 'x', from: 'a.b' }] })), { a: {} });
    expect((await ended(acting)).error).toMatchObject({ code: 'VALUE_MISSING', nodeId: 'a' });
    expect(t.script.calls).toEqual([]);
  });
});
