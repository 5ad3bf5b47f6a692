// What another shard sends, where commits fail and where the shard closes.

import { expect, test } from 'vitest';
import { defaultLimits } from '../../definition/limits.ts';
import { memoryStore } from '../../hosts/memory/store.ts';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import { Inbox } from '../inbox.ts';
import { Observers } from '../observers.ts';
import type { Commit, Store } from '../ports.ts';
import { StoreError } from '../store-error.ts';
import { type Letter, recordsAddress } from './letter.ts';
import { Mail } from './mail.ts';
import type { Peers } from './peers.ts';
import { Placement } from './placement.ts';

const kind = 'note';

/** A letter of shard 1 about a record here. */
const about = (number: number, key: string, value: string | null): Letter => ({
  from: 1,
  incarnation: 'i1',
  number,
  after: number - 1,
  lowest: 1,
  to: recordsAddress,
  message: { kind, key, value, dueAt: null },
});

async function open(store: Store) {
  const clock = new VirtualClock();
  const mail = new Mail({
    store,
    peers: { placement: new Placement(0, 2) } as Partial<Peers> as Peers, // nothing is sent
    clock,
    observers: new Observers({}),
    inbox: new Inbox({ clock, limits: defaultLimits }),
    onRecord: () => undefined,
  });
  await mail.load(() => 'i0');
  return { mail, clock };
}

test('[ML5] [OW5] what is not durable when the shard closes is refused, so that it is brought to its next owner', async () => {
  const { mail } = await open(memoryStore());
  // Nobody works off what is for a run.
  const waiting = mail.receive({ ...about(1, 'k', null), to: 'R' });
  await Promise.resolve();
  await mail.outgoing.close();
  await expect(waiting).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  await expect(mail.receive(about(2, 'k', null))).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
});

/** A store whose first commits of what letters bring fail, and all that was written of it. */
function failing(times: number) {
  const written: (string | null)[] = [];
  let failures = times;
  const store = memoryStore();
  const commit = (given: Commit) => {
    const values = given.records.filter((record) => record.kind === kind).map(({ value }) => value);
    if (values.length > 0 && failures-- > 0) throw new StoreError('STORE_FAILED', 'the disk is on fire');
    written.push(...values);
    return store.commit(given);
  };
  return {
    written,
    store: new Proxy(store, {
      get: (target, name) =>
        name === 'commit' ? commit : (Reflect.get(target, name) as (...all: unknown[]) => unknown).bind(target),
    }),
  };
}

test('[ML6] records of one key are written in the order of their sender, although a commit fails', async () => {
  const { store, written } = failing(1);
  const { mail, clock } = await open(store);
  const first = mail.receive(about(1, 'k', '{}'));
  await clock.advance(50);
  expect(written).toEqual([]);
  const second = mail.receive(about(2, 'k', null));
  await clock.advance(10_000);
  await Promise.all([first, second]);
  expect(written).toEqual(['{}', null]);
});

test('[ML6] where a record could not be written before the shard closed, what follows of it is not written either', async () => {
  const { store, written } = failing(1);
  const { mail, clock } = await open(store);
  const letters = [mail.receive(about(1, 'k', '{}')), mail.receive(about(2, 'k', null))];
  const refused = Promise.allSettled(letters);
  await clock.advance(50);
  await mail.outgoing.close();
  await clock.advance(10_000);
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(written).toEqual([]);
});
