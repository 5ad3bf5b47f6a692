import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { flow, openRunner, task } from './actor.testsuite.ts';
import type { Store } from './ports.ts';
import { sideCommit } from './side-writer.ts';

const work = flow([task('a')]);
const wakingOf = async (store: Store) =>
  (await store.listRecords('waking', { limit: 10 })).map(({ key, value }) => [key, JSON.parse(value)]);

/** A store in which three runs have work. */
async function withRuns(): Promise<Store> {
  const store = memoryStore();
  const { start } = await openRunner({ store, definitions: [work] });
  for (const runId of ['A', 'B', 'C']) await start(runId, 'trial');
  return store;
}

/** A process that ends when it loads one of these runs: it never hears of it again. */
async function processThatEndsAt(store: Store, fatal: readonly string[]): Promise<string[]> {
  const loaded: string[] = [];
  const dying = new Proxy(store, {
    get(target, key) {
      if (key === 'loadRun')
        return (runId: string) => {
          loaded.push(runId);
          return fatal.includes(runId) ? new Promise(() => {}) : target.loadRun(runId);
        };
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const { clock } = await openRunner({ store: dying, definitions: [work] });
  for (let round = 0; round < 20; round++) await clock.settle();
  return loaded;
}

describe('runs with which a process has ended', () => {
  test('[RV4] while runs are being woken a record says so, and goes away', async () => {
    const store = await withRuns();
    await processThatEndsAt(store, ['B']);
    expect(await wakingOf(store)).toEqual(['A', 'B', 'C'].map((runId) => [runId, { tries: 1 }]));
    expect(await processThatEndsAt(store, [])).toEqual(['A', 'B', 'C']);
    expect(await wakingOf(store)).toEqual([]);
  });

  test('[RV4] they are woken after all others, and one by one', async () => {
    const store = await withRuns();
    await store.commit(sideCommit({ records: [{ kind: 'waking', key: 'A', value: '{"tries":1}', dueAt: null }] }));
    expect(await processThatEndsAt(store, ['A'])).toEqual(['B', 'C', 'A']);
    expect(await wakingOf(store)).toEqual([['A', { tries: 2 }]]);
    const others = await withRuns();
    await processThatEndsAt(others, ['B']);
    expect(await processThatEndsAt(others, ['B'])).toEqual(['A', 'B']);
    expect(await wakingOf(others)).toEqual([
      ['B', { tries: 2 }],
      ['C', { tries: 1 }],
    ]);
  });

  test('[RV5] a run that ends its process ten times is set aside, and the others run', async () => {
    const store = await withRuns();
    for (let crash = 0; crash < 10; crash++) {
      expect((await store.readRun('B'))?.quarantine).toBeNull();
      await processThatEndsAt(store, ['B']);
    }
    expect(await processThatEndsAt(store, ['B'])).toEqual(['A', 'C']);
    expect((await store.readRun('B'))?.quarantine).toContain('ended 10 times');
    expect(await wakingOf(store)).toEqual([]);
  });
});
