import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/exports.ts';
import type { TestEngine } from '../../packages/heddle/src/testing.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, journaled, openWith, refuse, startRun, tokensAt } from './managers.testsuite.ts';
import { flow, go, node, task } from './planning.testsuite.ts';

const child = { ...flow([task('c', { outputMapping: { 'output.n': 'result.n' } })]), id: 'child' };

/** Two calls of the child and a task, side by side. */
const parent = flow(
  [node('s'), node('call', { workflow: 'child' }), task('t')],
  [go('s', 'call', { spawnCount: 2, siblingGroup: 'g' }), go('s', 't')],
);

const childrenOf = async (engine: TestEngine, run: Run) =>
  (await engine.engine.runs({ subRuns: true, parentRunId: run.id })).toSorted((a, b) => (a.runId < b.runId ? -1 : 1));

onEveryHost('sub-runs', (host) => {
  test('[T406] a call has an id for its sub-run and records it as running', async () => {
    const engine = await openWith(host, [child, parent]);
    const run = await startRun(engine, 'w');
    const ids = (await journaled(run, 'subworkflow.dispatched')).map(({ childRunId }) => childRunId);
    expect(new Set(ids).size).toBe(2);
    const children = await childrenOf(engine, run);
    expect(children.map(({ runId }) => runId)).toEqual(ids.toSorted());
    expect(children.map(({ workflow, status }) => [workflow, status])).toEqual([
      ['child', 'running'],
      ['child', 'running'],
    ]);
  });

  test('[T407][T408] the status of a sub-run changes with it; those that run can be listed', async () => {
    const engine = await openWith(host, [child, parent]);
    const run = await startRun(engine, 'w');
    const running = async () =>
      (await engine.engine.runs({ subRuns: true, parentRunId: run.id, status: 'running' })).map(({ runId }) => runId);
    const [first, second] = callsAt(engine, 'c').map(({ runId }) => runId);
    expect(new Set(await running())).toEqual(new Set([first, second]));
    await answer(engine, 'c', { n: 1 });
    expect(await running()).toEqual([second]);
    expect(await engine.engine.run(first!).summary()).toMatchObject({ status: 'completed', output: { n: 1 } });
    expect(await journaled(run, 'subworkflow.completed')).toMatchObject([{ childRunId: first, status: 'completed' }]);
    await refuse(engine, 'c');
    expect(await running()).toEqual([]);
    expect(await engine.engine.run(second!).status()).toBe('failed');
  });

  test('[T409] a sub-run is found by its id and by the token that waits for it; unknown ones are not', async () => {
    const engine = await openWith(host, [child, parent]);
    const run = await startRun(engine, 'w');
    const tokens = await tokensAt(run, 'call');
    for (const { id, childRunId } of tokens) {
      const [started] = await journaled(engine.engine.run(childRunId!), 'workflow.started');
      expect(started).toMatchObject({ runId: childRunId, parent: { runId: run.id, token: id }, depth: 1 });
    }
    const [other] = await tokensAt(run, 't');
    expect(other).not.toHaveProperty('childRunId');
    await expect(engine.engine.run('nobody').summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await engine.engine.runs({ subRuns: true, parentRunId: 'nobody' })).toEqual([]);
  });

  test('[T410][T412] cancelling a run cancels all its running sub-runs, at any depth, and leaves those that have ended', async () => {
    const middle = { ...flow([node('call', { workflow: 'child' })]), id: 'middle' };
    const top = flow([node('s'), node('m', { workflow: 'middle' })], [go('s', 'm', { spawnCount: 3 })]);
    const engine = await openWith(host, [child, middle, top]);
    const run = await startRun(engine, 'w');
    await answer(engine, 'c', { n: 1 });
    const calls = callsAt(engine, 'c');
    expect(await run.cancel('enough')).toEqual({ applied: true });
    await engine.settle();
    const statuses = async (id: string) =>
      (await engine.engine.runs({ subRuns: true, parentRunId: id })).map(({ status }) => status).toSorted();
    expect(await run.status()).toBe('cancelled');
    expect(await statuses(run.id)).toEqual(['cancelled', 'cancelled', 'completed']);
    for (const { runId, status } of await engine.engine.runs({ subRuns: true, parentRunId: run.id }))
      expect(await statuses(runId)).toEqual([status]);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    const cancelled = await journaled(run, 'tokens.cancelled');
    expect(cancelled).toMatchObject([{ reason: 'enough' }]);
    expect(cancelled[0]?.tokens).toHaveLength(2);
  });

  test('[T411] when a run fails all its running sub-runs are cancelled', async () => {
    const engine = await openWith(host, [child, parent]);
    const run = await startRun(engine, 'w');
    const calls = callsAt(engine, 'c');
    await refuse(engine, 't');
    expect(await run.result()).toMatchObject({ status: 'failed', error: { nodeId: 't' } });
    expect((await childrenOf(engine, run)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect((await tokensAt(run, 'call')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  test('[T411] a run that takes too long cancels its sub-runs too', async () => {
    const engine = await openWith(host, [child, { ...parent, timeoutMs: 500 }]);
    const run = await startRun(engine, 'w');
    await engine.advance(500);
    expect(await run.status()).toBe('timed_out');
    expect((await childrenOf(engine, run)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  test('[T411][T412] a cancel that was on its way when the host went down arrives', async () => {
    const engine = await openWith(host, [child, parent]);
    const run = await startRun(engine, 'w');
    await run.cancel();
    const later = await host.restart(engine, { scripted: ['work'] });
    await later.settle();
    expect((await childrenOf(later, run)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(later.script.calls).toEqual([]);
  });
});
