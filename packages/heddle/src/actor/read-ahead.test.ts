import { describe, expect, test } from 'vitest';
import { startOf } from '../core/planning/planning.testsuite.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { flow, openRunner, type TestRunner } from './actor.testsuite.ts';
import type { RunRow, Store } from './ports.ts';
import { loadEach } from './read-ahead.ts';

const waits = { ...flow([{ id: 'wait', wait: { seconds: 60 } }], []), id: 'waits' };

/** A store that is asked for many runs at a time, and what it was asked. */
function remoteStore() {
  const inner = memoryStore();
  const asked = { together: [] as (readonly string[])[], rows: 0, runs: 0 };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'loadRuns')
        return (runIds: readonly string[]) => {
          asked.together.push(runIds);
          return loadEach((runId) => inner.loadRun(runId), runIds);
        };
      if (name === 'readRun') asked.rows++;
      if (name === 'loadRun') asked.runs++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { inner, store, asked };
}

async function startMany({ definitions, clock, inbox }: TestRunner, count: number): Promise<string[]> {
  const graph = await definitions.mustFind('waits', null);
  const runIds = Array.from({ length: count }, (_, index) => `run-${index}`);
  const at = clock.now();
  const starts = runIds.map((runId) => {
    const start = { ...startOf(graph, at), runId, rootRunId: runId, keyRunId: runId };
    return inbox.command(runId, { type: 'start', at, start });
  });
  await Promise.all(starts);
  return runIds;
}

describe('a store that is asked over a network', () => {
  test('[RN31] 2,000 due timers take a few requests, and each run is read together with others', async () => {
    const { inner, store, asked } = remoteStore();
    const opened = await openRunner({ store, definitions: [waits], limits: { idleRunsMax: 1 } });
    const runIds = await startMany(opened, 2_000);
    await opened.settle();
    expect(asked).toEqual({ together: [], rows: 0, runs: 0 });
    await opened.advance(60_000);
    const rows = runIds.map((runId) => inner.readRun(runId) as RunRow); // a store in memory answers at once
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']));
    expect([asked.rows, asked.runs]).toEqual([0, 0]);
    expect(asked.together.length).toBeLessThan(40);
    for (const ids of asked.together) expect(new Set(ids).size).toBe(ids.length);
  });

  test('[RN31] a run that has ended is answered by its row, one that does not exist is refused, and a look sees the whole', async () => {
    const { store, asked } = remoteStore();
    const opened = await openRunner({ store, definitions: [waits] });
    const [runId = ''] = await startMany(opened, 1);
    await opened.advance(60_000);
    const cancel = (id: string) => opened.inbox.command(id, { type: 'cancel', reason: 'late', at: opened.clock.now() });
    const answers = await Promise.allSettled([cancel(runId), cancel('nobody')]);
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { applied: false, reason: 'run has ended: completed' } },
      { status: 'rejected', reason: { code: 'RUN_NOT_FOUND' } },
    ]);
    expect(asked).toEqual({ together: [[runId, 'nobody']], rows: 0, runs: 0 });
    expect(await opened.inbox.read(runId, ({ outcome }) => outcome)).toBe('completed');
  });

  test('[RN31] runs in memory, and new ones, are not asked for', async () => {
    const { store, asked } = remoteStore();
    const opened = await openRunner({ store, definitions: [waits], limits: { idleRunsMax: 1 } });
    const [first = '', second = ''] = await startMany(opened, 2);
    await opened.settle();
    const pause = (id: string) => opened.inbox.command(id, { type: 'pause', at: opened.clock.now() });
    await Promise.all([pause(first), pause(second)]);
    expect(asked.together.flat()).toEqual([first]); // the other one has stayed
  });
});
