// Leases in memory: for engines in one process that share the stores of a fleet, as tests and simulations have them.

import type { Leases, Standing } from '../../actor/ports.ts';

/** `now`: the clock that all go by. */
export function memoryLeases(shards: number, now: () => number): Leases {
  const ends = new Map<string, number>();
  const owners = new Map<number, string>();
  const isLive = (process: string | undefined): boolean => process !== undefined && (ends.get(process) ?? 0) > now();
  const all = Array.from({ length: shards }, (_, shard) => shard);
  const standingOf = (process: string): Standing => ({
    processes: [...ends.keys()].filter(isLive).length,
    owned: all.filter((shard) => owners.get(shard) === process),
    free: all.filter((shard) => !isLive(owners.get(shard))),
  });
  return {
    renew(process, forMs) {
      ends.set(process, now() + forMs);
      return standingOf(process);
    },
    claim(process, shard) {
      const owner = owners.get(shard);
      if (owner !== process && isLive(owner)) return false;
      owners.set(shard, process);
      return true;
    },
    release(process, shard) {
      if (owners.get(shard) === process) owners.delete(shard);
    },
    leave(process) {
      ends.delete(process);
      for (const shard of all) if (owners.get(shard) === process) owners.delete(shard);
    },
  };
}
