import { expect, test } from 'vitest';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import { defaultLimits } from '../../packages/heddle/src/definition/limits.ts';
import {
  compileGraph,
  emptyState,
  encodeState,
  parseDefinition,
  plan,
  type RunState,
} from '../../packages/heddle/src/testing.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  completeBranches,
  continuationsOf,
  fanDefinition,
  journalOf,
  launch,
  tokensAt,
} from './lifecycle.testsuite.ts';

const scripted = ['work', 'after'];

onEveryHost('introspection', (host) => {
  async function waiting() {
    const engine = await host.open({ scripted });
    const run = await launch(engine, fanDefinition({ synchronization: { timeoutMs: 1000 }, after: 'after' }));
    completeBranches(engine, 0);
    await engine.settle();
    return { engine, run, introspection: engine.engine.introspection };
  }

  test('[T469] introspectTokens shows every token as it is', async () => {
    const { engine, run, introspection } = await waiting();
    expect(await introspection.introspectTokens(run.id)).toMatchObject([
      { id: 1, node: 'start', status: 'completed', pathId: 'root', siblingGroup: null },
      { id: 2, node: 'work', status: 'completed', pathId: 'root.start.0', output: { value: 'v0' } },
      {
        id: 3,
        node: 'work',
        status: 'dispatched',
        pathId: 'root.start.1',
        siblingGroup: 'g',
        branchIndex: 1,
        branchTotal: 3,
      },
      { id: 4, node: 'work', status: 'dispatched', pathId: 'root.start.2', isExecuting: true },
      { id: 5, node: 'join', status: 'waiting_for_siblings', pathId: 'root.start.0', arrivedAt: engine.clock.now() },
    ]);
  });

  test('[T469] simulateRouting tells what a result, or an error, would lead to', async () => {
    const { run, introspection } = await waiting();
    const done = await introspection.simulateRouting(run.id, 3, { output: { value: 'x' } });
    expect(done.events.map(({ type }) => type)).toEqual([
      'task.completed',
      'context.updated',
      'token.completed',
      'token.created',
      'token.waiting',
    ]);
    expect(done.trace.map(({ type }) => type)).toContain('decision.routing.start');
    const failed = await introspection.simulateRouting(run.id, 3, { error: { code: 'NO', message: 'no' } });
    expect(failed.events.at(-1)).toMatchObject({ type: 'workflow.failed', error: { code: 'NO', nodeId: 'work' } });
    await expect(introspection.simulateRouting(run.id, 1, { output: {} })).rejects.toMatchObject({
      code: 'TOKEN_NOT_FOUND',
    });
  });

  test('[T469] simulateSynchronization tells who is missing and what happens when the time is up', async () => {
    const { engine, run, introspection } = await waiting();
    const deadline = engine.clock.now() + 1000;
    const early = await introspection.simulateSynchronization(run.id, deadline - 1);
    expect(early.groups).toMatchObject([
      { group: 'g', node: 'start', total: 3, arrived: 1, ended: 0, underWay: 2, deadline },
    ]);
    expect(early.ifTimeWere?.events).toEqual([]);
    const { ifTimeWere } = await introspection.simulateSynchronization(run.id, deadline);
    expect(ifTimeWere?.events.at(-1)).toMatchObject({ type: 'workflow.failed', error: { code: 'FAN_IN_TIMED_OUT' } });
  });

  test('[T470] none of them changes the run', async () => {
    const { engine, run, introspection } = await waiting();
    const look = async () => [
      await journalOf(run),
      await run.tokens(),
      await run.state(),
      await run.summary(),
      await engine.store.loadRun(run.id),
      engine.clock.nextAt,
    ];
    const before = await look();
    await introspection.introspectTokens(run.id);
    await introspection.simulateRouting(run.id, 3, { output: { value: 'x' } });
    await introspection.simulateRouting(run.id, 4, { error: { code: 'NO', message: 'no' } });
    await introspection.simulateSynchronization(run.id, engine.clock.now() + 10_000);
    await engine.settle();
    expect(await look()).toEqual(before);
    completeBranches(engine, 1, 2);
    await engine.settle();
    expect(await continuationsOf(run)).toHaveLength(1);
    expect((await tokensAt(run, 'work')).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect((await engine.engine.audit()).problems).toEqual([]);
  });

  test('[T471] planning takes plain objects and gives what the engine does', async () => {
    const definition = fanDefinition({ branches: 2 });
    const engine = await host.open({ scripted });
    const run = await launch(engine, definition);
    completeBranches(engine, 0);
    await engine.settle();
    completeBranches(engine, 1);
    await engine.settle();
    const stored = await engine.store.readJournal(run.id, 1, 100);
    const journal = stored.flatMap(({ events }) => JSON.parse(events) as object[]);
    expect(journal).toEqual(planAlone(definition, run.id, engine.clock.now()));
  });
});

/** The same run, made by the pure functions alone: no engine, no store. */
function planAlone(source: Definition, runId: string, at: number): object[] {
  const { definition } = parseDefinition(source, { limits: defaultLimits });
  const graph = compileGraph(definition!, { version: 1, limits: defaultLimits });
  const start = {
    runId,
    workflow: 'fan',
    version: 1,
    hash: graph.hash,
    input: {},
    rootRunId: runId,
    parent: null,
    depth: 0,
    nodeBudget: defaultLimits.nodesPerRunMax,
    descendantBudget: defaultLimits.descendantsMax,
    deadline: null,
    keyRunId: runId,
    retryOf: null,
    tags: {},
    trace: false,
    countsNodes: false,
  };
  const commands = [
    { type: 'start', at, start } as const,
    ...[2, 3].map((token) => ({
      ...({ type: 'task.result', at, token, dispatch: 1 } as const),
      outcome: { type: 'completed', output: { value: `v${token - 2}` } } as const,
    })),
  ];
  let state: RunState = emptyState();
  const events: object[] = [];
  for (const command of commands) {
    const before = JSON.stringify(encodeState(state));
    const planned = plan(graph, state, command);
    expect(JSON.stringify(encodeState(state))).toBe(before); // The door works on a copy.
    expect(plan(graph, state, command).events).toEqual(planned.events); // The same again.
    events.push(...planned.events);
    state = planned.state;
  }
  return events;
}
