import { describe, expect, test } from 'vitest';
import { HeddleError } from '../base/heddle-error.ts';
import type { Command, Reply } from '../core/commands.ts';
import { eventWaitKey, receivedBefore } from '../core/notes.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Background } from './background.ts';
import { EventHub } from './event-hub.ts';
import type { RecordWrite, Store } from './ports.ts';
import { StoreError } from './store-error.ts';

type Taken = boolean | Reply;
type Take = (runId: string, eventId: string) => Taken | Promise<Taken>;

/** A hub whose runs are played by the test. */
function openHub(take: Take = () => true, store: Store = memoryStore()) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const offered: string[] = [];
  const background = new Background(
    store,
    clock,
    (error, { runId = '' }) => void told.push(`${runId}: ${(error as Error).message}`),
  );
  const submit = async (runId: string, command: Command): Promise<Reply> => {
    if (command.type !== 'event') throw new Error('Expected an event');
    offered.push(`${runId}/${command.token} ${command.eventId}`);
    const taken = await take(runId, command.eventId);
    return typeof taken === 'boolean' ? { applied: taken } : taken;
  };
  let ids = 0;
  const hub = new EventHub({ clock, background, submit, newId: () => `${1000 + ++ids}` });
  return { hub, store, clock, background, told, offered };
}

function write(store: Store, ...records: readonly RecordWrite[]) {
  return store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records });
}

const waitOf = (runId: string, correlation = ''): RecordWrite => ({
  kind: 'event-wait',
  key: eventWaitKey('paid', correlation, { runId, token: 1 }),
  value: JSON.stringify({ runId, token: 1 }),
  dueAt: null,
});

const ttlMs = 60_000;

const wait = { token: 1, event: 'paid', correlation: '' };

describe('handing over', () => {
  test('[EW5] to all who wait, after it is stored', async () => {
    const { hub, store, offered } = openHub(async () => (await store.listRecords('event', { limit: 2 })).length === 1);
    await write(store, waitOf('r1'), waitOf('r2'), waitOf('r3', 'other'));
    expect(await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs })).toMatchObject({
      applied: true,
      delivered: 2,
      event: { id: 'e1' },
    });
    expect(offered).toEqual(['r1/1 e1', 'r2/1 e1']);
  });

  test('[EW10] a run that cannot take it keeps no other from it', async () => {
    const { hub, store, told, offered } = openHub((runId) => {
      if (runId === 'r1') throw new HeddleError('RUN_QUARANTINED', 'in quarantine');
      return true;
    });
    await write(store, waitOf('r1'), waitOf('r2'));
    expect(await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs })).toMatchObject({ delivered: 1 });
    expect([offered, told]).toEqual([['r1/1 e1', 'r2/1 e1'], ['r1: in quarantine']]);
    await hub.recover();
    expect([offered.slice(2), told.slice(1)]).toEqual([['r1/1 e1', 'r2/1 e1'], ['r1: in quarantine']]);
  });

  test('[EW18] a run that was deleted meanwhile keeps no other from it, and nobody is told', async () => {
    const { hub, store, told, offered } = openHub((runId) => {
      if (runId === 'r1') throw new HeddleError('RUN_NOT_FOUND', 'there is none');
      return true;
    });
    await write(store, waitOf('r1'), waitOf('r2'));
    expect(await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs })).toMatchObject({ delivered: 1 });
    expect([offered, told]).toEqual([['r1/1 e1', 'r2/1 e1'], []]);
  });

  test('[EW10] what the store refuses is offered again, until the engine is closed', async () => {
    let failures = 2;
    const { hub, store, clock, told, offered, background } = openHub(() => {
      if (failures-- > 0) throw new StoreError('STORE_FAILED', 'on fire');
      return true;
    });
    await write(store, waitOf('r1'));
    await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs });
    await clock.advance(10_000);
    expect([offered, told]).toEqual([
      ['r1/1 e1', 'r1/1 e1', 'r1/1 e1'],
      [': on fire', ': on fire'],
    ]);
    failures = 2;
    await hub.publish({ id: 'e2', event: 'paid', payload: 2, ttlMs });
    await background.close();
    await clock.advance(10_000);
    expect(offered.slice(3)).toEqual(['r1/1 e2']);
  });

  test('a note that is damaged is told of', async () => {
    const { hub, store, told, offered } = openHub();
    await write(store, { ...waitOf('r1'), value: '{' }, waitOf('r2'));
    await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs });
    expect(offered).toEqual(['r2/1 e1']);
    expect(told).toEqual([': Expected event-wait "paid\\n\\nr1\\n1" to be JSON, but it is damaged']);
  });
});

describe('what is kept', () => {
  test('[EW7] is offered one by one, the oldest first, until one is taken', async () => {
    const { hub, clock, offered } = openHub((_, eventId) => eventId === 'b');
    for (const id of ['z', 'b', 'a']) await hub.publish({ id, event: 'paid', payload: id, ttlMs });
    hub.listen('r1', wait);
    await clock.settle();
    expect(offered).toEqual(['r1/1 z', 'r1/1 b']);
  });

  test('[EW7] is offered no more once it has expired', async () => {
    const { hub, clock, offered } = openHub(() => false);
    await hub.publish({ id: 'e1', event: 'paid', payload: 1, ttlMs: 10 });
    await hub.publish({ id: 'e2', event: 'paid', payload: 1, ttlMs: 11 });
    await clock.advance(10);
    hub.listen('r1', wait);
    await clock.settle();
    expect(offered).toEqual(['r1/1 e2']);
  });

  test('[EW7] hundreds, page by page', async () => {
    const { hub, clock, offered } = openHub((_, eventId) => eventId === 'z');
    for (let n = 0; n < 450; n++) await hub.publish({ id: `${n}`, event: 'paid', payload: n, ttlMs });
    await hub.publish({ id: 'z', event: 'paid', payload: 450, ttlMs });
    await hub.publish({ id: 'a', event: 'paid', payload: 451, ttlMs });
    hub.listen('r1', wait);
    await clock.settle();
    expect(offered).toEqual([...Array.from({ length: 450 }, (_, n) => `r1/1 ${n}`), 'r1/1 z']);
  });

  const replies: readonly [string, Reply, readonly string[]][] = [
    ['was taken is not offered again', { applied: true }, ['r1/1 b']],
    ['the run had before is not offered again', { applied: false, reason: receivedBefore }, ['r1/1 b']],
    ['is only held for a paused run is offered again', { applied: true, reason: 'held' }, ['r1/1 a', 'r1/1 b']],
    ['the run refused is offered again', { applied: false, reason: 'paused' }, ['r1/1 a', 'r1/1 b']],
  ];

  test.each(replies)('[EW7] when a run waits again, what %s', async (_, first, then) => {
    let reply: Reply = first;
    const { hub, clock, offered } = openHub(() => reply);
    await hub.publish({ id: 'a', event: 'paid', payload: 1, ttlMs });
    hub.listen('r1', wait);
    await clock.settle();
    expect(offered).toEqual(['r1/1 a']);
    await hub.publish({ id: 'b', event: 'paid', payload: 2, ttlMs });
    reply = { applied: false, reason: 'other' };
    hub.listen('r1', wait);
    await clock.settle();
    expect(offered.slice(1)).toEqual(then);
  });

  test('[EW7] what lies behind one that was only held is offered again with it, in order', async () => {
    const { hub, clock, offered } = openHub((_, eventId) =>
      eventId === 'a' ? { applied: false, reason: 'held' } : { applied: false, reason: receivedBefore },
    );
    for (const id of ['a', 'b']) await hub.publish({ id, event: 'paid', payload: id, ttlMs });
    for (let turn = 0; turn < 2; turn += 1) {
      hub.listen('r1', wait);
      await clock.settle();
    }
    expect(offered).toEqual(['r1/1 a', 'r1/1 b', 'r1/1 a', 'r1/1 b']);
  });

  test('[EW8] is offered again to all who wait, by a new engine', async () => {
    const first = openHub();
    await first.hub.publish({ id: 'e1', event: 'paid', correlation: 'a', payload: 1, ttlMs });
    await write(first.store, waitOf('r1', 'a'), waitOf('r2', 'b'));
    const second = openHub(() => true, first.store);
    await second.hub.recover();
    expect(second.offered).toEqual(['r1/1 e1']);
  });
});

test('closing waits for what the store was asked', async () => {
  const slow = memoryStore();
  const answers: (() => void)[] = [];
  const listed = slow.listRecords.bind(slow);
  slow.listRecords = (kind, query) => new Promise((resolve) => answers.push(() => resolve(listed(kind, query))));
  const { hub, background } = openHub(() => true, slow);
  hub.listen('r1', wait);
  expect(background.isIdle).toBe(false);
  let isClosed = false;
  const closing = background.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect(isClosed).toBe(false);
  for (const answer of answers) answer();
  await closing;
  expect(background.isIdle).toBe(true);
});
