import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  appendValues,
  completeBranches,
  continuationsOf,
  eventsOf,
  fanDefinition,
  launch,
  tokenList,
  tokensAt,
} from './lifecycle.testsuite.ts';

onEveryHost('fan-in activation', (host) => {
  const open = () => host.open({ scripted: ['work', 'after'] });

  test.each(['all', 'any', { mOfN: 2 }] as const)(
    '[T428] of simultaneous arrivals one wins: one continuation (%j)',
    async (strategy) => {
      const engine = await open();
      const run = await launch(engine, fanDefinition({ synchronization: { strategy }, after: 'after' }));
      completeBranches(engine, 2, 0, 1); // All three in one turn.
      await engine.settle();
      expect(engine.script.open('after')).toHaveLength(1);
      expect(await eventsOf(run, 'fan_in.completed')).toHaveLength(1);
      const continuations = await continuationsOf(run);
      expect(continuations).toMatchObject([{ node: 'join', status: 'dispatched', pathId: 'root', branchTotal: 1 }]);
      engine.script.next('after').complete();
      await engine.settle();
      expect(engine.script.calls.filter(({ action }) => action === 'after')).toHaveLength(1);
      expect(await run.status()).toBe('completed');
    },
  );

  test.each([
    ['any', 1],
    [{ mOfN: 2 }, 2],
    ['all', 3],
  ] as const)(
    '[T428] of arrivals within one command the join %j takes as many as it needs',
    async (strategy, taken) => {
      const engine = await open();
      const run = await launch(engine, {
        id: 'instant',
        initialNode: 'start',
        nodes: [{ id: 'start' }, { id: 'branch', outputMapping: { 'state.i': '_branch.index' } }, { id: 'join' }],
        transitions: [
          { from: 'start', to: 'branch', spawnCount: 3, siblingGroup: 'g' },
          {
            from: 'branch',
            to: 'join',
            synchronization: {
              strategy,
              merge: { source: '_branch.output.i', target: 'output.taken', strategy: 'append' },
            },
          },
        ],
      });
      expect(await run.result()).toMatchObject({ status: 'completed', output: { taken: [0, 1, 2].slice(0, taken) } });
      expect(await eventsOf(run, 'fan_in.completed')).toMatchObject([{ branches: taken }]);
      expect(await continuationsOf(run)).toHaveLength(1);
    },
  );

  test("[T429] completed siblings' outputs are merged if a merge is configured, in branch order", async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ synchronization: { merge: appendValues }, after: 'after' }));
    for (const index of [2, 0, 1]) {
      expect((await run.state()).state).toEqual({});
      completeBranches(engine, index);
      await engine.settle();
    }
    expect((await run.state()).state).toEqual({ values: ['v0', 'v1', 'v2'] });
    const [fanOut] = await eventsOf(run, 'fan_out.started');
    expect(await eventsOf(run, 'branches.merged')).toMatchObject([
      { group: fanOut!.group, branch: [0, 0], writes: [['state.values', ['v0', 'v1', 'v2']]] },
    ]);
  });

  test('[T429] a quorum merges those that arrived, not those it did not wait for', async () => {
    const engine = await open();
    const synchronization = { strategy: { mOfN: 2 }, merge: appendValues } as const;
    const run = await launch(engine, fanDefinition({ synchronization }));
    completeBranches(engine, 2);
    await engine.settle();
    completeBranches(engine, 0);
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: { values: ['v0', 'v2'] } });
  });

  test('[T430] without merge config nothing is merged but the run continues', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ after: 'after' }));
    completeBranches(engine, 0, 1, 2);
    await engine.settle();
    expect(await eventsOf(run, 'branches.merged')).toEqual([]);
    expect((await run.state()).state).toEqual({});
    engine.script.next('after').complete();
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
  });

  test('[T431] waiting siblings are completed by the activation', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ after: 'after' }));
    completeBranches(engine, 0, 1);
    await engine.settle();
    expect((await tokensAt(run, 'join')).map(({ status }) => status)).toEqual([
      'waiting_for_siblings',
      'waiting_for_siblings',
    ]);
    completeBranches(engine, 2);
    await engine.settle();
    expect((await tokensAt(run, 'join')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'dispatched',
    ]);
  });

  test('[T432] siblings in flight are cancelled and their actions aborted', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ synchronization: { strategy: 'any' }, after: 'after' }));
    completeBranches(engine, 1);
    await engine.settle();
    expect((await tokensAt(run, 'work')).map(({ status }) => status)).toEqual(['cancelled', 'completed', 'cancelled']);
    const work = engine.script.calls.filter(({ action }) => action === 'work');
    expect(work.map(({ signal }) => signal.aborted)).toEqual([true, false, true]);
  });

  test('[T432] what the cancelled siblings had opened is cancelled at any depth', async () => {
    const engine = await open();
    const run = await launch(engine, {
      id: 'nested',
      initialNode: 'start',
      nodes: [
        { id: 'start' },
        { id: 'quick', action: 'work' },
        { id: 'slow' },
        { id: 'inner', action: 'after' },
        { id: 'end' },
      ],
      transitions: [
        { from: 'start', to: 'quick', siblingGroup: 'outer' },
        { from: 'start', to: 'slow', siblingGroup: 'outer' },
        { from: 'slow', to: 'inner', spawnCount: 2, siblingGroup: 'nested' },
        { from: 'inner', to: 'end', synchronization: { siblingGroup: 'outer', strategy: 'any' } },
        { from: 'quick', to: 'end', synchronization: { siblingGroup: 'outer', strategy: 'any' } },
      ],
    });
    engine.script.next('work').complete();
    await engine.settle();
    expect((await tokensAt(run, 'inner')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(engine.script.open('after').map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(await run.status()).toBe('completed');
  });

  test('[T433] the continuation token is created and dispatched, in the branch that fanned out', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ after: 'after' }));
    const [fanOut] = await eventsOf(run, 'fan_out.started');
    completeBranches(engine, 0, 1, 2);
    await engine.settle();
    const [continuation] = await continuationsOf(run);
    expect(continuation).toMatchObject({ node: 'join', from: fanOut!.token, siblingGroup: null, isExecuting: true });
    expect(await eventsOf(run, 'task.dispatched')).toContainEqual(
      expect.objectContaining({ token: continuation!.id, attempt: 1, dispatch: 1 }),
    );
    expect(engine.script.open('after').map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      `${run.id}/${continuation!.id}`,
    ]);
  });

  test('[T434] synchronizing tells the ids of the continuations, before it happens and as it happens', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ after: 'after' }));
    completeBranches(engine, 0, 1);
    await engine.settle();
    const last = (await tokensAt(run, 'work')).find(({ status }) => status === 'dispatched');
    const told = await engine.engine.introspection.simulateRouting(run.id, last!.id, { output: {} });
    const foretold = told.events.flatMap((e) =>
      e.type === 'token.created' && e.node === 'join' && e.via === undefined ? [e.token] : [],
    );
    expect(told.effects).toMatchObject([{ type: 'dispatch', token: foretold[0], node: 'join' }]);
    completeBranches(engine, 2);
    await engine.settle();
    expect((await continuationsOf(run)).map(({ id }) => id)).toEqual(foretold);
  });

  test("[T435] a branch's output is written to the branch's own storage", async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ synchronization: { merge: appendValues } }));
    const [fanOut] = await eventsOf(run, 'fan_out.started');
    completeBranches(engine, 1);
    await engine.settle();
    expect(await eventsOf(run, 'context.updated')).toMatchObject([
      { branch: [fanOut!.group, 1], writes: [['state.value', 'v1']] },
    ]);
    expect(await run.state()).toMatchObject({ state: {}, output: {} });
    completeBranches(engine, 0, 2);
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: { values: ['v0', 'v1', 'v2'] } });
    expect((await run.state()).state).toEqual({ values: ['v0', 'v1', 'v2'] });
    expect(await tokenList(run)).not.toContainEqual(expect.stringMatching(/waiting|ready|dispatched/));
  });
});
