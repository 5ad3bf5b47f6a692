// The conformance suite of leases: how processes agree on who owns which shard. A host with them runs it with
// `describeLeases(name, setUp)`.
//
// Always true: nothing waits for time to pass; a lease of no time is over at once.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Leases } from '../actor/ports.ts';

const long = 3_600_000;

/** Leases of a fleet of three shards that nobody owns, as two processes reach them. */
export function describeLeases(name: string, setUp: () => Promise<readonly [Leases, Leases]>): void {
  describe(`the leases of ${name}`, () => {
    let one: Leases;
    let two: Leases;
    beforeEach(async () => {
      [one, two] = await setUp();
    });

    it('[OW1] a process owns what it has claimed, and no other can claim it', async () => {
      expect(await one.renew('a', long)).toEqual({ processes: 1, owned: [], free: [0, 1, 2] });
      expect(await two.renew('b', long)).toEqual({ processes: 2, owned: [], free: [0, 1, 2] });
      expect(await one.claim('a', 2)).toBe(true);
      expect(await one.claim('a', 2)).toBe(true);
      expect(await two.claim('b', 2)).toBe(false);
      expect(await two.claim('b', 0)).toBe(true);
      expect(await one.renew('a', long)).toEqual({ processes: 2, owned: [2], free: [1] });
      expect(await two.renew('b', long)).toEqual({ processes: 2, owned: [0], free: [1] });
    });

    it('[OW1] what it owned can be claimed when its lease is over, and not once it is renewed', async () => {
      await one.renew('a', long);
      for (const shard of [0, 1, 2]) await one.claim('a', shard);
      await one.renew('a', 0);
      expect(await two.renew('b', long)).toEqual({ processes: 1, owned: [], free: [0, 1, 2] });
      expect(await two.claim('b', 1)).toBe(true);
      // The others are its own still, as nobody has them.
      expect(await one.renew('a', long)).toEqual({ processes: 2, owned: [0, 2], free: [] });
      expect(await two.claim('b', 2)).toBe(false);
      expect(await two.renew('b', long)).toEqual({ processes: 2, owned: [1], free: [] });
    });

    it('[OW1] what it claimed while its lease was over is free', async () => {
      await one.renew('a', 0);
      expect(await one.claim('a', 0)).toBe(true);
      expect((await two.renew('b', long)).free).toEqual([0, 1, 2]);
      expect(await two.claim('b', 0)).toBe(true);
      expect((await one.renew('a', long)).owned).toEqual([]);
    });

    it('[OW4] what it releases is free; what another owns it cannot release', async () => {
      await one.renew('a', long);
      await two.renew('b', long);
      await one.claim('a', 0);
      await two.release('b', 0);
      await two.release('b', 1);
      expect(await one.renew('a', long)).toEqual({ processes: 2, owned: [0], free: [1, 2] });
      await one.release('a', 0);
      await one.release('a', 0);
      expect(await one.renew('a', long)).toEqual({ processes: 2, owned: [], free: [0, 1, 2] });
    });

    it('[OW4] whoever leaves owns nothing, and is no process any more', async () => {
      await one.renew('a', long);
      await two.renew('b', long);
      for (const shard of [0, 1]) await one.claim('a', shard);
      await one.leave('a');
      await one.leave('a');
      expect(await two.renew('b', long)).toEqual({ processes: 1, owned: [], free: [0, 1, 2] });
      expect(await two.claim('b', 0)).toBe(true);
      expect(await one.renew('a', long)).toEqual({ processes: 2, owned: [], free: [1, 2] });
    });

    it('[OW1] of many who claim a shard at once one has it', async () => {
      const processes = Array.from({ length: 12 }, (_, at) => `p${at}`);
      for (const process of processes) await one.renew(process, long);
      const claims = processes.map(async (process, at) => (at % 2 === 0 ? one : two).claim(process, 1));
      const granted = await Promise.all(claims);
      expect(granted.filter(Boolean)).toHaveLength(1);
      expect((await two.renew(processes[granted.indexOf(true)]!, long)).owned).toEqual([1]);
    });

    it('[OW3] [PG4] who renews its lease while another claims its shard has kept it, or knows that it has not', async () => {
      const outcomes = { kept: 0, lost: 0 };
      for (let round = 0; round < 60; round++) {
        await one.renew('a', long);
        if (!(await one.claim('a', 1))) throw new Error('Expected a free shard');
        await one.renew('a', 0);
        const [renewed, granted] = await Promise.all([one.renew('a', long), two.claim('b', 1)]);
        expect({ round, owned: renewed.owned }).toEqual({ round, owned: granted ? [] : [1] });
        outcomes[granted ? 'lost' : 'kept'] += 1;
        await two.release('b', 1);
      }
      expect(outcomes.kept + outcomes.lost).toBe(60);
    });
  });
}
