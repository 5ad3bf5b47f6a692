// Kept seeds: worlds that once went wrong. They are played first, always. A seed means something as long as the
// workloads draw what they drew; what was wrong is therefore also a scenario in the tests.

export interface KeptSeed {
  readonly seed: number;
  /** Where it went wrong; absent: on one store. */
  readonly shards?: number;
  readonly processes?: number;
  readonly found: string;
}

export const keptSeeds: readonly KeptSeed[] = [
  { seed: 20002593, found: 'a branch that ended within one command did not tell what would never run in it (EJ4)' },
  {
    seed: 800190,
    shards: 2,
    processes: 3,
    found: 'what letters say of a record was written although what came before it was given up at the close (ML6)',
  },
  {
    seed: 41001770,
    shards: 3,
    processes: 2,
    found: 'a store that failed as a shard was given back ended the process (OW1)',
  },
  {
    seed: 44001549,
    shards: 3,
    found:
      'an oracle expected to be told twice what a branch wrote that had left a join and waited at an outer one (BR2)',
  },
];
