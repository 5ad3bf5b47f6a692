// A new shard for a test, of a fleet that many tests share: to make a schema takes longer than most tests.

import { randomUUID } from 'node:crypto';
import type { Store } from '../../actor/ports.ts';
import { systemClock } from '../../actor/system-clock.ts';
import { type FencedStore, ownStore } from '../../actor/write-queue.ts';
import { shardsMax } from '../../base/shard.ts';
import type { StoreUnderTest } from '../store.testsuite.ts';

export const testKey = Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64');

/** What opens a store of a shard. */
export type OpenShard = (shard: number) => Store | Promise<Store>;

/** The next shard that no test has had, of a fleet that `makeFleet` makes when there is none left. */
export function nextShards(makeFleet: () => Promise<OpenShard>): () => Promise<() => Store | Promise<Store>> {
  let open: OpenShard | null = null;
  let next = 0;
  return async () => {
    if (open === null || next === shardsMax) {
      open = await makeFleet();
      next = 0;
    }
    const [fleet, shard] = [open, next++];
    return () => fleet(shard);
  };
}

export function freshShards(makeFleet: () => Promise<OpenShard>): () => Promise<StoreUnderTest> {
  const nextShard = nextShards(makeFleet);
  return async () => {
    const open = await nextShard();
    const reopen = async () => owned(await open());
    return { store: await reopen(), reopen, tearDown: async () => undefined };
  };
}

/** As an engine has it, with a stamp for every write. */
export async function owned(store: Store): Promise<Store> {
  return (await ownStore({ store: store as FencedStore, clock: systemClock(), owner: randomUUID() })).store;
}

export const newSchema = (): string => `h_${randomUUID().replaceAll('-', '')}`;
