import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { StoreError } from '../../packages/heddle/src/actor/store-error.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from '../acceptance/hosts.testsuite.ts';

/** A store of which some calls are answered by the test. */
function wrap(store: Store, over: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(key in over ? over : target, key);
      return typeof value === 'function' ? (value as () => unknown).bind(key in over ? over : target) : value;
    },
  });
}

onEveryHost('registering', ({ open }) => {
  test('[DV6] two registrations at once get two versions', async () => {
    const { engine } = await open();
    const a = { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] };
    const b = { id: 'w', initialNode: 'b', nodes: [{ id: 'b' }] };
    const [x, y] = await Promise.all([engine.register(a), engine.register(b)]);
    // Of requests that are on their way at once either may come first.
    expect(new Set([x.version, y.version])).toEqual(new Set([1, 2]));
    expect((await engine.definitions()).length).toBe(2);
  });
});

describe('FT5: a store that fails while an engine goes on with what another left', () => {
  test('[RN4] a failed commit during recovery loses no task', async () => {
    const base = memoryStore();
    let failNext = 0;
    const store = wrap(base, {
      commit: (c) => {
        if (failNext > 0) {
          failNext--;
          throw new StoreError('STORE_FAILED', 'disk');
        }
        return base.commit(c);
      },
    });
    const one = await createTestEngine({ store, scripted: ['work'] });
    await one.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    const run = await one.engine.start('w');
    await one.settle();
    expect(one.script.open('work').length).toBe(1);
    await one.engine.close({ graceMs: 0 });
    failNext = 1;
    const two = await createTestEngine({ store, clock: one.clock, scripted: ['work'] });
    await two.settle();
    await two.advance(60_000);
    expect(failNext).toBe(0);
    expect(two.script.open('work').length).toBe(1);
    two.script.next('work').complete({});
    await two.settle();
    expect(await two.engine.run(run.id).status()).toBe('completed');
    await two.engine.close({ graceMs: 0 });
  });

  test('[RN3] a store that fails for five seconds at the start loses no task', async () => {
    const base = memoryStore();
    let failUntil = 0;
    const store = wrap(base, {
      commit: (c) => {
        if (one.clock.now() < failUntil) throw new StoreError('STORE_FAILED', 'disk');
        return base.commit(c);
      },
    });
    const one = await createTestEngine({ store, scripted: ['work'] });
    await one.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    await one.engine.start('w');
    await one.settle();
    await one.engine.close({ graceMs: 0 });
    failUntil = one.clock.now() + 5_000;
    const two = await createTestEngine({ store, clock: one.clock, scripted: ['work'] });
    await two.settle();
    await two.advance(60_000);
    expect(two.script.open('work').length).toBe(1);
    await two.engine.close({ graceMs: 0 });
  });

  test('[RV2] a look for work that fails once loses no task', async () => {
    const base = memoryStore();
    let failNext = 0;
    const store = wrap(base, {
      runsWithWork: (a, l) => {
        if (failNext-- > 0) throw new StoreError('STORE_FAILED', 'disk');
        return base.runsWithWork(a, l);
      },
    });
    const one = await createTestEngine({ store, scripted: ['work'] });
    await one.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    await one.engine.start('w');
    await one.settle();
    await one.engine.close({ graceMs: 0 });
    failNext = 1;
    const two = await createTestEngine({ store, clock: one.clock, scripted: ['work'] });
    await two.settle();
    await two.advance(60_000);
    expect(two.script.open('work').length).toBe(1);
    await two.engine.close({ graceMs: 0 });
  });
});

describe('FT16: a store that fails while a run is loaded', () => {
  test('[RN3] a load that fails once does not let later messages overtake', async () => {
    const base = memoryStore();
    let childId = '';
    let fail = false;
    const store = wrap(base, {
      loadRun: (id) => {
        if (fail && id === childId) {
          fail = false;
          throw new StoreError('STORE_FAILED', 'lost connection');
        }
        return base.loadRun(id);
      },
    });
    // idleRunsMax 1: the waiting child leaves memory.
    const t = await createTestEngine({ store, limits: { idleRunsMax: 1 } });
    await t.engine.register({ id: 'child', initialNode: 'w', nodes: [{ id: 'w', wait: { seconds: 10 } }] });
    await t.engine.register({ id: 'p', initialNode: 'c', nodes: [{ id: 'c', workflow: 'child' }] });
    await t.engine.register({ id: 'other', initialNode: 'w', nodes: [{ id: 'w', wait: { seconds: 1000 } }] });
    const run = await t.engine.start('p');
    await t.settle();
    const [child] = await t.engine.runs({ subRuns: true, parentRunId: run.id });
    childId = child!.runId;
    await t.engine.start('other');
    await t.engine.start('other');
    await t.settle();
    fail = true;
    // both in one turn: both messages are then in one batch
    await Promise.all([run.pause(), run.resume()]);
    await t.settle();
    expect(fail).toBe(false);
    await t.advance(60_000);
    expect(await t.engine.run(childId).status()).toBe('completed');
    expect(await run.status()).toBe('completed');
    await t.engine.close({ graceMs: 0 });
  });

  test('[RN2] nor does one that fails after a failed commit, while the commands are tried one by one', async () => {
    const base = memoryStore();
    let childId = '';
    const failing = { commits: 0, loads: 0 };
    const store = wrap(base, {
      commit: (commit) => {
        if (commit.journal.some(({ runId }) => runId === childId) && failing.commits-- > 0)
          throw new StoreError('STORE_FAILED', 'lost connection');
        return base.commit(commit);
      },
      loadRun: (id) => {
        if (id === childId && failing.loads-- > 0) throw new StoreError('STORE_FAILED', 'lost connection');
        return base.loadRun(id);
      },
    });
    const t = await createTestEngine({ store });
    await t.engine.register({ id: 'child', initialNode: 'w', nodes: [{ id: 'w', wait: { seconds: 10 } }] });
    await t.engine.register({ id: 'p', initialNode: 'c', nodes: [{ id: 'c', workflow: 'child' }] });
    const run = await t.engine.start('p');
    await t.settle();
    childId = (await t.engine.runs({ subRuns: true, parentRunId: run.id }))[0]!.runId;
    Object.assign(failing, { commits: 1, loads: 1 });
    await Promise.all([run.pause(), run.resume(), run.pause()]);
    await t.advance(60_000);
    expect([failing.commits < 1, failing.loads < 1]).toEqual([true, true]);
    expect(await t.engine.run(childId).status()).toBe('paused');
    await t.engine.close({ graceMs: 0 });
  });
});

describe('an engine that is closed', () => {
  test('[RN15] writes nothing more, and who waits is told', async () => {
    const base = memoryStore();
    let commits = 0;
    let isFailing = false;
    const store = wrap(base, {
      commit: (commit) => {
        if (isFailing) throw new StoreError('STORE_FAILED', 'disk');
        commits++;
        return base.commit(commit);
      },
    });
    const one = await createTestEngine({ store, scripted: ['work'] });
    await one.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] });
    const run = await one.engine.start('w');
    await one.settle();
    isFailing = true;
    one.script.next('work').complete({});
    await one.settle(); // the result waits to be tried again, and the pause behind it
    const pausing = expect(run.pause()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await one.settle();
    isFailing = false;
    await one.engine.close({ graceMs: 0 });
    await pausing;
    commits = 0;
    await one.advance(60_000);
    expect(commits).toBe(0);
  });
});

describe('late messages', () => {
  test('[RN14] a run that has ended is not loaded for them', async () => {
    const base = memoryStore();
    const loaded: string[] = [];
    const store = wrap(base, {
      loadRun: (runId) => {
        loaded.push(runId);
        return base.loadRun(runId);
      },
    });
    const { engine, settle } = await createTestEngine({ store });
    await engine.register({ id: 'c', initialNode: 'a', nodes: [{ id: 'a', wait: { seconds: 1000 } }] });
    await engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [{ id: 's' }, { id: 'a', workflow: 'c' }],
      transitions: [{ from: 's', to: 'a', spawnCount: 50 }],
    });
    const run = await engine.start('w');
    await settle();
    await run.cancel();
    await settle(); // fifty sub-runs tell their parent that they were cancelled
    expect(loaded).not.toContain(run.id);
    expect(await run.cancel()).toEqual({ applied: false, reason: 'run has ended: cancelled' });
    expect(await engine.runs({ subRuns: true, status: 'cancelled', limit: 100 })).toHaveLength(51);
    await engine.close();
  });

  test('[RV1] one that is damaged keeps nobody from going on', async () => {
    const base = memoryStore();
    const message = { id: '00000000000001/x/000000001/000000', to: 'x', message: '{"type":"can' };
    await base.commit({ runs: [], journal: [], keys: [], records: [], outboxDone: [], outboxAdded: [message] });
    const errors: string[] = [];
    const { engine } = await createTestEngine({ store: base, onError: (error) => errors.push(error.message) });
    await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] });
    expect(await (await engine.start('w')).result()).toMatchObject({ status: 'completed' });
    expect(errors).toEqual([`Expected message ${message.id} to be JSON, but it is damaged`]);
    await engine.close();
  });
});

describe('an engine that cannot be opened', () => {
  test('[RV3] leaves no lock and no engine behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
    const path = join(folder, 'heddle.db');
    const store = wrap(await openSqliteStore(path), {
      readOutbox: () => {
        throw new StoreError('STORE_FAILED', 'disk');
      },
    });
    await expect(openEngine(store)).rejects.toThrow('disk');
    await expect(createEngine({ store: path, limits: { nestingMax: 0 } })).rejects.toThrow('nestingMax');
    const engine = await createEngine({ store: path });
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
