import { expect, test } from 'vitest';
import { Background } from '../actor/background.ts';
import { defaultLimits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { TriggerBook, triggerKind } from './trigger-book.ts';

function openBook(store = memoryStore()) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const background = new Background(
    store,
    clock,
    (error, { triggerId }) => void told.push(`${triggerId}: ${(error as Error).message}`),
  );
  const due: (number | null)[] = [];
  const book = new TriggerBook({ clock, limits: defaultLimits, background, onMoved: (_before, at) => due.push(at) });
  return { book, store, clock, told, due };
}

const schedule = { id: 's', type: 'schedule', cron: '0 * * * *', workflow: 'w' };
const finished = { id: 'f', type: 'workflow_finished', source: 'a', workflow: 'b', statuses: ['failed'] };

test('knows who listens for the end of a run, as long as somebody does', async () => {
  const { book } = openBook();
  expect(book.hasFinishedListeners('a')).toBe(false);
  await book.create(finished);
  expect([book.hasFinishedListeners('a'), book.hasFinishedListeners('b')]).toEqual([true, false]);
  expect([book.forFinished('a', 'failed').length, book.forFinished('a', 'completed').length]).toEqual([1, 0]);
  await book.remove('f');
  expect(book.hasFinishedListeners('a')).toBe(false);
});

test('[TR4] two who create the same at once make one', async () => {
  const { book } = openBook();
  const created = await Promise.all([book.create(schedule), book.create(schedule)]);
  expect(created.map(({ isNew }) => isNew)).toEqual([true, false]);
});

test('[TR4] one that replaces another listens for what it says, and for nothing else', async () => {
  const { book } = openBook();
  await book.create(finished);
  const { isNew, problems } = await book.create({ ...finished, source: 'c' }, { replace: true });
  expect([isNew, problems.map(({ severity }) => severity)]).toEqual([true, ['warning', 'warning']]);
  expect([book.hasFinishedListeners('a'), book.hasFinishedListeners('c')]).toEqual([false, true]);
});

test('[TR4] a schedule that is replaced keeps what it waits for, and goes on from now', async () => {
  const { book, clock } = openBook();
  const queueing = { ...schedule, overlap: 'queue' };
  await book.create(queueing);
  const first = await book.setEnabled('s', false);
  await book.put({ ...first, lastRunId: 'r1', queued: [5] });
  await clock.advance(1_000);
  const { trigger } = await book.create({ ...queueing, cron: '30 * * * *' }, { replace: true });
  expect(trigger).toMatchObject({
    enabled: false,
    createdAt: first.createdAt,
    since: first.createdAt + 1_000,
    lastRunId: 'r1',
    queued: [5],
  });
  const skipping = await book.create(schedule, { replace: true });
  expect(skipping.trigger).toMatchObject({ enabled: false, lastRunId: 'r1', queued: [] });
  const other = await book.create({ id: 's', type: 'manual', workflow: 'w', enabled: true }, { replace: true });
  expect(other.trigger).toMatchObject({ enabled: true, lastRunId: null, queued: [] });
});

test('tells when a schedule comes due', async () => {
  const { book, clock, due } = openBook();
  await book.create(schedule);
  await book.setEnabled('s', false);
  expect(due).toEqual([clock.now() + 3_600_000, null]);
});

test('one that is damaged is told of and comes due no more; the others are there', async () => {
  const { book, store } = openBook();
  for (const id of ['s1', 's2']) await book.create({ ...schedule, id });
  const nothing = { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [] };
  await store.commit({ ...nothing, records: [{ kind: triggerKind, key: 's1', value: '{', dueAt: 1 }] });
  const next = openBook(store);
  await next.book.load();
  expect(next.book.schedules().map(({ definition }) => definition.id)).toEqual(['s2']);
  expect(next.told).toEqual(['s1: Expected trigger s1 to be readable, but it is not']);
  expect(await store.readRecord(triggerKind, 's1')).toMatchObject({ value: '{', dueAt: null });
});
