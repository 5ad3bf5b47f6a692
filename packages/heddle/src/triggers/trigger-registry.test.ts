import { expect, test } from 'vitest';
import { Background } from '../actor/background.ts';
import { defaultLimits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { TriggerRegistry, triggerKind } from './trigger-registry.ts';

function openRegistry(store = memoryStore()) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const background = new Background(
    store,
    clock,
    (error, { triggerId }) => void told.push(`${triggerId}: ${(error as Error).message}`),
  );
  const due: (number | null)[] = [];
  const registry = new TriggerRegistry({
    clock,
    limits: defaultLimits,
    background,
    onMoved: (_before, at) => due.push(at),
  });
  return { registry, store, clock, told, due };
}

const schedule = { id: 's', type: 'schedule', cron: '0 * * * *', workflow: 'w' };
const finished = { id: 'f', type: 'workflow_finished', source: 'a', workflow: 'b', statuses: ['failed'] };

test('knows who listens for the end of a run, as long as somebody does', async () => {
  const { registry } = openRegistry();
  expect(registry.hasFinishedListeners('a')).toBe(false);
  await registry.create(finished);
  expect([registry.hasFinishedListeners('a'), registry.hasFinishedListeners('b')]).toEqual([true, false]);
  expect([registry.forFinished('a', 'failed').length, registry.forFinished('a', 'completed').length]).toEqual([1, 0]);
  await registry.remove('f');
  expect(registry.hasFinishedListeners('a')).toBe(false);
});

test('[TR4] two who create the same at once make one', async () => {
  const { registry } = openRegistry();
  const created = await Promise.all([registry.create(schedule), registry.create(schedule)]);
  expect(created.map(({ isNew }) => isNew)).toEqual([true, false]);
});

test('[TR4] one that replaces another listens for what it says, and for nothing else', async () => {
  const { registry } = openRegistry();
  await registry.create(finished);
  const { isNew, problems } = await registry.create({ ...finished, source: 'c' }, { replace: true });
  expect([isNew, problems.map(({ severity }) => severity)]).toEqual([true, ['warning', 'warning']]);
  expect([registry.hasFinishedListeners('a'), registry.hasFinishedListeners('c')]).toEqual([false, true]);
});

test('[TR4] a schedule that is replaced keeps what it waits for, and goes on from now', async () => {
  const { registry, clock } = openRegistry();
  const queueing = { ...schedule, overlap: 'queue' };
  await registry.create(queueing);
  const first = await registry.setEnabled('s', false);
  await registry.put({ ...first, lastRunId: 'r1', queued: [5] });
  await clock.advance(1_000);
  const { trigger } = await registry.create({ ...queueing, cron: '30 * * * *' }, { replace: true });
  expect(trigger).toMatchObject({
    enabled: false,
    createdAt: first.createdAt,
    since: first.createdAt + 1_000,
    lastRunId: 'r1',
    queued: [5],
  });
  const skipping = await registry.create(schedule, { replace: true });
  expect(skipping.trigger).toMatchObject({ enabled: false, lastRunId: 'r1', queued: [] });
  const other = await registry.create({ id: 's', type: 'manual', workflow: 'w', enabled: true }, { replace: true });
  expect(other.trigger).toMatchObject({ enabled: true, lastRunId: null, queued: [] });
});

test('tells when a schedule comes due', async () => {
  const { registry, clock, due } = openRegistry();
  await registry.create(schedule);
  await registry.setEnabled('s', false);
  expect(due).toEqual([clock.now() + 3_600_000, null]);
});

test('one that is damaged is told of and comes due no more; the others are there', async () => {
  const { registry, store } = openRegistry();
  for (const id of ['s1', 's2']) await registry.create({ ...schedule, id });
  const nothing = { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [] };
  await store.commit({ ...nothing, records: [{ kind: triggerKind, key: 's1', value: '{', dueAt: 1 }] });
  const next = openRegistry(store);
  await next.registry.load();
  expect(next.registry.schedules().map(({ definition }) => definition.id)).toEqual(['s2']);
  expect(next.told).toEqual(['s1: Expected trigger s1 to be readable, but it is not']);
  expect(await store.readRecord(triggerKind, 's1')).toMatchObject({ value: '{', dueAt: null });
});
