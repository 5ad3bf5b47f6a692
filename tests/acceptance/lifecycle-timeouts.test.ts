import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  appendValues,
  completeBranches,
  eventsOf,
  fanDefinition,
  launch,
  launchParent,
  parentDefinition,
  tokenList,
  tokensAt,
} from './lifecycle.testsuite.ts';

onEveryHost('timeouts', (host) => {
  const open = () => host.open({ scripted: ['work', 'after'] });
  const limited = (onTimeout?: 'proceed_with_available') =>
    fanDefinition({
      synchronization: { timeoutMs: 1000, merge: appendValues, ...(onTimeout ? { onTimeout } : {}) },
      after: 'after',
    });

  test("[T459] the time counts from the first sibling's arrival, not from the fan-out", async () => {
    const engine = await open();
    const run = await launch(engine, limited());
    await engine.advance(10_000); // Nobody has arrived: nobody is late.
    completeBranches(engine, 0);
    await engine.settle();
    const arrivedAt = engine.clock.now();
    expect(await tokensAt(run, 'join')).toMatchObject([{ status: 'waiting_for_siblings', arrivedAt }]);
    await engine.advance(600);
    completeBranches(engine, 1); // A second arrival does not start the time anew.
    await engine.settle();
    expect((await run.summary()).nextTimerAt).toBe(arrivedAt + 1000);
    await engine.advance(399);
    expect(await run.status()).toBe('running');
    await engine.advance(1);
    expect(await run.status()).toBe('failed');
    expect((await run.summary()).endedAt).toBe(arrivedAt + 1000);
  });

  test('[T460] before the timeout nothing happens', async () => {
    const engine = await open();
    const run = await launch(engine, limited());
    completeBranches(engine, 0);
    await engine.settle();
    const before = await run.tokens();
    await engine.advance(999);
    expect(await run.tokens()).toEqual(before);
    expect(await run.status()).toBe('running');
    completeBranches(engine, 1, 2);
    await engine.advance(5000);
    engine.script.next('after').complete();
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: { values: ['v0', 'v1', 'v2'] } });
  });

  test('[T461] fail: the waiting tokens are timed out and the run fails, naming the group', async () => {
    const engine = await open();
    const run = await launch(engine, limited());
    completeBranches(engine, 0, 2);
    await engine.advance(1000);
    const { status, error } = await run.result();
    expect({ status, code: error?.code, details: error?.details }).toMatchObject({
      status: 'failed',
      code: 'FAN_IN_TIMED_OUT',
      details: { group: 'g', arrived: 2, total: 3 },
    });
    expect(error?.message).toContain('group g');
    expect((await tokensAt(run, 'join')).map((t) => t.status)).toEqual(['timed_out', 'timed_out']);
    expect((await tokensAt(run, 'work')).map((t) => t.status)).toEqual(['completed', 'cancelled', 'completed']);
    expect(engine.script.open('work').map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(engine.script.open('after')).toEqual([]);
  });

  test('[T462] proceed_with_available: those there are merged, the others cancelled, the run continues', async () => {
    const engine = await open();
    const run = await launch(engine, limited('proceed_with_available'));
    completeBranches(engine, 2, 0);
    await engine.advance(1000);
    expect(await eventsOf(run, 'fan_in.completed')).toMatchObject([{ branches: 2, timedOut: true }]);
    expect((await tokensAt(run, 'work')).map((t) => t.status)).toEqual(['completed', 'cancelled', 'completed']);
    expect((await tokensAt(run, 'join')).map((t) => t.status)).toEqual(['completed', 'completed', 'dispatched']);
    engine.script.next('after').complete();
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: { values: ['v0', 'v2'] } });
  });

  test('[T463] sub-workflow timeout: child cancelled, token timed out, parent failed', async () => {
    const engine = await open();
    const [parent, child] = await launchParent(engine, parentDefinition({ timeoutMs: 500 }));
    await engine.advance(499);
    expect([await parent.status(), await child.status()]).toEqual(['waiting', 'running']);
    await engine.advance(1);
    expect(await parent.result()).toMatchObject({
      status: 'failed',
      error: { code: 'SUBWORKFLOW_TIMED_OUT', nodeId: 'call', attempts: 1 },
    });
    expect(await tokenList(parent)).toEqual(['call:timed_out']);
    expect(await child.status()).toBe('cancelled');
    expect(engine.script.next('work').signal.aborted).toBe(true);
    expect(await eventsOf(parent, 'subworkflow.timed_out')).toMatchObject([
      { token: 1, childRunId: child.id, timeoutMs: 500, elapsedMs: 500 },
    ]);
  });

  test('[T464] an alarm is set when a token starts to wait for siblings with a timeout', async () => {
    const engine = await open();
    const run = await launch(engine, limited());
    expect((await run.summary()).nextTimerAt).toBeNull();
    completeBranches(engine, 1);
    await engine.settle();
    const due = engine.clock.now() + 1000;
    expect((await run.summary()).nextTimerAt).toBe(due);
    expect(await engine.store.nextAlarmAt()).toBe(due);
    expect(engine.clock.nextAt).toBe(due);
    expect((await engine.engine.introspection.simulateSynchronization(run.id)).groups).toMatchObject([
      { group: 'g', arrived: 1, underWay: 2, total: 3, required: 'all', deadline: due },
    ]);
  });

  test('[T465] an alarm is set when a token starts to wait for a child with a timeout', async () => {
    const engine = await open();
    const startedAt = engine.clock.now();
    const [parent] = await launchParent(engine, parentDefinition({ timeoutMs: 500 }));
    expect((await parent.summary()).nextTimerAt).toBe(startedAt + 500);
    expect(engine.clock.nextAt).toBe(startedAt + 500);
    engine.script.next('work').complete({ answer: 1 });
    await engine.settle();
    expect((await parent.summary()).nextTimerAt).toBeNull();
  });

  test('[T466] no timeout configured: no alarm', async () => {
    const engine = await open();
    const run = await launch(engine, fanDefinition());
    completeBranches(engine, 0);
    await engine.settle();
    const [parent] = await launchParent(engine);
    expect([(await run.summary()).nextTimerAt, (await parent.summary()).nextTimerAt]).toEqual([null, null]);
    expect([await engine.store.nextAlarmAt(), engine.clock.nextAt]).toEqual([null, null]);
    await engine.advance(10_000_000);
    expect([await run.status(), await parent.status()]).toEqual(['running', 'waiting']);
  });

  test('[T467] after a check the next alarm is the earliest deadline that is left', async () => {
    const engine = await open();
    const startedAt = engine.clock.now();
    const wait = (id: string, seconds: number) => ({ id, wait: { seconds } });
    const run = await launch(engine, {
      id: 'waits',
      initialNode: 'start',
      nodes: [{ id: 'start' }, wait('late', 30), wait('early', 10), wait('middle', 20)],
      transitions: ['late', 'early', 'middle'].map((to) => ({ from: 'start', to })),
    });
    const alarms: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { status, nextTimerAt } = await run.summary();
      alarms.push([status, nextTimerAt === null ? null : nextTimerAt - startedAt]);
      expect(engine.clock.nextAt).toBe(nextTimerAt);
      await engine.advance(10_000);
    }
    expect(alarms).toEqual([
      ['waiting', 10_000],
      ['waiting', 20_000],
      ['waiting', 30_000],
      ['completed', null],
    ]);
  });

  test("[T468] the time of a task is the executor's business: the run sets no timer and hears of a failed attempt", async () => {
    const engine = await open();
    const run = await launch(engine, {
      id: 'timed',
      initialNode: 'task',
      nodes: [{ id: 'task', action: 'work', timeoutMs: 100, retry: { maxAttempts: 2, initialDelayMs: 50 } }],
    });
    expect((await run.summary()).nextTimerAt).toBeNull();
    await engine.advance(100);
    const [first] = engine.script.calls;
    expect(first?.signal.aborted).toBe(true);
    expect(await eventsOf(run, 'task.attempt_failed')).toMatchObject([
      { attempt: 1, error: { code: 'TASK_TIMEOUT' }, retryAt: engine.clock.now() + 50 },
    ]);
    first?.complete({ late: true }); // Nobody listens any more.
    await engine.advance(50);
    await engine.advance(100);
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'TASK_TIMEOUT', attempts: 2 } });
  });
});
