import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { doubt, fencedStore } from './fenced-store.testsuite.ts';
import type { Store } from './ports.ts';
import { sideCommit } from './side-writer.ts';
import type { StoreError } from './store-error.ts';
import { ownStore } from './write-queue.ts';

async function begin() {
  const world = fencedStore();
  const { store, inner } = world;
  const clock = new VirtualClock();
  const fenced: StoreError[] = [];
  const own = async (owner: string): Promise<Store> => {
    const owned = await ownStore({ store, clock, owner });
    void owned.whenFenced.then((error) => void fenced.push(error));
    return owned.store;
  };
  const put = (to: Store, key: string) =>
    to.commit(sideCommit({ records: [{ kind: 'k', key, value: '1', dueAt: null }] })) as Promise<void>; // the queue answers later
  const isStored = (key: string) => inner.readRecord('k', key) !== null;
  return { ...world, owned: await own('a'), own, put, isStored, fenced, clock };
}

const refused = (code: string) => expect.objectContaining({ code }) as Error; // what it stands for

describe('the queue of writes', () => {
  test('[WR1] one at a time, in the order of asking, with the next number', async () => {
    const { owned, put, sent, atOnce, fates } = await begin();
    fates.push('answered', 'failed', 'answered');
    const answers = await Promise.allSettled([put(owned, 'x'), put(owned, 'y'), put(owned, 'z')]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(sent).toEqual([1, 2, 2].map((number) => ({ owner: 'a', epoch: 1, number })));
    expect(atOnce.most).toBe(1);
  });

  test('[WR1] snapshots, definitions and deletions too', async () => {
    const { owned, fence } = await begin();
    await owned.saveSnapshot({ runId: 'r', seq: 1, chunks: [] });
    await owned.saveDefinition({ id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 0 });
    await owned.deleteRuns({ runIds: [], records: [] });
    expect(await owned.deleteRemains('r', 10)).toBe(true);
    await owned.deleteKeys('r');
    expect(fence.raise('a')?.number).toBe(5);
  });

  test('[WR3] a write whose answer was lost is stored, and goes on as one that was answered', async () => {
    const { owned, put, isStored, sent, fates } = await begin();
    fates.push('lost-answer');
    await Promise.all([put(owned, 'x'), put(owned, 'y')]);
    expect([isStored('x'), isStored('y')]).toEqual([true, true]);
    expect(sent).toEqual([
      { owner: 'a', epoch: 1, number: 1 },
      { owner: 'a', epoch: 2, number: 2 },
    ]);
  });

  test('[WR3] a write that was lost goes on as one that failed, and never happens, however late it arrives', async () => {
    const { owned, put, isStored, fates, late } = await begin();
    fates.push('late', 'lost');
    await expect(put(owned, 'x')).rejects.toEqual(refused('STORE_FAILED'));
    await expect(put(owned, 'y')).rejects.toEqual(refused('STORE_FAILED'));
    for (const arrive of late) arrive();
    expect([isStored('x'), isStored('y')]).toEqual([false, false]);
    await put(owned, 'z');
    expect(isStored('z')).toBe(true);
  });

  test('[WR3] [WR4] settling is tried again; whoever cannot settle in time gives the store up', async () => {
    const { owned, put, isStored, fates, raises, fenced, clock } = await begin();
    const fail = () => {
      throw doubt();
    };
    fates.push('lost-answer');
    raises.push(fail, fail);
    const first = put(owned, 'x');
    await clock.advance(100);
    await first;
    fates.push('lost-answer');
    raises.push(...Array.from({ length: 1_000 }, () => fail));
    const second = expect(put(owned, 'y')).rejects.toEqual(refused('STORE_FENCED'));
    await clock.advance(20_000);
    await second;
    expect([isStored('y'), fenced.length]).toEqual([true, 1]);
  });

  test('[WR2] a fence takes the next number of the owner in its epoch, once, and nothing else', async () => {
    const { fence } = await begin();
    const owner = 'f';
    const { epoch, number } = fence.take(owner);
    const next = { owner, epoch, number: number + 1 };
    fence.write(next, () => undefined);
    const others = [next, { ...next, number: number + 3 }, { ...next, number: number + 2, epoch: epoch - 1 }];
    expect(others.map((stamp) => fence.admits(stamp))).toEqual([false, false, false]);
    expect(fence.admits({ ...next, owner: 'g', number: number + 2 })).toBe(false);
    expect(fence.admits({ ...next, number: number + 2 })).toBe(true);
  });

  test('[WR2] [WR5] whoever was replaced writes nothing more, reads nothing more, and is told once', async () => {
    const { owned, own, put, isStored, fenced } = await begin();
    await put(owned, 'x');
    const next = await own('b');
    const late = await Promise.allSettled([put(owned, 'y'), put(owned, 'z')]);
    expect(late).toEqual([1, 2].map(() => ({ status: 'rejected', reason: refused('STORE_FENCED') })));
    await expect(put(owned, 'w')).rejects.toEqual(refused('STORE_FENCED'));
    expect(() => owned.readRecord('k', 'x')).toThrow(refused('STORE_FENCED'));
    expect([isStored('y'), isStored('z'), fenced.length]).toEqual([false, false, 1]);
    await put(next, 'y');
    expect([isStored('y'), await next.readRecord('k', 'x')]).toMatchObject([true, { key: 'x' }]);
  });

  test('[WR7] whoever was replaced removes no artifact that the next owner may need, and reads none', async () => {
    const { owned, own, inner, fence } = await begin();
    const bytes = new Uint8Array([1, 2, 3]);
    const id = await owned.artifacts.put(bytes);
    const next = await own('b');
    await expect(owned.artifacts.remove(id)).rejects.toEqual(refused('STORE_FENCED'));
    expect(() => owned.artifacts.get(id)).toThrow(refused('STORE_FENCED'));
    expect(await inner.artifacts.get(id)).toEqual(bytes);
    await next.artifacts.remove(id);
    expect([await inner.artifacts.has(id), fence.raise('b')?.number]).toEqual([false, 1]);
  });

  test('[WR3] a write in doubt of an owner that was replaced meanwhile is not taken for stored', async () => {
    const { owned, own, put, fates, fenced } = await begin();
    fates.push('lost');
    const answer = put(owned, 'x');
    const [next] = await Promise.all([own('b'), expect(answer).rejects.toEqual(refused('STORE_FENCED'))]);
    await put(next, 'x');
    expect(fenced).toHaveLength(1);
  });

  test('[WR6] a store that has another number than it can have is given up', async () => {
    const { owned, put, fates, raises, fenced } = await begin();
    for (const key of ['x', 'y']) await put(owned, key);
    fates.push('lost-answer');
    raises.push(() => ({ epoch: 9, number: 1 }));
    await expect(put(owned, 'z')).rejects.toEqual(refused('STORE_FENCED'));
    expect(fenced).toHaveLength(1);
  });
});
