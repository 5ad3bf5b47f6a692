import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  completeBranches,
  eventsOf,
  fanDefinition,
  journalOf,
  launch,
  launchParent,
  parentDefinition,
  tokenList,
} from './lifecycle.testsuite.ts';

const single = {
  id: 'single',
  initialNode: 'first',
  nodes: [
    {
      id: 'first',
      action: 'work',
      inputMapping: { n: 'input.n' },
      outputMapping: { 'state.doubled': 'result.doubled' },
    },
    { id: 'second', action: 'after', inputMapping: { doubled: 'state.doubled' } },
  ],
  transitions: [{ from: 'first', to: 'second' }],
  outputMapping: { doubled: 'state.doubled', n: 'input.n' },
};

onEveryHost('the lifecycle of a run', (host) => {
  const open = () => host.open({ scripted: ['work', 'after'] });

  test('[T436] start initialises the run, creates the root token and dispatches it', async () => {
    const engine = await open();
    const run = await launch(engine, single, { n: 2 });
    expect(await journalOf(run)).toMatchObject([
      { type: 'workflow.started', runId: run.id, workflow: 'single', version: 1, input: { n: 2 }, parent: null },
      { type: 'token.created', token: 1, node: 'first', branch: [0, 0] },
      { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: { n: 2 } },
    ]);
    expect(await run.state()).toEqual({ runId: run.id, status: 'running', input: { n: 2 }, state: {}, output: {} });
    expect(engine.script.open('work').map(({ input }) => input)).toEqual([{ n: 2 }]);
  });

  test('[T437] a sub-workflow follows the same lifecycle with a run record of its own', async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine);
    expect(await child.summary()).toMatchObject({
      workflow: 'child',
      version: 1,
      status: 'running',
      parentRunId: parent.id,
      rootRunId: parent.id,
    });
    expect(await journalOf(child)).toMatchObject([
      {
        type: 'workflow.started',
        runId: child.id,
        input: { order: 7 },
        parent: { runId: parent.id, token: 1 },
        depth: 1,
      },
      { type: 'token.created', token: 1, node: 'task', branch: [0, 0] },
      { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: { order: 7 } },
    ]);
    expect(await engine.engine.runs({ subRuns: true })).toHaveLength(2);
  });

  test("[T438] a task's result continues the run", async () => {
    const engine = await open();
    const run = await launch(engine, single, { n: 2 });
    engine.script.next('work').complete({ doubled: 4 });
    await engine.settle();
    expect(await tokenList(run)).toEqual(['first:completed', 'second:dispatched']);
    expect(engine.script.next('after').input).toEqual({ doubled: 4 });
    expect((await run.state()).state).toEqual({ doubled: 4 });
  });

  test("[T439] a task's error marks the failure and emits task.failed", async () => {
    const engine = await open();
    const run = await launch(engine, single, { n: 2 });
    engine.script.next('work').fail(Object.assign(new Error('no paper'), { code: 'OUT_OF_PAPER' }));
    await engine.settle();
    const error = { code: 'OUT_OF_PAPER', message: 'no paper', nodeId: 'first', attempts: 1 };
    expect(await eventsOf(run, 'task.failed')).toMatchObject([{ token: 1, error }]);
    expect(await run.tokens()).toMatchObject([{ node: 'first', status: 'failed', error }]);
    const thrown = { name: 'Error', stack: expect.stringContaining('no paper') };
    expect(await run.result()).toEqual({
      runId: run.id,
      status: 'failed',
      output: undefined,
      error: { ...error, thrown },
    });
  });

  host.testHere('[T440] a dispatched token is executing from when its action is called', async () => {
    const engine = await host.open({ scripted: ['work', 'after'], limits: { concurrencyPerRun: 1 } });
    const run = await launch(engine, fanDefinition({ branches: 2 }));
    const look = async () =>
      (await run.tokens())
        .filter(({ node }) => node === 'work')
        .map(({ status, isExecuting }) => [status, isExecuting]);
    const both = [
      ['dispatched', true],
      ['dispatched', false],
    ];
    expect(await look()).toEqual(both);
    expect(await engine.engine.introspection.introspectTokens(run.id)).toEqual(await run.tokens());
    completeBranches(engine, 0);
    await engine.settle();
    expect(await look()).toEqual([
      ['completed', false],
      ['dispatched', true],
    ]);
    expect((await journalOf(run)).some(({ type }) => type.includes('executing'))).toBe(false);
  });

  test("[T441][T446] a child's result resumes the waiting token with its output, once", async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine);
    expect(await tokenList(parent)).toEqual(['call:waiting_for_subworkflow']);
    engine.script.next('work').complete({ answer: 42 });
    await engine.settle();
    expect(await child.result()).toMatchObject({ status: 'completed', output: { answer: 42 } });
    expect(await parent.result()).toMatchObject({ status: 'completed', output: { child: { answer: 42 } } });
    expect(await eventsOf(parent, 'subworkflow.completed')).toMatchObject([
      { token: 1, childRunId: child.id, status: 'completed', output: { answer: 42 } },
    ]);
    expect(await tokenList(parent)).toEqual(['call:completed', 'after:completed']);
  });

  test("[T442][T446] a child's error fails the waiting token with it", async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine);
    engine.script.next('work').fail(Object.assign(new Error('burnt'), { code: 'BURNT' }));
    await engine.settle();
    expect(await tokenList(parent)).toEqual(['call:failed']);
    expect(await parent.result()).toMatchObject({
      status: 'failed',
      error: {
        code: 'BURNT',
        nodeId: 'call',
        details: { childRunId: child.id, error: { code: 'BURNT', message: 'burnt' } },
      },
    });
  });

  test("[T442] with catch the error is the node's output", async () => {
    const engine = await open();
    const [parent] = await launchParent(engine, parentDefinition({ onFailure: 'catch' }));
    engine.script.next('work').fail(Object.assign(new Error('burnt'), { code: 'BURNT' }));
    await engine.settle();
    expect(await parent.result()).toMatchObject({
      status: 'completed',
      output: { child: { status: 'failed', error: { code: 'BURNT' } } },
    });
  });

  test('[T443] cancel stops the run with its reason and cascades to sub-runs', async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine);
    expect(await parent.cancel('changed my mind')).toEqual({ applied: true });
    await engine.settle();
    const cancelled = { status: 'cancelled', error: { code: 'CANCELLED', message: 'changed my mind' } };
    expect(await parent.result()).toMatchObject(cancelled);
    expect(await child.result()).toMatchObject(cancelled);
    expect([await tokenList(parent), await tokenList(child)]).toEqual([['call:cancelled'], ['task:cancelled']]);
    expect(engine.script.next('work').signal.aborted).toBe(true);
    engine.script.next('work').complete({ answer: 42 });
    await engine.settle();
    expect(await parent.cancel('again')).toEqual({ applied: false, reason: 'run has ended: cancelled' });
    expect((await journalOf(child)).at(-1)).toMatchObject({ type: 'workflow.cancelled', reason: 'changed my mind' });
    expect(await parent.result()).toMatchObject(cancelled);
  });

  test('[T444] an alarm performs the timeout check, whoever missed it before', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition({ synchronization: { timeoutMs: 1000 } }));
    completeBranches(engine, 0);
    await engine.settle();
    const again = await host.restart(engine, { scripted: ['work', 'after'] });
    expect(await again.engine.run(run.id).status()).toBe('running');
    await again.advance(1000);
    expect(await again.engine.run(run.id).result()).toMatchObject({
      status: 'failed',
      error: { code: 'FAN_IN_TIMED_OUT' },
    });
  });

  test('[T445] when no active token is left the final output is extracted and the run completed', async () => {
    const engine = await open();
    const run = await launch(engine, single, { n: 2 });
    engine.script.next('work').complete({ doubled: 4 });
    await engine.settle();
    expect(await run.status()).toBe('running');
    engine.script.next('after').complete();
    await engine.settle();
    expect(await run.result()).toEqual({
      runId: run.id,
      status: 'completed',
      output: { doubled: 4, n: 2 },
      error: undefined,
    });
    expect((await journalOf(run)).at(-1)).toMatchObject({ type: 'workflow.completed', output: { doubled: 4, n: 2 } });
  });

  test('[T446] the parent is told exactly once, whatever restarts lie between', async () => {
    const first = await open();
    const [parent, child] = await launchParent(first);
    const second = await host.restart(first, { scripted: ['work', 'after'] });
    await second.settle();
    expect(second.script.calls).toMatchObject([{ attempt: 1, idempotencyKey: `${child.id}/1` }]);
    second.script.next('work').complete({ answer: 1 });
    await second.settle();
    const third = await host.restart(second, { scripted: ['work', 'after'] });
    await third.settle();
    expect(third.script.calls).toEqual([]);
    expect(await third.engine.run(parent.id).result()).toMatchObject({ output: { child: { answer: 1 } } });
    expect(await eventsOf(third.engine.run(parent.id), 'subworkflow.completed')).toHaveLength(1);
    expect(await third.store.readOutbox(null, 10)).toEqual([]);
    expect((await third.engine.audit()).problems).toEqual([]);
  });

  test("[T447] a root run's completion reaches the store with its result, and those who listen", async () => {
    const heard: unknown[] = [];
    const engine = await host.open({
      scripted: ['work', 'after'],
      onEvent: (event) => event.type === 'workflow.completed' && heard.push([event.runId, event.output]),
    });
    const run = await launch(engine, single, { n: 1 });
    engine.script.next('work').complete({ doubled: 2 });
    await engine.settle();
    engine.script.next('after').complete();
    await engine.settle();
    expect(heard).toEqual([[run.id, { doubled: 2, n: 1 }]]);
    expect(await engine.store.readRun(run.id)).toMatchObject({
      status: 'completed',
      endedAt: engine.clock.now(),
      hasWork: false,
      nextTimerAt: null,
      result: JSON.stringify({ output: { doubled: 2, n: 1 } }),
    });
    const again = await host.restart(engine);
    expect(await again.engine.run(run.id).result()).toMatchObject({
      status: 'completed',
      output: { doubled: 2, n: 1 },
    });
    expect(await again.engine.runs({ subRuns: true, status: 'completed' })).toMatchObject([{ runId: run.id }]);
  });

  test('[T448] a run is not completed while a token waits for siblings', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition());
    completeBranches(engine, 0, 1);
    await engine.settle();
    expect(await run.status()).toBe('running');
    expect(await eventsOf(run, 'workflow.completed')).toEqual([]);
    completeBranches(engine, 2);
    await engine.settle();
    expect(await run.status()).toBe('completed');
  });

  test('[T448] a run is not completed while a token waits for a child', async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine);
    await engine.advance(1_000_000);
    expect([await parent.status(), await child.status()]).toEqual(['waiting', 'running']);
    engine.script.next('work').complete({ answer: 1 });
    await engine.settle();
    expect([await parent.status(), await child.status()]).toEqual(['completed', 'completed']);
  });
});
