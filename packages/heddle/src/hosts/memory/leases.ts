// Leases in memory: for engines in one process that share the stores of a fleet, as tests and simulations have them.

import type { Leases, Standing } from '../../actor/ports.ts';

export interface MemoryLeases extends Leases {
  readonly isLive: (process: string) => boolean;
  /** Null if it has none, or one whose lease is over. */
  readonly ownerOf: (shard: number) => string | null;
}

/** `now`: the clock that all go by. */
export function memoryLeases(shards: number, now: () => number): MemoryLeases {
  const ends = new Map<string, number>();
  const owners = new Map<number, string>();
  const isLive = (process: string): boolean => (ends.get(process) ?? 0) > now();
  const ownerOf = (shard: number): string | null => {
    const owner = owners.get(shard);
    return owner !== undefined && isLive(owner) ? owner : null;
  };
  const all = Array.from({ length: shards }, (_, shard) => shard);
  const standingOf = (process: string): Standing => ({
    processes: [...ends.keys()].filter(isLive).length,
    owned: all.filter((shard) => owners.get(shard) === process),
    free: all.filter((shard) => ownerOf(shard) === null),
  });
  return {
    isLive,
    ownerOf,
    renew(process, forMs) {
      ends.set(process, now() + forMs);
      return standingOf(process);
    },
    claim(process, shard) {
      const owner = ownerOf(shard);
      if (owner !== null && owner !== process) return false;
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
