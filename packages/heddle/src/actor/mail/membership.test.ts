// What is said of a fleet that was made with another number of shards.

import { expect, test } from 'vitest';
import { refuseOtherNumber } from './membership.ts';
import { shardPerRun } from './run-placement.ts';

test.each([
  [4, 2, 'Expected a fleet of 2 shards, but it was made with 4'],
  [2, 4, 'or copy it into a new one'],
  [shardPerRun, 4, 'Expected a fleet of 4 shards, but it was made with a shard for every run'],
  [1, shardPerRun, 'Expected a fleet of a shard for every run, but it was made with 1 shard'],
])('[SH10] a fleet that was made with %d is not opened with %d', (shards, expected, message) => {
  expect(() => refuseOtherNumber({ fleet: 'f', shard: 0, shards }, expected)).toThrow(message);
});
