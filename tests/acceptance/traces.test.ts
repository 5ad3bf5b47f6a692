// Trace events: asked for at the start of a run, kept with it, and read live and afterwards, on every host.

import { expect, test } from 'vitest';
import { sideCommit } from '../../packages/heddle/src/actor/side-writer.ts';
import { type RunTraceEvent, traceKind } from '../../packages/heddle/src/actor/trace-log.ts';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { TraceEvent } from '../../packages/heddle/src/core/trace.ts';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { childDefinition, journalOf, mustRegister, parentDefinition } from './lifecycle.testsuite.ts';

const scripted = ['work', 'after'];

/** Works, asks, and works again. */
const asking: Definition = {
  id: 'asking',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'work', outputMapping: { 'state.n': 'result.n' } },
    { id: 'ask', input: true },
    { id: 'last', action: 'after' },
  ],
  transitions: [
    { from: 'first', to: 'ask', condition: 'state.n != 1' },
    { from: 'ask', to: 'last' },
  ],
};

async function started(engine: TestEngine): Promise<Run> {
  await mustRegister(engine, asking);
  const run = await engine.engine.start('asking', {}, { trace: true });
  await engine.settle();
  return run;
}

/** Until it waits for a person. */
async function suspended(engine: TestEngine, result: unknown = { n: 2 }): Promise<Run> {
  const run = await started(engine);
  engine.script.next('work').complete(result);
  await engine.settle();
  expect(await run.status()).toBe('suspended');
  return run;
}

async function finish(engine: TestEngine, run: Run): Promise<void> {
  const [prompt] = await run.prompts();
  await run.reply(prompt?.correlationId ?? '', {});
  await engine.settle();
  engine.script.next('after').complete();
  await engine.settle();
  expect(await run.status()).toBe('completed');
}

async function traceOf(run: Run, after?: string): Promise<RunTraceEvent[]> {
  const events: RunTraceEvent[] = [];
  for await (const event of run.trace({ follow: false, ...(after === undefined ? {} : { after }) })) events.push(event);
  return events;
}

async function follow(run: Run): Promise<RunTraceEvent[]> {
  const events: RunTraceEvent[] = [];
  for await (const event of run.trace()) events.push(event);
  return events;
}

const codeOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'none',
    (error: { code: string }) => error.code,
  );

const rowsOf = async ({ store }: TestEngine): Promise<readonly string[]> =>
  (await store.listRecords(traceKind, { limit: 1_000 })).map(({ key }) => key);

onEveryHost('kept trace events', (host) => {
  test('[T478][TC1][TC2] a run that asked for them has them afterwards: each journal row explained, as it was told', async () => {
    const told: TraceEvent[] = [];
    const engine = await host.open({ scripted, onTrace: ({ type, data }) => told.push({ type, data }) });
    const run = await suspended(engine);
    await finish(engine, run);
    const trace = await traceOf(run);
    expect(trace.map(({ type, data }) => ({ type, data }))).toEqual(told);
    expect(trace.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        { type: 'decision.routing.start', data: expect.objectContaining({ node: 'first', outcome: 'success' }) },
        { type: 'decision.routing.condition', data: expect.objectContaining({ value: true }) },
        { type: 'operation.context.field_set', data: { target: 'state.n', value: 2 } },
      ]),
    );
    const rows = new Map((await journalOf(run)).map(({ seq, at }) => [seq, at]));
    expect(new Map(trace.map(({ seq, at }) => [seq, at]))).toEqual(rows);
    const places = [...rows.keys()].flatMap((row) =>
      trace.filter(({ seq }) => seq === row).map((_, index) => `${row}.${index}`),
    );
    expect(trace.map(({ id }) => id)).toEqual(places);
    for (const row of rows.keys())
      expect(trace.filter(({ seq }) => seq === row).slice(-2)).toMatchObject([
        { type: 'sql.query', runId: run.id },
        { type: 'dispatch.batch.complete', runId: run.id },
      ]);
  });

  test('[T478][TC6] they are read live while the run is suspended, then as they come, until it has ended', async () => {
    const engine = await host.open({ scripted });
    const run = await suspended(engine);
    const soFar = await traceOf(run);
    const live = run.trace();
    const seen: RunTraceEvent[] = [];
    while (seen.length < soFar.length) seen.push((await live.next()).value as RunTraceEvent);
    expect(seen).toEqual(soFar);
    const next = live.next();
    await finish(engine, run);
    seen.push((await next).value as RunTraceEvent);
    for await (const event of live) seen.push(event);
    expect(seen).toEqual(await traceOf(run));
    expect(seen.length).toBeGreaterThan(soFar.length + 5);
    expect(await follow(run)).toEqual(seen);
  });

  test('[T478][TC6] reading after an event gives what follows it; an id that is none is refused', async () => {
    const engine = await host.open({ scripted });
    const run = await suspended(engine);
    await finish(engine, run);
    const trace = await traceOf(run);
    for (const [index, { id }] of trace.entries()) expect(await traceOf(run, id)).toEqual(trace.slice(index + 1));
    expect(await codeOf(traceOf(run, 'nonsense'))).toBe('EVENT_ID_INVALID');
    expect(await codeOf(run.trace({ after: 'nonsense' }).next())).toBe('EVENT_ID_INVALID');
  });

  test('[T478][TC5] after a restart what was kept is there, and the run is traced further', async () => {
    const engine = await host.open({ scripted });
    const run = await suspended(engine);
    const before = await traceOf(run);
    const again = await host.restart(engine, { scripted });
    const handle = again.engine.run(run.id);
    expect(await traceOf(handle)).toEqual(before);
    await finish(again, handle);
    const trace = await traceOf(handle);
    expect(trace.slice(0, before.length)).toEqual(before);
    expect(new Set(trace.map(({ seq }) => seq))).toEqual(new Set((await journalOf(handle)).map(({ seq }) => seq)));
  });

  host.testHere('[TC5] a trace that was damaged is not read, and keeps no run from going on', async () => {
    const engine = await host.open({ scripted });
    const run = await suspended(engine);
    const rows = await rowsOf(engine);
    const records = rows.map((key) => ({ kind: traceKind, key, value: '', dueAt: null }));
    await engine.store.commit(sideCommit({ records }));
    expect(await codeOf(traceOf(run))).toBe('STORE_DAMAGED');
    const again = await host.restart(engine, { scripted });
    await finish(again, again.engine.run(run.id));
    expect((await rowsOf(again)).length).toBeGreaterThan(rows.length);
  });

  test('[T478][TC3] up to traceBytesMax the oldest are kept; the last says how many were dropped, also over a restart', async () => {
    const told: unknown[] = [];
    const options = { scripted, onTrace: ({ type, data }: TraceEvent) => void told.push({ type, data }) };
    const limits = { traceBytesMax: 700 };
    const engine = await host.open({ ...options, limits });
    const run = await suspended(engine);
    const live = await follow(run); // ends, although the run does not: nothing more will come
    expect(live.at(-1)).toMatchObject({ type: 'trace.dropped', data: { events: told.length - live.length + 1 } });
    const again = await host.restart(engine, { ...options, limits });
    const handle = again.engine.run(run.id);
    await finish(again, handle);
    const trace = await traceOf(handle);
    const kept = trace.slice(0, -1);
    expect(kept.map(({ type, data }) => ({ type, data }))).toEqual(told.slice(0, kept.length));
    const size = kept.reduce((sum, { type, data }) => sum + JSON.stringify({ type, data }).length, 0);
    expect([size <= 700, size > 500]).toEqual([true, true]);
    expect(trace.at(-1)).toMatchObject({
      type: 'trace.dropped',
      data: { events: told.length - kept.length, limit: 'traceBytesMax' },
    });
    expect(trace.at(-1)?.seq).toBe((await journalOf(handle)).at(-1)?.seq);
    expect(await traceOf(handle, trace.at(-1)?.id)).toEqual(trace.slice(-1));
    expect(live.slice(0, -1)).toEqual(kept);
  });

  test('[T478][TC4] of a large value the beginning is kept, and how long it was', async () => {
    const engine = await host.open({ scripted, limits: { traceValueBytesMax: 200 } });
    const text = 'é"'.repeat(5_000);
    const run = await suspended(engine, { n: { text, small: 1 } });
    const written = (await traceOf(run)).filter(({ type }) => type === 'operation.context.field_set');
    const whole = JSON.stringify({ text, small: 1 });
    expect(written.map(({ data, cut }) => ({ data, cut }))).toEqual([
      { data: { target: 'state.n', value: whole.slice(0, 200) }, cut: { value: whole.length } },
    ]);
  });

  test('[T478][TC7] of a run that did not ask there is none, and the error says how to ask', async () => {
    const engine = await host.open({ scripted });
    await mustRegister(engine, asking);
    const run = await engine.engine.start('asking');
    await engine.settle();
    await expect(run.trace({ follow: false }).next()).rejects.toMatchObject({
      code: 'RUN_NOT_TRACED',
      message: `Expected run ${run.id} to be traced, but it was started without; start it with trace: true, or with --trace on the command line`,
    });
    expect(await codeOf(run.trace().next())).toBe('RUN_NOT_TRACED');
    expect(await codeOf(traceOf(engine.engine.run('01ARZ3NDEKTSV4RRFFQ69G5FAV')))).toBe('RUN_NOT_FOUND');
    expect(await rowsOf(engine)).toEqual([]);
  });

  test('[T478][TC9] sub-runs and retries are traced with the run that asked, each on its own', async () => {
    const engine = await host.open({ scripted });
    await mustRegister(engine, childDefinition, parentDefinition());
    const run = await engine.engine.start('parent', {}, { trace: true });
    await engine.settle();
    engine.script.next('work').fail(new Error('no'));
    await engine.settle();
    const [child] = await engine.engine.runs({ parentRunId: run.id });
    const childTrace = await traceOf(engine.engine.run(child?.runId ?? ''));
    expect(new Set(childTrace.map(({ runId }) => runId))).toEqual(new Set([child?.runId]));
    expect(new Set((await traceOf(run)).map(({ runId }) => runId))).toEqual(new Set([run.id]));
    expect(await run.status()).toBe('failed');
    const retried = await run.retry();
    await engine.settle();
    expect((await traceOf(retried)).map(({ seq }) => seq)[0]).toBe(1);
  });

  test('[T478][TC8] a trace goes with its run, and those of its sub-runs too', async () => {
    const engine = await host.open({ scripted });
    await mustRegister(engine, childDefinition, parentDefinition());
    const [run, other] = [
      await engine.engine.start('parent', {}, { trace: true }),
      await engine.engine.start('parent', {}, { trace: true }),
    ];
    await engine.settle();
    await run.cancel();
    await engine.settle();
    const before = await rowsOf(engine);
    const [child] = await engine.engine.runs({ parentRunId: run.id });
    const others = before.filter((key) => !key.startsWith(run.id) && !key.startsWith(child?.runId ?? ''));
    expect(others.length).toBeGreaterThan(1);
    expect(before.length).toBeGreaterThan(others.length + 2);
    await run.delete();
    expect(await rowsOf(engine)).toEqual(others);
    expect(await codeOf(traceOf(run))).toBe('RUN_NOT_FOUND');
    expect((await traceOf(other)).length).toBeGreaterThan(0);
  });

  test('[T478][TC10] a snapshot does not have the trace; a run that is restored from it is traced from there', async () => {
    const engine = await host.open({ scripted });
    const run = await suspended(engine);
    const snapshot = await run.snapshot();
    expect(JSON.stringify(snapshot)).not.toContain('decision.routing');
    const other = await host.open({ scripted, trustedSnapshotKeys: [await engine.engine.snapshotKey()] });
    await mustRegister(other, asking);
    const restored = await other.engine.restore(snapshot);
    await other.settle();
    await finish(other, restored);
    const rows = new Set((await traceOf(restored)).map(({ seq }) => seq));
    expect(rows).toEqual(new Set((await journalOf(restored)).map(({ seq }) => seq)));
  });
});
