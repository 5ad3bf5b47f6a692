import { describe, expect, test } from 'vitest';
import type { Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import type { ActionContext } from '../executor/action.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { makeCommit, makeRun } from '../hosts/store-fixtures.testsuite.ts';
import { allOf, openEngine } from './engine.testsuite.ts';
import type { LocalEngine } from './local-engine.ts';
import { RetentionSweeper } from './retention.ts';

const day = 86_400_000;
const line = {
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'put', inputMapping: { n: 'input.n' } }],
  transitions: [],
};
const caller = {
  id: 'caller',
  initialNode: 'c',
  nodes: [{ id: 'c', workflow: 'asks' }],
  transitions: [],
};
const asks = { id: 'asks', initialNode: 'p', nodes: [{ id: 'p', input: { title: 'Well?' } }], transitions: [] };

async function open(store: Store = memoryStore(), more: object = {}) {
  const opened = await openEngine({
    store,
    actions: {
      put: async ({ input, artifacts }: ActionContext) => ({
        file: await artifacts.put(JSON.stringify(input), 'text/plain'),
      }),
    },
    ...more,
  });
  for (const definition of [line, asks, caller]) await opened.engine.register(definition);
  return opened;
}

const ids = (runs: readonly { readonly runId: string }[]) => runs.map(({ runId }) => runId);

describe('retention', () => {
  test('[KP7] one rule too many is refused; those that are there can be changed', async () => {
    const { engine } = await open(memoryStore(), { limits: { retentionRulesMax: 3 } });
    for (const workflow of ['*', 'w', 'x']) await engine.retention.set(workflow, { days: 1 });
    await expect(engine.retention.set('z', { days: 1 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'retentionRulesMax',
    });
    expect(await engine.retention.set('w', { days: 2 })).toEqual({ workflow: 'w', days: 2 });
    await engine.retention.remove('x');
    expect(await engine.retention.set('z', { days: 1 })).toEqual({ workflow: 'z', days: 1 });
  });

  test('[KP7] rules that were set under a larger limit are kept', async () => {
    const { engine, store } = await open(memoryStore(), { limits: { retentionRulesMax: 3 } });
    const value = JSON.stringify({ days: 1 });
    const records = Array.from({ length: 2_001 }, (_, n) => ({ kind: 'retention', key: `w${n}`, value, dueAt: null }));
    await store.commit(sideCommit({ records }));
    const rules = await engine.retention.list();
    expect(rules.map(({ workflow }) => workflow).toSorted()).toEqual(records.map(({ key }) => key).toSorted());
    await expect(engine.retention.set('z', { days: 1 })).rejects.toMatchObject({ limit: 'retentionRulesMax' });
  });

  test('[KP2] runs that ended longer ago than their rule says are deleted, by themselves, and no others', async () => {
    const { engine, settle, advance } = await open();
    const old = await engine.start('w', { n: 1 });
    const waiting = await engine.start('asks');
    await settle();
    await engine.retention.set('*', { days: 3 });
    await engine.retention.set('w', { days: 2 });
    await advance(day);
    const young = await engine.start('w', { n: 2 });
    await advance(day - 60_000);
    expect(ids(await engine.runs())).toEqual([young.id, waiting.id, old.id]);
    await advance(2 * 3_600_000);
    expect(ids(await engine.runs())).toEqual([young.id, waiting.id]);
    await expect(old.summary()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(allOf(old.events())).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect((await engine.audit()).problems).toEqual([]);
  });

  test('[KP2] the newest are kept by number; with both, a run goes only if both let it', async () => {
    const { engine, settle, advance } = await open();
    const runs = [];
    for (let count = 0; count < 5; count++) {
      runs.unshift((await engine.start('w')).id);
      await advance(1_000);
    }
    await settle();
    await engine.retention.set('w', { days: 1, keepLast: 2 });
    expect(await engine.retention.sweep()).toEqual({ deleted: 0 });
    await advance(2 * day);
    expect(ids(await engine.runs())).toEqual(runs.slice(0, 2));
    await engine.retention.set('w', { keepLast: 1 });
    await engine.retention.sweep();
    expect(ids(await engine.runs())).toEqual(runs.slice(0, 1));
  });

  test('[DO31] a host that calls is told when the next run is past its rule, and no hour is kept', async () => {
    const { engine, settle, clock, store } = await open();
    const records = ['w', '*'].map((key, n) => ({ kind: 'retention', key, value: `{"days":${n + 2}}`, dueAt: null }));
    await store.commit(sideCommit({ records }));
    const [first, other] = [await engine.start('w', { n: 1 }), await engine.start('asks', {})];
    await settle();
    const { endedAt } = await first.summary();
    await other.cancel();
    const { host } = (engine as LocalEngine).parts; // as it was opened here
    const sweeper = new RetentionSweeper(host, { isSweptByHost: true });
    await sweeper.start();
    expect(clock.nextAt).toBeNull();
    expect(await sweeper.sweep()).toEqual({ deleted: 0, nextAt: (endedAt ?? 0) + 2 * day });
    await clock.advance(2 * day);
    expect(await sweeper.sweep()).toMatchObject({ deleted: 1, nextAt: expect.any(Number) });
    await clock.advance(day);
    expect(await sweeper.sweep()).toEqual({ deleted: 1, nextAt: null });
  });

  test('[KP3] rules are durable, listed and removed; a rule that says nothing is refused', async () => {
    const store = memoryStore();
    const { engine } = await open(store);
    await engine.retention.set('w', { days: 2 });
    await engine.retention.set('*', { keepLast: 10 });
    expect(await engine.retention.list()).toEqual([
      { workflow: '*', keepLast: 10 },
      { workflow: 'w', days: 2 },
    ]);
    expect([await engine.retention.remove('w'), await engine.retention.remove('w')]).toEqual([true, false]);
    await expect(engine.retention.set('w', {})).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(engine.retention.set('w', { days: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await engine.close();
    await expect(engine.retention.sweep()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    const next = await open(store);
    expect(await next.engine.retention.list()).toEqual([{ workflow: '*', keepLast: 10 }]);
  });
});

describe('deleting a run', () => {
  test('[KP1] takes all below it along, and waits until all of it has ended', async () => {
    const { engine, settle, store } = await open();
    const run = await engine.start('caller');
    await settle();
    const [child] = await engine.runs({ parentRunId: run.id });
    await expect(run.delete()).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
    await expect(engine.run(child!.runId).delete()).rejects.toMatchObject({ code: 'RUN_NOT_ROOT' });
    const [prompt] = await engine.prompts();
    await run.reply(prompt!.correlationId, { yes: true });
    await settle();
    expect(await store.readRecord('prompt', prompt!.correlationId)).not.toBeNull();
    await run.delete();
    expect(await engine.runs()).toEqual([]);
    expect(await store.readRecord('prompt', prompt!.correlationId)).toBeNull();
    for (const { id } of [run, { id: child!.runId }]) expect(await store.readJournal(id, 1, 9)).toEqual([]);
    await expect(run.delete()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(run.retry()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('[KP1] finds all below it behind however many newer runs', async () => {
    const { engine, settle, store, clock } = await open();
    const run = await engine.start('caller');
    await settle();
    const [prompt] = await engine.prompts();
    await run.reply(prompt!.correlationId, { yes: true });
    await settle();
    // More than a store looks at for one page of a list.
    const newer = Array.from({ length: 20_500 }, (_, number) =>
      makeRun(`newer-${number}`, { createdAt: clock.now() + 1, status: 'completed' }),
    );
    await store.commit(makeCommit({ runs: newer.map((row) => ({ row, isNew: true })) }));
    await run.delete();
    expect(await engine.runs({ rootRunId: run.id })).toEqual([]);
    expect(await engine.runs({ workflow: 'asks' })).toEqual([]);
  });

  test('[AR8] removes the artifacts that nobody else has put', async () => {
    const { engine, settle } = await open();
    const [one, same, other] = [
      await engine.start('w', { n: 1 }),
      await engine.start('w', { n: 1 }),
      await engine.start('w', { n: 2 }),
    ];
    await settle();
    const [shared] = await engine.artifacts.list(one.id);
    const [alone] = await engine.artifacts.list(other.id);
    await one.delete();
    await other.delete();
    expect((await engine.artifacts.get(shared!)).mimeType).toBe('text/plain');
    await expect(engine.artifacts.get(alone!)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
    await same.delete();
    await expect(engine.artifacts.get(shared!)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
  });

  test('[AR8] bytes that a crash left without an owner are removed by a sweep', async () => {
    const { engine, settle, store } = await open();
    const orphan = await store.artifacts.put(new Uint8Array([1]));
    const run = await engine.start('w', { n: 1 });
    await settle();
    await engine.retention.sweep();
    expect(await store.artifacts.has(orphan)).toBe(false);
    expect(await engine.artifacts.get((await engine.artifacts.list(run.id))[0]!)).toMatchObject({
      mimeType: 'text/plain',
    });
  });

  test('[KP4] an idempotency key outlives its run for seven days', async () => {
    const { engine, settle, advance } = await open();
    const run = await engine.start('w', {}, { idempotencyKey: 'k' });
    await settle();
    await run.delete();
    expect((await engine.start('w', {}, { idempotencyKey: 'k' })).id).toBe(run.id);
    await advance(7 * day);
    await engine.retention.sweep();
    expect((await engine.start('w', {}, { idempotencyKey: 'k' })).id).not.toBe(run.id);
  });

  test('[KP5] goes on in the next process where one ended', async () => {
    const memory = memoryStore();
    const first = await open(replacing(memory, 'deleteRemains', dies));
    const run = await first.engine.start('w');
    await first.settle();
    await expect(run.delete()).rejects.toThrow('dies here');
    await first.engine.close();
    expect(await memory.readJournal(run.id, 1, 9)).not.toEqual([]);
    const { settle, advance } = await open(memory, { clock: first.clock });
    await settle();
    await advance(1);
    expect(await memory.readJournal(run.id, 1, 9)).toEqual([]);
  });

  test('[KP5] bytes of artifacts, too, are removed by the next process if one ended before', async () => {
    const memory = memoryStore();
    const { artifacts } = memory;
    const first = await open(replacing(memory, 'artifacts', replacing(artifacts, 'remove', dies)));
    const run = await first.engine.start('w');
    await first.settle();
    const [file] = await first.engine.artifacts.list(run.id);
    await expect(run.delete()).rejects.toThrow('dies here');
    await first.engine.close();
    expect(await artifacts.get(file!.id)).not.toBeNull();
    const { settle, advance } = await open(memory, { clock: first.clock });
    await settle();
    await advance(1);
    expect(await artifacts.get(file!.id)).toBeNull();
  });
});

const dies = (): Promise<never> => Promise.reject(new Error('the process dies here'));

/** The same, but for one of its parts. */
function replacing<T extends object>(whole: T, name: keyof T, part: unknown): T {
  return new Proxy(whole, {
    get(target, key) {
      if (key === name) return part;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
