// The conformance suite of fences: whose writes of a store count. A host with one runs it with `describeFence(name, setUp)`.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Fence, Stamp } from '../actor/ports.ts';
import { refusalOf } from './store-fixtures.testsuite.ts';

export interface FenceUnderTest {
  readonly fence: Fence;
  /** Writes under this name; `contradicts` makes it a write that the store refuses for what it holds. */
  write(stamp: Stamp, name: string, contradicts?: boolean): Promise<void>;
  /** The names of what is written, in their order. */
  written(): Promise<readonly string[]>;
}

export function describeFence(name: string, setUp: () => Promise<FenceUnderTest>): void {
  describe(`the fence of ${name}`, () => {
    let host: FenceUnderTest;
    beforeEach(async () => {
      host = await setUp();
    });

    it('[WR2] takes the writes of its owner, in its epoch, with the next number, and no others', async () => {
      const { fence } = host;
      const { epoch, number } = await fence.take('a');
      await host.write({ owner: 'a', epoch, number: number + 1 }, 'one');
      await host.write({ owner: 'a', epoch, number: number + 2 }, 'two');
      const wrong: Stamp[] = [
        { owner: 'b', epoch, number: number + 3 },
        { owner: 'a', epoch: epoch + 1, number: number + 3 },
        { owner: 'a', epoch: epoch - 1, number: number + 3 },
        { owner: 'a', epoch, number: number + 2 },
        { owner: 'a', epoch, number: number + 4 },
      ];
      for (const stamp of wrong) expect((await refusalOf(() => host.write(stamp, 'wrong'))).code).toBe('STORE_FENCED');
      await host.write({ owner: 'a', epoch, number: number + 3 }, 'three');
      expect(await host.written()).toEqual(['one', 'three', 'two']);
    });

    it('[WR2] counts no write that the store refuses', async () => {
      const { epoch, number } = await host.fence.take('a');
      const stamp = { owner: 'a', epoch, number: number + 1 };
      expect((await refusalOf(() => host.write(stamp, 'one', true))).code).toBe('STORE_CONFLICT');
      expect(await host.fence.raise('a')).toEqual({ epoch: epoch + 1, number });
      await host.write({ ...stamp, epoch: epoch + 1 }, 'one');
      expect(await host.written()).toEqual(['one']);
    });

    it('[WR2] is above all that was before for whoever takes it, and keeps the number', async () => {
      const { fence } = host;
      const first = await fence.take('a');
      await host.write({ owner: 'a', epoch: first.epoch, number: first.number + 1 }, 'one');
      const second = await fence.take('b');
      expect(second).toEqual({ epoch: first.epoch + 1, number: first.number + 1 });
      const late = { owner: 'a', epoch: first.epoch, number: first.number + 2 };
      expect((await refusalOf(() => host.write(late, 'late'))).code).toBe('STORE_FENCED');
      expect(await fence.take('b')).toEqual({ epoch: second.epoch + 1, number: second.number });
    });

    it('[WR3] is raised by its owner alone: what was on its way is not written any more', async () => {
      const { fence } = host;
      expect(await fence.raise('a')).toBeNull();
      const { epoch, number } = await fence.take('a');
      expect(await fence.raise('b')).toBeNull();
      expect(await fence.raise('a')).toEqual({ epoch: epoch + 1, number });
      const late = { owner: 'a', epoch, number: number + 1 };
      expect((await refusalOf(() => host.write(late, 'late'))).code).toBe('STORE_FENCED');
      await fence.take('b');
      expect(await fence.raise('a')).toBeNull();
      expect(await host.written()).toEqual([]);
    });

    it('[WR2] gives each of many who take it at once an epoch of its own, and the newest writes', async () => {
      const owners = Array.from({ length: 8 }, (_, at) => `o${at}`);
      const tenures = await Promise.all(owners.map(async (owner) => ({ owner, ...(await host.fence.take(owner)) })));
      expect(new Set(tenures.map(({ epoch }) => epoch)).size).toBe(8);
      const newest = tenures.toSorted((a, b) => a.epoch - b.epoch).at(-1)!;
      const writes = tenures.map(({ owner, epoch, number }) => host.write({ owner, epoch, number: number + 1 }, owner));
      const done = (await Promise.allSettled(writes)).map(({ status }) => status);
      expect(done.filter((status) => status === 'fulfilled')).toHaveLength(1);
      expect(await host.written()).toEqual([newest.owner]);
    });
  });
}
