import { expect, test } from 'vitest';
import type { Limits } from '../../packages/heddle/src/definition/limits.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  each,
  ended,
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
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('limits name themselves', (host) => {
  const withLimits = (limits: Partial<Limits>) => host.open({ ...scripted, limits });
  const exceeded = (limit: keyof Limits) => ({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining(limit) });
  const codes = (problems: readonly { severity: string; code: string; message: string }[]) =>
    problems.filter(({ severity }) => severity === 'error');

  test('nodesPerRunMax stops a loop that nobody bounded', async () => {
    const t = await withLimits({ nodesPerRunMax: 20 });
    const run = await launch(t, workflow('w', ['a', 'b'], [go('a', 'b'), go('b', 'a')]));
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('nodesPerRunMax') });
    expect(await run.tokens()).toHaveLength(20);
  });

  test('nodesPerRunMax counts the nodes of children, while they run and when they have ended', async () => {
    const t = await withLimits({ nodesPerRunMax: 10 });
    await register(t.engine, workflow('child', ['p', 'q', 'r'], [go('p', 'q'), go('q', 'r')]));
    const call = { id: 'call', workflow: 'child' };
    const run = await launch(t, workflow('w', [call, 'again'], [go('call', 'again'), go('again', 'call')]));
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('nodesPerRunMax') });
    // call + 3, again, call + 3 makes 9; again is the tenth, and there is nothing left.
    expect(await visits(run)).toEqual(['call:completed', 'again:completed', 'call:completed', 'again:completed']);
  });

  test('nodesPerRunMax is passed on: a child gets what is left', async () => {
    const t = await withLimits({ nodesPerRunMax: 5 });
    await register(t.engine, workflow('child', ['p'], [go('p', 'p')]));
    const run = await launch(t, workflow('w', ['a', { id: 'call', workflow: 'child' }], [go('a', 'call')]));
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED', nodeId: 'call' } });
    const [child] = await t.engine.runs({ subRuns: true, workflow: 'child' });
    expect(await t.engine.run(child!.runId).tokens()).toHaveLength(3);
  });

  test('[LC15] commandCostMax bounds the check of an input too, and a refused start leaves nothing', async () => {
    const t = await withLimits({ commandCostMax: 2_000 });
    const inputSchema = { properties: { l: { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } } };
    await register(t.engine, workflow('w', ['a'], [], { inputSchema }));
    const many = { l: Array.from({ length: 500 }, (_, index) => index) };
    await expect(t.engine.start('w', many)).rejects.toMatchObject({
      ...exceeded('commandCostMax'),
      limit: 'commandCostMax',
    });
    await expect(t.engine.start('w', { l: [true] }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      details: expect.arrayContaining([expect.objectContaining({ pointer: '/l/0' })]),
    });
    expect(await t.engine.runs()).toEqual([]);
    const run = await t.engine.start('w', { l: [1] }, { idempotencyKey: 'k' });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('tokensAliveMax', async () => {
    const t = await withLimits({ tokensAliveMax: 10 });
    const definition = workflow('w', ['a', work('b')], [each('a', 'b', 'input.items', 'g')]);
    const run = await launch(t, definition, { items: Array.from({ length: 11 }, (_, i) => i) });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('tokensAliveMax') });
    const fits = await launch(t, definition, { items: Array.from({ length: 10 }, (_, i) => i) });
    expect(await fits.status()).toBe('running');
  });

  test('branchesPerFanOutMax: of a foreach at run time, of a spawnCount at registration', async () => {
    const t = await withLimits({ branchesPerFanOutMax: 3 });
    const run = await launch(t, workflow('w', ['a', work('b')], [each('a', 'b', 'input.items', 'g')]), {
      items: [1, 2, 3, 4],
    });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('branchesPerFanOutMax') });
    expect(await visits(run)).toEqual(['a:completed']);
    const { problems } = await t.engine.register(workflow('v', ['a', 'b'], [spawn('a', 'b', 4, 'g')]));
    expect(codes(problems)).toMatchObject([{ message: expect.stringContaining('branchesPerFanOutMax') }]);
  });

  test('branchDepthMax', async () => {
    const t = await withLimits({ branchDepthMax: 3 });
    const run = await launch(
      t,
      workflow('w', ['a', 'b'], [go('a', 'b', { siblingGroup: 'g' }), go('b', 'a', { siblingGroup: 'h' })]),
    );
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('branchDepthMax') });
    expect((await run.tokens()).map(({ node }) => node).join('')).toBe('abab');
  });

  test('loopIterationsMax', async () => {
    const t = await withLimits({ loopIterationsMax: 5 });
    const { problems } = await t.engine.register(workflow('w', ['a'], [go('a', 'a', { loop: { maxIterations: 6 } })]));
    expect(codes(problems)).toMatchObject([{ message: expect.stringContaining('loopIterationsMax') }]);
  });

  test('descendantsMax', async () => {
    const t = await withLimits({ descendantsMax: 3 });
    await register(t.engine, workflow('child', ['x']));
    const run = await launch(t, workflow('w', [{ id: 'call', workflow: 'child' }], [go('call', 'call')]));
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('descendantsMax') });
    expect(await t.engine.runs({ subRuns: true, workflow: 'child' })).toHaveLength(3);
  });

  test('dispatchesMax: a task that is lost too often fails with TASK_LOST; a loss is no attempt', async () => {
    const options = { ...scripted, limits: { dispatchesMax: 3 } };
    let t = await host.open(options);
    const { id } = await launch(
      t,
      workflow(
        'w',
        [work('a'), work('b', { inputMapping: { code: 'state._last_error.code' } })],
        [go('a', 'b', { on: 'failure' })],
      ),
    );
    for (let lost = 0; lost < 2; lost++) {
      t = await host.restart(t, options);
      await t.settle();
      expect(callsAt(t, 'a').map(({ attempt, idempotencyKey }) => [attempt, idempotencyKey])).toEqual([[1, `${id}/1`]]);
    }
    t = await host.restart(t, options);
    await t.settle();
    expect(callsAt(t, 'b').map(({ input }) => input)).toEqual([{ code: 'TASK_LOST' }]);
  });

  test('payloadBytesMax: of an input, a result, and a value that an expression made', async () => {
    const t = await withLimits({ payloadBytesMax: 1000 });
    const long = 'x'.repeat(2000);
    await register(t.engine, workflow('w', [work('a')]));
    await expect(t.engine.start('w', { long })).rejects.toMatchObject({
      ...exceeded('payloadBytesMax'),
      limit: 'payloadBytesMax',
    });
    const result = await launch(t, workflow('w', [work('a')]));
    await answer(t, 'a', { long });
    expect(await ended(result)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('payloadBytesMax'), nodeId: 'a' },
    });
    const doubled = workflow('v', [work('a', { outputMapping: { 'state.x': 'input.x + input.x' } })]);
    const value = await launch(t, doubled, { x: 'x'.repeat(600) });
    await answer(t, 'a');
    expect(await ended(value)).toMatchObject({
      status: 'failed',
      error: { ...exceeded('payloadBytesMax'), nodeId: 'a' },
    });
  });

  test('mergedBytesMax', async () => {
    const t = await withLimits({ mergedBytesMax: 1000 });
    const definition = workflow(
      'w',
      ['a', keep('b', 'v'), 'c'],
      [spawn('a', 'b', 3, 'g'), join('b', 'c', 'g', merge('_branch.output.v', 'state.all'))],
    );
    const run = await launch(t, definition);
    for (let i = 0; i < 3; i++) await answer(t, 'b', { v: 'x'.repeat(400) });
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('mergedBytesMax'), nodeId: 'c' },
    });
  });

  test('jsonDepthMax', async () => {
    const t = await withLimits({ jsonDepthMax: 20 });
    await register(t.engine, workflow('w', [work('a')]));
    let deep: Fields = {};
    for (let i = 0; i < 30; i++) deep = { deep };
    await expect(t.engine.start('w', deep)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'jsonDepthMax',
      message: expect.stringContaining('jsonDepthMax'),
    });
    const run = await launch(t, workflow('w', [work('a')]));
    await answer(t, 'a', deep);
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('jsonDepthMax'), nodeId: 'a' },
    });
  });

  test('expressionCostMax: an expression that takes too long fails its node, not the engine', async () => {
    const t = await withLimits({ expressionCostMax: 500 });
    const definition = workflow('w', [
      work('a', { inputMapping: { x: 'input.items.map(x, input.items.map(y, x * y))' } }),
    ]);
    const run = await launch(t, definition, { items: Array.from({ length: 100 }, (_, i) => i) });
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { nodeId: 'a', message: expect.stringContaining('expressionCostMax') },
    });
    const fine = await launch(t, definition, { items: [1, 2] });
    expect(callsAt(t, 'a').map(({ input, runId }) => [input, runId])).toEqual([
      [
        {
          x: [
            [1, 2],
            [2, 4],
          ],
        },
        fine.id,
      ],
    ]);
  });

  const small = workflow('w', ['a', 'b', 'c'], [go('a', 'b'), go('b', 'c', { condition: '(((1 == 1)))' })]);

  test.each([
    ['definitionNodesMax', 2],
    ['definitionTransitionsMax', 1],
    ['definitionBytesMax', 50],
    ['expressionLengthMax', 5],
    ['expressionDepthMax', 1],
    ['timeoutMsMax', 100],
  ] as const)('%s: a definition beyond it is refused', async (limit, most) => {
    const t = await withLimits({ [limit]: most });
    const { problems, version } = await t.engine.register(
      limit === 'timeoutMsMax' ? { ...small, timeoutMs: 101 } : small,
    );
    expect(version).toBeNull();
    expect(codes(problems).some(({ message }) => message.includes(limit))).toBe(true);
    const roomy = await host.open(scripted);
    expect(codes((await roomy.engine.register(small)).problems)).toEqual([]);
  });

  test('a definition may lower limits for its own runs, not raise them', async () => {
    const t = await withLimits({ branchesPerFanOutMax: 10 });
    const definition = workflow('w', ['a', work('b')], [each('a', 'b', 'input.items', 'g')]);
    const run = await launch(t, { ...definition, limits: { branchesPerFanOutMax: 2 } }, { items: [1, 2, 3] });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: exceeded('branchesPerFanOutMax') });
    const { problems } = await t.engine.register({ ...definition, id: 'v', limits: { branchesPerFanOutMax: 11 } });
    expect(codes(problems).map(({ message }) => message)).toEqual([expect.stringContaining('branchesPerFanOutMax')]);
  });

  test.each(['concurrencyPerProcess', 'concurrencyPerRun', 'concurrencyPerAction'] as const)(
    '%s bounds the calls under way; the others wait their turn',
    async (limit) => {
      const t = await withLimits({ [limit]: 2 });
      const run = await launch(
        t,
        workflow('w', ['a', work('b', { inputMapping: { index: '_branch.index' } })], [spawn('a', 'b', 5, 'g')]),
      );
      const indices = () => callsAt(t, 'b').map(({ input }) => input['index']);
      expect(indices()).toEqual([0, 1]);
      await answer(t, 'b', {}, { index: 1 });
      expect(indices()).toEqual([0, 2]);
      await fail(t, 'b', new Error('no'), { index: 0 });
      expect(await run.status()).toBe('failed');
    },
  );

  host.testHere('mailboxMax: who sends too much to one run is refused', async () => {
    const t = await withLimits({ mailboxMax: 3 });
    const run = await launch(t, workflow('w', [work('a')]));
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => run.pause()));
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(answers[5]).toMatchObject({
      reason: { code: 'LIMIT_EXCEEDED', limit: 'mailboxMax', message: expect.stringContaining('mailboxMax') },
    });
    expect(await run.status()).toBe('paused');
  });
});
