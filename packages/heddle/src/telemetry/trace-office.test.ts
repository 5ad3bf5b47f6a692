import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Commit, Store } from '../actor/ports.ts';
import { systemClock } from '../actor/system-clock.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/local-engine.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openCollector, type TestCollector } from './collector.testsuite.ts';
import { makeTraceId, runSpanId, tokenSpanId } from './span.ts';

const parent = {
  id: 'parent',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'core.echo' },
    { id: 'call', workflow: 'child' },
  ],
  transitions: [{ id: 't', from: 'first', to: 'call' }],
};
const child = { id: 'child', initialNode: 'work', nodes: [{ id: 'work', action: 'core.echo' }], transitions: [] };

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function collecting(): Promise<TestCollector> {
  const collector = await openCollector();
  open.push(collector);
  return collector;
}

/** One whose waits are over at once. */
const hurried = {
  ...systemClock(),
  schedule: (_: number, callback: () => void) => systemClock().schedule(0, callback),
};

async function opened(store: Store, { endpoint }: TestCollector, more: EngineOptions = {}): Promise<Engine> {
  const headers = { authorization: 'Bearer planted-key' };
  const engine = await openEngine(store, { traces: { endpoint, headers }, ...more });
  open.push({ close: () => engine.close({ graceMs: 0 }) });
  for (const definition of [child, parent]) await engine.register(definition);
  return engine;
}

/** A store of which some is otherwise. */
const changed = (store: Store, changes: Partial<Store>): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(changes, name)) return Reflect.get(changes, name) as unknown;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

/** A store that stays open when its engine closes, as a file does. */
const lasting = (): Store => changed(memoryStore(), { close: () => undefined });

const eventually = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 600_000, interval: 5 });

async function play(engine: Engine): Promise<string> {
  const run = await engine.start('parent');
  await run.result();
  return run.id;
}

/** The ids that a run of `parent` and its sub-run must have. */
async function idsOf(engine: Engine, runId: string): Promise<readonly string[]> {
  const [sub] = await engine.runs({ parentRunId: runId });
  const subId = sub?.runId ?? '';
  return [runSpanId(runId), tokenSpanId(runId, 1), tokenSpanId(runId, 2), runSpanId(subId), tokenSpanId(subId, 1)];
}

describe('spans on their way to a collector', () => {
  test('[OT5][OT4] are sent when their run has ended, of a root and its sub-runs in one trace', async () => {
    const collector = await collecting();
    const engine = await opened(memoryStore(), collector);
    const runId = await play(engine);
    await eventually(() => expect(collector.taken.length).toBe(5));
    expect(collector.taken.map(({ spanId }) => spanId).toSorted()).toEqual(
      [...(await idsOf(engine, runId))].toSorted(),
    );
    expect(new Set(collector.taken.map(({ traceId }) => traceId))).toEqual(new Set([makeTraceId(runId)]));
    const subRun = collector.taken.find(({ name }) => name === 'child');
    expect(subRun?.parentSpanId).toBe(tokenSpanId(runId, 2));
    expect(collector.headers[0]).toMatchObject({
      authorization: 'Bearer planted-key',
      'content-type': 'application/json',
    });
    await eventually(() => expect(engine.spanCounts).toEqual({ exported: 5, dropped: 0 }));
  });

  test('[OT5][OT2] that were not taken before a restart are sent after it; none is missing, none is another', async () => {
    const collector = await collecting();
    const store = lasting();
    collector.status = 503;
    const before = await opened(store, collector);
    const first = await play(before);
    await eventually(() => expect(collector.requests).toBeGreaterThan(0));
    await before.close({ graceMs: 0 });
    expect(collector.taken).toEqual([]);
    const without = await openEngine(store);
    const second = await play(without);
    await without.close();
    collector.status = 200;
    const after = await opened(store, collector);
    const third = await play(after);
    const expected = [...(await idsOf(after, first)), ...(await idsOf(after, second)), ...(await idsOf(after, third))];
    await eventually(() => expect(new Set(collector.taken.map(({ spanId }) => spanId)).size).toBe(15));
    expect([...new Set(collector.taken.map(({ spanId }) => spanId))].toSorted()).toEqual(expected.toSorted());
  });

  test('[OT5][OT2] are sent twice under the same ids if it could not be stored that they were taken', async () => {
    const collector = await collecting();
    let failures = 2;
    const store = memoryStore();
    const commit = (write: Commit) => {
      const isCursor = write.records.some(({ kind }) => kind === 'trace-cursor');
      if (isCursor && collector.requests > 0 && failures-- > 0) throw new Error('the disk is full');
      return store.commit(write);
    };
    const engine = await opened(changed(store, { commit }), collector, { clock: hurried });
    const expected = await idsOf(engine, await play(engine));
    await eventually(() => expect(engine.spanCounts?.exported).toBeGreaterThanOrEqual(11));
    expect([...new Set(collector.taken.map(({ spanId }) => spanId))].toSorted()).toEqual([...expected].toSorted());
  });

  test('[OT5] are sent again if nobody answers, and dropped and told of if they are refused', async () => {
    const collector = await collecting();
    const told: string[] = [];
    const onError = (error: Error) => void told.push(error.message);
    const engine = await opened(memoryStore(), collector, { clock: hurried, onError });
    collector.status = null;
    await play(engine);
    await eventually(() => expect(collector.requests).toBeGreaterThan(3));
    collector.status = 200;
    await eventually(() => expect(engine.spanCounts?.exported).toBe(5));
    collector.status = 400;
    await play(engine);
    await eventually(() => expect(engine.spanCounts?.dropped).toBe(5));
    expect(told.at(-1)).toBe('Expected the collector of traces to take spans, but it answered with 400');
    expect(told.join()).not.toContain('planted-key');
  });

  test('[OT5] of what ended before there was a collector are not sent', async () => {
    const collector = await collecting();
    const store = lasting();
    const without = await openEngine(store);
    for (const definition of [child, parent]) await without.register(definition);
    await play(without);
    await without.close();
    const engine = await opened(store, collector);
    const runId = await play(engine);
    const expected = await idsOf(engine, runId);
    await eventually(() => expect(collector.taken.length).toBe(5));
    expect(collector.taken.map(({ spanId }) => spanId).toSorted()).toEqual([...expected].toSorted());
  });
});
