import { expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { TraceEvent } from '../../packages/heddle/src/core/trace.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import {
  appendValues,
  childDefinition,
  completeBranches,
  eventsOf,
  fanDefinition,
  journalOf,
  launch,
  launchParent,
  mustRegister,
  parentDefinition,
} from './lifecycle.testsuite.ts';

const scripted = ['work', 'after'];

const routed = {
  id: 'routed',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'work', outputMapping: { 'state.n': 'result.n' } },
    { id: 'second', action: 'after' },
  ],
  transitions: [{ from: 'first', to: 'second', condition: 'state.n > 1' }],
};

onEveryHost('workflow events', (host) => {
  test('[T449] workflow.started is first, workflow.completed last', async () => {
    const engine = await host.open({ scripted });
    const run = await launch(engine, routed);
    expect((await journalOf(run)).map(({ type }) => type)[0]).toBe('workflow.started');
    expect(await eventsOf(run, 'workflow.completed', 'workflow.failed')).toEqual([]);
    engine.script.next('work').complete({ n: 2 });
    await engine.settle();
    expect(await eventsOf(run, 'workflow.completed', 'workflow.failed')).toEqual([]);
    await engine.advance(1234);
    engine.script.next('after').complete();
    await engine.settle();
    const events = await journalOf(run);
    expect(events.at(-1)).toMatchObject({ type: 'workflow.completed', at: engine.clock.now(), output: {} });
    expect(events.filter(({ type }) => type.startsWith('workflow.')).map(({ type }) => type)).toEqual([
      'workflow.started',
      'workflow.completed',
    ]);
  });

  test('[T449] workflow.failed is the last word of a run that fails', async () => {
    const engine = await host.open({ scripted });
    const run = await launch(engine, routed);
    engine.script.next('work').complete({ n: 0 });
    await engine.settle();
    const events = await journalOf(run);
    expect(events.at(-1)).toMatchObject({
      type: 'workflow.failed',
      error: { code: 'NO_TRANSITION_MATCHED', nodeId: 'first' },
    });
    expect(events.filter(({ type }) => type === 'workflow.completed' || type === 'workflow.failed')).toHaveLength(1);
  });

  test('[T450] task.dispatched, task.completed and task.failed come with what they tell of', async () => {
    const engine = await host.open({ scripted });
    const run = await launch(engine, routed);
    expect(await eventsOf(run, 'task.dispatched')).toMatchObject([{ token: 1, attempt: 1, dispatch: 1, input: {} }]);
    engine.script.next('work').complete({ n: 2 });
    await engine.settle();
    engine.script.next('after').fail(new Error('no'));
    await engine.settle();
    expect(await eventsOf(run, 'task.dispatched', 'task.completed', 'task.failed')).toMatchObject([
      { type: 'task.dispatched', token: 1 },
      { type: 'task.completed', token: 1, output: { n: 2 } },
      { type: 'task.dispatched', token: 2 },
      { type: 'task.failed', token: 2, error: { code: 'ACTION_FAILED', message: 'no', nodeId: 'second' } },
    ]);
  });

  test('[T451] token.created, token.completed and token.waiting come with what they tell of', async () => {
    const engine = await host.open({ scripted });
    const run = await launch(engine, fanDefinition({ branches: 2 }));
    const [before, { group }] = [await journalOf(run), (await eventsOf(run, 'fan_out.started'))[0]!];
    expect(before.filter(({ type }) => type === 'token.created')).toMatchObject([
      { token: 1, node: 'start', branch: [0, 0] },
      { token: 2, node: 'work', from: 1, via: 'start->work', branch: [group, 0], count: 2 },
    ]);
    completeBranches(engine, 1);
    await engine.settle();
    const after = await journalOf(run);
    expect(after.slice(before.length).map(({ type }) => type)).toEqual([
      'task.completed',
      'context.updated',
      'token.completed',
      'token.created',
      'token.waiting',
    ]);
    expect(after.at(-1)).toMatchObject({
      token: 4,
      for: 'siblings',
      branch: [group, 1],
      arrivedAt: engine.clock.now(),
    });
  });

  test('[T452] fan_out.started, fan_in.completed and branches.merged come with what they tell of', async () => {
    const engine = await host.open({ scripted });
    const run = await launch(engine, fanDefinition({ branches: 2, synchronization: { merge: appendValues } }));
    completeBranches(engine, 1, 0);
    await engine.settle();
    const events = await eventsOf(run, 'fan_out.started', 'fan_in.completed', 'branches.merged');
    const { group } = (await eventsOf(run, 'fan_out.started'))[0]!;
    expect(events).toMatchObject([
      { type: 'fan_out.started', group, name: 'g', token: 1, node: 'start', parent: [0, 0], total: 2 },
      { type: 'fan_in.completed', group, branches: 2, timedOut: false },
      { type: 'branches.merged', group, branch: [0, 0], writes: [['state.values', ['v0', 'v1']]] },
    ]);
    expect(events[1]!.seq).toBe(events[2]!.seq); // One command, one row.
  });

  test('[T453] subworkflow.dispatched and subworkflow.completed come with what they tell of', async () => {
    const engine = await host.open({ scripted });
    const [parent, child] = await launchParent(engine);
    expect(await eventsOf(parent, 'subworkflow.dispatched', 'subworkflow.completed')).toMatchObject([
      {
        type: 'subworkflow.dispatched',
        token: 1,
        attempt: 1,
        childRunId: child.id,
        workflow: 'child',
        input: { order: 7 },
      },
    ]);
    engine.script.next('work').complete({ answer: 3 });
    await engine.settle();
    expect(await eventsOf(parent, 'subworkflow.completed')).toMatchObject([
      { token: 1, childRunId: child.id, status: 'completed', output: { answer: 3 }, nodesUsed: 1 },
    ]);
  });

  test('[T458] events are handed to a streaming sink as they are committed, in order, as the journal has them', async () => {
    const streamed: RunEvent[] = [];
    const engine = await host.open({ scripted, onEvent: (event) => streamed.push(event) });
    const [parent, child] = await launchParent(engine);
    const followed: RunEvent[] = [];
    const following = (async () => {
      for await (const event of parent.events()) followed.push(event);
    })();
    engine.script.next('work').complete({ answer: 3 });
    await engine.settle();
    await following;
    for (const run of [parent, child]) {
      expect(streamed.filter(({ runId }) => runId === run.id)).toEqual(await journalOf(run));
    }
    expect(followed).toEqual(await journalOf(parent));
  });

  host.testHere('[T458] a sink that throws hurts no run, and is told of', async () => {
    const errors: string[] = [];
    const engine = await host.open({
      scripted,
      onEvent: () => {
        throw new Error('sink is full');
      },
      onError: (error) => errors.push(error.message),
    });
    const run = await launch(engine, routed);
    engine.script.next('work').complete({ n: 2 });
    await engine.settle();
    engine.script.next('after').complete();
    await engine.settle();
    expect(await run.status()).toBe('completed');
    expect(new Set(errors)).toEqual(new Set(['sink is full']));
  });
});

async function traceOf(host: AcceptanceHost, trace: boolean): Promise<(TraceEvent & { runId: string })[]> {
  const traced: (TraceEvent & { runId: string })[] = [];
  const engine = await host.open({ scripted, onTrace: (event) => traced.push(event) });
  await mustRegister(engine, routed, fanDefinition({ branches: 2 }), childDefinition, parentDefinition());
  for (const workflow of ['routed', 'fan', 'parent']) await engine.engine.start(workflow, {}, { trace });
  await engine.settle();
  for (const call of engine.script.open('work')) call.complete({ n: 2, value: 'v', answer: 1 });
  await engine.settle();
  engine.script.next('after').complete();
  await engine.settle();
  expect(await engine.engine.runs({ subRuns: true, status: 'completed' })).toHaveLength(4);
  return traced;
}

onEveryHost('trace events', (host) => {
  test('[T454] they appear only when they were asked for', async () => {
    expect(await traceOf(host, false)).toEqual([]);
    const traced = await traceOf(host, true);
    expect(traced.length).toBeGreaterThan(10);
    expect(new Set(traced.map(({ runId }) => runId)).size).toBe(4); // Children are traced with their parent.
  });

  test('[T454] they are no part of the journal', async () => {
    const engine = await host.open({ scripted });
    await mustRegister(engine, routed);
    const [plain, traced] = [
      await engine.engine.start('routed'),
      await engine.engine.start('routed', {}, { trace: true }),
    ];
    await engine.settle();
    const typesOf = async (run: typeof plain) => (await journalOf(run)).map(({ type }) => type);
    expect(await typesOf(traced)).toEqual(await typesOf(plain));
  });

  test('[T455] decision.routing.start and decision.sync.check_condition are among them', async () => {
    const traced = await traceOf(host, true);
    expect(traced.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        { type: 'decision.routing.start', data: expect.objectContaining({ node: 'first', outcome: 'success' }) },
        { type: 'decision.sync.check_condition', data: expect.objectContaining({ group: 'g', arrived: 2, total: 2 }) },
      ]),
    );
  });

  test('[T456] operation.context.field_set and operation.tokens.status_updated are among them', async () => {
    const traced = await traceOf(host, true);
    expect(traced.map(({ type, data }) => ({ type, data }))).toContainEqual({
      type: 'operation.context.field_set',
      data: { target: 'state.n', value: 2 },
    });
    expect(traced.filter(({ type }) => type === 'operation.tokens.status_updated').length).toBeGreaterThan(0);
  });

  test('[T457] dispatch.batch.complete and sql.query are among them', async () => {
    const types = new Set((await traceOf(host, true)).map(({ type }) => type));
    expect(types).toContain('dispatch.batch.complete');
    expect(types).toContain('sql.query');
  });
});
