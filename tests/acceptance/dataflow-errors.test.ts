import { expect, test } from 'vitest';
import { refusedDataflow } from '../../packages/heddle/src/dialects.ts';
import { defineNodeType, failure } from '../../packages/heddle/src/index.ts';
import { begin, graph, node, nodeTypes, num, options, report, skipped, trackingOf } from './dataflow.testsuite.ts';
import { onEveryHost, problemsOf } from './hosts.testsuite.ts';

onEveryHost('dataflow: errors of a graph', (host) => {
  const wrong = graph([num('a', 1), num('a', 2), node('s', 'add')], ['a.value->s.c', 'a.value->s.a']);
  const circle = graph(
    [num('n', 1), node('x', 'add'), node('y', 'add'), node('z', 'add')],
    ['n.value->x.a', 'x.result->y.a', 'y.result->z.a', 'z.result->x.b'],
  );

  test('[T116][T117][T125][DA34] everything that is wrong is one error; nothing is stored and nothing runs', async () => {
    const t = await host.open({ nodeTypes });
    const { problems, version } = await t.engine.register(wrong);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect([version, errors.map(({ code, pointer }) => `${code} ${pointer}`)]).toEqual([
      null,
      ['DUPLICATE_ID /nodes/1/id', 'UNKNOWN_PORT /edges/0/targetInput'],
    ]);
    const messages = [
      'Expected node ids to be unique, but "a" is also the one at /nodes/0/id',
      'Expected edge "a->s" to name an input of node "s", but it has no "c"',
    ];
    expect(refusedDataflow(problems)).toEqual({
      status: 'error',
      error: `Workflow validation failed: ${messages.join(', ')}`,
    });
    // Starting it all the same says so too, and trying again does not help.
    for (let attempt = 1; attempt <= 2; attempt++)
      await expect(t.engine.start('g')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND', problems: errors });
    expect([await t.engine.definitions(), await t.engine.runs({ subRuns: true })]).toEqual([[], []]);
    expect(await problemsOf(t, wrong)).toEqual(problems);
  });

  test('[T118][DA21] a circle is refused, and its nodes are named in order', async () => {
    const t = await host.open({ nodeTypes });
    const { problems } = await t.engine.register(circle);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      {
        severity: 'error',
        code: 'CYCLE',
        pointer: '/edges/1',
        message: 'Expected edges that do not go in circles, but these do: "x" -> "y" -> "z" -> "x"',
      },
    ]);
    await expect(t.engine.start('g')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await t.engine.runs({ subRuns: true })).toEqual([]);
  });

  test('[T474][DA45] a failed node carries an error with a kind and a message, however it failed', async () => {
    const t = await host.open({ nodeTypes });
    const nodes = [num('n', 1), num('zero', 0), node('div', 'divide'), node('bad', 'broken'), node('no', 'nobody')];
    const found = await report(t, graph(nodes, ['n.value->div.a', 'zero.value->div.b']));
    const failures = found.nodes.flatMap((one) => (one.status === 'failed' ? [[one.nodeId, one.failure]] : []));
    const kind = 'execution_error';
    expect(failures).toEqual([
      ['div', { kind, message: 'Division by zero' }],
      ['bad', { kind, message: 'it broke' }],
      ['no', { kind, message: expect.stringContaining('"nobody"') }],
    ]);
    expect(found.nodeErrors).toMatchObject({ div: 'Division by zero', bad: 'it broke' });
  });

  test('[T119] without enough credits nothing runs, and it says why', async () => {
    const paid = defineNodeType({ cost: 3, run: () => ({}) });
    const t = await host.open({ nodeTypes: { paid } });
    await t.engine.register(graph([node('a', 'paid'), node('b', 'paid')]));
    await t.engine.credits.deposit('acme', 5);
    const run = await t.engine.start('g', {}, { organization: 'acme' });
    await t.settle();
    expect(await run.summary()).toMatchObject({ status: 'exhausted', error: { code: 'CREDITS_EXHAUSTED' } });
    await t.engine.credits.deposit('acme', 1);
    const again = await t.engine.start('g', {}, { organization: 'acme' });
    await t.settle();
    expect([await again.status(), await t.engine.credits.balance('acme')]).toEqual(['completed', 0]);
  });
});

onEveryHost('dataflow: errors of nodes', (host) => {
  /** Beside the node under test runs another branch, and behind it stands one. */
  const around = (type: string) =>
    graph(
      [num('n', 1), node('bad', type), node('after', 'looseAdd'), node('free', 'add', { b: 1 })],
      ['bad.result->after.a', 'n.value->free.a'],
    );
  const rest = { executedNodes: ['n', 'free'], nodeOutputs: { n: { value: 1 }, free: { result: 2 } } };

  test('[T120][T124][DA27] a node that only edges speak of', async () => {
    const t = await host.open(options);
    const ghostly = graph(
      [num('n', 1), node('after', 'looseAdd'), node('free', 'add', { b: 1 })],
      ['ghost.result->after.a', 'n.value->free.a', 'n.value->spirit.a'],
    );
    const found = await report(t, ghostly);
    expect(trackingOf(found)).toEqual({
      ...rest,
      skippedNodes: ['after'],
      nodeErrors: { ghost: 'Node not found: ghost', spirit: 'Node not found: spirit' },
    });
    expect([found.status, found.nodes.find(({ nodeId }) => nodeId === 'after')]).toEqual([
      'error',
      skipped('after', 'ghost'),
    ]);
    expect((await problemsOf(t, ghostly)).map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'warning UNKNOWN_NODE',
      'warning UNKNOWN_NODE',
    ]);
  });

  test('[T121][T124][X16] a type that nobody registered does not stop the others', async () => {
    const t = await host.open(options);
    const found = await report(t, around('teleport'));
    expect(trackingOf(found)).toEqual({
      ...rest,
      skippedNodes: ['after'],
      nodeErrors: { bad: expect.stringMatching(/^Expected an action named "teleport", but/) as string },
    });
  });

  test.each([
    ['[T122] throws', 'throws', 'it was thrown'],
    ['[T123] returns a failure', 'returns', 'it was returned'],
    [
      'returns what are no outputs',
      'odd',
      'Expected node "bad" to return its outputs by port, but it returned a number',
    ],
  ])('[T124][T113][X16] a node that %s: recorded without outputs, the rest runs', async (_, type, message) => {
    const throws = defineNodeType({
      outputs: { result: {} },
      run: () => {
        throw new Error('it was thrown');
      },
    });
    const returns = defineNodeType({ outputs: { result: {} }, run: () => failure('it was returned') });
    const odd = defineNodeType({ outputs: { result: {} }, run: () => 5 as unknown as object });
    const t = await host.open({ nodeTypes: { ...nodeTypes, throws, returns, odd } });
    const found = await report(t, around(type));
    expect(trackingOf(found)).toEqual({ ...rest, skippedNodes: ['after'], nodeErrors: { bad: message } });
  });

  test('a node is retried and timed out like any other', async () => {
    const t = await host.open({ ...options, actions: { never: () => new Promise(() => undefined) } });
    const nodes = [
      node('late', 'never', {}, { timeoutMs: 100 }),
      node('flaky', 'core.flaky', { failures: 2, x: 1 }, { retry: { maxAttempts: 3, initialDelayMs: 50 } }),
    ];
    const run = await begin(t, graph(nodes));
    await t.advance(200);
    const found = await run.dataflow();
    expect([found.nodeOutputs, found.executedNodes]).toEqual([{ flaky: { x: 1 } }, ['flaky']]);
    expect(found.nodeErrors['late']).toMatch(/to end within 100 ms/);
  });
});
