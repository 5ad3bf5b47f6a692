import { expect, test } from 'vitest';
import { alarmsAreMeant, onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  each,
  ended,
  type Fields,
  fail,
  go,
  keep,
  launch,
  scripted,
  stateOf,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('transition evaluation', (host) => {
  /** Node a, from which the transitions lead to b, c and d. */
  const fork = (...transitions: Fields[]) => workflow('w', [keep('a', 'x'), 'b', 'c', 'd'], transitions);

  test('[T006] only transitions that leave the completed node are looked at', async () => {
    const t = await host.open(scripted);
    const definition = fork(
      go('b', 'd', { condition: 'state.not.there' }),
      go('a', 'c'),
      go('d', 'b', { condition: 'state.not.there' }),
    );
    const run = await launch(t, definition);
    await answer(t, 'a');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual(['a:completed', 'c:completed']);
  });

  const byPriority = [go('a', 'b', { priority: 1 }), go('a', 'c', { priority: 2 }), go('a', 'd', { priority: 3 })];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];

  test.each(orders)(
    '[T007][T008][T010] priority 1 is taken, and alone, stored as number %d, %d, %d',
    async (...order) => {
      const t = await host.open(scripted);
      const run = await launch(t, fork(...order.map((i) => byPriority[i]!)));
      await answer(t, 'a');
      expect(await visits(run)).toEqual(['a:completed', 'b:completed']);
    },
  );

  test('[T007] priorities are numbers, not texts: 2 comes before 10, and 0 and -1 before 1', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      fork(
        go('a', 'b', { priority: 10 }),
        go('a', 'c', { priority: 2 }),
        go('a', 'd', { priority: -1, condition: 'state.x' }),
      ),
    );
    await answer(t, 'a', { x: false });
    expect(await visits(run)).toEqual(['a:completed', 'c:completed']);
  });

  test('[T009][T010] the first whose condition holds is taken, and none after it', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [keep('a', 'x'), 'b', 'c', 'd'],
      [
        go('a', 'b', { priority: 1, condition: 'state.x > 5' }),
        go('a', 'c', { priority: 2, condition: 'state.x > 3' }),
        go('a', 'd', { priority: 3, condition: 'state.x > 1' }),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { x: 4 });
    expect(await visits(run)).toEqual(['a:completed', 'c:completed']);
    const [a, c] = await run.tokens();
    expect([c!.from, c!.via]).toEqual([a!.id, 'a->c']);
  });

  test('[T011] a node with outgoing transitions of which none matches fails the run, and says what was tried', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      fork(go('a', 'b', { condition: 'state.x == 1' }), go('a', 'c', { priority: 2, condition: 'state.x == 2' })),
    );
    await answer(t, 'a', { x: 3 });
    const { status, error } = await ended(run);
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'NO_TRANSITION_MATCHED', nodeId: 'a' });
    const { message } = error as { message: string };
    for (const part of ['node a', 'state.x == 1', 'state.x == 2']) expect(message).toContain(part);
    expect(await visits(run)).toEqual(['a:completed']);
  });

  test('[T012] an unconditional transition of lowest precedence serves as the default', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fork(go('a', 'd', { priority: 99 }), go('a', 'b', { condition: 'state.x == 1' })));
    await answer(t, 'a', { x: 3 });
    expect(await visits(run)).toEqual(['a:completed', 'd:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[T013] foreach creates exactly one token per item, each with its own', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [keep('a', 'x'), work('b', { inputMapping: { item: 'item', index: '_branch.index' } })],
      [go('a', 'b', { foreach: { collection: 'state.x', itemVar: 'item' } })],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { x: ['p', { q: 1 }, null] });
    expect(await visits(run)).toEqual(['a:completed', 'b:dispatched', 'b:dispatched', 'b:dispatched']);
    expect(t.script.open('work').map(({ input }) => input)).toEqual([
      { item: 'p', index: 0 },
      { item: { q: 1 }, index: 1 },
      { item: null, index: 2 },
    ]);
  });

  test('[T014] foreach over an empty collection creates no token', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [keep('a', 'x'), work('b')], [each('a', 'b', 'state.x', 'g')]));
    await answer(t, 'a', { x: [] });
    expect(await visits(run)).toEqual(['a:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['null', null],
    ['an object', { length: 2 }],
    ['a text', 'ab'],
    ['nothing', undefined],
  ])('a collection that is %s fails the run and names the expression', async (_, x) => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [keep('a', 'x'), work('b')], [each('a', 'b', 'state.x', 'g')]));
    await answer(t, 'a', { x });
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'FOREACH_NOT_A_LIST', nodeId: 'a', message: expect.stringContaining('state.x') },
    });
    expect(await visits(run)).toEqual(['a:completed']);
  });

  test('a condition that cannot be evaluated fails the run with transition, expression and cause', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, {
      ...fork(go('a', 'b', { id: 'check', condition: 'state.missing > 1' }), go('a', 'c', { priority: 2 })),
      ...alarmsAreMeant,
    });
    await answer(t, 'a', { x: 1 });
    const { status, error } = await ended(run);
    expect([status, error]).toMatchObject(['failed', { code: 'CONDITION_FAILED', nodeId: 'a' }]);
    const { message } = error as { message: string };
    for (const part of ['check', 'state.missing > 1']) expect(message).toContain(part);
  });

  test('all matches of the first tier with a match fire, in definition order', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [keep('a', 'x'), work('b'), work('c'), work('d')],
      [
        go('a', 'd', { priority: 2 }),
        go('a', 'c', { priority: 1 }),
        go('a', 'd', { priority: 1, condition: 'state.x == 2' }),
        go('a', 'b', { priority: 1, condition: 'state.x == 1' }),
      ],
    );
    const run = await launch(t, definition);
    await answer(t, 'a', { x: 1 });
    expect(await visits(run)).toEqual(['a:completed', 'c:dispatched', 'b:dispatched']);
  });

  test('parallel tokens that share no group write to the scope they came from', async () => {
    const t = await host.open(scripted);
    const definition = workflow('w', [work('a'), keep('b', 'b'), keep('c', 'c')], [go('a', 'b'), go('a', 'c')]);
    const run = await launch(t, definition);
    await answer(t, 'a');
    await answer(t, 'c', { c: 2 });
    expect(await stateOf(run)).toEqual({ c: 2 });
    await answer(t, 'b', { b: 1 });
    expect(await stateOf(run)).toEqual({ b: 1, c: 2 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('a plain transition never swallows a failure', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fork(go('a', 'b')));
    await fail(t, 'a', new Error('broken'));
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'ACTION_FAILED', message: 'broken', nodeId: 'a', attempts: 1 },
    });
    expect(await visits(run)).toEqual(['a:failed']);
  });

  test.each([
    ['success', 'b'],
    ['failure', 'c'],
  ])('on: after a %s the transitions for it and those for any are eligible', async (outcome, taken) => {
    const t = await host.open(scripted);
    const run = await launch(t, fork(go('a', 'b'), go('a', 'c', { on: 'failure' }), go('a', 'd', { on: 'any' })));
    if (outcome === 'success') await answer(t, 'a');
    else await fail(t, 'a');
    expect(await visits(run)).toEqual([
      `a:${outcome === 'success' ? 'completed' : 'failed'}`,
      `${taken}:completed`,
      'd:completed',
    ]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('a failure whose failure transitions do not match fails the run with the original error', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fork(go('a', 'b', { on: 'failure', condition: "state._last_error.code == 'OTHER'" })));
    await fail(t, 'a', Object.assign(new Error('broken'), { code: 'MINE' }));
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'MINE', message: 'broken', nodeId: 'a' },
    });
  });

  test('a node with failure transitions only is terminal after a success', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fork(go('a', 'b', { on: 'failure' })));
    await answer(t, 'a');
    expect(await visits(run)).toEqual(['a:completed']);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });
});

onEveryHost('terminal detection', (host) => {
  test('[T015][T016] a node without outgoing transitions is terminal; the last token at one completes the run', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow('w', [work('a'), work('z')], [go('a', 'z')], { outputMapping: { done: 'true' } }),
    );
    await answer(t, 'a');
    expect(await run.status()).toBe('running');
    await answer(t, 'z');
    expect(await ended(run)).toEqual({ status: 'completed', output: { done: true }, error: undefined });
    expect(await visits(run)).toEqual(['a:completed', 'z:completed']);
  });

  test('[T017][T018] parallel paths may end at different terminal nodes; the run is complete with the last of them', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['a', work('b'), work('c'), work('y'), work('z')],
      [go('a', 'b'), go('a', 'c'), go('b', 'y'), go('c', 'z')],
    );
    const run = await launch(t, definition);
    await answer(t, 'b');
    await answer(t, 'y');
    expect(await run.status()).toBe('running');
    expect(await visits(run)).toEqual(['a:completed', 'b:completed', 'c:dispatched', 'y:completed']);
    await answer(t, 'c');
    expect(await run.status()).toBe('running');
    await answer(t, 'z');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await run.tokens()).every(({ status }) => status === 'completed')).toBe(true);
  });

  test('[T017] a token that waits keeps the run from being complete', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow('w', ['a', work('b'), { id: 'c', wait: { seconds: 60 } }], [go('a', 'b'), go('a', 'c')]),
    );
    await answer(t, 'b');
    expect(await run.status()).toBe('waiting');
    await t.advance(60_000);
    expect(await run.status()).toBe('completed');
  });
});
